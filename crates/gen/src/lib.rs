//! Declared types in, files for other tools out.
//!
//! [`crd`] turns a [`ordain_idl::Universe`] of Go types with markers into
//! `CustomResourceDefinition`s, value for value what controller-gen makes of them. [`openapi`] turns
//! it into OpenAPI definitions, as openapi-gen and the OpenAPI builders publish them.
//!
//! Nothing here reads or writes files: a loader brings the types, the caller writes what comes
//! out. All output is in a fixed order, so that a stale file shows as a difference. What cannot
//! be generated is a [`ordain_idl::Diagnostic`] with its place, never a file that is wrong.

pub mod crd;
pub mod openapi;

use ordain_idl::{Diagnostic, Severity, Universe};

/// What was wrong with the text, as it matters to generators: a package whose source is missing
/// hinders only where one of its types is needed, and is reported there.
fn findings(universe: &Universe) -> Vec<Diagnostic> {
    let mut out = universe.diagnostics().to_vec();
    out.retain(|finding| finding.code != "missing-package" || finding.severity != Severity::Error);
    out
}

/// What to do about a type whose declaration was not found.
fn unknown_help(universe: &Universe, package: &str) -> String {
    match universe.package_by_path(package) {
        Some(found) if found.missing => {
            format!(
                "no source found for package `{package}`; vendor it, or name the module cache that holds it"
            )
        }
        _ => "declare it, or correct the name".into(),
    }
}
