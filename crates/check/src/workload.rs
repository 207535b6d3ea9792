//! What Kubernetes checks in Go code of Deployments, ReplicaSets, StatefulSets and DaemonSets, as far
//! as it can be told exactly: numbers that must not be negative, selectors, and that a selector fits
//! the labels of its template and stays as it is. All else that only code says is left to the server.

use ordain_meta::{name, object_meta};
use ordain_value::field::{BadValue, Error, ErrorList, Path};
use ordain_value::{Map, Value};

/// One of the kinds, and the words that its errors have.
struct Workload {
    kind: &'static str,
    /// Fields of the spec that must not be negative.
    counts: &'static [&'static str],
    /// The kind that an empty selector is invalid for.
    empty: &'static str,
    /// What is said of the whole selector when a part of it is wrong.
    broken: Option<&'static str>,
    /// Whether the selector must stay as it is.
    fixed: bool,
}

const WORKLOADS: [Workload; 4] = [
    Workload {
        kind: "Deployment",
        counts: &["replicas", "minReadySeconds", "revisionHistoryLimit"],
        empty: "deployment",
        broken: Some("invalid label selector"),
        fixed: true,
    },
    Workload {
        kind: "ReplicaSet",
        counts: &["replicas", "minReadySeconds"],
        empty: "deployment",
        broken: Some("invalid label selector"),
        fixed: true,
    },
    // What of a StatefulSet may change is told in one sentence that the server knows.
    Workload {
        kind: "StatefulSet",
        counts: &["replicas", "minReadySeconds"],
        empty: "statefulset",
        broken: Some(""),
        fixed: false,
    },
    Workload {
        kind: "DaemonSet",
        counts: &["minReadySeconds", "revisionHistoryLimit"],
        empty: "daemonset",
        broken: None,
        fixed: true,
    },
];

/// What is wrong with an object of `apps/v1`; nothing with other kinds.
pub(crate) fn errors(group: &str, kind: &str, object: &Value, old: Option<&Value>) -> ErrorList {
    let mut errors = ErrorList::new();
    let workload = WORKLOADS.iter().find(|it| group == "apps" && it.kind == kind);
    let (Some(workload), Some(spec)) = (workload, object.get("spec")) else { return errors };
    let root = Path::new("spec");
    for field in workload.counts {
        if let Some(number) = spec.get(field).and_then(Value::as_int).filter(|it| *it < 0) {
            let detail = "must be greater than or equal to 0";
            errors.push(Error::invalid(&root.child(field), number, detail));
        }
    }
    let Some(selector) = spec.get("selector").and_then(Value::as_map) else { return errors };
    let path = root.child("selector");
    let of_selector = selector_errors(selector, &path);
    let is_sound = of_selector.is_empty();
    errors.extend(of_selector);
    let shown = || Value::Map(selector.clone());
    if entries(selector).next().is_none() && requirements(selector).next().is_none() {
        let detail = format!("empty selector is invalid for {}", workload.empty);
        errors.push(Error::invalid(&path, shown(), detail));
    }
    // Two parts are printed in an order of their own.
    if let Some(detail) = workload.broken.filter(|_| !is_sound && selector.len() == 1) {
        errors.push(Error::invalid(&path, shown(), detail));
    }
    let labels = spec.get_path(&["template", "metadata", "labels"]).and_then(Value::as_map);
    if is_sound && !matches(selector, labels) {
        let bad = labels.map_or(Value::Null, |it| Value::Map(it.clone()));
        let detail = "`selector` does not match template `labels`";
        let template = root.child("template");
        let metadata = template.child("metadata");
        errors.push(Error::invalid(&metadata.child("labels"), BadValue::Value(bad), detail));
    }
    let before = old.and_then(|it| it.get_path(&["spec", "selector"]));
    if workload.fixed && selector.len() == 1 && before.is_some_and(|it| *it != shown()) {
        errors.push(Error::invalid(&path, shown(), "field is immutable"));
    }
    errors
}

fn entries(selector: &Map) -> impl Iterator<Item = (&str, &str)> {
    let labels = selector.get("matchLabels").and_then(Value::as_map);
    labels
        .into_iter()
        .flat_map(Map::iter)
        .map(|(key, value)| (key.as_str(), value.as_str().unwrap_or_default()))
}

