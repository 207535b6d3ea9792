//! Copy methods that are written by hand.

use ordain_idl::Universe;
use ordain_idl::graph::{Method, NamedId, Type, TypeId};

/// The declared type that a type is or points to.
fn holder(universe: &Universe, ty: TypeId) -> Option<NamedId> {
    let ty = match universe.ty(universe.unalias(ty)) {
        Type::Pointer(to) => *to,
        _ => ty,
    };
    universe.as_named(ty)
}

fn signature(universe: &Universe, method: &Method) -> String {
    let text = universe.file(method.pos.file).slice(method.signature);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether there is a `DeepCopy`, and then whether it is one of the pointer.
pub(super) fn deep_copy(universe: &Universe, ty: TypeId) -> Option<bool> {
    let id = holder(universe, ty)?;
    let method = universe.method(id, "DeepCopy")?;
    let name = &universe.named(id).name;
    let star = if method.pointer { "*" } else { "" };
    (signature(universe, method) == format!("() {star}{name}")).then_some(method.pointer)
}

/// Whether there is a `DeepCopyInto`.
pub(super) fn has_into(universe: &Universe, ty: TypeId) -> bool {
    let Some(id) = holder(universe, ty) else { return false };
    let Some(method) = universe.method(id, "DeepCopyInto") else { return false };
    let signature = signature(universe, method);
    let inner = signature.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
    let name = &universe.named(id).name;
    inner.is_some_and(|it| it.rsplit(' ').next() == Some(&format!("*{name}")))
}

/// Whether there is one of them; the other is generated then.
pub(super) fn has_any(universe: &Universe, ty: TypeId) -> bool {
    deep_copy(universe, ty).is_some() || has_into(universe, ty)
}
