//! IngressClass: which controller serves the ingresses of a class.

use ordain_meta::name;
use ordain_strategy::typed::{COUNT_SPEC, Hooks, printer};
use ordain_strategy::{Change, object};
use ordain_value::Value;
use ordain_value::field;

use crate::native::Native;
use crate::shared::access::{annotation, part, some, text, text_of};
use crate::shared::metadata;

const DEFAULT: &str = "ingressclass.kubernetes.io/is-default-class";

pub(crate) fn native() -> Native {
    let mut native = Native::new("networking.k8s.io", "IngressClass");
    native.columns = printer::columns(&[
        ("Controller", "The controller that serves the class."),
        ("Parameters", "The object with the parameters of the controller."),
    ]);
    native.hooks = Hooks { lifecycle: COUNT_SPEC, cells, ..Hooks::new(validate) };
    native
}

fn cells(object: &Value, now: i64) -> Vec<Value> {
    let spec = part(object, "spec");
    let is_default = annotation(object, DEFAULT) == Some("true");
    let parameters = some(spec, "parameters").map_or_else(
        || "<none>".to_owned(),
        |it| {
            let group = text_of(it, "apiGroup").map(|it| format!(".{it}")).unwrap_or_default();
            format!("{}{group}/{}", text(it, "kind"), text(it, "name"))
        },
    );
    let suffix = if is_default { " (default)" } else { "" };
    vec![
        format!("{}{suffix}", object::name(object)).into(),
        text(spec, "controller").into(),
        parameters.into(),
        printer::age(object, now),
    ]
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let mut errors = metadata::changed(change);
    errors.extend(metadata::whole(change, false, name::subdomain_rule));
    errors
}
