//! The types of CEL as the checker sees them, their assignability aside (see `check`).

use std::fmt;
use std::sync::Arc;

use crate::ast::Text;

/// A type. Cloning is cheap: parameters and names are shared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// Unknown until run time.
    Dyn,
    /// `google.protobuf.Any`: dynamic as well, but shown as `any`.
    Any,
    /// The type of an expression that failed to check; agrees with everything.
    Error,
    /// The type of `null`.
    Null,
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `uint`
    Uint,
    /// `double`
    Double,
    /// `string`
    String,
    /// `bytes`
    Bytes,
    /// `google.protobuf.Duration`
    Duration,
    /// `google.protobuf.Timestamp`
    Timestamp,
    /// A primitive that may be null, such as `google.protobuf.Int64Value`.
    Wrapper(Primitive),
    /// `list(T)`
    List(Arc<Type>),
    /// `map(K, V)`
    Map(Arc<(Type, Type)>),
    /// A type parameter of a declaration, by name.
    Param(Text),
    /// A fresh type variable of one check.
    Var(u32),
    /// A named type without accessible fields and with parameters, e.g. `optional_type(T)`.
    Opaque(Arc<Opaque>),
    /// An object type whose fields a [`TypeProvider`](crate::env::TypeProvider) knows.
    Object(Arc<str>),
    /// `type`, or `type(T)` for a type denotation.
    Type(Option<Arc<Type>>),
}

/// The primitives that have a nullable wrapper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Primitive {
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `uint`
    Uint,
    /// `double`
    Double,
    /// `string`
    String,
    /// `bytes`
    Bytes,
}

/// Name and parameters of an opaque type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Opaque {
    /// The type's name.
    pub name: Text,
    /// Its parameters.
    pub params: Vec<Type>,
}

/// The name of the optional type.
pub const OPTIONAL: &str = "optional_type";

impl Primitive {
    /// The type itself, without null.
    #[must_use]
    pub fn unwrapped(self) -> Type {
        match self {
            Self::Bool => Type::Bool,
            Self::Int => Type::Int,
            Self::Uint => Type::Uint,
            Self::Double => Type::Double,
            Self::String => Type::String,
            Self::Bytes => Type::Bytes,
        }
    }
}

impl Type {
    /// `list(element)`
    #[must_use]
    pub fn list(element: Type) -> Self {
        Self::List(Arc::new(element))
    }

    /// `map(key, value)`
    #[must_use]
    pub fn map(key: Type, value: Type) -> Self {
        Self::Map(Arc::new((key, value)))
    }

    /// A type parameter of a declaration.
    #[must_use]
    pub fn param(name: &str) -> Self {
        Self::Param(Text::from(name))
    }

    /// `optional_type(element)`
    #[must_use]
    pub fn optional(element: Type) -> Self {
        Self::opaque(OPTIONAL, vec![element])
    }

    /// A named type without accessible fields.
    #[must_use]
    pub fn opaque(name: &str, params: Vec<Type>) -> Self {
        Self::Opaque(Arc::new(Opaque { name: Text::from(name), params }))
    }

    /// An object type, or the CEL type that stands for a well-known protobuf message.
    #[must_use]
    pub fn object(name: &str) -> Self {
        Self::well_known(name).unwrap_or_else(|| Self::Object(Arc::from(name)))
    }

    /// `type(of)`
    #[must_use]
    pub fn type_of(of: Type) -> Self {
        Self::Type(Some(Arc::new(of)))
    }

    /// The CEL type that stands for a well-known protobuf message.
    #[must_use]
    pub fn well_known(name: &str) -> Option<Self> {
        Some(match name.strip_prefix("google.protobuf.")? {
            "BoolValue" => Self::Wrapper(Primitive::Bool),
            "BytesValue" => Self::Wrapper(Primitive::Bytes),
            "DoubleValue" | "FloatValue" => Self::Wrapper(Primitive::Double),
            "Int64Value" | "Int32Value" => Self::Wrapper(Primitive::Int),
            "UInt64Value" | "UInt32Value" => Self::Wrapper(Primitive::Uint),
            "StringValue" => Self::Wrapper(Primitive::String),
            "Any" => Self::Any,
            "Duration" => Self::Duration,
            "Timestamp" => Self::Timestamp,
            "ListValue" => Self::list(Self::Dyn),
            "NullValue" => Self::Null,
            "Struct" => Self::map(Self::String, Self::Dyn),
            "Value" => Self::Dyn,
            _ => return None,
        })
    }

    /// The element type if this is an optional.
    #[must_use]
    pub fn optional_element(&self) -> Option<&Type> {
        match self {
            Self::Opaque(opaque) if opaque.name == OPTIONAL => opaque.params.first(),
            _ => None,
        }
    }

    /// Whether the type is only known at run time.
    #[must_use]
    pub fn is_dyn(&self) -> bool {
        matches!(self, Self::Dyn | Self::Any)
    }

