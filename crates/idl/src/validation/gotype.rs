//! Types as gengo and validation-gen see them.

use crate::graph::{Basic, Field, Type, TypeId, Universe};

/// gengo's kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are gengo's")]
pub enum GoKind {
    Builtin,
    Struct,
    Map,
    Slice,
    Pointer,
    /// A named type over a basic type, list or map.
    Alias,
    Interface,
    Array,
    Chan,
    Func,
    TypeParam,
    Unsupported,
}

impl GoKind {
    /// gengo's word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Builtin => "Builtin",
            Self::Struct => "Struct",
            Self::Map => "Map",
            Self::Slice => "Slice",
            Self::Pointer => "Pointer",
            Self::Alias => "Alias",
            Self::Interface => "Interface",
            Self::Array => "Array",
            Self::Chan => "Chan",
            Self::Func => "Func",
            Self::TypeParam => "TypeParam",
            Self::Unsupported => "Unsupported",
        }
    }
}

/// A type with names removed: so many pointers to a base that is neither name nor pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Native {
    /// Number of pointers.
    pub pointers: u32,
    /// What they point to.
    pub base: TypeId,
}

/// Pointers to pointers and structs in structs by value are followed so far.
const STEPS_MAX: u32 = 64;

impl Universe {
    /// gengo's kind of a type.
    #[must_use]
    pub fn go_kind(&self, ty: TypeId) -> GoKind {
        let ty = self.unalias(ty);
        let named = matches!(self.ty(ty), Type::Named(_));
        match self.ty(self.underlying(ty)) {
            Type::Basic(Basic::Error) => GoKind::Interface,
            Type::Basic(Basic::Rune | Basic::Complex64 | Basic::Complex128) if !named => {
                GoKind::Unsupported
            }
            Type::Basic(_) | Type::Map(..) | Type::Slice(_) if named => GoKind::Alias,
            Type::Basic(_) => GoKind::Builtin,
            Type::Map(..) => GoKind::Map,
            Type::Slice(_) => GoKind::Slice,
            Type::Pointer(_) => GoKind::Pointer,
            Type::Array(..) => GoKind::Array,
            Type::Struct(_) => GoKind::Struct,
            Type::Interface(_) | Type::Any => GoKind::Interface,
            Type::Func => GoKind::Func,
            Type::Chan(_) => GoKind::Chan,
            Type::Param(_) => GoKind::TypeParam,
            Type::Named(_) | Type::Unknown(..) => GoKind::Unsupported,
        }
    }

    /// The element of a pointer, list, array or map beneath a type.
    #[must_use]
    pub fn go_elem(&self, ty: TypeId) -> Option<TypeId> {
        match self.ty(self.underlying(ty)) {
            Type::Pointer(elem) | Type::Slice(elem) | Type::Array(_, elem) | Type::Map(_, elem) => {
                Some(self.unalias(*elem))
            }
            _ => None,
        }
    }

    /// The key of a map beneath a type.
    #[must_use]
    pub fn go_key(&self, ty: TypeId) -> Option<TypeId> {
        match self.ty(self.underlying(ty)) {
            Type::Map(key, _) => Some(self.unalias(*key)),
            _ => None,
        }
    }

    /// A type with all names removed.
    #[must_use]
    pub fn native(&self, ty: TypeId) -> Native {
        let mut out = Native { pointers: 0, base: self.unalias(ty) };
        while out.pointers < STEPS_MAX {
            match self.go_kind(out.base) {
                GoKind::Alias => out.base = self.underlying(out.base),
                GoKind::Pointer => match self.go_elem(out.base) {
                    Some(elem) => {
                        out.pointers += 1;
                        out.base = elem;
                    }
                    None => break,
                },
                _ => break,
            }
        }
        out
    }

    /// gengo's kind of the native type.
    #[must_use]
    pub fn native_kind(&self, ty: TypeId) -> GoKind {
        let native = self.native(ty);
        if native.pointers > 0 { GoKind::Pointer } else { self.go_kind(native.base) }
    }

    /// What the native type is behind its pointers.
    #[must_use]
    pub fn native_base(&self, ty: TypeId) -> TypeId {
        self.native(ty).base
    }

