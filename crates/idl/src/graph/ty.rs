//! Types of the graph. All are small values in arenas; recursion goes through ids.

use smol_str::SmolStr;

use super::package::PackageId;
use crate::go::comment::GroupId;
use crate::go::struct_tag::Json;
use crate::source::{FileId, Pos};

/// Index of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TypeId(pub u32);

/// Index of a declared type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NamedId(pub u32);

/// Index of a struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StructId(pub u32);

/// The length of an array whose length could not be determined.
pub const ANY_LENGTH: u64 = u64::MAX;

/// A type. Equal types have equal ids, except that every struct literal is a type of its own.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// A type of the language.
    Basic(Basic),
    /// A declared type, possibly an alias; see [`Named`].
    Named(NamedId),
    /// `*T`
    Pointer(TypeId),
    /// `[]T`
    Slice(TypeId),
    /// `[n]T`
    Array(u64, TypeId),
    /// `map[K]V`
    Map(TypeId, TypeId),
    /// `struct { … }`
    Struct(StructId),
    /// An interface; `true` when it has no elements (`interface{}`).
    Interface(bool),
    /// `any`, which is `interface{}` by another name; generators that go by names tell them apart.
    Any,
    /// A function.
    Func,
    /// A channel.
    Chan(TypeId),
    /// A type parameter of a generic declaration that is not instantiated.
    Param(SmolStr),
    /// A type whose declaration was not found, with package path and name.
    Unknown(SmolStr, SmolStr),
}

/// The types of the language. `byte` and `rune` are kept apart from `uint8` and `int32` because
/// generators spell them; [`Basic::canonical`] unites them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are the types")]
pub enum Basic {
    Bool,
    String,
    Int,
    Int8,
    Int16,
    Int32,
    Int64,
    Uint,
    Uint8,
    Uint16,
    Uint32,
    Uint64,
    Uintptr,
    Float32,
    Float64,
    Complex64,
    Complex128,
    Byte,
    Rune,
    Error,
}

impl Basic {
    /// The type with this name in Go's universe scope.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "bool" => Self::Bool,
            "string" => Self::String,
            "int" => Self::Int,
            "int8" => Self::Int8,
            "int16" => Self::Int16,
            "int32" => Self::Int32,
            "int64" => Self::Int64,
            "uint" => Self::Uint,
            "uint8" => Self::Uint8,
            "uint16" => Self::Uint16,
            "uint32" => Self::Uint32,
            "uint64" => Self::Uint64,
            "uintptr" => Self::Uintptr,
            "float32" => Self::Float32,
            "float64" => Self::Float64,
            "complex64" => Self::Complex64,
            "complex128" => Self::Complex128,
            "byte" => Self::Byte,
            "rune" => Self::Rune,
            "error" => Self::Error,
            _ => return None,
        })
    }

    /// The name in Go.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::String => "string",
            Self::Int => "int",
            Self::Int8 => "int8",
            Self::Int16 => "int16",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::Uint => "uint",
            Self::Uint8 => "uint8",
            Self::Uint16 => "uint16",
            Self::Uint32 => "uint32",
            Self::Uint64 => "uint64",
            Self::Uintptr => "uintptr",
            Self::Float32 => "float32",
            Self::Float64 => "float64",
            Self::Complex64 => "complex64",
            Self::Complex128 => "complex128",
            Self::Byte => "byte",
            Self::Rune => "rune",
            Self::Error => "error",
        }
    }

    /// `byte` as `uint8` and `rune` as `int32`.
    #[must_use]
    pub fn canonical(self) -> Self {
        match self {
            Self::Byte => Self::Uint8,
            Self::Rune => Self::Int32,
            other => other,
        }
    }

    /// Whether it is a signed or unsigned integer.
    #[must_use]
    pub fn is_integer(self) -> bool {
        self.integer_range().is_some()
    }

    /// Whether it is an unsigned integer.
    #[must_use]
    pub fn is_unsigned(self) -> bool {
        self.integer_range().is_some_and(|(min, _)| min == 0)
    }

    /// Whether it is a floating-point number.
    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, Self::Float32 | Self::Float64)
    }

    /// Smallest and largest value of an integer type.
    #[must_use]
    pub fn integer_range(self) -> Option<(i128, i128)> {
        Some(match self.canonical() {
            Self::Int8 => (i128::from(i8::MIN), i128::from(i8::MAX)),
            Self::Int16 => (i128::from(i16::MIN), i128::from(i16::MAX)),
            Self::Int32 => (i128::from(i32::MIN), i128::from(i32::MAX)),
            Self::Int | Self::Int64 => (i128::from(i64::MIN), i128::from(i64::MAX)),
            Self::Uint8 => (0, i128::from(u8::MAX)),
            Self::Uint16 => (0, i128::from(u16::MAX)),
            Self::Uint32 => (0, i128::from(u32::MAX)),
            Self::Uint | Self::Uint64 | Self::Uintptr => (0, i128::from(u64::MAX)),
            _ => return None,
        })
    }
}

