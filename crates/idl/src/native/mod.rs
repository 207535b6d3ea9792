//! The declared rules as the program that the passes run: [`crate::validation`] says
//! what the tags of each place mean, this gives the same with the shapes of the Go types and
//! without anything of Go's syntax.

mod lower;
mod rule_tag;
mod shape;
mod written;

use ordain_schema::native::Program;
use ordain_value::Text;

use crate::diagnostic::Diagnostic;
use crate::graph::{NamedId, PackageId, Universe};
use crate::validation;

pub(crate) use written::refuse_rules;

/// Lowers declared rules.
#[must_use]
pub fn lower(universe: &Universe, declared: &validation::Program) -> Program {
    lower::Lowering::new(universe, declared).run(None, &[]).0
}

/// Lowers declared rules with the root types of one package: names of roots are unique there.
/// `+rule:` tags are read for these kinds of it.
#[must_use]
pub fn lower_package(
    universe: &Universe,
    declared: &validation::Program,
    package: PackageId,
    ruled: &[(Text, NamedId)],
) -> (Program, Vec<Diagnostic>) {
    lower::Lowering::new(universe, declared).run(Some(package), ruled)
}
