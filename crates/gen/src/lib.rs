//! Declared types in, files for other tools out.
//!
//! [`crd`] turns a [`ordain_idl::Universe`] of Go types with markers into
//! `CustomResourceDefinition`s, value for value what controller-gen makes of them. [`openapi`] turns
//! it into OpenAPI definitions, as openapi-gen and the OpenAPI builders publish them.
//!
//! Nothing here reads or writes files: a loader brings the types, the caller writes what comes
//! out. All output is in a fixed order, so that a stale file shows as a difference. What cannot
//! be generated is a [`ordain_idl::Diagnostic`] with its place, never a file that is wrong.

pub mod crd;
mod declared;
pub mod docs;
pub mod jsonschema;
pub mod kinds;
pub mod object;
pub mod openapi;
pub mod rbac;
pub mod rust;
pub mod webhook;

pub use declared::LOSS;

use ordain_idl::{Diagnostic, Pos, Severity, Universe};
use ordain_value::{List, Map, Value};

/// What was wrong with the text, as it matters to generators: a package whose source is missing
/// hinders only where one of its types is needed, and is reported there.
fn findings(universe: &Universe) -> Vec<Diagnostic> {
    let mut out = universe.diagnostics().to_vec();
    out.retain(|finding| finding.code != "missing-package" || finding.severity != Severity::Error);
    out
}

/// Whether the source of a package, or of what it is beyond the built-in part, is not here.
fn is_absent(universe: &Universe, package: &str) -> bool {
    universe.package_by_path(package).is_some_and(|it| it.missing || it.builtin)
}

/// One finding for all that is needed of a package whose source is not here.
fn absent(package: &str, uses: &[(Pos, String)]) -> Diagnostic {
    const SHOWN: usize = 5;
    let mut names: Vec<&str> = uses.iter().map(|it| it.1.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let more = names.len().saturating_sub(SHOWN);
    let mut list = names.into_iter().take(SHOWN).collect::<Vec<_>>().join(", ");
    if more > 0 {
        list.push_str(&format!(" and {more} more"));
    }
    let message = format!("no source found for package `{package}`, which is needed for {list}");
    let help = "vendor it, or download it and name the module cache that holds it (--module-cache)";
    let finding = match uses.iter().map(|it| it.0).min() {
        Some(pos) => Diagnostic::error("missing-package", pos, message),
        None => Diagnostic::nowhere("missing-package", message),
    };
    finding.help(help)
}

/// What to do about a type whose declaration was not found.
fn unknown_help(universe: &Universe, package: &str) -> String {
    match universe.package_by_path(package) {
        Some(found) if found.missing => {
            format!(
                "no source found for package `{package}`; vendor it, or name the module cache that holds it"
            )
        }
        _ => "declare it, or correct the name".into(),
    }
}

/// Inserts a text unless it is empty.
fn insert_text(schema: &mut Map, key: &'static str, text: &str) {
    if !text.is_empty() {
        schema.insert(key, Value::from(text));
    }
}

/// A list of texts.
fn texts<'a>(values: impl IntoIterator<Item = &'a str>) -> Value {
    Value::List(values.into_iter().map(Value::from).collect::<List>())
}

/// A number as Go's JSON writes it: whole ones without a point.
#[expect(clippy::cast_possible_truncation, reason = "checked to be whole and in range")]
fn number(float: f64) -> Value {
    const LIMIT: f64 = 9_223_372_036_854_775_807.0;
    if float.fract() == 0.0 && float.abs() < LIMIT {
        Value::Int(float as i64)
    } else {
        Value::Float(float)
    }
}

/// Whether a default is the zero value that a Go field has anyway.
fn is_zero(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) | Value::Int(0) => true,
        Value::Str(text) => text.is_empty(),
        Value::Float(float) => *float == 0.0,
        Value::List(list) => list.is_empty(),
        Value::Map(map) => map.is_empty(),
        Value::Bool(true) | Value::Int(_) => false,
    }
}
