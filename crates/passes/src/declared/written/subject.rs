//! What rules look at: a value, where it stands, and what it was before.

use ordain_cel::value::tree::to_tree;
use ordain_cel::value::view::is_set;
use ordain_cel::value::{Map as CelMap, Result as CelResult, Str, Val, ViewRef};
use ordain_schema::native::TypeId;
use ordain_value::{Map, Value};

use super::WrittenRules;

/// A value and where it stands.
#[derive(Clone, Copy)]
pub(super) enum Own<'v> {
    Absent,
    Value(&'v Value),
    /// The key, for rules about keys.
    Key(&'v str),
    /// A struct, which may be embedded in another one and share its object.
    Struct(&'v Map),
}

/// What a rule looks at.
#[derive(Clone, Copy)]
pub(super) struct Subject<'v> {
    pub(super) own: Own<'v>,
    /// What it was before; absent where there was no such place.
    pub(super) old: Own<'v>,
    /// Its Go type, behind a pointer.
    pub(super) ty: TypeId,
    pub(super) view: ViewRef<'v>,
    /// Whether it is a pointer, which is set to a zero value as well.
    pub(super) pointer: bool,
    /// The struct that has the field.
    pub(super) parent: Option<(&'v Map, ViewRef<'v>)>,
    /// The key of an entry of a map.
    pub(super) key: &'v str,
    /// The place of an item in its list.
    pub(super) index: usize,
}

impl<'v> Subject<'v> {
    pub(super) fn of_struct(
        set: &'v WrittenRules,
        ty: TypeId,
        value: &'v Map,
        old: Option<&'v Map>,
    ) -> Self {
        let (own, view) = (Own::Struct(value), set.shapes.view(ty));
        let old = old.map_or(Own::Absent, Own::Struct);
        Subject { own, old, ty, view, pointer: false, parent: None, key: "", index: 0 }
    }

    /// As expressions see it.
    pub(super) fn val(&self, own: Own<'v>) -> CelResult<Val<'v>> {
        match own {
            Own::Absent => Ok(self.view.zero()),
            Own::Value(value) => self.view.read(value),
            Own::Key(key) => Ok(Val::Str(Str::Ref(key))),
            Own::Struct(map) => Ok(Val::Map(CelMap::View { map, ty: self.view })),
        }
    }

    fn is_given(&self, own: Own<'v>) -> bool {
        match own {
            Own::Absent => false,
            Own::Value(value) => is_set(value, self.pointer),
            Own::Key(key) => !key.is_empty(),
            Own::Struct(map) => !map.is_empty(),
        }
    }

    /// Whether it is set: a pointer to anything, or another value than zero.
    pub(super) fn is_set(&self) -> bool {
        self.is_given(self.own)
    }

    /// Whether it is as it was.
    pub(super) fn is_unchanged(&self) -> bool {
        let given = |own| self.is_given(own).then(|| self.tree(own));
        given(self.own) == given(self.old)
    }

    /// Whether there is no value at all.
    pub(super) fn is_absent(&self) -> bool {
        matches!(self.own, Own::Absent)
    }

    /// As errors show it.
    pub(super) fn shown(&self) -> Value {
        self.tree(self.own)
    }

    pub(super) fn tree(&self, own: Own<'v>) -> Value {
        match own {
            Own::Absent if self.pointer => Value::Null,
            Own::Absent => to_tree(&self.view.zero()),
            Own::Value(value) => value.clone(),
            Own::Key(key) => key.into(),
            Own::Struct(map) => Value::Map(map.clone()),
        }
    }

    /// The items of a list, each as a subject of its own.
    pub(super) fn items(&self, set: &WrittenRules) -> impl Iterator<Item = Subject<'v>> + use<'v> {
        let list = match self.own {
            Own::Value(Value::List(list)) => list.as_slice(),
            _ => &[],
        };
        let (ty, view) = (set.shapes.element(self.ty), self.view.items().0);
        let item = Subject { old: Own::Absent, ty, view, pointer: false, ..*self };
        let place = move |(index, it)| Subject { own: Own::Value(it), index, ..item };
        list.iter().enumerate().map(place)
    }

    /// How many items or entries there are.
    pub(super) fn len(&self) -> usize {
        match self.own {
            Own::Value(Value::List(list)) => list.as_slice().len(),
            Own::Value(Value::Map(map)) | Own::Struct(map) => map.len(),
            _ => 0,
        }
    }
}
