//! `cel.bind`: a name for a value.

use super::Module;
use crate::syntax::macros;

/// The bindings library.
#[must_use]
pub fn module() -> Module {
    Module::new("cel.lib.ext.cel.bindings")
        .declare(|library| library.macros.extend_from_slice(&macros::BIND))
}
