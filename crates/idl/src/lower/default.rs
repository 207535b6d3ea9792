//! Default values of declared places: what is written, and what Go types imply.

use ordain_value::{Map, Value, json};

use super::Lowering;
use crate::graph::{Basic, ConstValue, Type, TypeId};
use crate::source::Pos;
use crate::validation::GoKind;

impl Lowering<'_> {
    /// A written default: one line of JSON, or `ref(Constant)`. What is wrong with it against its
    /// type is the defaulting reader's to say.
    pub(super) fn written_default(&mut self, text: &str, pos: Pos) -> Option<Value> {
        if let Some(name) = text.strip_prefix("ref(").and_then(|it| it.strip_suffix(')')) {
            return self.constant(name, pos);
        }
        json::decode(text.as_bytes()).ok().filter(|it| !it.is_null())
    }

    fn constant(&self, name: &str, pos: Pos) -> Option<Value> {
        let universe = self.universe;
        let (package, name) = match name.rsplit_once('.') {
            Some((path, name)) => (universe.package_by_path(path), name),
            None => (Some(universe.package(universe.file(pos.file).package)), name),
        };
        let id = package?.consts.get(name)?;
        Some(match &universe.constant(*id).value {
            ConstValue::Bool(it) => Value::Bool(*it),
            ConstValue::Str(it) => Value::Str(it.clone()),
            ConstValue::Int(it) => Value::Int(i64::try_from(*it).ok()?),
            ConstValue::Float(it) => Value::Float(*it),
        })
    }

    /// The default that follows from the type of a field (KEP-1929): `{}` for a struct that is no
    /// pointer, the zero value for a scalar without omitempty.
    pub(super) fn implied_default(&self, ty: TypeId, omitempty: bool) -> Option<Value> {
        let universe = self.universe;
        if self.is_opaque(ty) {
            return None;
        }
        match universe.native_kind(ty) {
            GoKind::Struct => Some(Value::Map(Map::new())),
            GoKind::Builtin if !omitempty => zero(*self.basic(ty)?),
            _ => None,
        }
    }

    fn basic(&self, ty: TypeId) -> Option<&Basic> {
        match self.universe.ty(self.universe.native_base(ty)) {
            Type::Basic(basic) => Some(basic),
            _ => None,
        }
    }

    /// Whether a zero value of the field counts as absent (KEP-4153): every field that is neither
    /// pointer nor struct.
    pub(super) fn strips_zero(&self, ty: TypeId) -> bool {
        let kind = self.universe.native_kind(ty);
        !self.is_opaque(ty) && matches!(kind, GoKind::Builtin | GoKind::Slice | GoKind::Map)
    }
}

fn zero(basic: Basic) -> Option<Value> {
    Some(match basic {
        Basic::Bool => Value::Bool(false),
        Basic::String => Value::str(""),
        it if it.is_integer() || it.is_float() => Value::Int(0),
        _ => return None,
    })
}
