//! Columns and selectable fields that are declared on fields: their paths follow from where the
//! fields stand below the kind.

use ordain_schema::crd::Column;
use ordain_value::Text;

use super::tags::Tags;
use crate::diagnostic::Diagnostic;
use crate::graph::{NamedId, TypeId, Universe};
use crate::source::Pos;
use crate::validation::GoKind;

/// Structs in structs are followed so deep.
const DEPTH_MAX: usize = 32;

/// What a kind declares by fields.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    pub columns: Vec<Column>,
    /// Paths without a leading dot.
    pub selectable: Vec<Text>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Walks from a kind through its structs, in order of declaration.
#[must_use]
pub fn collect(universe: &Universe, kind: NamedId) -> Paths {
    let mut paths = Paths::default();
    let named = universe.named(kind);
    let lines = universe.comment_lines(&named.docs);
    let tags = Tags::read(named.docs.file, &lines, &mut paths.diagnostics);
    for (mut column, pos) in tags.columns {
        if column.json_path.is_empty() {
            let message = "a column of a kind needs a jsonPath";
            let help = "write it on the field it shows, or add `jsonPath: \".spec.x\"`";
            paths.diagnostics.push(Diagnostic::error("lower", pos, message).help(help));
            continue;
        }
        complete(&mut column, &named.name, "string");
        paths.columns.push(column);
    }
    let mut walk = Walk { universe, paths, entered: vec![universe.type_of(kind)] };
    walk.fields(universe.type_of(kind), &mut Vec::new(), true);
    walk.paths
}

struct Walk<'u> {
    universe: &'u Universe,
    paths: Paths,
    entered: Vec<TypeId>,
}

impl Walk<'_> {
    fn fields(&mut self, ty: TypeId, path: &mut Vec<Text>, straight: bool) {
        let universe = self.universe;
        for entry in universe.json_fields(ty) {
            let field = entry.field;
            let lines = universe.lines(field.docs.file, field.docs.closest);
            let tags = Tags::read(field.docs.file, &lines, &mut Vec::new());
            path.push(entry.key.clone());
            let base = universe.native_base(field.ty);
            let kind = universe.go_kind(base);
            if !tags.columns.is_empty() || tags.selectable.is_some() {
                self.take(&tags, path, straight, column_type(universe, base), &field.name);
            }
            let (next, straight) = match kind {
                GoKind::Slice | GoKind::Array | GoKind::Map => (universe.go_elem(base), false),
                _ => (Some(base), straight),
            };
            let next = next.map(|it| universe.native_base(it));
            let next = next.filter(|it| universe.go_kind(*it) == GoKind::Struct);
            if let Some(next) = next.filter(|it| !self.entered.contains(it))
                && path.len() < DEPTH_MAX
                && !universe.has_method(next, "UnmarshalJSON")
            {
                self.entered.push(next);
                self.fields(next, path, straight);
                self.entered.pop();
            }
            path.pop();
        }
    }

    fn take(&mut self, tags: &Tags, path: &[Text], straight: bool, ty: &str, name: &str) {
        let refuse = |pos: Pos, what: &str| {
            let message = format!("{what} stands below a list or map and has no path");
            Diagnostic::error("lower", pos, message).help("declare it on a field above the list")
        };
        for (column, pos) in &tags.columns {
            if !straight {
                self.paths.diagnostics.push(refuse(*pos, "a column"));
                continue;
            }
            let mut column = column.clone();
            if column.json_path.is_empty() {
                column.json_path = format!(".{}", path.join(".")).into();
            }
            complete(&mut column, name, ty);
            self.paths.columns.push(column);
        }
        if let Some(pos) = tags.selectable {
            if straight {
                self.paths.selectable.push(path.join(".").into());
            } else {
                self.paths.diagnostics.push(refuse(pos, "a selectable field"));
            }
        }
    }
}

fn complete(column: &mut Column, name: &str, ty: &str) {
    if column.name.is_empty() {
        column.name = name.into();
    }
    if column.ty.is_empty() {
        column.ty = ty.into();
    }
}

fn column_type(universe: &Universe, base: TypeId) -> &'static str {
    let named = universe.as_named(base);
    if named.is_some_and(|id| universe.named(id).name == "Time") {
        return "date";
    }
    match universe.ty(universe.underlying(base)) {
        crate::graph::Type::Basic(crate::graph::Basic::Bool) => "boolean",
        crate::graph::Type::Basic(it) if it.is_integer() => "integer",
        crate::graph::Type::Basic(it) if it.is_float() => "number",
        _ => "string",
    }
}
