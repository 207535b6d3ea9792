//! The declarations in `api/`, compiled at build time and opened kind by kind.
//!
//! Invariant: what is not asked for is not decoded, so that a start costs one table.

use std::sync::{Arc, OnceLock};

use ordain_schema::declared::{Kind, Native};
use ordain_schema::native::Program;
use ordain_value::Text;

/// Group, kind and the compiled declaration.
type Entry = (&'static str, &'static str, &'static [u8]);

static KINDS: &[Entry] = include!(concat!(env!("OUT_DIR"), "/kinds.rs"));
static PROGRAMS: &[&[u8]] = include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// Group and name of every declared kind.
pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    KINDS.iter().map(|(group, kind, _)| (*group, *kind))
}

/// A declared kind, decoded.
///
/// The bytes are written by this crate's build, so that they are always readable; `None` for a
/// kind that is not declared.
pub fn open(group: &str, kind: &str) -> Option<Kind> {
    let entry = KINDS.iter().find(|it| it.0 == group && it.1 == kind)?;
    let (mut kind, natives): (Kind, Vec<Option<(usize, Text)>>) =
        postcard::from_bytes(entry.2).ok()?;
    for (version, native) in kind.versions.iter_mut().zip(natives) {
        let Some((at, root)) = native else { continue };
        version.native = Some(Native { program: program(at)?, root });
    }
    Some(kind)
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
        for (group, kind) in names() {
            assert!(open(group, kind).is_some(), "{group}/{kind}");
        }
        assert!(names().count() > 60);
    }
}
