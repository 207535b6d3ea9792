//! Who owns whom, as far as it matters to garbage collection.
//!
//! Only objects that have owners, or that wait for their dependents, are remembered. Whether an
//! owner exists is asked of the store when it matters.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use bytes::Bytes;
use ordain_storage::Key;
use ordain_value::{Text, Value, json};

use crate::delete::{FINALIZER_FOREGROUND, FINALIZER_ORPHAN};
use crate::object;

/// How many owners that are gone are remembered, for dependents whose owner's kind is no longer
/// served.
const GONE_LEN_MAX: usize = 4096;

/// Something to look at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Task {
    /// Lets the dependents of an object go and then the object.
    Orphan(Key),
    /// Removes an object that waits for its dependents, if no dependent holds it any more.
    Foreground(Key),
    /// Deletes an object if its owners are gone.
    Examine(Key),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct OwnerLink {
    pub(super) uid: Text,
    /// Whether a foreground deletion of the owner waits for the dependent.
    pub(super) blocks: bool,
}

#[derive(Debug)]
struct Node {
    uid: Text,
    owners: Vec<OwnerLink>,
    waits: bool,
}

#[derive(Debug, Default)]
pub(super) struct Graph {
    nodes: BTreeMap<Key, Node>,
    dependents: BTreeMap<Text, BTreeSet<Key>>,
    /// Objects that wait for their dependents, by uid.
    waiting: BTreeMap<Text, Key>,
    gone: VecDeque<Text>,
}

impl Graph {
    /// Takes in the new state of an object.
    pub(super) fn note(
        &mut self,
        key: &Key,
        new: Option<&Bytes>,
        old: Option<&Bytes>,
        tasks: &mut BTreeSet<Task>,
    ) {
        match new {
            Some(bytes) if is_concerned(bytes) || self.nodes.contains_key(key) => {
                if let Ok(object) = json::decode(bytes) {
                    self.put(key, &object, tasks);
                }
            }
            Some(_) => {}
            None => self.remove(key, old, tasks),
        }
    }

    fn put(&mut self, key: &Key, object: &Value, tasks: &mut BTreeSet<Task>) {
        let before = self.unlink(key);
        let deleting = object::is_deleting(object);
        let finalizers = object::finalizers(object);
        let has = |name: &str| deleting && finalizers.iter().any(|it| it == name);
        let node = Node {
            uid: Text::from(object::uid(object)),
            owners: owner_links(object),
            waits: has(FINALIZER_FOREGROUND),
        };
        let owners_before = before.as_ref().map_or(&[][..], |node| node.owners.as_slice());
        for link in owners_before.iter().filter(|link| link.blocks && !node.owners.contains(link)) {
            self.release(&link.uid, tasks);
        }
        if node.owners != owners_before && !node.owners.is_empty() {
            tasks.insert(Task::Examine(key.clone()));
        }
        if has(FINALIZER_ORPHAN) {
            tasks.insert(Task::Orphan(key.clone()));
        }
        if node.waits {
            tasks.insert(Task::Foreground(key.clone()));
            let started = !before.is_some_and(|before| before.waits);
            let dependents = self.dependents.get(&node.uid).filter(|_| started);
            tasks.extend(dependents.into_iter().flatten().cloned().map(Task::Examine));
        }
        self.link(key, node);
    }

    fn remove(&mut self, key: &Key, old: Option<&Bytes>, tasks: &mut BTreeSet<Task>) {
        let node = self.unlink(key);
        let uid = match &node {
            Some(node) => node.uid.clone(),
            None if self.dependents.is_empty() => return,
            None => {
                let object = old.and_then(|bytes| json::decode(bytes).ok());
                object.map(|object| Text::from(object::uid(&object))).unwrap_or_default()
            }
        };
        if let Some(dependents) = self.dependents.get(&uid) {
            tasks.extend(dependents.iter().cloned().map(Task::Examine));
            if self.gone.len() >= GONE_LEN_MAX {
                self.gone.pop_front();
            }
            self.gone.push_back(uid);
        }
        for link in node.iter().flat_map(|node| &node.owners) {
            self.release(&link.uid, tasks);
        }
    }

    /// Looks again at an owner that may have waited for this.
    fn release(&self, uid: &str, tasks: &mut BTreeSet<Task>) {
        if let Some(owner) = self.waiting.get(uid) {
            tasks.insert(Task::Foreground(owner.clone()));
        }
    }

    fn link(&mut self, key: &Key, node: Node) {
        if node.owners.is_empty() && !node.waits {
            return;
        }
        for link in &node.owners {
            self.dependents.entry(link.uid.clone()).or_default().insert(key.clone());
        }
        if node.waits {
            self.waiting.insert(node.uid.clone(), key.clone());
        }
        self.nodes.insert(key.clone(), node);
    }

