//! Webhooks: what both kinds of configurations share.

use ordain_passes::declared::written::Asked;
use ordain_schema::admission::client;
use ordain_schema::crd::Service;
use ordain_strategy::Change;
use ordain_strategy::typed::Lifecycle;
use ordain_value::field::{self, Path};
use ordain_value::{Text, Value};

use super::{expressions, metadata};
use crate::native::Native;
use crate::shared::fields;
use crate::shared::table::Cell::Len;
use crate::shared::table::{AGE, NAME};

pub(super) fn native(kind: &'static str) -> Native {
    let mut native = super::native(kind, &[], validate);
    native.hooks.lifecycle = Lifecycle::CountedExactly(&[&["webhooks"]]);
    native.columns = &[
        NAME,
        ("Webhooks", "integer", 0, "How many webhooks are configured.", Len("webhooks")),
        AGE,
    ];
    native
}

/// Whether all webhooks kept their conditions, which are then not judged again.
fn same_conditions(change: &Change<'_>) -> bool {
    let Some(old) = change.old else { return false };
    let conditions = |object| {
        let webhooks = fields::list(object, &["webhooks"]);
        webhooks.iter().map(|it| fields::list(it, &["matchConditions"])).collect::<Vec<_>>()
    };
    conditions(change.object) == conditions(old)
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let mut errors = metadata(change);
    if !same_conditions(change) {
        errors.extend(expressions::validate(change, |_| true));
    }
    errors
}

/// Where a webhook outside of the cluster is; parsed as those of definitions are.
pub(crate) fn check_url(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    client::url(asked.value().as_str().unwrap_or(""), path, errors);
}

/// The service in front of a webhook; the rules are those of definitions.
pub(crate) fn check_service(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let value = asked.value();
    let text = |name: &str| Text::from(fields::text(&value, &[name]));
    let service = Service {
        namespace: text("namespace"),
        name: text("name"),
        path: fields::at(&value, &["path"]).and_then(Value::as_text).cloned(),
        port: fields::int(&value, &["port"]),
    };
    client::service(&service, path, errors);
}
