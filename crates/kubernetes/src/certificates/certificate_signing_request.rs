//! CertificateSigningRequest: a client requests a certificate, an approver decides, a signer signs.

use ordain_passes::declared::written::Asked;
use ordain_strategy::typed::{Hooks, printer};
use ordain_strategy::{Change, Context, Part};
use ordain_value::field::{self, Path};
use ordain_value::{List, Map, Text, Value};

use super::{condition, request};
use crate::native::Native;
use crate::shared::access::{int_of, items, keep, part, text};
use crate::shared::metadata;
use crate::shared::table::Cell::{self, Of};
use crate::shared::table::{self, AGE, NAME};

const DURATION: &str = "How long the certificate is to be valid.";

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.prepare_for_create = |request| {
        for name in ["username", "uid", "groups", "extra"] {
            request.remove_path(&["spec", name]);
        }
        request.set_path(&["status"], Value::Map(Map::new()));
    };
    hooks.prepare_for_update = prepare_for_update;
    hooks.stamp = stamp;
    hooks.field = |request, field| {
        (field == "spec.signerName").then(|| text(part(request, "spec"), "signerName").into())
    };
    hooks.selectable = true;
    Native {
        hooks,
        columns: &[
            NAME,
            AGE,
            ("SignerName", "string", 0, "Who is asked to sign.", Of(signer)),
            ("Requestor", "string", 0, "Who asks.", Cell::Text("spec.username")),
            ("RequestedDuration", "string", 0, DURATION, Of(duration)),
            ("Condition", "string", 0, "How far the request is.", Of(condition)),
        ],
        selectable_fields: &["spec.signerName"],
        reset: &[&["spec"], &["status"]],
        status_reset: &[&["spec"], &["status", "conditions"]],
        subresources: &[("approval", &[&["spec"], &["status", "certificate"]])],
        ..Native::new("certificates.k8s.io", "CertificateSigningRequest")
    }
}

/// A request itself never changes; approvers write conditions, signers the certificate and other
/// conditions.
fn prepare_for_update(part: Part, request: &mut Value, old: &Value) {
    keep(request, old, "spec");
    match part {
        Part::Main | Part::Scale => keep(request, old, "status"),
        Part::Status => condition::keep_decisions(request, old),
        Part::Other(_) => {
            let conditions = request.get_path(&["status", "conditions"]).cloned();
            keep(request, old, "status");
            match conditions {
                Some(conditions) => request.set_path(&["status", "conditions"], conditions),
                None => drop(request.remove_path(&["status", "conditions"])),
            }
        }
    }
}

/// Notes down who asks, and when conditions changed.
fn stamp(context: &Context<'_>, part: Part, request: &mut Value, old: Option<&Value>) {
    match old {
        Some(old) if matches!(part, Part::Status | Part::Other(_)) => {
            condition::date(request, old, &context.now().encode());
        }
        Some(_) => {}
        None => {
            let Some(user) = context.user else { return };
            let list = |texts: &[Text]| -> Value {
                Value::List(List::from(
                    texts.iter().cloned().map(Value::Str).collect::<Vec<Value>>(),
                ))
            };
            for (name, value) in [("username", &user.name), ("uid", &user.uid)] {
                if !value.is_empty() {
                    request.set_path(&["spec", name], Value::Str(value.clone()));
                }
            }
            if !user.groups.is_empty() {
                request.set_path(&["spec", "groups"], list(&user.groups));
            }
            for (key, values) in &user.extra {
                request.set_path(&["spec", "extra", key], list(values));
            }
        }
    }
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    // Requests may have any name that fits into a path.
    metadata::whole_and_changed(change, false, |_, _| Vec::new())
}

/// The request is parsed.
pub(crate) fn check_request(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let content = asked.value();
    if let Some(why) = request::problem(content.as_str().unwrap_or("")) {
        errors.push(field::Error::invalid(path, content, why));
    }
}

/// A certificate is parsed, unless it or the one before it was let through already.
pub(crate) fn check_certificate(
    asked: &Asked<'_, '_>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let value = asked.value();
    let new = value.as_str().unwrap_or("");
    let old = asked.old_object().map(|old| text(part(old, "status"), "certificate"));
    let tolerated =
        old.is_some_and(|old| old == new || request::certificate_problem(old).is_some());
    if !tolerated && let Some(why) = request::certificate_problem(new) {
        errors.push(field::Error::invalid(path, "<certificate data>", why));
    }
}

fn signer(request: &Value) -> Value {
    table::text_or(text(part(request, "spec"), "signerName"), "<none>")
}

fn duration(request: &Value) -> Value {
    let seconds = int_of(part(request, "spec"), "expirationSeconds");
    seconds.map_or_else(|| "<none>".into(), |seconds| printer::human(seconds).into())
}

fn condition(request: &Value) -> Value {
    let status = part(request, "status");
    let has = |kind: &str| items(status, "conditions").iter().any(|it| text(it, "type") == kind);
    let mut condition = match (has("Denied"), has("Approved")) {
        (true, _) => "Denied".to_owned(),
        (false, true) => "Approved".to_owned(),
        (false, false) => "Pending".to_owned(),
    };
    if has("Failed") {
        condition.push_str(",Failed");
    }
    if !text(status, "certificate").is_empty() {
        condition.push_str(",Issued");
    }
    condition.into()
}