    fn unlink(&mut self, key: &Key) -> Option<Node> {
        let node = self.nodes.remove(key)?;
        for link in &node.owners {
            if let Some(members) = self.dependents.get_mut(&link.uid) {
                members.remove(key);
                if members.is_empty() {
                    self.dependents.remove(&link.uid);
                }
            }
        }
        if node.waits {
            self.waiting.remove(&node.uid);
        }
        Some(node)
    }

    /// The dependents of an owner.
    pub(super) fn dependents(&self, uid: &str) -> impl Iterator<Item = &Key> {
        self.dependents.get(uid).into_iter().flatten()
    }

    /// The dependents for which the deletion of an owner waits.
    pub(super) fn blocking(&self, uid: &str) -> impl Iterator<Item = &Key> {
        self.dependents(uid).filter(move |key| {
            let node = self.nodes.get(*key);
            node.is_some_and(|node| node.owners.iter().any(|it| it.uid == uid && it.blocks))
        })
    }

    pub(super) fn waits(&self, key: &Key) -> bool {
        self.nodes.get(key).is_some_and(|node| node.waits)
    }

    pub(super) fn is_gone(&self, uid: &str) -> bool {
        self.gone.iter().any(|gone| gone == uid)
    }
}

/// Whether an object may have owners or be waiting: a quick look before it is decoded.
fn is_concerned(bytes: &Bytes) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| {
        text.contains("\"ownerReferences\"") || text.contains("\"deletionTimestamp\"")
    })
}

fn owner_links(object: &Value) -> Vec<OwnerLink> {
    let list = object::metadata(object).and_then(|map| map.get("ownerReferences")?.as_list());
    let link = |owner: &Value| OwnerLink {
        uid: owner.get("uid").and_then(Value::as_text).cloned().unwrap_or_default(),
        blocks: owner.is_set("blockOwnerDeletion"),
    };
    list.into_iter().flat_map(|list| list.iter()).map(link).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_value::value;

    fn bytes(value: &Value) -> Bytes {
        Bytes::from(json::encode(value))
    }

    fn note(graph: &mut Graph, key: &str, new: Option<&Value>, old: Option<&Value>) -> Vec<Task> {
        let mut tasks = BTreeSet::new();
        let (new, old) = (new.map(bytes), old.map(bytes));
        graph.note(&key.into(), new.as_ref(), old.as_ref(), &mut tasks);
        tasks.into_iter().collect()
    }

    #[test]
    fn dependents_are_looked_at_when_their_owner_goes() {
        let mut graph = Graph::default();
        let owner = value!({"metadata": {"uid": "o"}});
        let child = value!({"metadata": {"uid": "c", "ownerReferences": [{"uid": "o"}]}});
        assert_eq!(note(&mut graph, "/o", Some(&owner), None), []);
        assert_eq!(note(&mut graph, "/c", Some(&child), None), [Task::Examine("/c".into())]);
        assert_eq!(note(&mut graph, "/c", Some(&child), Some(&child)), []);
        assert_eq!(note(&mut graph, "/o", None, Some(&owner)), [Task::Examine("/c".into())]);
        assert!(graph.is_gone("o"));
        assert_eq!(note(&mut graph, "/c", None, Some(&child)), []);
        assert_eq!(graph.dependents("o").count(), 0);
    }

    #[test]
    fn a_waiting_owner_is_looked_at_when_a_dependent_lets_go() {
        let mut graph = Graph::default();
        let held = value!({"metadata": {"uid": "c", "ownerReferences": [
            {"uid": "o", "blockOwnerDeletion": true}
        ]}});
        let owner = value!({"metadata": {
            "uid": "o", "deletionTimestamp": "2026-01-01T00:00:00Z",
            "finalizers": ["foregroundDeletion"]
        }});
        note(&mut graph, "/c", Some(&held), None);
        let started = note(&mut graph, "/o", Some(&owner), None);
        assert_eq!(started, [Task::Foreground("/o".into()), Task::Examine("/c".into())]);
        assert_eq!(graph.blocking("o").count(), 1);
        let free = value!({"metadata": {"uid": "c", "ownerReferences": [
            {"uid": "o", "blockOwnerDeletion": false}
        ]}});
        let tasks = note(&mut graph, "/c", Some(&free), Some(&held));
        assert_eq!(tasks, [Task::Foreground("/o".into()), Task::Examine("/c".into())]);
        assert_eq!(graph.blocking("o").count(), 0);
    }
}
