//! Rules of declared Go types that look at several fields at once: unions, and checks that depend on
//! a discriminator.

use ordain_value::{Text, Value};

use crate::native::{Check, Criterion, Equality, Setness};

/// A union of fields or of list elements.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct UnionRule {
    /// JSON name and Go name of the discriminator.
    pub discriminator: Option<(Text, Text)>,
    /// Whether no member at all is right too.
    pub zero_or_one: bool,
    /// Those of which one is set.
    pub members: Vec<UnionRuleMember>,
}

/// A member of a union.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct UnionRuleMember {
    /// Name in messages.
    pub name: Text,
    /// The discriminator's value when this member is in force.
    pub discriminator_value: Text,
    /// What makes it set.
    pub select: UnionSelect,
}

/// What makes a member set.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum UnionSelect {
    /// A field of a struct.
    Field {
        /// The field's name in Go.
        go: Text,
        /// How it is known to be set.
        setness: Setness,
    },
    /// An item of a list for which all of these hold.
    Item(Vec<Criterion>),
}

/// State-based validation of one field by a discriminator.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DiscriminatedRule {
    /// The field's name in JSON.
    pub json: Text,
    /// The field's name in Go.
    pub go: Text,
    /// The Go name of the field that decides.
    pub discriminator: Text,
    /// How the field is compared with its old self.
    pub equality: Equality,
    /// By discriminator value.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::cases"))]
    pub rules: Vec<(Value, Vec<Check>)>,
    /// For every other value.
    pub otherwise: Vec<Check>,
}
