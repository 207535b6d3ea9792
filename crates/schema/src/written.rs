//! Rules that Kubernetes writes by hand, as data: what `+rule:` tags mean.
//!
//! They differ from the rules of `+k8s:` tags ([`crate::native`]) in that they hold for every
//! write, whether a value changed or not, and in that each says its error in words of its own. Both
//! speak of the same Go types.

use ordain_value::Text;

use crate::native::TypeId;

/// Index of an [`Expression`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ExpressionId(pub u32);

/// The rules of all types that a package's kinds reach.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Written {
    /// The kinds with a rule in or below them, by name.
    pub roots: Vec<(Text, TypeId)>,
    /// The structs with a rule in or below them, by type.
    pub structs: Vec<StructRules>,
    /// By [`ExpressionId`].
    pub expressions: Vec<Expression>,
}

impl Written {
    /// The type of a kind with rules.
    #[must_use]
    pub fn root(&self, name: &str) -> Option<TypeId> {
        let at = self.roots.binary_search_by(|it| it.0.as_str().cmp(name)).ok()?;
        self.roots.get(at).map(|it| it.1)
    }

    /// Whether a rule compares with the old value, so that it has nothing to say about a new one.
    #[must_use]
    pub fn uses_old(&self, rule: &Rule) -> bool {
        let test = match rule.test {
            Test::Expression(id) => Some(id),
            _ => None,
        };
        let uses =
            |id: ExpressionId| self.expressions.get(id.0 as usize).is_some_and(|it| it.uses_old);
        test.into_iter().chain(rule.when).any(uses)
    }

    /// The rules of a struct.
    #[must_use]
    pub fn rules_of(&self, ty: TypeId) -> Option<&StructRules> {
        let at = self.structs.binary_search_by_key(&ty, |it| it.ty).ok()?;
        self.structs.get(at)
    }
}

/// A CEL expression and what it sees.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Expression {
    /// The text as written.
    pub text: Text,
    /// The type of `self` and `oldSelf`.
    pub own: TypeId,
    /// The type of `parent`: the struct that has the field.
    pub parent: Option<TypeId>,
    /// Where it is written, for people: `pod.go:12:6`.
    pub place: Text,
    /// It reads `oldSelf`, so it has nothing to say about a new object.
    pub uses_old: bool,
}

/// The rules of a struct and of its fields.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StructRules {
    /// The struct.
    pub ty: TypeId,
    /// The name by which expressions in and below the struct speak of it; empty for none.
    pub name: Text,
    /// Named values that expressions in and below the struct can read.
    pub lets: Vec<Let>,
    /// Rules of the struct as a whole.
    pub rules: Vec<Rule>,
    /// In order of declaration.
    pub fields: Vec<FieldRules>,
}

/// A named value, computed at most once for each struct.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Let {
    /// The name in expressions.
    pub name: Text,
    /// What it is computed by.
    pub value: ExpressionId,
    /// It only counts where no struct around names a value so.
    pub default: bool,
    /// The value is a list of structs; what is named is whether rules have anything against one.
    pub wrong: bool,
}

/// The rules of a field.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FieldRules {
    /// The name in JSON; empty for an embedded struct.
    pub json: Text,
    /// The name in paths of errors.
    pub path: Text,
    /// What the field holds.
    pub ty: TypeId,
    /// Whether it is a pointer: rules about its value only hold where there is one.
    pub pointer: bool,
    /// Rules of the field's value.
    pub rules: Vec<Rule>,
    /// The parts of the object whose writes the rules here and below judge; none for all but the
    /// status.
    pub on: Vec<Text>,
    /// Named values that expressions here and below can read; they see the struct of the field.
    pub lets: Vec<Let>,
    /// The name of the list of those items that no rule had anything against; empty for none.
    pub sound: Text,
    /// Where this is true, every error here and below is reported twice.
    pub twice: Option<ExpressionId>,
    /// Rules of what the field holds.
    pub below: Below,
}

/// Where the rules below a field are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Below {
    /// No rules.
    Nothing,
    /// Those of the struct that the field is.
    Struct(TypeId),
    /// Those of the struct that each item of a list is.
    Items(TypeId),
    /// Those of the struct that each value of a map is.
    Values(TypeId),
}

