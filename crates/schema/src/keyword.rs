//! The names of constraints, by which custom error texts and places in sources are found.

/// A keyword, as the key of custom texts and origins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Keyword {
    /// `type`
    Type,
    /// `required`
    Required,
    /// `enum`
    Enum,
    /// `format`
    Format,
    /// `pattern`
    Pattern,
    /// `maximum`
    Maximum,
    /// `minimum`
    Minimum,
    /// `multipleOf`
    MultipleOf,
    /// `maxLength`
    MaxLength,
    /// `minLength`
    MinLength,
    /// `maxItems`
    MaxItems,
    /// `minItems`
    MinItems,
    /// `maxProperties`
    MaxProperties,
    /// `minProperties`
    MinProperties,
    /// `uniqueItems`
    UniqueItems,
    /// `allOf`
    AllOf,
    /// `anyOf`
    AnyOf,
    /// `oneOf`
    OneOf,
    /// `not`
    Not,
    /// A union of fields.
    Union,
    /// A field that may not change.
    Immutable,
    /// `default`
    Default,
}

impl Keyword {
    /// Keywords that custom error texts may be written for, by their name in a schema.
    pub const NAMED: [(&'static str, Keyword); 15] = [
        ("type", Keyword::Type),
        ("required", Keyword::Required),
        ("enum", Keyword::Enum),
        ("format", Keyword::Format),
        ("pattern", Keyword::Pattern),
        ("maximum", Keyword::Maximum),
        ("minimum", Keyword::Minimum),
        ("multipleOf", Keyword::MultipleOf),
        ("maxLength", Keyword::MaxLength),
        ("minLength", Keyword::MinLength),
        ("maxItems", Keyword::MaxItems),
        ("minItems", Keyword::MinItems),
        ("maxProperties", Keyword::MaxProperties),
        ("minProperties", Keyword::MinProperties),
        ("uniqueItems", Keyword::UniqueItems),
    ];

    /// The keyword with this name in a schema.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Keyword> {
        Self::NAMED.iter().find(|it| it.0 == name).map(|it| it.1)
    }

    /// The name in a schema; empty for keywords that have none.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|it| it.1 == self).map_or("", |it| it.0)
    }
}
