//! A pod as the checks look at it, and how they word what they find.

use ordain_value::Value;

use crate::shared::access::{flag_of, items, part, text};

/// A pod, or the template of one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pod<'a> {
    pub(super) metadata: &'a Value,
    pub(super) spec: &'a Value,
}

/// A check that a pod fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) reason: String,
    pub(super) detail: String,
}

impl Finding {
    pub(super) fn new(reason: &str, detail: String) -> Self {
        Self { reason: reason.to_owned(), detail }
    }
}

impl<'a> Pod<'a> {
    /// All containers in the order in which they are reported.
    pub(super) fn containers(self) -> impl Iterator<Item = &'a Value> {
        let lists = ["initContainers", "containers", "ephemeralContainers"];
        lists.into_iter().flat_map(move |list| items(self.spec, list))
    }

    /// The security settings of the pod.
    pub(super) fn security(self) -> &'a Value {
        security(self.spec)
    }

    /// The names of the containers that something is wrong with.
    pub(super) fn wrong(self, mut is_wrong: impl FnMut(&'a Value) -> bool) -> Vec<&'a str> {
        let wrong = self.containers().filter(|container| is_wrong(container));
        wrong.map(|container| text(container, "name")).collect()
    }

    pub(super) fn is_windows(self) -> bool {
        text(part(self.spec, "os"), "name") == "windows"
    }

    /// Root in a user namespace of its own is nobody outside of it.
    pub(super) fn has_own_users(self) -> bool {
        flag_of(self.spec, "hostUsers") == Some(false)
    }
}

/// The security settings of a pod or container.
pub(super) fn security(holder: &Value) -> &Value {
    part(holder, "securityContext")
}

pub(super) fn plural<'a>(one: &'a str, many: &'a str, count: usize) -> &'a str {
    if count == 1 { one } else { many }
}

pub(super) fn quoted<'a>(items: impl IntoIterator<Item = &'a str>) -> String {
    let items: Vec<&str> = items.into_iter().collect();
    if items.is_empty() { String::new() } else { format!("\"{}\"", items.join("\", \"")) }
}

/// `container "a"` or `containers "a", "b"`.
pub(super) fn containers(names: &[&str]) -> String {
    let word = plural("container", "containers", names.len());
    format!("{word} {}", quoted(names.iter().copied()))
}

/// Who set something: the pod, some containers, or both.
pub(super) fn setters(pod: bool, names: &[&str]) -> Option<String> {
    match (pod, names) {
        (false, []) => None,
        (true, []) => Some("pod".to_owned()),
        (false, names) => Some(containers(names)),
        (true, names) => Some(format!("pod and {}", containers(names))),
    }
}
