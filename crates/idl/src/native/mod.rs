//! The declared rules as the program that the passes run: [`validation`](crate::validation) says
//! what the tags of each place mean, this gives the same with the shapes of the Go types and
//! without anything of Go's syntax.

mod lower;
mod shape;

use ordain_schema::native::Program;

use crate::graph::{PackageId, Universe};
use crate::validation;

/// Lowers declared rules.
#[must_use]
pub fn lower(universe: &Universe, declared: &validation::Program) -> Program {
    lower::Lowering::new(universe, declared).run(None)
}

/// Lowers declared rules with the root types of one package: names of roots are unique there.
#[must_use]
pub fn lower_package(
    universe: &Universe,
    declared: &validation::Program,
    package: PackageId,
) -> Program {
    lower::Lowering::new(universe, declared).run(Some(package))
}