impl Below {
    /// The same, or nothing when the struct is none of those that are wanted.
    #[must_use]
    pub fn filter(self, wanted: impl FnOnce(TypeId) -> bool) -> Self {
        match self.ty() {
            Some(ty) if wanted(ty) => self,
            _ => Below::Nothing,
        }
    }

    /// The struct that is held.
    #[must_use]
    pub fn ty(self) -> Option<TypeId> {
        match self {
            Below::Nothing => None,
            Below::Struct(ty) | Below::Items(ty) | Below::Values(ty) => Some(ty),
        }
    }
}

/// What a rule is about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Over {
    /// The value itself.
    #[default]
    Own,
    /// Each item of a list.
    Items,
    /// Each key of a map.
    Keys,
    /// Each value of a map.
    Values,
}

/// One rule.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Rule {
    /// What is judged: the value, or each part of it.
    pub over: Over,
    /// The parts of the object whose writes it judges; none for all but the status.
    pub on: Vec<Text>,
    /// It judges updates only.
    pub updates: bool,
    /// It only holds where this is true.
    pub when: Option<ExpressionId>,
    /// What is asked.
    pub test: Test,
    /// The kind of error, where it is not that of the test.
    pub reason: Option<Reason>,
    /// The words of the error, where they are not those of the test.
    pub message: Text,
    /// An expression for the words: a text, or a list with one error for each.
    pub message_expression: Option<ExpressionId>,
    /// The value that the error shows, where it is not the value itself.
    pub value: Option<ExpressionId>,
    /// The error shows no value at all.
    pub valueless: bool,
    /// Where the error is, from the value's place: `name`, or `^` for the place above.
    pub at: Text,
    /// Its failure ends the rules of the place and of what is below.
    pub ends: bool,
}

/// What a rule asks.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Test {
    /// Set: a pointer, or another value than zero.
    Required,
    /// Not set.
    Forbidden,
    /// Where it is not set, no further rule holds.
    Optional,
    /// No further rule holds.
    Skip,
    /// At least so much.
    Minimum(i64),
    /// At most so much.
    Maximum(i64),
    /// Neither less nor more.
    Range(i64, i64),
    /// A text of at most so many bytes.
    MaxBytes(i64),
    /// A list of at least so many items.
    MinItems(i64),
    /// A list of at most so many items.
    MaxItems(i64),
    /// One of these texts.
    OneOf(Vec<Text>),
    /// A named format, one of [`format_names`].
    Format(Text),
    /// As it was.
    Immutable,
    /// A CEL expression that is true.
    Expression(ExpressionId),
    /// No two items of a list with the same key; `among` are keys that are taken already.
    Unique {
        /// What is compared, computed for each item.
        key: ExpressionId,
        /// A list of keys that no item may have.
        among: Option<ExpressionId>,
    },
    /// Code with this name.
    Code(Text),
}

/// The kinds of errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Reason {
    /// `FieldValueInvalid`
    Invalid,
    /// `FieldValueRequired`
    Required,
    /// `FieldValueForbidden`
    Forbidden,
    /// `FieldValueNotSupported`
    NotSupported,
    /// `FieldValueDuplicate`
    Duplicate,
    /// `FieldValueNotFound`
    NotFound,
    /// `FieldValueTooLong`
    TooLong,
    /// `FieldValueTooMany`
    TooMany,
    /// `FieldValueTypeInvalid`
    TypeInvalid,
    /// `InternalError`
    Internal,
}

impl Reason {
    /// All by name.
    pub const ALL: [(&'static str, Reason); 10] = [
        ("Invalid", Reason::Invalid),
        ("Required", Reason::Required),
        ("Forbidden", Reason::Forbidden),
        ("NotSupported", Reason::NotSupported),
        ("Duplicate", Reason::Duplicate),
        ("NotFound", Reason::NotFound),
        ("TooLong", Reason::TooLong),
        ("TooMany", Reason::TooMany),
        ("TypeInvalid", Reason::TypeInvalid),
        ("InternalError", Reason::Internal),
    ];

    /// The reason with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Reason> {
        Self::ALL.iter().find(|it| it.0 == name).map(|it| it.1)
    }
}

/// The names of formats.
#[must_use]
pub fn format_names() -> Vec<&'static str> {
    ordain_meta::format::ALL.iter().map(|it| it.0).collect()
}
