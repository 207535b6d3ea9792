//! The rules of KEP-1929 about where defaults may stand; upstream's generator checks none of them.

use super::tree::written_lines;
use crate::diagnostic::Diagnostic;
use crate::graph::{Field, TypeId, Universe};
use crate::validation::GoKind;

/// What the proposal forbids in the requested packages:
///
/// - a non-zero default on a scalar without `omitempty`: a client that sends the zero value would
///   see it replaced;
/// - a default on a struct that is no pointer (an error of [`super::declare`] as well);
/// - `omitempty` on a struct that is no pointer: it is never left out. The text says "forbid or
///   warn"; every published API has it on metadata and status, so this is a warning.
#[must_use]
pub fn lint(universe: &Universe) -> Vec<Diagnostic> {
    let mut out = Vec::new();
    for package in universe.requested() {
        for id in package.types.values() {
            let ty = universe.type_of(*id);
            if universe.named(*id).alias || universe.go_kind(ty) != GoKind::Struct {
                continue;
            }
            for field in universe.fields(ty) {
                out.extend(lint_field(universe, ty, field));
            }
        }
    }
    out.sort_by_key(|diagnostic| diagnostic.pos);
    out.dedup();
    out
}

fn lint_field(universe: &Universe, _owner: TypeId, field: &Field) -> Option<Diagnostic> {
    let lines = universe.lines(field.docs.file, field.docs.closest);
    let written = written_lines(field.docs.file, &lines);
    let kind = universe.native_kind(field.ty);
    let defaulted = written.first();
    if kind == GoKind::Struct {
        if let Some(written) = defaulted {
            let message = format!(
                "field `{}` is a struct and no pointer, so a default never applies",
                field.name
            );
            let help = "make the field a pointer, or put the defaults inside the struct";
            return Some(Diagnostic::error("kep-1929", written.pos, message).help(help));
        }
        if field.json.omitempty && !field.json.omitzero && !is_metadata(universe, field) {
            let message = format!(
                "omitempty on field `{}` has no effect: structs are never left out",
                field.name
            );
            let help = "make the field a pointer, or remove omitempty";
            return Some(Diagnostic::warning("kep-1929", field.pos, message).help(help));
        }
        return None;
    }
    let written = defaulted?;
    let zero = matches!(written.text.as_str(), "0" | "\"\"" | "false" | "0.0");
    if kind == GoKind::Builtin && !zero && !field.json.omitempty {
        let message = format!(
            "field `{}` has a non-zero default but no omitempty, so clients cannot send the zero value apart from none",
            field.name
        );
        let help = "add omitempty to the json tag";
        return Some(Diagnostic::error("kep-1929", written.pos, message).help(help));
    }
    None
}

/// Metadata of objects and lists is written `json:"metadata,omitempty"` everywhere.
fn is_metadata(universe: &Universe, field: &Field) -> bool {
    field.json.name == "metadata"
        && universe
            .as_named(field.ty)
            .is_some_and(|id| matches!(universe.named(id).name.as_str(), "ObjectMeta" | "ListMeta"))
}
