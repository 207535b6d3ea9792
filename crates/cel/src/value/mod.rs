//! Values at run time.
//!
//! A [`Val`] is small and borrows from what it was read from: the input tree, the program's
//! constants, or shared storage of its own. Lists and maps of the input are views that read
//! their items when asked ([`view`]).

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

pub mod compare;
pub mod equal;
pub mod expanded;
pub mod list;
pub mod map;
pub mod show;
pub mod tree;
pub mod view;

pub use list::{List, TypedList};
pub use map::{Map, MapData};
pub use view::{Field, ListKind, View, ViewId, ViewRef, Views};

use ordain_go::time::Timestamp;

/// A string, borrowed or shared.
#[derive(Clone)]
pub enum Str<'a> {
    /// Borrowed from the input or the program.
    Ref(&'a str),
    /// Made during evaluation.
    Owned(Arc<str>),
}

/// Bytes, borrowed or shared.
#[derive(Clone)]
pub enum Bytes<'a> {
    /// Borrowed from the program.
    Ref(&'a [u8]),
    /// Made during evaluation.
    Owned(Arc<[u8]>),
}

/// A value.
#[derive(Clone)]
pub enum Val<'a> {
    /// `null`
    Null,
    /// `bool`
    Bool(bool),
    /// `int`
    Int(i64),
    /// `uint`
    Uint(u64),
    /// `double`
    Double(f64),
    /// `string`
    Str(Str<'a>),
    /// `bytes`
    Bytes(Bytes<'a>),
    /// A span of time in nanoseconds.
    Duration(i64),
    /// A point in time.
    Timestamp(Timestamp),
    /// `list`
    List(List<'a>),
    /// `map`, and objects, which are maps at run time.
    Map(Map<'a>),
    /// A type, by its runtime name.
    Type(Str<'a>),
    /// `optional_type`
    Optional(Option<Arc<Val<'a>>>),
    /// A value of a library's own type.
    Opaque(Arc<dyn Opaque>),
    /// A part of the input without declared type; it can only be compared.
    Preserved(&'a ordain_value::Value),
}

/// A value of a type that a library brings.
pub trait Opaque: Send + Sync + fmt::Debug + std::any::Any {
    /// The runtime name of the type.
    fn type_name(&self) -> &str;

    /// Whether this equals another value.
    ///
    /// # Errors
    /// When the other value is of a kind that this cannot be compared with.
    fn equals(&self, other: &Val<'_>) -> Result<bool>;

    /// For downcasting.
    fn as_any(&self) -> &dyn std::any::Any;

    /// The size that costs are computed from.
    fn size(&self) -> u64 {
        1
    }

    /// What a conversion to string gives, if there is one.
    fn to_text(&self) -> Option<String> {
        None
    }
}

/// Why an evaluation has no value.
#[derive(Clone)]
pub struct Error(Arc<Kind>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Message(Cow<'static, str>),
    CostLimit,
    Interrupted,
    /// Upstream's evaluator breaks off there.
    Internal(Cow<'static, str>),
}

/// The outcome of a step.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error that the logical operators may absorb.
    #[must_use]
    pub fn new(message: impl Into<Cow<'static, str>>) -> Self {
        Self(Arc::new(Kind::Message(message.into())))
    }

    /// The evaluation ran over its cost limit.
    #[must_use]
    pub fn cost_limit() -> Self {
        Self(Arc::new(Kind::CostLimit))
    }

    /// The evaluation was told to stop.
    #[must_use]
    pub fn interrupted() -> Self {
        Self(Arc::new(Kind::Interrupted))
    }

    /// Something that ends the evaluation where it stands, whatever surrounds it.
    #[must_use]
    pub fn internal(message: impl Into<Cow<'static, str>>) -> Self {
        Self(Arc::new(Kind::Internal(message.into())))
    }

    /// The arguments fit no overload.
    #[must_use]
    pub fn no_such_overload() -> Self {
        Self::new("no such overload")
    }

    /// Whether the evaluation was ended from outside: nothing absorbs such an error.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        !matches!(*self.0, Kind::Message(_))
    }

    /// Whether the cost limit was exceeded.
    #[must_use]
    pub fn is_cost_limit(&self) -> bool {
        matches!(*self.0, Kind::CostLimit)
    }

    /// The text, as an API server shows it.
    #[must_use]
    pub fn message(&self) -> &str {
        match &*self.0 {
            Kind::Message(message) | Kind::Internal(message) => message,
            Kind::CostLimit => "operation cancelled: actual cost limit exceeded",
            Kind::Interrupted => "operation interrupted",
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.message())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({:?})", self.message())
    }
}

impl std::error::Error for Error {}

impl Str<'_> {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Ref(text) => text,
            Self::Owned(text) => text,
        }
    }

    /// A copy that borrows nothing.
    #[must_use]
    pub fn to_static(&self) -> Str<'static> {
        match self {
            Self::Ref(text) => Str::Owned(Arc::from(*text)),
            Self::Owned(text) => Str::Owned(text.clone()),
        }
    }
}

impl Bytes<'_> {
    /// The bytes.
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        match self {
            Self::Ref(bytes) => bytes,
            Self::Owned(bytes) => bytes,
        }
    }
}

impl<'a> Val<'a> {
    /// A new string.
    #[must_use]
    pub fn string(text: impl Into<Arc<str>>) -> Self {
        Self::Str(Str::Owned(text.into()))
    }

    /// New bytes.
    #[must_use]
    pub fn bytes(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self::Bytes(Bytes::Owned(bytes.into()))
    }

    /// A new list.
    #[must_use]
    pub fn list(items: Vec<Val<'a>>) -> Self {
        Self::List(List::Owned(Arc::new(items)))
    }

    /// A new map; of equal keys the last wins.
    #[must_use]
    pub fn map(entries: Vec<(Val<'a>, Val<'a>)>) -> Self {
        let mut data = MapData::default();
        for (key, value) in entries {
            data.insert(key, value);
        }
        Self::Map(Map::Owned(Arc::new(data)))
    }

    /// An optional with a value.
    #[must_use]
    pub fn some(value: Val<'a>) -> Self {
        Self::Optional(Some(Arc::new(value)))
    }

    /// A value of a library's type.
    #[must_use]
    pub fn opaque(value: impl Opaque) -> Self {
        Self::Opaque(Arc::new(value))
    }

    /// The text of a string.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Str(text) => Some(text.as_str()),
            _ => None,
        }
    }

    /// The number of an `int`.
    #[must_use]
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// The list, if this is one.
    #[must_use]
    pub fn as_list(&self) -> Option<&List<'a>> {
        match self {
            Self::List(list) => Some(list),
            _ => None,
        }
    }

    /// The map, if this is one.
    #[must_use]
    pub fn as_map(&self) -> Option<&Map<'a>> {
        match self {
            Self::Map(map) => Some(map),
            _ => None,
        }
    }

    /// A library's own value.
    #[must_use]
    pub fn downcast<T: Opaque>(&self) -> Option<&T> {
        match self {
            Self::Opaque(value) => value.as_any().downcast_ref(),
            _ => None,
        }
    }

    /// The runtime name of the value's type.
    #[must_use]
    pub fn type_name(&self) -> &str {
        match self {
            Self::Null => "null_type",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Uint(_) => "uint",
            Self::Double(_) => "double",
            Self::Str(_) => "string",
            Self::Bytes(_) => "bytes",
            Self::Duration(_) => "google.protobuf.Duration",
            Self::Timestamp(_) => "google.protobuf.Timestamp",
            Self::List(_) => "list",
            Self::Map(map) => map.message_type().unwrap_or("map"),
            Self::Type(_) => "type",
            Self::Optional(_) => crate::types::OPTIONAL,
            Self::Opaque(value) => value.type_name(),
            Self::Preserved(_) => "unknown",
        }
    }

    /// The size that costs are computed from: characters, bytes, items, entries, else one.
    #[must_use]
    pub fn size(&self) -> u64 {
        match self {
            Self::Str(text) => text.as_str().chars().count() as u64,
            Self::Bytes(bytes) => bytes.as_slice().len() as u64,
            Self::List(list) => list.len() as u64,
            Self::Map(map) => map.len() as u64,
            Self::Optional(Some(inner)) => inner.size(),
            Self::Opaque(value) => value.size(),
            _ => 1,
        }
    }

    /// Whether this is the zero value of its type.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        match self {
            Self::Null => true,
            Self::Bool(value) => !value,
            Self::Int(value) => *value == 0,
            Self::Uint(value) => *value == 0,
            Self::Double(value) => *value == 0.0,
            Self::Str(text) => text.as_str().is_empty(),
            Self::Bytes(bytes) => bytes.as_slice().is_empty(),
            Self::Duration(nanos) => *nanos == 0,
            Self::Timestamp(time) => time.is_zero(),
            // Views of the input do not know of zero.
            Self::List(list) => list.is_zero(),
            Self::Map(map) => map.is_zero(),
            Self::Optional(inner) => inner.is_none(),
            Self::Type(_) | Self::Opaque(_) | Self::Preserved(_) => false,
        }
    }
}

impl From<bool> for Val<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Val<'_> {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<f64> for Val<'_> {
    fn from(value: f64) -> Self {
        Self::Double(value)
    }
}

impl<'a> From<&'a str> for Val<'a> {
    fn from(value: &'a str) -> Self {
        Self::Str(Str::Ref(value))
    }
}

impl From<String> for Val<'_> {
    fn from(value: String) -> Self {
        Self::string(value)
    }
}

impl fmt::Debug for Val<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.type_name(), show::plain(self))
    }
}
