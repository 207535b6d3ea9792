//! The declared type graph: packages, types, fields and constants in arenas, named by ids.

mod constant;
mod generic;
mod load;
mod markers;
mod needed;
mod package;
mod prelude;
mod query;
mod resolve;
mod ty;

pub use constant::{Const, ConstId, ConstType, ConstValue};
pub use load::{Bundle, Loader, packages_named};
pub use markers::{FileMarkers, RawMarker};
pub(crate) use package::RefKind;
pub use package::{Method, Package, PackageId, SourceFile};
pub use query::{JsonField, Walk};
pub use ty::{ANY_LENGTH, Basic, Docs, Field, Named, NamedId, StructId, StructType, Type, TypeId};

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Located};
use crate::source::{FileId, Pos, Position};

/// Everything that was read: the result of [`Loader::load`].
#[derive(Debug, Default)]
pub struct Universe {
    pub(crate) files: Vec<Arc<SourceFile>>,
    pub(crate) packages: Vec<Package>,
    pub(crate) types: Vec<Type>,
    pub(crate) named: Vec<Named>,
    pub(crate) structs: Vec<StructType>,
    pub(crate) consts: Vec<Const>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Whether tags that only newer releases know are errors.
    pub(crate) strict_tags: bool,
    /// Whether markers that nothing reads where they stand are no more than warnings.
    pub(crate) forgive_markers: bool,
}

impl Universe {
    /// The packages, those that were asked for first.
    #[must_use]
    pub fn packages(&self) -> &[Package] {
        &self.packages
    }

    /// The packages that were asked for.
    pub fn requested(&self) -> impl Iterator<Item = &Package> {
        self.packages.iter().filter(|package| package.requested)
    }

    /// A package by import path.
    #[must_use]
    pub fn package_by_path(&self, path: &str) -> Option<&Package> {
        self.packages.iter().find(|package| package.path == path)
    }

    /// A package.
    #[must_use]
    pub fn package(&self, id: PackageId) -> &Package {
        &self.packages[id.0 as usize]
    }

    /// A file.
    #[must_use]
    pub fn file(&self, id: FileId) -> &SourceFile {
        &self.files[id.0 as usize]
    }

    /// A type.
    #[must_use]
    pub fn ty(&self, id: TypeId) -> &Type {
        &self.types[id.0 as usize]
    }

    /// A declared type.
    #[must_use]
    pub fn named(&self, id: NamedId) -> &Named {
        &self.named[id.0 as usize]
    }

    /// All declared types that were reached, in order of discovery.
    pub fn all_named(&self) -> impl Iterator<Item = (NamedId, &Named)> {
        self.named.iter().enumerate().map(|(index, named)| (NamedId(index as u32), named))
    }

    /// A struct's fields.
    #[must_use]
    pub fn struct_type(&self, id: StructId) -> &StructType {
        &self.structs[id.0 as usize]
    }

    /// A constant.
    #[must_use]
    pub fn constant(&self, id: ConstId) -> &Const {
        &self.consts[id.0 as usize]
    }

    /// What was wrong with the text, in order of place.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Whether any finding is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// A place for people.
    #[must_use]
    pub fn position(&self, pos: Pos) -> Position {
        let file = self.file(pos.file);
        let (line, column) = file.parsed.lines.line_column(pos.offset);
        Position { path: file.path.clone(), line, column }
    }

    /// A finding ready to print.
    #[must_use]
    pub fn locate<'a>(&self, diagnostic: &'a Diagnostic) -> Located<'a> {
        Located { diagnostic, position: diagnostic.pos.map(|pos| self.position(pos)) }
    }
}