    /// Whether the type is dynamic or stands for an error.
    #[must_use]
    pub fn is_dyn_or_error(&self) -> bool {
        matches!(self, Self::Dyn | Self::Any | Self::Error)
    }

    /// Direct parameters of the type.
    pub fn params(&self) -> impl Iterator<Item = &Type> {
        let (one, two, many): (Option<&Type>, Option<&Type>, &[Type]) = match self {
            Self::List(element) => (Some(element), None, &[]),
            Self::Type(Some(of)) => (Some(of), None, &[]),
            Self::Map(pair) => (Some(&pair.0), Some(&pair.1), &[]),
            Self::Opaque(opaque) => (None, None, &opaque.params),
            _ => (None, None, &[]),
        };
        one.into_iter().chain(two).chain(many)
    }

    /// The name of the type at run time, parameters erased: what `type(x)` shows.
    #[must_use]
    pub fn runtime_name(&self) -> &str {
        match self {
            Self::Dyn => "dyn",
            Self::Any => "google.protobuf.Any",
            Self::Error => "error",
            Self::Null => "null_type",
            Self::Bool | Self::Wrapper(Primitive::Bool) => "bool",
            Self::Int | Self::Wrapper(Primitive::Int) => "int",
            Self::Uint | Self::Wrapper(Primitive::Uint) => "uint",
            Self::Double | Self::Wrapper(Primitive::Double) => "double",
            Self::String | Self::Wrapper(Primitive::String) => "string",
            Self::Bytes | Self::Wrapper(Primitive::Bytes) => "bytes",
            Self::Duration => "google.protobuf.Duration",
            Self::Timestamp => "google.protobuf.Timestamp",
            Self::List(_) => "list",
            Self::Map(_) => "map",
            Self::Param(name) => name,
            Self::Var(_) => "_var",
            Self::Opaque(opaque) => &opaque.name,
            Self::Object(name) => name,
            Self::Type(_) => "type",
        }
    }
}

/// Shows the type as error messages do.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::Duration => f.write_str("duration"),
            Self::Timestamp => f.write_str("timestamp"),
            Self::Error => f.write_str("!error!"),
            Self::Null => f.write_str("null"),
            Self::Var(number) => write!(f, "_var{number}"),
            Self::Wrapper(_) => write!(f, "wrapper({})", self.runtime_name()),
            _ => {
                f.write_str(self.runtime_name())?;
                let mut params = self.params().peekable();
                if params.peek().is_none() {
                    return Ok(());
                }
                f.write_str("(")?;
                for (index, param) in params.enumerate() {
                    if index > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{param}")?;
                }
                f.write_str(")")
            }
        }
    }
}

impl Type {
    /// The core types and well-known messages by the names they have in expressions.
    #[must_use]
    pub fn core(name: &str) -> Option<Self> {
        Some(match name {
            "bool" => Self::Bool,
            "bytes" => Self::Bytes,
            "double" => Self::Double,
            "int" => Self::Int,
            "uint" => Self::Uint,
            "string" => Self::String,
            "list" => Self::list(Self::param("A")),
            "map" => Self::map(Self::param("A"), Self::param("B")),
            "null_type" => Self::Null,
            "type" => Self::Type(None),
            _ if Self::is_message(name) => Self::object(name),
            _ => return None,
        })
    }

    /// Whether this is the name of a well-known message.
    #[must_use]
    pub fn is_message(name: &str) -> bool {
        name == "google.protobuf.Empty"
            || (name != "google.protobuf.NullValue" && Self::well_known(name).is_some())
    }
}

/// The type of a field of a well-known message.
#[must_use]
pub fn message_field(message: &str, field: &str) -> Option<Type> {
    Some(match (message.strip_prefix("google.protobuf.")?, field) {
        ("BoolValue", "value") => Type::Bool,
        ("BytesValue", "value") => Type::Bytes,
        ("DoubleValue" | "FloatValue", "value") => Type::Double,
        ("Int64Value" | "Int32Value", "value") => Type::Int,
        ("UInt64Value" | "UInt32Value", "value") => Type::Uint,
        ("StringValue", "value") => Type::String,
        ("Any", "type_url") => Type::String,
        ("Any", "value") => Type::Bytes,
        ("Duration" | "Timestamp", "seconds" | "nanos") => Type::Int,
        ("Struct", "fields") => Type::map(Type::String, Type::Dyn),
        ("ListValue", "values") => Type::list(Type::Dyn),
        ("Value", "null_value") => Type::Null,
        ("Value", "number_value") => Type::Double,
        ("Value", "string_value") => Type::String,
        ("Value", "bool_value") => Type::Bool,
        ("Value", "struct_value") => Type::map(Type::String, Type::Dyn),
        ("Value", "list_value") => Type::list(Type::Dyn),
        _ => return None,
    })
}