/// The comments around a declaration, as the different readers attach them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Docs {
    /// The file of the comments.
    pub file: FileId,
    /// What `go/ast` calls the doc comment (for single-spec declarations, the declaration's).
    pub doc: Option<GroupId>,
    /// The comment behind, on the same line.
    pub trail: Option<GroupId>,
    /// What gengo calls the comment: the group that ends on the line above, whatever it is.
    pub closest: Option<GroupId>,
    /// What gengo calls the second closest: the group that ends two lines above [`Docs::closest`]
    /// (or above the declaration when there is none). Only types have it.
    pub second_closest: Option<GroupId>,
}

/// A declared type: `type Name Target`, `type Name = Target`, or an instance of a generic one.
#[derive(Clone, Debug)]
pub struct Named {
    /// Its package.
    pub package: PackageId,
    /// Its name.
    pub name: SmolStr,
    /// Place of the name.
    pub pos: Pos,
    /// Whether it is a true alias, the same type as its target.
    pub alias: bool,
    /// Names of type parameters.
    pub params: Vec<SmolStr>,
    /// Type arguments; empty for the declaration itself.
    pub args: Vec<TypeId>,
    /// The type that this declaration is.
    pub ty: TypeId,
    /// The right-hand side as written, which may be another named type.
    pub target: TypeId,
    /// Comments.
    pub docs: Docs,
    /// Index of the declaration and of the spec in it, in the file of `pos`.
    pub spec: (u32, u32),
    /// How many instances led here; bounds generics that grow without end.
    pub(crate) depth: u32,
}

/// A struct.
#[derive(Clone, Debug)]
pub struct StructType {
    /// Place of the type.
    pub pos: Pos,
    /// Fields in order; a line `A, B T` gives two.
    pub fields: Vec<Field>,
}

/// A struct's field.
#[derive(Clone, Debug)]
pub struct Field {
    /// The Go name; for an embedded field that of its type.
    pub name: SmolStr,
    /// Whether it is embedded.
    pub embedded: bool,
    /// Its type.
    pub ty: TypeId,
    /// The struct tag, unquoted.
    pub tag: SmolStr,
    /// The `json` part of the tag.
    pub json: Json,
    /// Comments.
    pub docs: Docs,
    /// Place of the name.
    pub pos: Pos,
    /// Number of the field's line in its file, for [`super::FileMarkers`].
    pub line_id: u32,
}

impl Field {
    /// Whether the name starts with a capital letter.
    #[must_use]
    pub fn exported(&self) -> bool {
        is_exported(&self.name)
    }
}

/// Whether a Go name is exported.
#[must_use]
pub(crate) fn is_exported(name: &str) -> bool {
    name.chars().next().is_some_and(char::is_uppercase)
}
