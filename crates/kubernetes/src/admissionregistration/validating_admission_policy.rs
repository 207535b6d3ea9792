//! ValidatingAdmissionPolicy: conditions in CEL that writes must meet.

use ordain_meta::name;
use ordain_strategy::{Change, Part, object};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::{metadata, policy};
use crate::native::Native;
use crate::shared::{condition, fields, internal};

type Errors = field::ErrorList;

const ANNOTATIONS_MAX: usize = 20;
const VALUE_EXPRESSION_BYTES_MAX: usize = 5 * 1024;
const REASONS: [&str; 3] = ["Forbidden", "Invalid", "RequestEntityTooLarge"];

pub(crate) fn native() -> Native {
    let rules = ("Validations", "integer", "How many conditions there are.");
    let mut native = policy::native("ValidatingAdmissionPolicy", rules, validate);
    native.reset = &[&["status"]];
    native.hooks.cells = |object, now| policy::cells(object, "validations", now);
    native
}

fn validate(change: &Change<'_>) -> Errors {
    if change.part == Part::Status {
        return status(change.object);
    }
    let mut errors = metadata(change);
    let spec = fields::at(change.object, &["spec"]).unwrap_or(&Value::Null);
    let path = Path::new("spec");
    policy::validate(change, spec, &path, &mut errors);
    let validations = fields::list(spec, &["validations"]);
    let annotations = fields::list(spec, &["auditAnnotations"]);
    if validations.is_empty() && annotations.is_empty() {
        let why = "validations or auditAnnotations must contain at least one item";
        errors.push(field::Error::required(&path.child("validations"), why));
        errors.push(field::Error::required(&path.child("auditAnnotations"), why));
        return errors;
    }
    let list = path.child("validations");
    for (at, validation) in validations.iter().enumerate() {
        self::validation(validation, &list.index(at), &mut errors);
    }
    let list = path.child("auditAnnotations");
    if annotations.len() > ANNOTATIONS_MAX {
        let why = format!("must not have more than {ANNOTATIONS_MAX} auditAnnotations");
        errors.push(field::Error::invalid(&list, shown(annotations), why));
    }
    for (at, annotation) in annotations.iter().enumerate() {
        self::annotation(annotation, object::name(change.object), &list.index(at), &mut errors);
    }
    policy::unique(annotations, "key", &list, &mut errors);
    errors
}

fn shown(annotations: &[Value]) -> field::BadValue {
    let one = |it: &Value| {
        internal::structure_text(&[
            ("Key", internal::plain(it.get("key"))),
            ("ValueExpression", internal::plain(it.get("valueExpression"))),
        ])
    };
    field::BadValue::Json(format!(
        "[{}]",
        annotations.iter().map(one).collect::<Vec<_>>().join(",")
    ))
}

fn validation(validation: &Value, path: &Path<'_>, errors: &mut Errors) {
    if fields::text(validation, &["expression"]).trim().is_empty() {
        let why = "expression is not specified";
        errors.push(field::Error::required(&path.child("expression"), why));
    }
    for name in ["messageExpression", "message"] {
        let given = fields::text(validation, &[name]);
        let trimmed = given.trim();
        let path = path.child(name);
        if trimmed.is_empty() && !given.is_empty() {
            errors.push(field::Error::invalid(&path, given, "must be non-empty if specified"));
        } else if name == "message" && trimmed.contains(['\n', '\r']) {
            errors.push(field::Error::invalid(&path, given, "must not contain line breaks"));
        }
    }
    fields::one_of(validation, &["reason"], &REASONS, &path.child("reason"), errors);
}

fn annotation(annotation: &Value, policy: &str, path: &Path<'_>, errors: &mut Errors) {
    let key = fields::text(annotation, &["key"]);
    let key_path = path.child("key");
    if policy.is_empty() {
        let why = "requires metadata.name be non-empty";
        errors.push(field::Error::invalid(&key_path, key, why));
    } else {
        let full = format!("{policy}/{key}");
        for why in name::qualified_name(&full) {
            errors.push(field::Error::invalid(&key_path, full.as_str(), why));
        }
    }
    let path = path.child("valueExpression");
    let trimmed = fields::text(annotation, &["valueExpression"]).trim();
    if trimmed.is_empty() {
        errors.push(field::Error::required(&path, "valueExpression is not specified"));
    } else if trimmed.len() > VALUE_EXPRESSION_BYTES_MAX {
        let why = format!("must not exceed {VALUE_EXPRESSION_BYTES_MAX} bytes in length");
        errors.push(field::Error::required(&path, why));
    }
}

fn status(policy: &Value) -> Errors {
    let mut errors = Errors::new();
    let path = Path::new("status");
    let conditions = fields::list(policy, &["status", "conditions"]);
    condition::validate(conditions, &path.child("conditions"), &mut errors);
    let (checking, list) = (path.child("typeChecking"), "expressionWarnings");
    let list = checking.child(list);
    let warnings = fields::list(policy, &["status", "typeChecking", "expressionWarnings"]);
    for (at, warning) in warnings.iter().enumerate() {
        let path = list.index(at);
        for name in ["warning", "fieldRef"] {
            let given = fields::text(warning, &[name]);
            if given.is_empty() || (name == "fieldRef" && given.trim().is_empty()) {
                errors.push(field::Error::required(&path.child(name), ""));
            }
        }
    }
    errors
}
