//! Which containers run again after they have ended.

use ordain_value::Value;

use crate::shared::access::{items, part, text, text_of};

/// Whether some rule restarts all containers of the pod.
pub(super) fn all_could(spec: &Value) -> bool {
    ["initContainers", "containers"]
        .iter()
        .flat_map(|list| items(spec, list))
        .flat_map(|container| items(container, "restartPolicyRules"))
        .any(|rule| text(rule, "action") == "RestartAllContainers")
}

/// Whether a container is restarted after it ended with this code.
pub(super) fn should(container: &Value, spec: &Value, code: i64) -> bool {
    let by_policy = |policy: &str| match policy {
        "OnFailure" => Some(code != 0),
        "Never" => Some(false),
        "Always" => Some(true),
        _ => None,
    };
    if let Some(policy) = text_of(container, "restartPolicy") {
        let rule = items(container, "restartPolicyRules").iter().find(|it| matches(it, code));
        if rule.is_some_and(|it| text(it, "action").starts_with("Restart")) {
            return true;
        }
        if let Some(decided) = by_policy(policy) {
            return decided;
        }
    }
    by_policy(text(spec, "restartPolicy")).unwrap_or(true)
}

fn matches(rule: &Value, code: i64) -> bool {
    let codes = part(rule, "exitCodes");
    let listed = items(codes, "values").iter().any(|it| it.as_int() == Some(code));
    match text(codes, "operator") {
        "In" => listed,
        "NotIn" => !listed,
        _ => false,
    }
}
