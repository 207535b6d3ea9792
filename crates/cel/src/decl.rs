//! Declarations of functions and variables.

use std::sync::Arc;

use crate::ast::{Const, Text};
use crate::types::Type;

/// How many overloads one function may have: references hold them as a bit set.
pub const OVERLOADS_MAX: usize = 128;

/// A function and its overloads. Build one with [`FunctionDecl::new`] and the overload methods:
///
/// ```
/// use ordain_cel::{decl::FunctionDecl, types::Type};
///
/// let size = FunctionDecl::new("size")
///     .overload("size_string", [Type::String], Type::Int)
///     .member("string_size", [Type::String], Type::Int);
/// assert_eq!(size.overloads.len(), 2);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionDecl {
    /// The name, namespaces included: `math.greatest`, or an operator's name.
    pub name: Text,
    /// The overloads in declaration order, which the checker keeps.
    pub overloads: Vec<OverloadDecl>,
    /// One line for people.
    pub doc: &'static str,
}

/// One signature of a function.
#[derive(Clone, Debug, PartialEq)]
pub struct OverloadDecl {
    /// The overload's id, unique in an environment.
    pub id: Text,
    /// Whether the first parameter is the receiver of a method call.
    pub member: bool,
    /// The parameters, receiver first.
    pub params: Vec<Type>,
    /// The result.
    pub result: Type,
    /// Names of the type parameters in order of appearance.
    pub type_params: Vec<Text>,
}

impl FunctionDecl {
    /// A function without overloads.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self { name: Text::from(name), overloads: Vec::new(), doc: "" }
    }

    /// Sets the documentation line.
    #[must_use]
    pub fn doc(mut self, doc: &'static str) -> Self {
        self.doc = doc;
        self
    }

    /// Adds a global overload.
    #[must_use]
    pub fn overload(mut self, id: &str, params: impl Into<Vec<Type>>, result: Type) -> Self {
        self.overloads.push(OverloadDecl::new(id, false, params.into(), result));
        self
    }

    /// Adds a method overload; the first parameter is the receiver.
    #[must_use]
    pub fn member(mut self, id: &str, params: impl Into<Vec<Type>>, result: Type) -> Self {
        self.overloads.push(OverloadDecl::new(id, true, params.into(), result));
        self
    }
}

impl OverloadDecl {
    /// An overload; its type parameters are found in the signature.
    #[must_use]
    pub fn new(id: &str, member: bool, params: Vec<Type>, result: Type) -> Self {
        let mut type_params = Vec::new();
        for ty in params.iter().chain([&result]) {
            collect_type_params(ty, &mut type_params);
        }
        Self { id: Text::from(id), member, params, result, type_params }
    }
}

fn collect_type_params(ty: &Type, into: &mut Vec<Text>) {
    if let Type::Param(name) = ty {
        if !into.contains(name) {
            into.push(name.clone());
        }
        return;
    }
    for param in ty.params() {
        collect_type_params(param, into);
    }
}

/// A variable or constant.
#[derive(Clone, Debug, PartialEq)]
pub struct VariableDecl {
    /// The name, namespaces included.
    pub name: Text,
    /// The type.
    pub ty: Type,
    /// The value of a constant such as an enum member.
    pub value: Option<Const>,
}

impl VariableDecl {
    /// A variable.
    #[must_use]
    pub fn new(name: &str, ty: Type) -> Self {
        Self { name: Text::from(name), ty, value: None }
    }
}

/// What a name or call in a checked expression refers to.
#[derive(Clone, Debug, PartialEq)]
pub enum Reference {
    /// A variable, or a constant with its value.
    Ident {
        /// The fully qualified name.
        name: Text,
        /// The value of a constant.
        value: Option<Const>,
    },
    /// A function and those of its overloads which may apply.
    Function {
        /// The function.
        function: Arc<FunctionDecl>,
        /// Bit `n` stands for `function.overloads[n]`.
        overloads: u128,
    },
}

impl Reference {
    /// The overloads that may apply, in declaration order; empty for variables.
    pub fn overloads(&self) -> impl Iterator<Item = &OverloadDecl> {
        let (decls, bits): (&[OverloadDecl], u128) = match self {
            Self::Ident { .. } => (&[], 0),
            Self::Function { function, overloads } => (&function.overloads, *overloads),
        };
        decls
            .iter()
            .enumerate()
            .filter(move |(index, _)| *index < OVERLOADS_MAX && bits >> index & 1 == 1)
            .map(|(_, decl)| decl)
    }

    /// The ids of the overloads that may apply, in declaration order.
    pub fn overload_ids(&self) -> impl Iterator<Item = &str> {
        self.overloads().map(|overload| overload.id.as_str())
    }
}
