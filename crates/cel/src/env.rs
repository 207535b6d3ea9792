//! What an expression may refer to.

use crate::types::Type;

/// Knows the named types of an environment and the fields of its object types.
///
/// Names are nominal: whoever binds a schema gives every object node a name of its own and
/// answers for the names it gave out.
pub trait TypeProvider: Send + Sync {
    /// The type that this name denotes in an expression, if it denotes one.
    fn find_type(&self, name: &str) -> Option<Type>;

    /// The type of a field of an object type.
    fn find_field(&self, object: &str, field: &str) -> Option<Type>;

    /// The value of an enum constant by its full name.
    fn find_enum(&self, _name: &str) -> Option<i64> {
        None
    }
}
