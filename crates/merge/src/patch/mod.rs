//! The patch formats.
//!
//! Each format has a `decode` (with the strict errors that field validation reports) and an
//! `apply` that works on the current object in the version of the request.

pub mod apply;
pub mod json;
pub mod json_merge;
pub mod json_merge_text;
mod raw;
pub mod strategic;

use std::fmt;

use ordain_value::go_format::{cannot_unmarshal, json_type};
use ordain_value::{Value, json as json_text};

/// Nesting that strategic merge patches are followed to.
pub(crate) const PATCH_DEPTH_MAX: usize = 500;

/// Why a patch was refused, by the class of answer it gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatchError {
    /// 400 with this message: the patch itself is malformed.
    BadRequest(String),
    /// 413 with this detail: too many operations.
    TooLarge(String),
    /// 422 with the generic message for rejected requests; the detail is for the log only.
    Rejected(String),
    /// 500 with this message, without a reason.
    Internal(String),
}

impl PatchError {
    /// The detail text.
    pub fn message(&self) -> &str {
        match self {
            PatchError::BadRequest(it)
            | PatchError::TooLarge(it)
            | PatchError::Rejected(it)
            | PatchError::Internal(it) => it,
        }
    }

    /// The HTTP status.
    pub fn code(&self) -> u16 {
        match self {
            PatchError::BadRequest(_) => 400,
            PatchError::TooLarge(_) => 413,
            PatchError::Rejected(_) => 422,
            PatchError::Internal(_) => 500,
        }
    }
}

impl fmt::Display for PatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl std::error::Error for PatchError {}

/// Whether duplicate and unknown fields of the patch document are looked for
/// (`fieldValidation` `Strict` or `Warn`, not `Ignore`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// They are collected.
    Report,
    /// They are ignored.
    Ignore,
}

/// A patch document that must be an object (or null), and its strict errors.
fn decode_object(bytes: &[u8], strictness: Strictness) -> Result<(Value, Vec<String>), String> {
    let limits = json_text::Limits::default();
    let (value, duplicates) =
        json_text::decode_reporting(bytes, limits).map_err(|it| it.message)?;
    if !matches!(value, Value::Map(_) | Value::Null) {
        return Err(cannot_unmarshal(json_type(&value), "map[string]interface {}"));
    }
    let strict = match strictness {
        Strictness::Ignore => Vec::new(),
        Strictness::Report => {
            duplicates.iter().map(|it| format!("duplicate field {:?}", it.path)).collect()
        }
    };
    Ok((value, strict))
}
