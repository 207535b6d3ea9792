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
