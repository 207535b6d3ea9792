//! How parts of the input tree are presented, by declared type.
//!
//! Whoever binds a schema builds [`Views`]: an arena of nodes, so that recursive types are
//! possible. A [`ViewRef`] is one node of it; [`ViewRef::read`] turns a part of the input into a
//! value without copying lists and maps.

use std::sync::Arc;

use ordain_value::go_format::type_name;
use ordain_value::{List as TreeList, Map as TreeMap, Text, Value};

use super::{Error, List, Map, Result, Str, Val};

/// The index of a node in its arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ViewId(pub u32);

/// Reads a string with a format, such as a date, or says why it is none.
pub type ParseText = fn(&str) -> std::result::Result<Val<'static>, String>;

/// A node: what the input is taken for.
#[derive(Clone, Debug)]
pub enum View {
    /// No declared type: presented as what it is.
    Dyn,
    /// A value that can only be compared.
    Preserved,
    /// An integer or a string.
    IntOrString,
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `double`; whole numbers become doubles.
    Double,
    /// `string`
    Str,
    /// A string that stands for another type.
    Text(ParseText),
    /// An object with declared fields, sorted by the name they have in expressions.
    Object(Vec<Field>),
    /// A Go struct: a declared field that is absent reads as the zero value of its type, and `has`
    /// tells whether it is set to another one. Sorted as the fields of an object.
    Record(Vec<Field>),
    /// A map with values of one type.
    Map(ViewId),
    /// An object without any accessible field.
    Bare,
    /// A list.
    List {
        /// The items.
        items: ViewId,
        /// Its equality and concatenation.
        kind: ListKind,
    },
    /// A schema that cannot be presented, with the error that reading gives.
    Invalid(Arc<str>),
}

/// A declared field.
#[derive(Clone, Debug)]
pub struct Field {
    /// The name in expressions, escaped where needed.
    pub name: Text,
    /// The key in the input.
    pub key: Text,
    /// The type.
    pub view: ViewId,
    /// Of a [`View::Record`]: whether it is a pointer, which is set to a zero value as well.
    pub pointer: bool,
}

/// What makes two lists equal and what `+` does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListKind {
    /// In order.
    Atomic,
    /// Order does not matter, and `+` is a union.
    Set,
    /// Items are identified by these keys; `+` merges.
    Map(Vec<Text>),
}

/// An arena of nodes with the nullable bit of each.
#[derive(Clone, Debug, Default)]
pub struct Views {
    nodes: Vec<(View, bool)>,
}

/// One node of an arena.
#[derive(Clone, Copy)]
pub struct ViewRef<'a> {
    views: &'a Views,
    id: ViewId,
}

static DYN: Views = Views { nodes: Vec::new() };

impl Views {
    /// An empty arena.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a node. Objects' fields are sorted here.
    pub fn push(&mut self, view: View, nullable: bool) -> ViewId {
        let id = self.reserve();
        self.set(id, view, nullable);
        id
    }

    /// Makes room for a node that is set later: for recursive types.
    pub fn reserve(&mut self) -> ViewId {
        let id = ViewId(u32::try_from(self.nodes.len()).unwrap_or(u32::MAX));
        self.nodes.push((View::Dyn, true));
        id
    }

    /// Sets a reserved node.
    pub fn set(&mut self, id: ViewId, mut view: View, nullable: bool) {
        if let View::Object(fields) | View::Record(fields) = &mut view {
            fields.sort_by(|a, b| a.name.cmp(&b.name));
        }
        if let Some(slot) = self.nodes.get_mut(id.0 as usize) {
            *slot = (view, nullable);
        }
    }

    /// The node with this id.
    #[must_use]
    pub fn at(&self, id: ViewId) -> ViewRef<'_> {
        ViewRef { views: self, id }
    }

    fn node(&self, id: ViewId) -> &(View, bool) {
        self.nodes.get(id.0 as usize).unwrap_or(&(View::Dyn, true))
    }
}

