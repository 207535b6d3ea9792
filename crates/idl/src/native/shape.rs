//! Types as upstream's generator sees them, and the Go shapes that checks run on.

use ordain_schema::native::{Equality, GoField, GoKind, GoType, Setness, Special, TypeId as ShapeId};
use ordain_value::Text;

use super::discover::Extractor;
use crate::graph::{Basic, Field, StructId, Type, TypeId};

/// The kinds of gengo: a named type that is no struct is an alias of what it is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Builtin(Basic),
    Alias(TypeId),
    Struct(StructId),
    Slice(TypeId),
    Array,
    Map(TypeId, TypeId),
    Pointer(TypeId),
    Interface,
    Other,
}

impl Kind {
    /// Upstream's word.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Builtin(_) => "Builtin",
            Kind::Alias(_) => "Alias",
            Kind::Struct(_) => "Struct",
            Kind::Slice(_) => "Slice",
            Kind::Array => "Array",
            Kind::Map(..) => "Map",
            Kind::Pointer(_) => "Pointer",
            Kind::Interface => "Interface",
            Kind::Other => "Unsupported",
        }
    }
}

impl Extractor<'_> {
    pub(super) fn kind(&self, ty: TypeId) -> Kind {
        let universe = self.universe;
        let ty = universe.unalias(ty);
        match universe.ty(ty) {
            Type::Named(_) => {
                let under = universe.underlying(ty);
                match universe.ty(under) {
                    Type::Struct(id) => Kind::Struct(*id),
                    Type::Interface(_) => Kind::Interface,
                    Type::Unknown(..) => Kind::Other,
                    _ => Kind::Alias(under),
                }
            }
            Type::Basic(basic) => Kind::Builtin(*basic),
            Type::Pointer(to) => Kind::Pointer(*to),
            Type::Slice(of) => Kind::Slice(*of),
            Type::Array(..) => Kind::Array,
            Type::Map(key, value) => Kind::Map(*key, *value),
            Type::Struct(id) => Kind::Struct(*id),
            Type::Interface(_) => Kind::Interface,
            Type::Func | Type::Chan(_) | Type::Param(_) | Type::Unknown(..) => Kind::Other,
        }
    }

    /// Names and pointers off: how many pointers there were, and what is beneath.
    pub(super) fn native(&self, mut ty: TypeId) -> (usize, TypeId) {
        let mut pointers = 0;
        // Types nest no deeper than their text; the bound guards against cyclic pointers.
        for _ in 0..1000 {
            match self.kind(ty) {
                Kind::Alias(under) => ty = under,
                Kind::Pointer(to) => {
                    pointers += 1;
                    ty = to;
                }
                _ => break,
            }
        }
        (pointers, ty)
    }

    /// The kind beneath names; pointers count.
    pub(super) fn native_kind(&self, ty: TypeId) -> Kind {
        match self.native(ty) {
            (0, base) => self.kind(base),
            (_, base) => Kind::Pointer(base),
        }
    }

    /// The kind beneath names and pointers.
    pub(super) fn base_kind(&self, ty: TypeId) -> Kind {
        self.kind(self.native(ty).1)
    }

    pub(super) fn is_nilable(&self, ty: TypeId) -> bool {
        let kind = self.native_kind(ty);
        matches!(kind, Kind::Pointer(_) | Kind::Map(..) | Kind::Slice(_) | Kind::Interface)
    }

    pub(super) fn is_string(&self, ty: TypeId) -> bool {
        self.base_kind(ty) == Kind::Builtin(Basic::String)
    }

    pub(super) fn is_integer(&self, ty: TypeId) -> bool {
        matches!(self.base_kind(ty), Kind::Builtin(it) if it.is_integer())
    }

    /// Can Go compare values of the type with `==` and mean it?
    pub(super) fn is_comparable(&self, ty: TypeId) -> bool {
        self.comparable_within(ty, 100)
    }

    fn comparable_within(&self, ty: TypeId, depth: usize) -> bool {
        match self.kind(ty) {
            Kind::Builtin(_) => true,
            Kind::Alias(under) => depth > 0 && self.comparable_within(under, depth - 1),
            Kind::Struct(id) => {
                depth > 0
                    && (self.universe.struct_type(id).fields.iter())
                        .all(|it| self.comparable_within(it.ty, depth - 1))
            }
            _ => false,
        }
    }

    /// How values behind any pointers are compared.
    pub(super) fn equality(&self, ty: TypeId) -> Equality {
        if self.is_comparable(self.native(ty).1) { Equality::Direct } else { Equality::Semantic }
    }

    /// How a value of the type is known to be set; None for structs by value.
    pub(super) fn setness(&self, ty: TypeId) -> Option<Setness> {
        Some(match self.native_kind(ty) {
            Kind::Slice(_) => Setness::List,
            Kind::Map(..) => Setness::Map,
            Kind::Pointer(_) => Setness::Pointer,
            Kind::Struct(_) => return None,
            _ => Setness::Value,
        })
    }

    /// The direct field of a struct with this JSON name, as gengo reads struct tags.
    pub(super) fn field_by_json(&self, ty: TypeId, json: &str) -> Option<&Field> {
        let Kind::Struct(id) = self.base_kind(ty) else { return None };
        let fields = &self.universe.struct_type(id).fields;
        fields.iter().find(|it| json_name(it) == json)
    }

    /// `pkg/path.Name (string)` or `string`: a type with what it is made of.
    pub(super) fn root_type(&self, ty: TypeId) -> String {
        let shown = self.universe.display(ty);
        let native = self.universe.display(self.native(ty).1);
        if shown == native { shown } else { format!("{shown} -> {native}") }
    }

    /// The shape of a type, made once.
    pub(super) fn shape(&mut self, ty: TypeId) -> ShapeId {
        let ty = self.universe.unalias(ty);
        if let Some(id) = self.shapes.get(&ty) {
            return *id;
        }
        let id = ShapeId(u32::try_from(self.program.types.len()).unwrap_or(u32::MAX));
        let name = self.go_name(ty);
        self.program.types.push(GoType { name, kind: GoKind::Any });
        self.shapes.insert(ty, id);
        let kind = self.shape_kind(ty);
        self.program.types[id.0 as usize].kind = kind;
        id
    }

    fn shape_kind(&mut self, ty: TypeId) -> GoKind {
        if let Some(named) = self.universe.as_named(ty) {
            match self.universe.qualified(named).as_str() {
                "k8s.io/apimachinery/pkg/apis/meta/v1.Time" => return GoKind::Special(Special::Time),
                "k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime" => {
                    return GoKind::Special(Special::MicroTime);
                }
                "k8s.io/apimachinery/pkg/apis/meta/v1.Duration" => {
                    return GoKind::Special(Special::Duration);
                }
                "k8s.io/apimachinery/pkg/api/resource.Quantity" => {
                    return GoKind::Special(Special::Quantity);
                }
                "k8s.io/apimachinery/pkg/util/intstr.IntOrString" => {
                    return GoKind::Special(Special::IntOrString);
                }
                "k8s.io/apimachinery/pkg/runtime.RawExtension"
                | "k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1"
                | "encoding/json.RawMessage" => return GoKind::Any,
                _ => {}
            }
        }
        match self.kind(ty) {
            Kind::Builtin(Basic::Bool) => GoKind::Bool,
            Kind::Builtin(Basic::String) => GoKind::String,
            Kind::Builtin(it) if it.is_integer() => GoKind::Int,
            Kind::Builtin(it) if it.is_float() => GoKind::Float,
            Kind::Alias(under) => self.shape_kind(under),
            Kind::Pointer(to) => GoKind::Pointer(self.shape(to)),
            Kind::Slice(of)
                if matches!(self.base_kind(of), Kind::Builtin(it) if it.canonical() == Basic::Uint8) =>
            {
                GoKind::Bytes
            }
            Kind::Slice(of) => GoKind::List(self.shape(of)),
            Kind::Map(_, value) => GoKind::Map(self.shape(value)),
            Kind::Struct(id) => {
                let universe = self.universe;
                let mut fields = Vec::new();
                for field in &universe.struct_type(id).fields {
                    if !field.exported() || field.json.skipped {
                        continue;
                    }
                    let named = !field.json.name.is_empty();
                    let is_struct = matches!(self.base_kind(field.ty), Kind::Struct(_));
                    let inline = field.embedded && !named && is_struct;
                    let json = if inline {
                        Text::default()
                    } else if named {
                        field.json.name.clone()
                    } else {
                        field.name.clone()
                    };
                    let omit_empty = field.json.omitempty || field.json.omitzero;
                    let ty = self.shape(field.ty);
                    fields.push(GoField { go: field.name.clone(), json, inline, omit_empty, ty });
                }
                GoKind::Struct(fields)
            }
            Kind::Builtin(_) | Kind::Array | Kind::Interface | Kind::Other => GoKind::Any,
        }
    }

    /// A type as `%T` prints it: package name, not path.
    fn go_name(&self, ty: TypeId) -> Text {
        match self.universe.as_named(ty) {
            Some(id) => {
                let named = self.universe.named(id);
                let package = &self.universe.package(named.package).name;
                Text::from(format!("{package}.{}", named.name))
            }
            None => Text::from(self.universe.display(ty)),
        }
    }
}

/// The JSON name of a field as gengo looks it up; empty for inlined and unencoded fields.
pub(super) fn json_name(field: &Field) -> &str {
    let json = &field.json;
    let inline = (field.embedded && json.name.is_empty()) || json.inline;
    if json.skipped {
        ""
    } else if json.name.is_empty() && !inline {
        &field.name
    } else {
        &json.name
    }
}
