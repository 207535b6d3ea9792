//! The declared rules as the program that the passes run: [`validation`](crate::validation) says
//! what the tags of each place mean, this gives the same with the shapes of the Go types and
//! without anything of Go's syntax.

mod lower;
mod shape;

use ordain_schema::native::Program;

use crate::graph::Universe;
use crate::validation;

/// Lowers declared rules.
#[must_use]
pub fn lower(universe: &Universe, declared: &validation::Program) -> Program {
    lower::Lowering::new(universe, declared).run()
}