impl<'a> ViewRef<'a> {
    /// No declared type at all.
    #[must_use]
    pub fn dynamic() -> ViewRef<'static> {
        ViewRef { views: &DYN, id: ViewId(u32::MAX) }
    }

    /// Whether there is no declared type, nor below.
    #[inline]
    pub(crate) fn is_dynamic(self) -> bool {
        matches!(self.view(), View::Dyn)
    }

    /// The node.
    #[inline]
    #[must_use]
    pub fn view(self) -> &'a View {
        &self.views.node(self.id).0
    }

    /// Its place in the arena.
    #[must_use]
    pub fn id(self) -> ViewId {
        self.id
    }

    /// Another node of the same arena.
    #[must_use]
    pub fn sibling(self, id: ViewId) -> Self {
        Self { views: self.views, id }
    }

    /// Presents a part of the input.
    ///
    /// # Errors
    /// When the value does not fit the declared type.
    #[inline]
    pub fn read(self, value: &'a Value) -> Result<Val<'a>> {
        let (view, nullable) = self.views.node(self.id);
        match (view, value) {
            (View::Int, Value::Int(number)) => Ok(Val::Int(*number)),
            (View::Str, Value::Str(text)) => Ok(Val::Str(Str::Ref(text))),
            (View::Bool, Value::Bool(flag)) => Ok(Val::Bool(*flag)),
            (View::Object(_) | View::Record(_) | View::Map(_) | View::Bare, Value::Map(map)) => {
                Ok(Val::Map(Map::View { map, ty: self }))
            }
            (View::List { .. }, Value::List(list)) => Ok(Val::List(List::View { list, ty: self })),
            (View::Dyn, _) => Ok(read_dyn(value)),
            (_, Value::Null) if *nullable => Ok(Val::Null),
            _ => self.read_slow(value),
        }
    }

    /// Whether a part of the input fits the declared type.
    pub(crate) fn fits(self, value: &'a Value) -> bool {
        matches!(self.view(), View::Dyn) || self.read(value).is_ok()
    }

    #[cold]
    fn read_slow(self, value: &'a Value) -> Result<Val<'a>> {
        let wrong = |expected: &str| {
            Err(Error::new(format!("invalid data, expected {expected}, got {}", type_name(value))))
        };
        if value.is_null() {
            return Err(Error::new("invalid data, got null for schema with nullable=false"));
        }
        match (self.view(), value) {
            (View::Preserved, _) => Ok(Val::Preserved(value)),
            (View::IntOrString, Value::Int(number)) => Ok(Val::Int(*number)),
            (View::IntOrString, Value::Str(text)) => Ok(Val::Str(Str::Ref(text))),
            (View::IntOrString, _) => Err(Error::new(
                "invalid data, expected XIntOrString value to be either a string or integer",
            )),
            #[expect(clippy::cast_precision_loss, reason = "the declared type is a double")]
            (View::Double, Value::Int(number)) => Ok(Val::Double(*number as f64)),
            (View::Double, Value::Float(number)) => Ok(Val::Double(*number)),
            (View::Text(parse), Value::Str(text)) => parse(text).map_err(Error::new),
            (View::Double, _) => wrong("float"),
            (View::Int, _) => wrong("int"),
            (View::Bool, _) => wrong("bool"),
            (View::Str | View::Text(_), _) => wrong("string"),
            (View::Object(_) | View::Record(_) | View::Map(_) | View::Bare, _) => Err(Error::new(
                "invalid data, expected a map for the provided schema with type=object",
            )),
            (View::List { .. }, _) => Err(Error::new(
                "invalid data, expected an array for the provided schema with type=array",
            )),
            (View::Invalid(message), _) => Err(Error::new(message.to_string())),
            (View::Dyn, _) => Ok(read_dyn(value)),
        }
    }

    /// Presents a value that stood in a list of this type after `+`: what it holds natively is
    /// read anew.
    ///
    /// # Errors
    /// When the value does not fit the declared type.
    pub fn read_native(self, value: &Val<'a>) -> Result<Val<'a>> {
        let wrong = |expected: &str| {
            Err(Error::new(format!(
                "invalid data, expected {expected}, got {}",
                native_type(value)
            )))
        };
        if matches!(value, Val::Null) {
            return if self.views.node(self.id).1 {
                Ok(Val::Null)
            } else {
                Err(Error::new("invalid data, got null for schema with nullable=false"))
            };
        }
        match (self.view(), value) {
            (
                View::Object(_) | View::Record(_) | View::Map(_) | View::Bare,
                Val::Map(Map::View { map, .. }),
            ) => Ok(Val::Map(Map::View { map, ty: self })),
            (View::List { .. }, Val::List(List::View { list, .. })) => {
                Ok(Val::List(List::View { list, ty: self }))
            }
            (View::Text(parse), Val::Str(text)) => parse(text.as_str()).map_err(Error::new),
            #[expect(clippy::cast_precision_loss, reason = "the declared type is a double")]
            (View::Double, Val::Int(number)) => Ok(Val::Double(*number as f64)),
            (View::Dyn | View::Preserved, _)
            | (View::IntOrString, Val::Int(_) | Val::Str(_))
            | (View::Bool, Val::Bool(_))
            | (View::Int, Val::Int(_))
            | (View::Double, Val::Double(_))
            | (View::Str, Val::Str(_)) => Ok(value.clone()),
            (View::IntOrString, _) => Err(Error::new(
                "invalid data, expected XIntOrString value to be either a string or integer",
            )),
            (View::Bool, _) => wrong("bool"),
            (View::Int, _) => wrong("int"),
            (View::Double, _) => wrong("float"),
            (View::Str | View::Text(_), _) => wrong("string"),
            (View::Object(_) | View::Record(_) | View::Map(_) | View::Bare, _) => Err(Error::new(
                "invalid data, expected a map for the provided schema with type=object",
            )),
            (View::List { .. }, _) => Err(Error::new(
                "invalid data, expected an array for the provided schema with type=array",
            )),
            (View::Invalid(message), _) => Err(Error::new(message.to_string())),
        }
    }

    /// The key and type of a field or map entry by its name in expressions.
    #[inline]
    #[must_use]
    pub fn field(self, name: &str) -> Option<(&'a str, ViewRef<'a>)>
    where
        Self: 'a,
    {
        match self.view() {
            View::Object(fields) | View::Record(fields) => {
                let at = fields.binary_search_by(|field| field.name.as_str().cmp(name)).ok()?;
                let field = fields.get(at)?;
                Some((field.key.as_str(), self.sibling(field.view)))
            }
            _ => None,
        }
    }

    /// The type of the value under a key of the input.
    #[must_use]
    pub fn property(self, key: &str) -> Option<ViewRef<'a>> {
        match self.view() {
            View::Object(fields) | View::Record(fields) => {
                fields.iter().find(|field| field.key == key).map(|field| self.sibling(field.view))
            }
            View::Map(values) => Some(self.sibling(*values)),
            View::Dyn => Some(ViewRef::dynamic()),
            _ => None,
        }
    }

    /// The name of a key in expressions.
    #[must_use]
    pub fn name_of(self, key: &'a str) -> &'a str {
        match self.view() {
            View::Object(fields) | View::Record(fields) => fields
                .iter()
                .find(|field| field.key == key)
                .map_or(key, |field| field.name.as_str()),
            _ => key,
        }
    }

    /// The items of a list type, with its kind.
    #[must_use]
    pub fn items(self) -> (ViewRef<'a>, &'a ListKind) {
        match self.view() {
            View::List { items, kind } => (self.sibling(*items), kind),
            _ => (ViewRef::dynamic(), &ListKind::Atomic),
        }
    }

    /// Finds the value under a name: a field's, or a map entry's.
    ///
    /// # Errors
    /// When the value does not fit the declared type.
    #[inline]
    pub fn find(self, map: &'a TreeMap, name: &str) -> Result<Option<Val<'a>>> {
        match self.view() {
            View::Object(_) => {
                let Some((key, ty)) = self.field(name) else { return Ok(None) };
                match map.get(key) {
                    // A null field of an object is an absent one.
                    None | Some(Value::Null) => Ok(None),
                    Some(value) => ty.read(value).map(Some),
                }
            }
            View::Record(_) => {
                let Some((key, ty)) = self.field(name) else { return Ok(None) };
                match map.get(key) {
                    None | Some(Value::Null) => Ok(Some(ty.zero())),
                    Some(value) => ty.read(value).map(Some),
                }
            }
            View::Map(values) => {
                map.get(name).map(|value| self.sibling(*values).read(value)).transpose()
            }
            View::Dyn => Ok(map.get(name).map(read_dyn)),
            _ => Ok(None),
        }
    }
}

impl<'a> ViewRef<'a> {
    /// The zero value of a Go type.
    #[must_use]
    pub fn zero(self) -> Val<'a> {
        match self.view() {
            View::Bool => Val::Bool(false),
            View::Int | View::IntOrString => Val::Int(0),
            View::Double => Val::Double(0.0),
            View::Str | View::Text(_) => Val::Str(Str::Ref("")),
            View::Object(_) | View::Record(_) | View::Map(_) | View::Bare => {
                self.read(&ZEROS.3).unwrap_or(Val::Null)
            }
            View::List { .. } => self.read(&ZEROS.4).unwrap_or(Val::Null),
            View::Dyn | View::Preserved | View::Invalid(_) => Val::Null,
        }
    }

    /// The zero value of a Go type as the input would have it; none where only [`ViewRef::zero`]
    /// can tell.
    #[inline]
    pub(crate) fn zero_value(self) -> Option<&'static Value> {
        Some(match self.view() {
            View::Bool => &ZEROS.0,
            View::Int | View::IntOrString => &ZEROS.1,
            View::Str => &ZEROS.2,
            View::Object(_) | View::Record(_) | View::Map(_) | View::Bare => &ZEROS.3,
            View::List { .. } => &ZEROS.4,
            _ => return None,
        })
    }

    /// Whether a field of a map is there: as `has` asks. A field of a Go struct is there when it
    /// is a pointer that is set, or has another value than zero.
    ///
    /// # Errors
    /// When the value does not fit the declared type.
    pub fn has(self, map: &'a TreeMap, name: &str) -> Result<bool> {
        let View::Record(fields) = self.view() else { return Ok(self.find(map, name)?.is_some()) };
        let Ok(at) = fields.binary_search_by(|field| field.name.as_str().cmp(name)) else {
            return Ok(false);
        };
        let field = &fields[at];
        Ok(map.get(&field.key).is_some_and(|it| is_set(it, field.pointer)))
    }
}

/// Whether a list is the zero value of a field that is not there.
#[must_use]
pub fn is_absent(list: &List<'_>) -> bool {
    let (List::View { list, .. }, Value::List(zero)) = (list, &ZEROS.4) else { return false };
    std::ptr::eq(*list, zero)
}

/// Whether a map is the zero value of a field that is not there.
#[must_use]
pub fn is_absent_map(map: &TreeMap) -> bool {
    matches!(&ZEROS.3, Value::Map(zero) if std::ptr::eq(map, zero))
}

/// Whether a field of a Go struct is set.
#[must_use]
pub fn is_set(value: &Value, pointer: bool) -> bool {
    match value {
        Value::Null => false,
        _ if pointer => true,
        Value::Bool(it) => *it,
        Value::Int(it) => *it != 0,
        Value::Float(it) => *it != 0.0,
        Value::Str(it) => !it.is_empty(),
        Value::List(it) => !it.as_slice().is_empty(),
        Value::Map(it) => !it.is_empty(),
    }
}

/// The zero values of truth values, whole numbers, texts, maps and lists.
static ZEROS: (Value, Value, Value, Value, Value) = (
    Value::Bool(false),
    Value::Int(0),
    Value::Str(Text::new_static("")),
    Value::Map(TreeMap::new()),
    Value::List(TreeList::new()),
);

fn read_dyn(value: &Value) -> Val<'_> {
    let ty = ViewRef::dynamic();
    match value {
        Value::Null => Val::Null,
        Value::Bool(flag) => Val::Bool(*flag),
        Value::Int(number) => Val::Int(*number),
        Value::Float(number) => Val::Double(*number),
        Value::Str(text) => Val::Str(Str::Ref(text)),
        Value::List(list) => Val::List(List::View { list, ty }),
        Value::Map(map) => Val::Map(Map::View { map, ty }),
    }
}

/// Go's name for what a value holds natively.
pub(crate) fn native_type(value: &Val<'_>) -> &'static str {
    match value {
        Val::Null => "structpb.NullValue",
        Val::Bool(_) => "bool",
        Val::Int(_) => "int64",
        Val::Uint(_) => "uint64",
        Val::Double(_) => "float64",
        Val::Str(_) | Val::Type(_) => "string",
        Val::Bytes(_) => "[]uint8",
        Val::Duration(_) => "time.Duration",
        Val::Timestamp(_) => "time.Time",
        Val::List(List::View { .. } | List::Typed(_)) => "[]interface {}",
        Val::List(_) => "[]ref.Val",
        Val::Map(Map::View { .. }) => "map[string]interface {}",
        Val::Map(_) => "map[ref.Val]ref.Val",
        Val::Optional(_) => "*types.Optional",
        Val::Opaque(_) => "interface {}",
        Val::Preserved(value) => type_name(value),
    }
}
