//! Parts of objects that code judges under conditions of its own, by their declared rules.

use std::sync::{Arc, OnceLock};

use ordain_passes::declared::written::{Write, WrittenRules};
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use super::code;
use crate::declarations;

/// What the rules of a struct of `core/v1` have against a value of it.
pub(crate) fn structure(name: &str, value: &Value, write: Write<'_>, path: &Path<'_>) -> ErrorList {
    static CORE: OnceLock<Option<Arc<WrittenRules>>> = OnceLock::new();
    let core = CORE.get_or_init(|| {
        // All kinds of a package share their rules; this one is the smallest.
        let kind = declarations::find("", "LimitRange")?.open()?;
        let native = kind.versions.into_iter().find_map(|it| it.native)?;
        Some(WrittenRules::of(&native.program, code::find))
    });
    match core {
        Some(rules) => rules.validate_struct(name, value, write, path),
        None => Error::internal(path, "the rules of core/v1 are missing").into(),
    }
}

/// What the rules of a kind have against an object in another version than the request's.
pub(crate) fn kind(group: &str, version: &str, object: &Value, write: Write<'_>) -> ErrorList {
    match of(group, write.kind, version) {
        Some(rules) => rules.validate(object, write),
        None => Error::internal(&Path::root(), format!("{version} has no rules")).into(),
    }
}

/// The rules of a kind in a version.
pub(crate) fn of(group: &str, kind: &str, version: &str) -> Option<Arc<WrittenRules>> {
    let versions = declarations::find(group, kind)?.open()?.versions;
    let native = versions.into_iter().find(|it| it.name == version)?.native?;
    Some(WrittenRules::of(&native.program, code::find))
}
