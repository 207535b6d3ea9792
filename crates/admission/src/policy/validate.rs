//! What is wrong with the expressions of a policy that is to be stored.

use ordain_cel::program::PATTERNS_MAX;
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use crate::environment::{Age, Given};
use crate::evaluate::Variables;
use crate::expression::{Expression, Returns};
use crate::matching::items;

/// Longer value expressions of audit annotations are refused before they are compiled.
const VALUE_EXPRESSION_BYTES_MAX: usize = 5 * 1024;

/// What was found so far.
#[derive(Default)]
struct Found {
    errors: ErrorList,
    /// About how many states the constant patterns have.
    patterns: usize,
}

impl Found {
    /// Whether the patterns are too much already: nothing more is compiled then.
    fn is_full(&self) -> bool {
        self.patterns > PATTERNS_MAX
    }

    fn count(&mut self, states: usize, path: &Path<'_>) {
        let was_full = self.is_full();
        self.patterns = self.patterns.saturating_add(states);
        if self.is_full() && !was_full {
            let text = "the patterns of the policy are too large together";
            self.errors.push(Error::forbidden(path, text));
        }
    }
}

/// The complaints about the expressions of a ValidatingAdmissionPolicy, a MutatingAdmissionPolicy
/// or a webhook configuration, in the words and the order of Kubernetes. Whether an expression is
/// missing is not looked at here, nor is anything else.
pub fn validate_expressions(object: &Value) -> ErrorList {
    let mut found = Found::default();
    match object.get("kind").and_then(Value::as_str) {
        Some("ValidatingAdmissionPolicy") => policy(object, &mut found, validating),
        Some("MutatingAdmissionPolicy") => policy(object, &mut found, mutating),
        Some("ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration") => {
            let given = Given { authorizer: true, ..Given::default() };
            let root = Path::new("webhooks");
            for (index, webhook) in items(object, "webhooks").enumerate() {
                conditions(webhook, given, &root.index(index), &mut found);
            }
        }
        _ => {}
    }
    found.errors
}

/// The rest of a policy: its specification, what its expressions are given, and its variables.
type Rest = fn(&Value, Given, Option<&Variables>, &Path<'_>, &mut Found);

fn policy(object: &Value, found: &mut Found, rest: Rest) {
    let Some(spec) = object.get("spec") else { return };
    let has_params = spec.get("paramKind").is_some_and(|it| !it.is_null());
    let given = Given { params: has_params, authorizer: true, patches: false };
    let path = Path::new("spec");
    conditions(spec, given, &path, found);
    let mut variables = Variables::default();
    let list = path.child("variables");
    for (index, variable) in items(spec, "variables").enumerate() {
        let expression = text(variable, "expression");
        if expression.trim().is_empty() || found.is_full() {
            continue;
        }
        let at = list.index(index);
        let compiled = variables.add(text(variable, "name"), expression, Age::New, given);
        report(compiled, expression, &at.child("expression"), found);
    }
    // A validating policy without variables has no `variables` at all.
    let is_mutating = object.get("kind").and_then(Value::as_str) == Some("MutatingAdmissionPolicy");
    let composed = is_mutating || items(spec, "variables").next().is_some();
    rest(spec, given, composed.then_some(&variables), &path, found);
}

fn conditions(spec: &Value, given: Given, path: &Path<'_>, found: &mut Found) {
    let list = path.child("matchConditions");
    for (index, condition) in items(spec, "matchConditions").enumerate() {
        // Conditions are compiled and shown without the white space around them; validations are not.
        let text = text(condition, "expression").trim();
        check(text, Returns::Bool, given, None, &list.index(index).child("expression"), found);
    }
}

fn validating(
    spec: &Value,
    given: Given,
    variables: Option<&Variables>,
    path: &Path<'_>,
    found: &mut Found,
) {
    let list = path.child("validations");
    for (index, validation) in items(spec, "validations").enumerate() {
        let at = list.index(index);
        let own = text(validation, "expression");
        check(own, Returns::Bool, given, variables, &at.child("expression"), found);
        let unauthorized = Given { authorizer: false, ..given };
        let (message, at) = (text(validation, "messageExpression"), at.child("messageExpression"));
        check(message, Returns::Text, unauthorized, variables, &at, found);
    }
    let list = path.child("auditAnnotations");
    for (index, annotation) in items(spec, "auditAnnotations").enumerate() {
        let text = text(annotation, "valueExpression");
        let trimmed = text.trim();
        if trimmed.is_empty() || trimmed.len() > VALUE_EXPRESSION_BYTES_MAX || found.is_full() {
            continue;
        }
        let types = variables.map(Variables::types);
        let compiled = Expression::compile(trimmed, Returns::TextOrNull, Age::New, given, types);
        report(&compiled, text, &list.index(index).child("valueExpression"), found);
    }
}

fn mutating(
    spec: &Value,
    given: Given,
    variables: Option<&Variables>,
    path: &Path<'_>,
    found: &mut Found,
) {
    let given = Given { patches: true, ..given };
    let list = path.child("mutations");
    for (index, mutation) in items(spec, "mutations").enumerate() {
        let (field, returns) = match mutation.get("patchType").and_then(Value::as_str) {
            Some("JSONPatch") => ("jsonPatch", Returns::Patches),
            Some("ApplyConfiguration") => ("applyConfiguration", Returns::Object),
            _ => continue,
        };
        let text = mutation.get(field).map_or("", |it| text(it, "expression")).trim();
        let at = list.index(index);
        check(text, returns, given, variables, &at.child(field).child("expression"), found);
    }
}

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value.get(field).and_then(Value::as_str).unwrap_or("")
}

fn check(
    text: &str,
    returns: Returns,
    given: Given,
    variables: Option<&Variables>,
    path: &Path<'_>,
    found: &mut Found,
) {
    if text.trim().is_empty() || found.is_full() {
        return;
    }
    let types = variables.map(Variables::types);
    let compiled = Expression::compile(text, returns, Age::New, given, types);
    report(&compiled, text, path, found);
}

fn report(expression: &Expression, shown: &str, path: &Path<'_>, found: &mut Found) {
    let failure = match &expression.program {
        Ok(program) => return found.count(program.patterns_size(), path),
        Err(failure) => failure,
    };
    found.errors.push(if failure.internal {
        Error::internal(path, failure.detail.clone())
    } else {
        Error::invalid(path, shown, failure.detail.clone())
    });
    found.count(failure.patterns, path);
}