fn requirements(selector: &Map) -> impl Iterator<Item = &Value> {
    let list = selector.get("matchExpressions").and_then(Value::as_list);
    list.into_iter().flat_map(|it| it.iter())
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn values(requirement: &Value) -> Vec<&str> {
    let list = requirement.get("values").and_then(Value::as_list);
    list.into_iter().flat_map(|it| it.iter()).map(|it| it.as_str().unwrap_or_default()).collect()
}

fn selector_errors(selector: &Map, path: &Path<'_>) -> ErrorList {
    let mut errors = ErrorList::new();
    object_meta::labels(entries(selector), &path.child("matchLabels"), &mut errors);
    let list = path.child("matchExpressions");
    for (at, requirement) in requirements(selector).enumerate() {
        let path = list.index(at);
        let (operator, values) = (text(requirement, "operator"), values(requirement));
        match (operator, values.is_empty()) {
            ("In" | "NotIn", true) => {
                let detail = "must be specified when `operator` is 'In' or 'NotIn'";
                errors.push(Error::required(&path.child("values"), detail));
            }
            ("Exists" | "DoesNotExist", false) => {
                let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
                errors.push(Error::forbidden(&path.child("values"), detail));
            }
            ("In" | "NotIn" | "Exists" | "DoesNotExist", _) => {}
            _ => {
                let detail = "not a valid selector operator";
                errors.push(Error::invalid(&path.child("operator"), operator, detail));
            }
        }
        let key = text(requirement, "key");
        for message in name::qualified_name(key) {
            let error = Error::invalid(&path.child("key"), key, message);
            errors.push(error.with_origin("format=k8s-label-key"));
        }
        let items = path.child("values");
        for (at, value) in values.iter().enumerate() {
            for message in name::label_value(value) {
                errors.push(Error::invalid(&items.index(at), *value, message));
            }
        }
    }
    errors
}

/// Whether a sound selector takes labels.
fn matches(selector: &Map, labels: Option<&Map>) -> bool {
    let label = |key: &str| labels.and_then(|it| it.get(key)).and_then(Value::as_str);
    let by_label = entries(selector).all(|(key, value)| label(key) == Some(value));
    by_label
        && requirements(selector).all(|it| {
            let (found, values) = (label(text(it, "key")), values(it));
            match text(it, "operator") {
                "In" => found.is_some_and(|it| values.contains(&it)),
                "NotIn" => found.is_none_or(|it| !values.contains(&it)),
                "Exists" => found.is_some(),
                _ => found.is_none(),
            }
        })
}

#[cfg(test)]
mod tests {
    use ordain_value::value;

    use super::*;

    fn told(kind: &str, spec: Value, old: Option<Value>) -> Vec<String> {
        let object = |spec: Value| value!({"spec": spec});
        let old = old.map(object);
        let errors = errors("apps", kind, &object(spec), old.as_ref());
        errors.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_selector_fits_its_template() {
        let spec = |selector: Value, labels: Value| value!({"selector": selector, "template": {"metadata": {"labels": labels}}});
        let one = || value!({"matchLabels": {"a": "b"}});
        assert!(told("Deployment", spec(one(), value!({"a": "b", "c": "d"})), None).is_empty());
        assert_eq!(
            told("Deployment", spec(one(), value!({"a": "c"})), None),
            [
                "spec.template.metadata.labels: Invalid value: {\"a\":\"c\"}: `selector` does not match template `labels`"
            ]
        );
        let bare = value!({"selector": one(), "template": {}});
        assert_eq!(
            told("DaemonSet", bare, None),
            [
                "spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`"
            ]
        );
        assert_eq!(
            told("StatefulSet", spec(value!({}), value!({})), None),
            ["spec.selector: Invalid value: {}: empty selector is invalid for statefulset"]
        );
        let broken = spec(
            value!({"matchExpressions": [{"key": "a", "operator": "Is", "values": ["x y"]}]}),
            value!({}),
        );
        let words = told("Deployment", broken, None);
        assert_eq!(words.len(), 3, "{words:?}");
        assert!(words[0].ends_with("not a valid selector operator"), "{words:?}");
        assert!(words[2].ends_with("invalid label selector"), "{words:?}");
        let kept = spec(one(), value!({"a": "b"}));
        let moved = spec(value!({"matchLabels": {"a": "c"}}), value!({"a": "c"}));
        assert!(told("ReplicaSet", kept.clone(), Some(kept.clone())).is_empty());
        assert_eq!(
            told("ReplicaSet", moved, Some(kept)),
            ["spec.selector: Invalid value: {\"matchLabels\":{\"a\":\"c\"}}: field is immutable"]
        );
    }

    #[test]
    fn counts_are_not_negative_and_other_kinds_are_left_alone() {
        let spec = value!({"replicas": -1, "minReadySeconds": -2});
        assert_eq!(
            told("Deployment", spec.clone(), None)[0],
            "spec.replicas: Invalid value: -1: must be greater than or equal to 0"
        );
        assert_eq!(told("DaemonSet", spec.clone(), None).len(), 1);
        assert!(told("Widget", spec, None).is_empty());
    }
}
