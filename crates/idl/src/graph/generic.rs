//! Limits on instances of generic types.

use super::resolve::{Resolution, Scope};
use super::ty::TypeId;
use crate::diagnostic::Diagnostic;
use crate::go::ast;
use crate::source::Pos;

/// Instances made by instances made by instances: `type T[P any] struct { Next *T[[]P] }` would
/// never end. Go's own limit is 100.
const DEPTH_MAX: u32 = 64;

/// Instances in all.
const INSTANCES_MAX: usize = 100_000;

impl Resolution<'_> {
    /// Whether another instance may be made; reports once when not.
    pub(super) fn may_instantiate(
        &mut self,
        scope: &Scope,
        name: &ast::Ident,
        args: &[TypeId],
        depth: u32,
    ) -> bool {
        if args.is_empty()
            || (depth <= DEPTH_MAX && self.files.universe.named.len() <= INSTANCES_MAX)
        {
            return true;
        }
        let pos = Pos { file: scope.file, offset: name.offset };
        let known = self.files.universe.diagnostics.iter().any(|known| known.pos == Some(pos));
        if !known {
            let message = format!("generic type `{}` is instantiated without end", name.name);
            self.universe().diagnostics.push(Diagnostic::error("generic-cycle", pos, message));
        }
        false
    }
}
