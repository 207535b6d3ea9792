//! ControllerRevision: an earlier state of a workload's template, kept to go back to.

use ordain_meta::name;
use ordain_passes::declared::written::Asked;
use ordain_strategy::typed::Hooks;
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::native::Native;
use crate::shared::fields;
use crate::shared::metadata;
use crate::shared::table::Cell::{Int, Of};
use crate::shared::table::{AGE, NAME};

pub(crate) fn native() -> Native {
    Native {
        hooks: Hooks::new(|change| metadata::changed_and_whole(change, true, name::subdomain_rule)),
        reset: &[],
        columns: &[
            NAME,
            ("Controller", "string", 0, "The workload it belongs to.", Of(controller)),
            ("Revision", "string", 0, "Its place in the order of revisions.", Int("revision")),
            AGE,
        ],
        ..Native::new("apps", "ControllerRevision")
    }
}

/// The data of a new revision is an object, perhaps an empty one: only the JSON shows which.
pub(crate) fn check_data(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    match asked.value() {
        _ if asked.old_object().is_some() => {}
        Value::Null => errors.push(field::Error::required(path, "data is mandatory")),
        Value::Map(_) => {}
        _ => errors.push(field::Error::required(path, "data must be a valid JSON object")),
    }
}

fn controller(revision: &Value) -> Value {
    let owners = fields::list(revision, &["metadata", "ownerReferences"]);
    let owner = owners.iter().find(|it| fields::flag(it, &["controller"]));
    let Some(owner) = owner else { return "<none>".into() };
    let text = |name: &str| fields::text(owner, &[name]);
    let kind = text("kind").to_lowercase();
    let group = text("apiVersion").split_once('/').map_or("", |(group, _)| group);
    let dot = if group.is_empty() { "" } else { "." };
    format!("{kind}{dot}{group}/{}", text("name")).into()
}
