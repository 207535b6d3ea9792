//! Validation of Go types: `+k8s:` tags to a [`Program`].
//!
//! The way: [`shape`] sees types as upstream's generator sees them, [`discover`] walks the types
//! and reads the tags of each place, [`extract`] turns tags into checks, [`emit`] puts the checks
//! of types and fields into functions in the order they run, [`lint`] says what reviewers want.
//!
//! Upstream: `k8s.io/code-generator/cmd/validation-gen`.

mod discover;
mod emit;
mod extract;
mod lint;
mod list;
mod member;
mod shape;
pub mod table;
mod union;

use ordain_schema::native::Program;

use crate::diagnostic::Diagnostic;
use crate::graph::{Package, Universe};

/// Reads the validation tags of a package. Findings are errors of the author; the program holds
/// what could be read.
#[must_use]
pub fn lower(universe: &Universe, package: &Package) -> (Program, Vec<Diagnostic>) {
    let mut extractor = discover::Extractor::new(universe);
    let roots = extractor.roots(package);
    for root in &roots {
        extractor.discover_root(*root);
    }
    if !extractor.package_says(package, "k8s:validation-gen-nolint") {
        lint::lint(&mut extractor, &roots);
    }
    extractor.finish(&roots)
}
