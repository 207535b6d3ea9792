//! What the `+k8s:` validation tags declare: a program of rules per type, and what is wrong.
//!
//! Upstream: validation-gen. It turns tags into Go code; here the same discovery gives a
//! [`Program`]: for each type a [`TypeNode`] with the rules of the type, of its fields and of its
//! elements, in the order and with the short circuits of the generated code. Whoever evaluates
//! rules walks nodes as the generated functions call each other:
//!
//! 1. `Validate_T` runs the type's rules ([`TypeNode::rules`], then its key and value iterations
//!    when those lead to rules), and then its fields, or the underlying type.
//! 2. A field runs its rules (after the ratchet check), then the function of its type, or the
//!    iterations of a list or map.
//!
//! [`Program::has_rules`] says whether a node has rules anywhere; nodes without are not called.
//! Rules within one list are run by cohort and with the short-circuiting ones first.

mod check;
mod context;
mod discover;
mod discriminator;
mod each;
mod enumeration;
pub(crate) mod gotype;
mod limits;
mod lint;
mod list;
mod presence;
mod roots;
mod rule;
mod union;
mod update;

pub use gotype::{GoKind, Native, go_json_name};
pub use rule::{ChildNode, Function, NodeId, Program, Root, Rules, TypeNode};

use crate::diagnostic::Diagnostic;
use crate::graph::Universe;

/// What is to be validated.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Take every exported type of the requested packages as a root, whatever their tags say.
    pub all_types: bool,
    /// Leave the lint rules out.
    pub no_lint: bool,
    /// Pass over tags inside tags that a newer release may know; upstream refuses them.
    pub newer_tags_pass: bool,
}

/// Reads the validation tags of the requested packages. The program holds what could be read;
/// what is wrong is in the diagnostics, with upstream's words where it has some.
///
/// ```
/// use ordain_idl::{validation, Loader, MemorySource};
/// let source = MemorySource::new().with(
///     "p/types.go",
///     "// +k8s:validation-gen=*\n// +k8s:validation-gen-nolint\npackage p\n\ntype T struct {\n\t// +k8s:minimum=1\n\tSize int32 `json:\"size\"`\n}\n",
/// );
/// let universe = Loader::new(&source).package_as("p", "example.com/p").load();
/// let (program, diagnostics) = validation::declare(&universe, &validation::Options::default());
/// assert!(diagnostics.is_empty());
/// assert_eq!(program.roots.len(), 1);
/// ```
#[must_use]
pub fn declare(universe: &Universe, options: &Options) -> (Program, Vec<Diagnostic>) {
    roots::declare(universe, options)
}
