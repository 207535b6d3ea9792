//! The part of a schema that decides how values merge.
//!
//! An [`Atom`] says which kinds of value a place takes (scalar, list, map, or several of them where
//! the schema leaves the type open) and whether containers are merged item by item or as a whole.

mod compile;

use ordain_value::{Text, Value};

/// A type in a [`Types`] arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeRef(u32);

/// All types of one version of a kind.
#[derive(Debug)]
pub struct Types {
    atoms: Vec<Atom>,
    root: TypeRef,
}

/// What a place takes. With several set, the value decides.
#[derive(Clone, Debug, Default)]
pub struct Atom {
    /// Scalars it takes.
    pub scalar: Option<Scalar>,
    /// Lists it takes.
    pub list: Option<ListType>,
    /// Maps and structs it takes.
    pub map: Option<MapType>,
}

/// A family of scalars.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// Integers and floats.
    Numeric,
    /// Strings.
    String,
    /// Booleans.
    Boolean,
    /// Any scalar.
    Untyped,
}

/// A list type.
#[derive(Clone, Debug)]
pub struct ListType {
    /// Type of the items.
    pub element: TypeRef,
    /// True for sets and lists of keyed maps, false for atomic lists.
    pub associative: bool,
    /// The key fields of a list of maps; empty for sets and atomic lists.
    pub keys: Box<[Text]>,
}

/// A map or struct type.
#[derive(Clone, Debug)]
pub struct MapType {
    /// INVARIANT: ascending by name.
    fields: Box<[Field]>,
    /// Type of undeclared keys; None if there may be none.
    pub element: Option<TypeRef>,
    /// True if the map is owned as a whole.
    pub atomic: bool,
}

/// A declared field of a struct.
#[derive(Clone, Debug)]
pub struct Field {
    /// JSON name.
    pub name: Text,
    /// Type of the value.
    pub ty: TypeRef,
    /// Schema default; used for missing list keys.
    pub default: Option<Value>,
    /// Strategic merge patch strategy: `merge`, `replace`, `retainKeys` or two of them.
    pub patch_strategy: Option<Text>,
    /// Strategic merge patch key of a list of maps.
    pub patch_merge_key: Option<Text>,
}

impl MapType {
    /// A map type; fields in any order.
    pub fn new(mut fields: Vec<Field>, element: Option<TypeRef>, atomic: bool) -> Self {
        fields.sort_by(|a, b| a.name.cmp(&b.name));
        MapType { fields: fields.into(), element, atomic }
    }

    /// The declared field `name`.
    pub fn field(&self, name: &str) -> Option<&Field> {
        let at = self.fields.binary_search_by(|it| it.name.as_str().cmp(name)).ok()?;
        Some(&self.fields[at])
    }

    /// Type of the value under `name`, declared or not.
    pub fn value_type(&self, name: &str) -> Option<TypeRef> {
        self.field(name).map(|it| it.ty).or(self.element)
    }

    /// The declared fields by name.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }
}

impl Types {
    /// Values of unknown type: maps item by item, lists whole.
    pub const DEDUCED: TypeRef = TypeRef(0);
    /// Values of unknown type inside an atomic list: everything whole.
    pub const UNTYPED_ATOMIC: TypeRef = TypeRef(1);

    /// Types of objects without a schema.
    pub fn deduced() -> Self {
        Types { atoms: Types::common(), root: Types::DEDUCED }
    }

    /// The two types every arena starts with.
    fn common() -> Vec<Atom> {
        let list = || ListType {
            element: Types::UNTYPED_ATOMIC,
            associative: false,
            keys: Box::default(),
        };
        let atom = |element, atomic| Atom {
            scalar: Some(Scalar::Untyped),
            list: Some(list()),
            map: Some(MapType::new(Vec::new(), Some(element), atomic)),
        };
        vec![atom(Types::DEDUCED, false), atom(Types::UNTYPED_ATOMIC, true)]
    }

    /// The type of the whole object.
    pub fn root(&self) -> TypeRef {
        self.root
    }

    /// The atom of a type.
    pub fn resolve(&self, ty: TypeRef) -> &Atom {
        &self.atoms[ty.0 as usize]
    }

    /// True for maps whose values have no schema either; those are never reconciled.
    pub(crate) fn is_untyped_map(&self, map: &MapType) -> bool {
        map.fields.is_empty()
            && map.element.is_some_and(|ty| {
                ty == Types::DEDUCED
                    || (ty != Types::UNTYPED_ATOMIC
                        && self.resolve(ty).scalar == Some(Scalar::Untyped))
            })
    }
}

impl Atom {
    /// This atom narrowed to the kind of `value`; null and absent leave it open.
    pub(crate) fn deduce(&self, value: Option<&Value>) -> Deduced<'_> {
        let all = Deduced { scalar: self.scalar, list: self.list.as_ref(), map: self.map.as_ref() };
        let none = Deduced { scalar: None, list: None, map: None };
        match value {
            Some(Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_))
                if self.scalar.is_some() =>
            {
                Deduced { scalar: self.scalar, ..none }
            }
            Some(Value::List(_)) if self.list.is_some() => Deduced { list: all.list, ..none },
            Some(Value::Map(_)) if self.map.is_some() => Deduced { map: all.map, ..none },
            _ => all,
        }
    }
}

/// An atom narrowed by a value.
#[derive(Clone, Copy)]
pub(crate) struct Deduced<'a> {
    pub(crate) scalar: Option<Scalar>,
    pub(crate) list: Option<&'a ListType>,
    pub(crate) map: Option<&'a MapType>,
}

/// The kind of value that a walk treats a place as.
pub(crate) enum Shape<'a> {
    Map(&'a MapType),
    Scalar(Scalar),
    List(&'a ListType),
}

impl<'a> Deduced<'a> {
    /// The first kind that is left, in upstream's order. Every atom has at least one.
    pub(crate) fn shape(&self) -> Shape<'a> {
        match (self.map, self.scalar, self.list) {
            (Some(map), _, _) => Shape::Map(map),
            (None, Some(scalar), _) => Shape::Scalar(scalar),
            (None, None, Some(list)) => Shape::List(list),
            (None, None, None) => Shape::Scalar(Scalar::Untyped),
        }
    }

    /// True if both were narrowed to the same kinds of the same atom.
    pub(crate) fn same_kinds(&self, other: &Deduced<'_>) -> bool {
        self.scalar.is_some() == other.scalar.is_some()
            && self.list.is_some() == other.list.is_some()
            && self.map.is_some() == other.map.is_some()
    }
}
