//! The stored definitions as they were last read: as much of them as their neighbours need to know.
//!
//! With it a change of one definition costs what that one costs, however many there are: only the
//! changed ones are read and compiled again, with those that wait for a name or are on their way out.

use std::collections::{BTreeMap, BTreeSet};

use ordain_meta::GroupResource;
use ordain_schema::crd::Crd;
use ordain_storage::Revision;
use ordain_value::Text;

#[derive(Debug, Default)]
pub(crate) struct KnownDefinitions {
    /// By name.
    known: BTreeMap<Text, Crd>,
    /// The names of each group.
    groups: BTreeMap<Text, BTreeSet<Text>>,
    /// Those that are being deleted: objects that were in the way may be gone.
    going: BTreeSet<Text>,
    /// Those whose names are not all accepted: a neighbour may free one.
    waiting: BTreeSet<Text>,
    /// What each definition is served as.
    pub(crate) served: BTreeMap<Text, GroupResource>,
    /// All changes up to here are in it; 0 before anything was read.
    pub(crate) read: Revision,
    /// The kinds without a definition that it stands beside ([`crate::Catalog`] counts them).
    pub(crate) beside: u64,
}

impl KnownDefinitions {
    /// Takes up a definition as it is now; `None` if it is gone.
    pub(crate) fn note(&mut self, name: &Text, definition: Option<&Crd>) {
        if let Some(old) = self.known.remove(name)
            && let Some(members) = self.groups.get_mut(&old.spec.group)
        {
            members.remove(name);
            if members.is_empty() {
                self.groups.remove(&old.spec.group);
            }
        }
        self.going.remove(name);
        self.waiting.remove(name);
        let Some(definition) = definition else { return };
        if is_going(definition) {
            self.going.insert(name.clone());
        }
        if definition.spec.names.encode() != definition.status.accepted_names.encode() {
            self.waiting.insert(name.clone());
        }
        self.groups.entry(definition.spec.group.clone()).or_default().insert(name.clone());
        self.known.insert(name.clone(), outline(definition));
    }

    /// The other definitions of the same group.
    pub(crate) fn neighbours(&self, definition: &Crd) -> impl Iterator<Item = &Crd> {
        let members = self.groups.get(&definition.spec.group).into_iter().flatten();
        let own = definition.name().to_owned();
        members.filter(move |name| **name != *own).filter_map(|name| self.known.get(name))
    }

    /// Whether a definition that is noted waits for names, which its neighbours may hold.
    pub(crate) fn is_waiting(&self, definition: &Crd) -> bool {
        self.waiting.contains(definition.name())
    }

    /// Whether any definition waits for names, or for its end.
    pub(crate) fn has_waiting(&self) -> bool {
        !self.waiting.is_empty() || !self.going.is_empty()
    }

    /// All names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &Text> {
        self.known.keys()
    }

    /// Definitions that have to be looked at although they did not change, because some did.
    pub(crate) fn concerned(&self, changed: &BTreeSet<Text>) -> BTreeSet<Text> {
        let group_of = |name: &Text| name.split_once('.').map_or("", |(_, group)| group).to_owned();
        let groups: BTreeSet<String> = changed.iter().map(group_of).collect();
        let waiting = self.waiting.iter().filter(|name| groups.contains(&group_of(name)));
        let all = self.going.iter().chain(waiting);
        all.filter(|name| !changed.contains(*name)).cloned().collect()
    }
}

/// Whether a definition is being deleted.
pub(crate) fn is_going(definition: &Crd) -> bool {
    definition.metadata.get("deletionTimestamp").is_some()
}

/// What neighbours look at, without the schemas.
fn outline(definition: &Crd) -> Crd {
    let mut out = Crd::default();
    out.metadata.insert("name", definition.name().into());
    out.spec.group = definition.spec.group.clone();
    out.spec.names = definition.spec.names.clone();
    out.status.accepted_names = definition.status.accepted_names.clone();
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_value::value;

    fn definition(name: &str, accepted: bool) -> Crd {
        let (plural, group) = name.split_once('.').unwrap();
        let mut out = Crd::default();
        out.metadata.insert("name", name.into());
        out.spec.group = group.into();
        out.spec.names.plural = plural.into();
        if accepted {
            out.status.accepted_names = out.spec.names.clone();
        }
        out
    }

    #[test]
    fn only_those_that_wait_or_go_are_looked_at_again() {
        let mut known = KnownDefinitions::default();
        let names: Vec<Text> =
            ["a.one.org", "b.one.org", "c.one.org", "d.two.org"].map(Text::from).to_vec();
        for name in &names {
            known.note(name, Some(&definition(name, name.as_str() != "b.one.org")));
        }
        let mut going = definition("d.two.org", true);
        going.metadata.insert("deletionTimestamp", value!("2026-01-01T00:00:00Z"));
        known.note(&names[3], Some(&going));
        let changed = |name: &str| BTreeSet::from([Text::from(name)]);
        let all = |known: &KnownDefinitions, name: &str| {
            known.concerned(&changed(name)).into_iter().collect::<Vec<_>>()
        };
        assert_eq!(all(&known, "a.one.org"), ["b.one.org", "d.two.org"]);
        assert_eq!(all(&known, "x.three.org"), ["d.two.org"]);
        let near: Vec<&str> =
            known.neighbours(&definition("a.one.org", true)).map(Crd::name).collect();
        assert_eq!(near, ["b.one.org", "c.one.org"]);
        assert!(known.is_waiting(&definition("b.one.org", false)));
        assert!(!known.is_waiting(&definition("a.one.org", true)));
        known.note(&names[1], None);
        known.note(&names[3], None);
        assert!(all(&known, "a.one.org").is_empty());
        assert_eq!(known.names().count(), 2);
    }
}
