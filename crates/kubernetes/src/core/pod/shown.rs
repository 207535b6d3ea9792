//! Pods as messages show them: as Go's internal types write themselves.

use ordain_value::Value;
use ordain_value::field::BadValue;

use crate::shared::access::some;
use crate::shared::diff::{self, Tree};

/// A spec. What the API has beside the security context is a part of it.
fn spec_tree(spec: &Value) -> Tree {
    let mut spec = spec.clone();
    let moved = ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"];
    for field in moved {
        if let Some(value) = some(&spec, field).cloned()
            && some(&spec, "securityContext").is_some()
        {
            spec.set_path(&["securityContext", field], value);
        }
    }
    Tree::typed(&spec, "PodSpec", 0)
}

/// A spec over several lines.
pub(super) fn pod_spec(spec: &Value) -> String {
    spec_tree(spec).pretty()
}

/// A spec on one line.
pub(super) fn spec(spec: &Value) -> BadValue {
    BadValue::Json(spec_tree(spec).compact())
}

/// A template on one line; its metadata has the names of the API and what is set only.
pub(super) fn template(template: &Value) -> BadValue {
    let order = ["name", "generateName", "namespace", "labels", "annotations", "finalizers"];
    let set = order.into_iter().filter_map(|name| {
        let value = template.get_path(&["metadata", name])?;
        (!diff::is_empty(value)).then(|| (name.to_owned(), Tree::plain(value)))
    });
    let mut fields: Vec<(String, Tree)> = set.collect();
    fields.push(("Spec".to_owned(), spec_tree(template.get("spec").unwrap_or(&Value::Null))));
    BadValue::Json(Tree::Fields(fields).compact())
}

/// An ephemeral container over several lines.
pub(super) fn ephemeral_container(container: &Value) -> String {
    Tree::typed(container, "EphemeralContainer", 0).pretty()
}

pub(super) fn node_selector_term(value: &Value) -> BadValue {
    diff::shown(value, "=NodeSelectorTerm")
}

pub(super) fn node_selector_terms(terms: &[Value]) -> BadValue {
    if terms.is_empty() {
        return BadValue::Value(Value::Null);
    }
    let terms = terms.iter().map(|it| Tree::typed(it, "NodeSelectorTerm", 0));
    BadValue::Json(Tree::Items(terms.collect()).compact())
}

/// Addresses, whose internal type has the one field `IP`.
pub(super) fn ips(list: &[Value]) -> BadValue {
    let address = |it: &Value| {
        Tree::Fields(vec![("IP".to_owned(), Tree::plain(it.get("ip").unwrap_or(&Value::Null)))])
    };
    BadValue::Json(Tree::Items(list.iter().map(address).collect()).compact())
}
