//! Advice on the names of finalizers.

use std::collections::BTreeSet;

use ordain_value::{Value, go_quote};

use crate::name;

/// Finalizers that the system itself knows.
const STANDARD: [&str; 3] = ["orphan", "foregroundDeletion", "kubernetes"];

/// What the server says of the finalizers that a write adds, in order; it takes them all the same.
#[must_use]
pub fn advice(object: &Value, old: Option<&Value>) -> Vec<String> {
    let mut added = finalizers(object);
    if added.is_empty() {
        return Vec::new();
    }
    let held: BTreeSet<&str> = old.into_iter().flat_map(finalizers).collect();
    added.retain(|it| !held.contains(it));
    added.sort_unstable();
    added.dedup();
    added.into_iter().flat_map(advice_on).collect()
}

fn finalizers(object: &Value) -> Vec<&str> {
    let list = object.get_path(&["metadata", "finalizers"]).and_then(Value::as_list);
    list.into_iter().flat_map(|it| it.iter()).filter_map(Value::as_str).collect()
}

fn advice_on(finalizer: &str) -> Vec<String> {
    let quoted = go_quote(finalizer);
    let problems = name::qualified_name(finalizer);
    let mut advice: Vec<String> =
        problems.iter().map(|it| format!("metadata.finalizers: {quoted}: {it}")).collect();
    if !finalizer.contains('/') && !STANDARD.contains(&finalizer) {
        let path = if finalizer.contains('.') { " including a path (/)" } else { "" };
        advice.push(format!(
            "metadata.finalizers: {quoted}: prefer a domain-qualified finalizer name{path} to \
             avoid accidental conflicts with other finalizer writers"
        ));
    }
    advice
}

#[cfg(test)]
mod tests {
    use ordain_value::value;

    use super::*;

    #[test]
    fn only_new_names_without_a_domain_are_advised_on() {
        let object = |names: &[&str]| {
            let names: Vec<Value> = names.iter().map(|it| (*it).into()).collect();
            value!({"metadata": {"finalizers": Value::from(names)}})
        };
        assert!(advice(&object(&["example.com/a", "orphan"]), None).is_empty());
        let reported = advice(&object(&["b", "a.example.com", "b"]), None);
        assert_eq!(reported.len(), 2, "{reported:?}");
        assert!(
            reported[0].contains("including a path (/)") && reported[1].contains("\"b\""),
            "{reported:?}"
        );
        assert!(advice(&object(&["b"]), Some(&object(&["b"]))).is_empty());
        assert!(advice(&Value::Null, None).is_empty());
    }
}
