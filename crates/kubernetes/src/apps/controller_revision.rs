//! ControllerRevision: an earlier state of a workload's template, kept to go back to.

use ordain_passes::declared::written::Asked;
use ordain_strategy::object;
use ordain_strategy::typed::{Hooks, printer, rules};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::native::Native;
use crate::shared::{fields, table};

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(rules::changed_and_whole_metadata);
    hooks.cells = cells;
    Native {
        hooks,
        reset: &[],
        columns: table::columns(
            &[
                ("Controller", "string", "The workload it belongs to."),
                ("Revision", "string", "Its place in the order of revisions."),
            ],
            &[],
        ),
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

fn cells(revision: &Value, now: i64) -> Vec<Value> {
    let owners = fields::list(revision, &["metadata", "ownerReferences"]);
    let owner = owners.iter().find(|it| fields::flag(it, &["controller"]));
    let owner = owner.map_or_else(
        || "<none>".to_owned(),
        |it| {
            let text = |name: &str| fields::text(it, &[name]);
            let kind = text("kind").to_lowercase();
            let group = text("apiVersion").split_once('/').map_or("", |(group, _)| group);
            let dot = if group.is_empty() { "" } else { "." };
            format!("{kind}{dot}{group}/{}", text("name"))
        },
    );
    vec![
        object::name(revision).into(),
        owner.into(),
        fields::count(revision, &["revision"]).into(),
        printer::age(revision, now),
    ]
}
