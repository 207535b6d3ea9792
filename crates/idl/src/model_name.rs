//! The package part of model names that a package or type states (`+k8s:openapi-model-package`),
//! which goes before its import path wherever a type is published.

use crate::diagnostic::Diagnostic;
use crate::go::comment::DocLine;
use crate::graph::{NamedId, Universe};
use crate::source::{FileId, Pos};
use crate::tags::codetag::{self, TagValue, Values};

const TAG: &str = "k8s:openapi-model-package";

/// What the comment of a type says, or else the `doc.go` of its package.
///
/// # Errors
/// When the tag cannot be read.
pub fn model_package(universe: &Universe, id: NamedId) -> Result<Option<String>, Diagnostic> {
    let named = universe.named(id);
    let file = named.docs.file;
    let own = universe.lines(file, named.docs.closest).into_iter().map(|line| (file, line));
    if let Some(found) = first(&own.collect::<Vec<_>>())? {
        return Ok(Some(found));
    }
    let package = universe.package_of(id);
    let lines = if package.builtin {
        universe.package_lines(package)
    } else {
        universe.doc_go_lines(package)
    };
    first(&lines)
}

/// The value of the first tag, unless it is empty.
fn first(lines: &[(FileId, DocLine<'_>)]) -> Result<Option<String>, Diagnostic> {
    for (file, line) in lines {
        for found in codetag::extract("+", std::slice::from_ref(line)) {
            if found.name != TAG {
                continue;
            }
            let tag = codetag::parse(found.text, Values::Raw).map_err(|error| {
                let pos = Pos { file: *file, offset: found.offset };
                Diagnostic::error("tag", pos, format!("invalid {TAG}: {}", error.message))
            })?;
            return Ok(match tag.value {
                TagValue::Raw(value) if !value.is_empty() => Some(value),
                _ => None,
            });
        }
    }
    Ok(None)
}
