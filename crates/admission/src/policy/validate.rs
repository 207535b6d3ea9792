//! What is wrong with the expressions of a policy that is to be stored.

use ordain_value::field::{Error, ErrorList, Path};
use ordain_value::{Value, field};

use crate::environment::{Age, Given};
use crate::evaluate::Variables;
use crate::expression::{Expression, Returns};
use crate::matching::items;

/// Longer value expressions of audit annotations are refused before they are compiled.
const VALUE_EXPRESSION_BYTES_MAX: usize = 5 * 1024;

/// The complaints about the expressions of a ValidatingAdmissionPolicy, a MutatingAdmissionPolicy
/// or a webhook configuration, in the words and the order of Kubernetes. Whether an expression is
/// missing is not looked at here, nor is anything else.
pub fn validate_expressions(object: &Value) -> ErrorList {
    let mut errors = ErrorList::new();
    match object.get("kind").and_then(Value::as_str) {
        Some("ValidatingAdmissionPolicy") => policy(object, &mut errors, validating),
        Some("MutatingAdmissionPolicy") => policy(object, &mut errors, mutating),
        Some("ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration") => {
            let given = Given { authorizer: true, ..Given::default() };
            let root = Path::new("webhooks");
            for (index, webhook) in items(object, "webhooks").enumerate() {
                conditions(webhook, given, &root.index(index), &mut errors);
            }
        }
        _ => {}
    }
    errors
}

/// The rest of a policy: its specification, what its expressions are given, and its variables.
type Rest = fn(&Value, Given, Option<&Variables>, &Path<'_>, &mut ErrorList);

fn policy(object: &Value, errors: &mut ErrorList, rest: Rest) {
    let Some(spec) = object.get("spec") else { return };
    let has_params = spec.get("paramKind").is_some_and(|it| !it.is_null());
    let given = Given { params: has_params, authorizer: true, patches: false };
    let path = Path::new("spec");
    conditions(spec, given, &path, errors);
    let mut variables = Variables::default();
    let list = path.child("variables");
    for (index, variable) in items(spec, "variables").enumerate() {
        let text = |field: &str| variable.get(field).and_then(Value::as_str).unwrap_or("");
        if text("expression").trim().is_empty() {
            continue;
        }
        let at = list.index(index);
        let compiled = variables.add(text("name"), text("expression"), Age::New, given);
        report(compiled, text("expression"), &at.child("expression"), errors);
    }
    // A validating policy without variables has no `variables` at all.
    let is_mutating = object.get("kind").and_then(Value::as_str) == Some("MutatingAdmissionPolicy");
    let composed = is_mutating || items(spec, "variables").next().is_some();
    rest(spec, given, composed.then_some(&variables), &path, errors);
}

fn conditions(spec: &Value, given: Given, path: &Path<'_>, errors: &mut ErrorList) {
    let list = path.child("matchConditions");
    for (index, condition) in items(spec, "matchConditions").enumerate() {
        let at = list.index(index);
        check(condition, "expression", Returns::Bool, given, None, &at, errors);
    }
}

fn validating(
    spec: &Value,
    given: Given,
    variables: Option<&Variables>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let list = path.child("validations");
    for (index, validation) in items(spec, "validations").enumerate() {
        let at = list.index(index);
        check(validation, "expression", Returns::Bool, given, variables, &at, errors);
        let unauthorized = Given { authorizer: false, ..given };
        check(validation, "messageExpression", Returns::Text, unauthorized, variables, &at, errors);
    }
    let list = path.child("auditAnnotations");
    for (index, annotation) in items(spec, "auditAnnotations").enumerate() {
        let text = annotation.get("valueExpression").and_then(Value::as_str).unwrap_or("");
        let trimmed = text.trim();
        if trimmed.is_empty() || trimmed.len() > VALUE_EXPRESSION_BYTES_MAX {
            continue;
        }
        let types = variables.map(Variables::types);
        let compiled = Expression::compile(trimmed, Returns::TextOrNull, Age::New, given, types);
        report(&compiled, text, &list.index(index).child("valueExpression"), errors);
    }
}

fn mutating(
    spec: &Value,
    given: Given,
    variables: Option<&Variables>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let given = Given { patches: true, ..given };
    let list = path.child("mutations");
    for (index, mutation) in items(spec, "mutations").enumerate() {
        let (field, returns) = match mutation.get("patchType").and_then(Value::as_str) {
            Some("JSONPatch") => ("jsonPatch", Returns::Patches),
            Some("ApplyConfiguration") => ("applyConfiguration", Returns::Object),
            _ => continue,
        };
        let text = mutation.get_path(&[field, "expression"]).and_then(Value::as_str);
        let trimmed = text.unwrap_or("").trim();
        if trimmed.is_empty() {
            continue;
        }
        let types = variables.map(Variables::types);
        let compiled = Expression::compile(trimmed, returns, Age::New, given, types);
        let at = list.index(index);
        report(&compiled, trimmed, &at.child(field).child("expression"), errors);
    }
}

fn check(
    value: &Value,
    name: &str,
    returns: Returns,
    given: Given,
    variables: Option<&Variables>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let text = value.get(name).and_then(Value::as_str).unwrap_or("");
    if text.trim().is_empty() {
        return;
    }
    let types = variables.map(Variables::types);
    let compiled = Expression::compile(text, returns, Age::New, given, types);
    report(&compiled, text, &path.child(name), errors);
}

fn report(expression: &Expression, shown: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    let Err(failure) = &expression.program else { return };
    errors.push(if failure.internal {
        Error::internal(path, failure.detail.clone())
    } else {
        Error::invalid(path, shown, failure.detail.clone())
    });
}
