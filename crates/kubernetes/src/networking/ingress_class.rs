//! IngressClass: which controller serves the ingresses of a class.

use ordain_meta::name as names;
use ordain_strategy::typed::{COUNT_SPEC, Hooks};
use ordain_value::Value;

use crate::native::Native;
use crate::shared::access::{annotation, part, some, text, text_of};
use crate::shared::metadata;
use crate::shared::table::Cell::{self, Of, Text};
use crate::shared::table::{self, AGE, NAME};

pub(crate) const DEFAULT: &str = "ingressclass.kubernetes.io/is-default-class";

const CONTROLLER: Cell = Text("spec.controller");
const PARAMETERS: &str = "The object with the parameters of the controller.";

pub(crate) fn native() -> Native {
    let mut native = Native::new("networking.k8s.io", "IngressClass");
    native.columns = &[
        const { table::with(NAME, Of(name)) },
        ("Controller", "string", 0, "The controller that serves the class.", CONTROLLER),
        ("Parameters", "string", 0, PARAMETERS, Of(parameters)),
        AGE,
    ];
    native.hooks = Hooks {
        lifecycle: COUNT_SPEC,
        ..Hooks::new(|change| metadata::changed_and_whole(change, false, names::subdomain_rule))
    };
    native
}

fn name(object: &Value) -> Value {
    table::marked_name(object, annotation(object, DEFAULT) == Some("true"))
}

fn parameters(object: &Value) -> Value {
    let parameters = some(part(object, "spec"), "parameters");
    let Some(parameters) = parameters else { return "<none>".into() };
    let group = text_of(parameters, "apiGroup").map(|it| format!(".{it}")).unwrap_or_default();
    format!("{}{group}/{}", text(parameters, "kind"), text(parameters, "name")).into()
}
