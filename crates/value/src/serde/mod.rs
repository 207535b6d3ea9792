//! Values as a data format of serde: typed structs from values, values from typed structs.
//!
//! [`from_value`] and [`to_value`] are the whole of it; [`Value`](crate::Value) itself can be a
//! field of a typed struct. Typed structs recurse on the stack, so nesting is limited to
//! [`DEPTH_MAX`] here.

mod read;
mod write;

use std::fmt;

pub use read::from_value;
pub use write::to_value;

/// Nesting beyond this is refused.
pub const DEPTH_MAX: usize = 128;

/// Why a value cannot be read as a type, or a type not be written as a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(String);

impl Error {
    fn too_deep() -> Self {
        Error(format!("nested more than {DEPTH_MAX} levels deep"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl ::serde::de::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Error(message.to_string())
    }
}

impl ::serde::ser::Error for Error {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Error(message.to_string())
    }
}
