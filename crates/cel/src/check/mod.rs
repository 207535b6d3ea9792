//! The type checker.

mod assign;
mod checker;
mod errors;
mod validate;

pub use checker::check;
pub use validate::{Validator, validate};

use crate::ast::{Ast, ExprId};
use crate::decl::Reference;
use crate::types::Type;

/// A checked expression: the tree, and by expression id the types and references.
#[derive(Clone, Debug)]
pub struct Checked {
    ast: Ast,
    types: Vec<Option<Type>>,
    references: Vec<Option<Reference>>,
}

impl Checked {
    /// The tree, its names resolved.
    #[must_use]
    pub fn ast(&self) -> &Ast {
        &self.ast
    }

    /// The type of an expression; dynamic for ids that are no expressions.
    #[must_use]
    pub fn type_of(&self, id: ExprId) -> &Type {
        self.types.get(id.index()).and_then(Option::as_ref).unwrap_or(&Type::Dyn)
    }

    /// What a name or call refers to.
    #[must_use]
    pub fn reference(&self, id: ExprId) -> Option<&Reference> {
        self.references.get(id.index()).and_then(Option::as_ref)
    }

    /// What all names and calls refer to.
    pub fn references(&self) -> impl Iterator<Item = &Reference> {
        self.references.iter().flatten()
    }

    /// The type of the whole expression.
    #[must_use]
    pub fn result_type(&self) -> &Type {
        self.type_of(self.ast.root())
    }
}
