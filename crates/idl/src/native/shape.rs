//! The Go shapes that rules run on.

use ordain_schema::native::{GoField, GoKind, GoType, Special, TypeId as ShapeId};
use ordain_value::Text;

use super::lower::Lowering;
use crate::graph::{Basic, StructId, Type, TypeId};

impl Lowering<'_> {
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
        if let Some(special) = self.special(ty) {
            return GoKind::Special(special);
        }
        if self.is_raw_json(ty) {
            return GoKind::Any;
        }
        match self.universe.ty(self.universe.underlying(ty)) {
            Type::Basic(Basic::Bool) => GoKind::Bool,
            Type::Basic(Basic::String) => GoKind::String,
            Type::Basic(it) if it.is_integer() => GoKind::Int,
            Type::Basic(it) if it.is_float() => GoKind::Float,
            Type::Pointer(to) => GoKind::Pointer(self.shape(*to)),
            Type::Slice(of) if self.is_byte(*of) => GoKind::Bytes,
            Type::Slice(of) => GoKind::List(self.shape(*of)),
            Type::Map(_, value) => GoKind::Map(self.shape(*value)),
            Type::Struct(id) => GoKind::Struct(self.struct_fields(ty, *id)),
            _ => GoKind::Any,
        }
    }

    /// Well-known types whose JSON is not their Go shape.
    pub(super) fn special(&self, ty: TypeId) -> Option<Special> {
        let named = self.universe.as_named(ty)?;
        Some(match self.universe.qualified(named).as_str() {
            "k8s.io/apimachinery/pkg/apis/meta/v1.Time" => Special::Time,
            "k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime" => Special::MicroTime,
            "k8s.io/apimachinery/pkg/apis/meta/v1.Duration" => Special::Duration,
            "k8s.io/apimachinery/pkg/api/resource.Quantity" => Special::Quantity,
            "k8s.io/apimachinery/pkg/util/intstr.IntOrString" => Special::IntOrString,
            _ => return None,
        })
    }

    fn is_raw_json(&self, ty: TypeId) -> bool {
        self.universe.as_named(ty).is_some_and(|it| {
            matches!(
                self.universe.qualified(it).as_str(),
                "k8s.io/apimachinery/pkg/runtime.RawExtension"
                    | "k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1"
                    | "encoding/json.RawMessage"
            )
        })
    }

    fn is_byte(&self, ty: TypeId) -> bool {
        let under = self.universe.ty(self.universe.underlying(ty));
        matches!(under, Type::Basic(it) if it.canonical() == Basic::Uint8)
    }

    /// The fields that `encoding/json` knows, embedded structs kept whole.
    fn struct_fields(&mut self, ty: TypeId, id: StructId) -> Vec<GoField> {
        let universe = self.universe;
        let visible = universe.json_fields(ty);
        let mut fields = Vec::new();
        for field in &universe.struct_type(id).fields {
            if !field.exported() || field.json.skipped {
                continue;
            }
            let named = !field.json.name.is_empty();
            let is_struct = universe.as_struct(universe.deref(field.ty)).is_some();
            let inline = field.embedded && !named && is_struct;
            let json = match (inline, named) {
                (true, _) => Text::default(),
                (false, true) => field.json.name.clone(),
                (false, false) => field.name.clone(),
            };
            let omit_empty = field.json.omitempty || field.json.omitzero;
            let mut hidden = Vec::new();
            if inline {
                let below = universe.json_fields(universe.deref(field.ty));
                let is_seen = |key: &Text| {
                    visible.iter().any(|it| {
                        it.key == *key && it.through.first().is_some_and(|it| it.name == field.name)
                    })
                };
                hidden.extend(below.into_iter().map(|it| it.key).filter(|it| !is_seen(it)));
            }
            let ty = self.shape(field.ty);
            fields.push(GoField { go: field.name.clone(), json, inline, hidden, omit_empty, ty });
        }
        fields
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
