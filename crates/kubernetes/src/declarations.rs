//! The declarations in `api/`, compiled at build time and opened kind by kind.
//!
//! Invariant: what is not asked for is not decoded, so that a start costs one table.

use std::sync::{Arc, OnceLock};

use ordain_schema::declared::{Kind, Native};
use ordain_schema::native::Program;
use ordain_value::Text;

/// What is known of a kind without opening its declaration.
#[derive(Debug)]
pub struct Entry {
    /// The API group; empty for the core group.
    pub group: &'static str,
    /// The kind.
    pub kind: &'static str,
    /// The plural name.
    pub plural: &'static str,
    /// Short names for kubectl.
    pub short_names: &'static [&'static str],
    /// The categories that kubectl lists it in.
    pub categories: &'static [&'static str],
    /// Whether objects live in namespaces.
    pub namespaced: bool,
    /// The version that objects are stored in.
    pub storage_version: &'static str,
    /// Each version and whether it has a status.
    pub versions: &'static [(&'static str, bool)],
    bytes: &'static [u8],
}

static KINDS: &[Entry] = include!(concat!(env!("OUT_DIR"), "/kinds.rs"));
static PROGRAMS: &[&[u8]] = include!(concat!(env!("OUT_DIR"), "/programs.rs"));
static TEXTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/texts.rs"));

/// The declarations of a package by its import path (`k8s.io/api/core/v1`), as names and texts of Go
/// files: for types that embed those of Kubernetes where its source is not at hand.
#[must_use]
pub fn package(path: &str) -> Vec<(&'static str, &'static str)> {
    let of = |it: &&(&'static str, &'static str)| {
        it.0.rsplit_once('/').is_some_and(|(package, _)| package == path)
    };
    TEXTS.iter().filter(of).copied().collect()
}

/// Every declared kind, those that are only parts of others (Scale, Eviction) included.
pub fn all() -> &'static [Entry] {
    KINDS
}

/// The declared kind with this group and name.
pub fn find(group: &str, kind: &str) -> Option<&'static Entry> {
    KINDS.iter().find(|it| it.group == group && it.kind == kind)
}

impl Entry {
    /// The whole declaration. The bytes are written by this crate's build and always readable;
    /// a test opens every one of them.
    pub fn open(&self) -> Option<Kind> {
        let (mut kind, natives): (Kind, Vec<Option<(usize, Text)>>) =
            postcard::from_bytes(self.bytes).ok()?;
        for (version, native) in kind.versions.iter_mut().zip(natives) {
            let Some((at, root)) = native else { continue };
            version.native = Some(Native { program: program(at)?, root });
        }
        Some(kind)
    }
}

/// The rules of a package, decoded once.
fn program(at: usize) -> Option<Arc<Program>> {
    static OPENED: OnceLock<Vec<OnceLock<Option<Arc<Program>>>>> = OnceLock::new();
    let opened = OPENED.get_or_init(|| PROGRAMS.iter().map(|_| OnceLock::new()).collect());
    let decoded = opened.get(at)?.get_or_init(|| {
        let bytes = PROGRAMS.get(at)?;
        postcard::from_bytes::<Program>(bytes).ok().map(Arc::new)
    });
    decoded.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_declaration_opens() {
        for entry in all() {
            assert!(entry.open().is_some(), "{}/{}", entry.group, entry.kind);
        }
        assert!(all().len() > 60);
    }
}
