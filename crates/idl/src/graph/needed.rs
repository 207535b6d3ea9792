//! Which constants an API needs: errors in others are no concern of whoever reads its types.

use smol_str::SmolStr;

use super::Universe;
use super::package::PackageId;
use crate::go::ast::{DeclKind, TypeExprKind};
use crate::tags::codetag;

impl Universe {
    /// Whether a kind may need the value of a constant: it is declared as one of an enum's. What
    /// other code computes with is no concern of an API.
    pub(super) fn needs_constant(&self, package: PackageId, name: &SmolStr) -> bool {
        let package = self.package(package);
        let Some(at) = package.index.get(name) else { return false };
        let decl = self.file(at.file).parsed.ast.decls.get(at.decl as usize);
        let Some(DeclKind::Const(specs)) = decl.map(|it| &it.kind) else { return false };
        let Some(spec) = specs.get(at.spec as usize) else { return false };
        let written = spec.repeats.and_then(|it| specs.get(it as usize)).unwrap_or(spec);
        let Some(TypeExprKind::Name { package: None, name, .. }) =
            written.ty.as_ref().map(|it| &it.kind)
        else {
            return false;
        };
        let Some(ty) = package.types.get(&name.name) else { return false };
        let docs = self.named(*ty).docs;
        let lines = self.comment_lines(&docs);
        codetag::extract("+", &lines).iter().any(|it| matches!(it.name, "enum" | "k8s:enum"))
    }
}