    /// Whether a value of the type can be nil.
    #[must_use]
    pub fn is_nilable(&self, ty: TypeId) -> bool {
        matches!(
            self.native_kind(ty),
            GoKind::Pointer | GoKind::Map | GoKind::Slice | GoKind::Interface
        )
    }

    /// Whether `==` compares the type as Kubernetes wants it compared: no pointers inside.
    #[must_use]
    pub fn is_direct_comparable(&self, ty: TypeId) -> bool {
        let mut waiting = vec![(ty, 0)];
        while let Some((ty, depth)) = waiting.pop() {
            if depth > STEPS_MAX {
                return false;
            }
            match self.go_kind(ty) {
                GoKind::Builtin => {}
                GoKind::Struct => {
                    waiting.extend(self.fields(ty).iter().map(|field| (field.ty, depth + 1)));
                }
                GoKind::Array => waiting.extend(self.go_elem(ty).map(|elem| (elem, depth + 1))),
                GoKind::Alias => waiting.push((self.underlying(ty), depth + 1)),
                _ => return false,
            }
        }
        true
    }

    /// The field of a struct with a JSON name; embedded structs are not looked into.
    #[must_use]
    pub fn member_by_json(&self, ty: TypeId, json_name: &str) -> Option<&Field> {
        self.fields(ty).iter().find(|field| go_json_name(field) == json_name)
    }

    /// A type as gengo prints it.
    #[must_use]
    pub fn go_display(&self, ty: TypeId) -> String {
        match self.ty(self.unalias(ty)) {
            Type::Basic(Basic::Uint8) => "byte".into(),
            Type::Any => "interface{}".into(),
            Type::Named(id)
                if self.named(*id).args.is_empty() && !self.named(*id).params.is_empty() =>
            {
                format!("{}[{}]", self.display(ty), self.named(*id).params.join(","))
            }
            _ => self.display(ty),
        }
    }

    /// A type and what it is natively, as in upstream's messages.
    pub(crate) fn go_root_display(&self, ty: TypeId) -> String {
        let native = self.native(ty);
        if native.pointers == 0 && native.base == self.unalias(ty) {
            return self.go_display(ty);
        }
        format!("{} -> {}", self.go_display(ty), self.go_display(native.base))
    }

    /// The same, where the native type keeps its pointers.
    pub(crate) fn go_root_display_pointers(&self, ty: TypeId) -> String {
        let native = self.native(ty);
        if native.base == self.unalias(ty) || native.pointers == 0 {
            return self.go_root_display(ty);
        }
        let stars = "*".repeat(native.pointers as usize);
        format!("{} -> {stars}{}", self.go_display(ty), self.go_display(native.base))
    }

    pub(crate) fn is_go_string(&self, base: TypeId) -> bool {
        matches!(self.ty(base), Type::Basic(Basic::String))
    }

    pub(crate) fn is_go_bool(&self, base: TypeId) -> bool {
        matches!(self.ty(base), Type::Basic(Basic::Bool))
    }

    /// Upstream counts neither `uintptr` nor `rune`. It takes `int8` for `byte` and then writes
    /// code that does not compile; here it is an integer.
    pub(crate) fn is_go_integer(&self, base: TypeId) -> bool {
        matches!(self.ty(base), Type::Basic(basic)
            if basic.is_integer() && !matches!(basic, Basic::Uintptr | Basic::Rune))
    }

    pub(crate) fn is_go_unsigned(&self, base: TypeId) -> bool {
        matches!(self.ty(base), Type::Basic(basic)
            if basic.is_unsigned() && *basic != Basic::Uintptr)
    }
}

/// A field's JSON name as gengo reads it: its own name when the tag has none, empty when inlined
/// or left out.
#[must_use]
pub fn go_json_name(field: &Field) -> &str {
    if field.json.skipped || is_inlined(field) {
        ""
    } else if field.json.name.is_empty() {
        &field.name
    } else {
        &field.json.name
    }
}

fn is_inlined(field: &Field) -> bool {
    (field.embedded && field.json.name.is_empty())
        || (field.json.inline && field.json.name.is_empty())
}
