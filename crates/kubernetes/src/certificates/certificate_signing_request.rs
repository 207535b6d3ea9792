//! CertificateSigningRequest: somebody asks for a certificate, an approver decides, a signer signs.

use std::collections::BTreeSet;

use ordain_strategy::typed::{Hooks, printer};
use ordain_strategy::{Change, Context, Part, object};
use ordain_value::field::{self, Path};
use ordain_value::{List, Map, Text, Value};

use super::{condition, request, signer};
use crate::native::Native;
use crate::shared::access::{int_of, items, keep, part, some, text, texts};
use crate::shared::metadata;

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
    hooks.cells = cells;
    let column = |name: &str, about: &str| printer::column(name, about, 0);
    Native {
        hooks,
        columns: vec![
            column("Name", printer::NAME),
            column("Age", printer::AGE),
            column("SignerName", "Who is asked to sign."),
            column("Requestor", "Who asks."),
            column("RequestedDuration", "How long the certificate is to be valid."),
            column("Condition", "How far the request is."),
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
    let mut errors = metadata::whole(change, false, |_, _| Vec::new());
    let spec = part(change.object, "spec");
    let path = Path::new("spec");
    let content = some(spec, "request");
    if let Some(why) = request::problem(content.and_then(Value::as_str).unwrap_or("")) {
        let shown = content.cloned().unwrap_or(Value::Null);
        errors.push(field::Error::invalid(&path.child("request"), shown, why));
    }
    usages(spec, change.old, &path.child("usages"), &mut errors);
    let known = change.old.map(|old| text(part(old, "spec"), "signerName"));
    signer::validate(text(spec, "signerName"), known, &path.child("signerName"), &mut errors);
    if let Some(seconds) = int_of(spec, "expirationSeconds").filter(|it| *it < 600) {
        let why = "may not specify a duration less than 600 seconds (10 minutes)";
        errors.push(field::Error::invalid(&path.child("expirationSeconds"), seconds, why));
    }
    condition::validate(change, &mut errors);
    certificate(change, &mut errors);
    errors.extend(metadata::changed(change));
    errors
}

const USAGES: [&str; 23] = [
    "any",
    "cert sign",
    "client auth",
    "code signing",
    "content commitment",
    "crl sign",
    "data encipherment",
    "decipher only",
    "digital signature",
    "email protection",
    "encipher only",
    "ipsec end system",
    "ipsec tunnel",
    "ipsec user",
    "key agreement",
    "key encipherment",
    "microsoft sgc",
    "netscape sgc",
    "ocsp signing",
    "s/mime",
    "server auth",
    "signing",
    "timestamping",
];

/// Known usages, each once, unless the old object breaks this already.
fn usages(spec: &Value, old: Option<&Value>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let usages = texts(spec, "usages");
    if usages.is_empty() {
        errors.push(field::Error::required(path, ""));
    }
    let known = old.map(|old| texts(part(old, "spec"), "usages")).unwrap_or_default();
    if known.iter().all(|usage| USAGES.contains(usage)) {
        for (at, usage) in usages.iter().enumerate().filter(|it| !USAGES.contains(it.1)) {
            errors.push(field::Error::not_supported(&path.index(at), *usage, &USAGES));
        }
    }
    let distinct: BTreeSet<&&str> = known.iter().collect();
    if distinct.len() == known.len() {
        let mut seen = BTreeSet::new();
        for (at, usage) in usages.iter().enumerate() {
            if !seen.insert(usage) {
                errors.push(field::Error::duplicate(&path.index(at), *usage));
            }
        }
    }
}

/// Only the status may get a certificate, and only once.
fn certificate(change: &Change<'_>, errors: &mut field::ErrorList) {
    let of = |object| text(part(object, "status"), "certificate");
    let (new, path) = (of(change.object), Path::new("status.certificate"));
    let old = change.old.map(of);
    let tolerated =
        old.is_some_and(|old| old == new || request::certificate_problem(old).is_some());
    if !tolerated && let Some(why) = request::certificate_problem(new) {
        errors.push(field::Error::invalid(&path, "<certificate data>", why));
    }
    let Some(old) = old.filter(|old| *old != new) else { return };
    if change.part != Part::Status {
        let why = "updates may not set certificate content";
        errors.push(field::Error::forbidden(&path, why));
    } else if !old.is_empty() {
        let why = "updates may not modify existing certificate content";
        errors.push(field::Error::forbidden(&path, why));
    }
}

fn cells(request: &Value, now: i64) -> Vec<Value> {
    let (spec, status) = (part(request, "spec"), part(request, "status"));
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
    let duration = int_of(spec, "expirationSeconds").map(printer::human);
    let signer = text(spec, "signerName");
    vec![
        object::name(request).into(),
        printer::age(request, now),
        if signer.is_empty() { "<none>".into() } else { signer.into() },
        text(spec, "username").into(),
        duration.unwrap_or_else(|| "<none>".to_owned()).into(),
        condition.into(),
    ]
}
