//! What the tags of the enhancement proposals declare, for those who lower types to schemas:
//! the constraints of KEP-4153 and the unions of KEP-1027.
//!
//! Constraints of named types and of the fields that use them accumulate; each comment is read on
//! its own here, and whoever lowers adds them up along the chain of names.

mod constraints;
mod unions;

pub use constraints::{Constraints, ValidationRule, constraints};
pub(crate) use constraints::{constraint_line, joined, piece};
pub use unions::{DeclaredUnion, UnionField, unions};
