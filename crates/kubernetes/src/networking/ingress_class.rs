//! IngressClass: which controller serves the ingresses of a class.

use ordain_meta::name;
use ordain_strategy::typed::{COUNT_SPEC, Hooks, printer, rules};
use ordain_strategy::{Change, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::reference;
use crate::native::Native;
use crate::shared::access::{annotation, part, some, text, text_of};
use crate::shared::fields::IMMUTABLE;
use crate::shared::net;

const DEFAULT: &str = "ingressclass.kubernetes.io/is-default-class";
const CONTROLLER_BYTES_MAX: i64 = 250;
const SCOPES: [&str; 2] = ["Cluster", "Namespace"];

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
    let (spec, path) = (part(change.object, "spec"), Path::new("spec"));
    let mut errors = rules::metadata(change, false, name::subdomain_rule);
    if let Some(old) = change.old {
        let (new, old) = (text(spec, "controller"), text(part(old, "spec"), "controller"));
        if new != old {
            errors.push(field::Error::invalid(&path.child("controller"), new, IMMUTABLE));
        }
        let whole = Change { old: None, ..*change };
        errors.extend(rules::metadata(&whole, false, name::subdomain_rule));
    }
    controller(text(spec, "controller"), &path.child("controller"), &mut errors);
    if let Some(parameters) = some(spec, "parameters") {
        let path = path.child("parameters");
        reference::validate(parameters, &path, &mut errors);
        scope(parameters, &path, &mut errors);
    }
    errors
}

/// A path below a domain: `example.com/controller`.
fn controller(text: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    if i64::try_from(text.len()).unwrap_or(i64::MAX) > CONTROLLER_BYTES_MAX {
        errors.push(field::Error::too_long(path, CONTROLLER_BYTES_MAX));
    }
    if text.is_empty() {
        errors.push(field::Error::required(path, ""));
        return;
    }
    let split = text.split_once('/').filter(|(host, rest)| !host.is_empty() && !rest.is_empty());
    let Some((host, rest)) = split else {
        let why = "must be a domain-prefixed path (such as \"acme.io/foo\")";
        errors.push(field::Error::invalid(path, text, why));
        return;
    };
    errors.extend(net::subdomain(path, host));
    let allowed = |it: u8| it.is_ascii_alphanumeric() || b"/-._~%!$&'()*+,;=:".contains(&it);
    if !rest.bytes().all(allowed) {
        let why = name::pattern_message("Invalid path", r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+", &[]);
        errors.push(field::Error::invalid(path, rest, why));
    }
}

fn scope(parameters: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let Some(scope) = text_of(parameters, "scope") else {
        errors.push(field::Error::required(&path.child("scope"), ""));
        return;
    };
    let (at, namespace) = (path.child("namespace"), text_of(parameters, "namespace"));
    match (scope, namespace) {
        ("Namespace", None) => {
            let why = "`parameters.scope` is set to 'Namespace'";
            errors.push(field::Error::required(&at, why));
        }
        ("Namespace", Some(namespace)) => errors.extend(net::label(&at, namespace)),
        ("Cluster", Some(_)) => {
            errors.push(field::Error::forbidden(&at, "`parameters.scope` is set to 'Cluster'"));
        }
        ("Cluster", None) => {}
        _ => errors.push(field::Error::not_supported(&path.child("scope"), scope, &SCOPES)),
    }
}
