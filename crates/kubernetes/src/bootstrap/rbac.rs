//! The roles and bindings that every server begins with, read from a table of our own form.
//!
//! A line without blanks before it begins an object. Below it stand its rules (`verbs of resources
//! in groups named names`, `verbs at paths`), the label by which it joins another role, the label of
//! the roles that it gathers, and for bindings what they grant to whom.

use ordain_value::{Map, Value, value};

const TABLE: &str = include_str!("roles.txt");
const GROUP: &str = "rbac.authorization.k8s.io";

/// All roles and bindings: the plural and the object of each.
pub fn roles() -> Vec<(&'static str, Value)> {
    let mut objects: Vec<(&str, Value)> = Vec::new();
    for line in TABLE.lines().filter(|line| !line.is_empty()) {
        match (line.strip_prefix("  "), objects.last_mut()) {
            (Some(part), Some((_, object))) => add(object, part),
            _ => objects.extend(begin(line)),
        }
    }
    objects
}

/// The object that a line begins.
fn begin(line: &str) -> Option<(&'static str, Value)> {
    let (kind, place) = line.split_once(' ')?;
    let plural = match kind {
        "ClusterRole" => "clusterroles",
        "ClusterRoleBinding" => "clusterrolebindings",
        "Role" => "roles",
        _ => "rolebindings",
    };
    let (namespace, name) = place.split_once('/').unwrap_or(("", place));
    let mut object = value!({
        "apiVersion": (format!("{GROUP}/v1")),
        "kind": kind,
        "metadata": {
            "name": name,
            "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"},
            "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"}
        }
    });
    if !namespace.is_empty() {
        object.set_path(&["metadata", "namespace"], namespace.into());
    }
    Some((plural, object))
}

/// Adds what one line says to an object.
fn add(object: &mut Value, part: &str) {
    let (first, rest) = part.split_once(' ').unwrap_or((part, ""));
    match first {
        "joins" => {
            let label = format!("{GROUP}/{rest}");
            object.set_path(&["metadata", "labels", &label], "true".into());
        }
        "gathers" => {
            let mut labels = Map::new();
            labels.insert(format!("{GROUP}/{rest}"), "true".into());
            let selector = value!({"matchLabels": (Value::Map(labels))});
            let rule = value!({"clusterRoleSelectors": [selector]});
            object.set_path(&["aggregationRule"], rule);
        }
        "grants" => {
            let (kind, name) = rest.split_once(' ').unwrap_or((rest, ""));
            let reference = value!({"apiGroup": GROUP, "kind": kind, "name": name});
            object.set_path(&["roleRef"], reference);
        }
        "to" => push(object, "subjects", subject(rest)),
        verbs => push(object, "rules", rule(verbs, rest)),
    }
}

fn push(object: &mut Value, field: &str, item: Value) {
    let list = object.get(field).and_then(Value::as_list);
    let mut list = list.cloned().unwrap_or_default();
    list.push(item);
    object.set_path(&[field], Value::List(list));
}

fn subject(text: &str) -> Value {
    let (kind, place) = text.split_once(' ').unwrap_or((text, ""));
    match place.split_once('/') {
        Some((namespace, name)) if kind == "ServiceAccount" => {
            value!({"kind": kind, "name": name, "namespace": namespace})
        }
        _ => value!({"apiGroup": GROUP, "kind": kind, "name": place}),
    }
}

fn rule(verbs: &str, rest: &str) -> Value {
    let texts = |list: &str| -> Value {
        let items = list.split(',').map(|it| Value::from(if it == "core" { "" } else { it }));
        items.collect::<Vec<_>>().into()
    };
    let mut rule = value!({"verbs": (texts(verbs))});
    let mut words = rest.split(' ');
    while let (Some(word), Some(list)) = (words.next(), words.next()) {
        let field = match word {
            "of" => "resources",
            "in" => "apiGroups",
            "named" => "resourceNames",
            _ => "nonResourceURLs",
        };
        rule.set_path(&[field], texts(list));
    }
    rule
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read_whole() {
        let objects = roles();
        let count = |plural: &str| objects.iter().filter(|it| it.0 == plural).count();
        assert_eq!((count("clusterroles"), count("clusterrolebindings")), (69, 50));
        assert!(count("roles") > 3 && count("rolebindings") > 3);
        for (plural, object) in &objects {
            let whole = match *plural {
                "roles" => object.get("rules").is_some(),
                "clusterroles" => {
                    object.get("rules").or_else(|| object.get("aggregationRule")).is_some()
                }
                // Nodes are authorized one by one; their binding is there for those who want it.
                _ => {
                    let of_nodes = object.get_path(&["metadata", "name"]);
                    let nobody = of_nodes.and_then(Value::as_str) == Some("system:node");
                    object.get("roleRef").is_some() && (nobody || object.get("subjects").is_some())
                }
            };
            assert!(whole, "{object:?}");
        }
    }

    #[test]
    fn a_rule_says_what_may_be_done() {
        let mut role = value!({});
        add(&mut role, "get,list of pods,leases in core,coordination.k8s.io named a");
        add(&mut role, "get at /healthz,/version");
        let expected = value!({"rules": [
            {
                "verbs": ["get", "list"],
                "resources": ["pods", "leases"],
                "apiGroups": ["", "coordination.k8s.io"],
                "resourceNames": ["a"]
            },
            {"verbs": ["get"], "nonResourceURLs": ["/healthz", "/version"]}
        ]});
        assert_eq!(role, expected);
    }
}
