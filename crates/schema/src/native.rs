//! Validation of declared Go types as a program: what `+k8s:` tags mean, as data.
//!
//! The Go front end lowers tags to this, the passes run it. The shapes of the Go types stand
//! beside the checks, because the checks speak of Go values: zero values, nil pointers, keys of
//! list elements.

use ordain_value::{Text, Value};

pub use crate::native_format::Format;
pub use crate::native_union::{DiscriminatedRule, UnionRule, UnionRuleMember, UnionSelect};
use crate::written::Written;

/// Index of a [`GoType`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TypeId(pub u32);

/// Index of a [`TypeFunc`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FuncId(pub u32);

/// All types, the validation functions of the named ones, and the roots among them.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Program {
    /// By [`TypeId`].
    pub types: Vec<GoType>,
    /// By [`FuncId`].
    pub funcs: Vec<TypeFunc>,
    /// Sorted by name.
    pub roots: Vec<Root>,
    /// What `+rule:` tags say of the same types.
    pub written: Written,
}

impl Program {
    /// A type.
    #[must_use]
    pub fn ty(&self, id: TypeId) -> &GoType {
        &self.types[id.0 as usize]
    }

    /// A validation function.
    #[must_use]
    pub fn func(&self, id: FuncId) -> &TypeFunc {
        &self.funcs[id.0 as usize]
    }

    /// Whether any rule only warns.
    #[must_use]
    pub fn warns(&self) -> bool {
        self.all_checks().iter().any(|it| matches!(it.rule, Rule::Warn { .. }))
    }

    /// The options (feature gates) that rules ask for, by name.
    #[must_use]
    pub fn options(&self) -> Vec<Text> {
        let mut names = Vec::new();
        for check in self.all_checks() {
            match &check.rule {
                Rule::IfOption { option, .. } => names.push(option.clone()),
                Rule::Enum { exclusions, .. } => {
                    names.extend(exclusions.iter().map(|it| it.option.clone()));
                }
                _ => {}
            }
        }
        names.sort();
        names.dedup();
        names
    }

    /// Every check, those inside others included.
    fn all_checks(&self) -> Vec<&Check> {
        with_inner(self.funcs.iter().flat_map(TypeFunc::checks).collect())
    }

    /// The type of a kind that has rules of any sort.
    #[must_use]
    pub fn root_type(&self, name: &str) -> Option<TypeId> {
        self.root(name).map(|it| it.ty).or_else(|| self.written.root(name))
    }

    /// The root type with this Go name.
    #[must_use]
    pub fn root(&self, name: &str) -> Option<&Root> {
        let at = self.roots.binary_search_by(|it| it.name.as_str().cmp(name)).ok()?;
        self.roots.get(at)
    }
}

/// A type that is validated on its own.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Root {
    /// The Go name of the type.
    pub name: Text,
    /// The type itself.
    pub ty: TypeId,
    /// Its validation function.
    pub func: FuncId,
    /// `/` for the resource itself, or `/status`…
    pub subresources: Vec<Text>,
}

/// A Go type.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GoType {
    /// As Go's `%T` names it, e.g. `*v1.Widget`.
    pub name: Text,
    /// What its values look like.
    pub kind: GoKind,
}

/// What a Go value of a type looks like.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum GoKind {
    /// `bool`
    Bool,
    /// An integer of any width.
    Int,
    /// `float32` or `float64`.
    Float,
    /// A text.
    String,
    /// `[]byte`, base64 in JSON.
    Bytes,
    /// Types with a JSON form of their own.
    Special(Special),
    /// Anything: interfaces, raw JSON.
    Any,
    /// Nil, or a value of that type.
    Pointer(TypeId),
    /// A slice or an array with such items.
    List(TypeId),
    /// A map from texts to such values.
    Map(TypeId),
    /// Fields, in order of declaration.
    Struct(Vec<GoField>),
}

/// Well-known types whose JSON is not their Go shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Special {
    /// `metav1.Time`: RFC 3339 to the second.
    Time,
    /// `metav1.MicroTime`: RFC 3339 to the microsecond.
    MicroTime,
    /// `metav1.Duration`: a text such as `1h30m`.
    Duration,
    /// `resource.Quantity`: a text or number such as `500m`.
    Quantity,
    /// `intstr.IntOrString`: a number or a text.
    IntOrString,
}

/// A field of a struct.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GoField {
    /// The name in Go.
    pub go: Text,
    /// Empty for inlined structs.
    pub json: Text,
    /// Whether its fields stand among those of the struct around it.
    pub inline: bool,
    /// Of an inlined struct: the JSON names below it that belong to other fields, or to none since
    /// two fields of equal depth claim them.
    pub hidden: Vec<Text>,
    /// Whether an empty value is left out of JSON.
    pub omit_empty: bool,
    /// What it holds.
    pub ty: TypeId,
}

/// The validation function of a named type.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TypeFunc {
    /// Checks of the value as a whole; they come first.
    pub checks: Vec<Check>,
    /// Iteration of a named map's keys; run only if `checks` exist.
    pub keys: Vec<Check>,
    /// Iteration of a named list's or map's values; run only if `checks` exist.
    pub values: Vec<Check>,
    /// Checks of a struct's fields, in order of declaration.
    pub fields: Vec<FieldFunc>,
}

impl TypeFunc {
    /// The functions that it calls.
    #[must_use]
    pub fn calls(&self) -> Vec<FuncId> {
        let checks = with_inner(self.checks().collect());
        let by_rule = checks.iter().filter_map(|check| match check.rule {
            Rule::Call(func) => Some(func),
            _ => None,
        });
        by_rule.chain(self.fields.iter().filter_map(|field| field.call)).collect()
    }

    /// The checks of the type and of its fields.
    fn checks(&self) -> impl Iterator<Item = &Check> {
        let fields = self.fields.iter().flat_map(|it| [&it.checks, &it.keys, &it.values]);
        [&self.checks, &self.keys, &self.values].into_iter().chain(fields).flatten()
    }
}

/// Checks with those inside of them.
fn with_inner(mut pending: Vec<&Check>) -> Vec<&Check> {
    let mut out = Vec::new();
    while let Some(check) = pending.pop() {
        out.push(check);
        match &check.rule {
            Rule::IfOption { inner, .. }
            | Rule::Warn { inner, .. }
            | Rule::EachValue { inner, .. }
            | Rule::EachMapValue { inner, .. }
            | Rule::EachKey { inner }
            | Rule::Subfield { inner, .. }
            | Rule::Item { inner, .. } => pending.push(inner),
            Rule::Discriminated(it) => {
                pending.extend(it.otherwise.iter().chain(it.rules.iter().flat_map(|it| &it.1)));
            }
            _ => {}
        }
    }
    out
}

/// What happens for one field of a struct.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FieldFunc {
    /// The field's name in Go.
    pub go: Text,
    /// The path element; for an inlined struct the type's name, which counts at the root only.
    pub path: Text,
    /// Whether its fields stand among those of the struct around it.
    pub inline: bool,
    /// What the field holds.
    pub ty: TypeId,
    /// How the value is compared with the old one: what is unchanged is not checked again.
    pub equality: Equality,
    /// Feature gates: while one is off, a field that is not set has nothing to answer for.
    pub gates: Vec<Text>,
    /// Checks of the value as a whole; they come first.
    pub checks: Vec<Check>,
    /// The field's type has a function of its own.
    pub call: Option<FuncId>,
    /// Checks of a map's keys.
    pub keys: Vec<Check>,
    /// Checks of a list's or map's values.
    pub values: Vec<Check>,
}

/// How two Go values are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Equality {
    /// `==`
    Direct,
    /// Deep, with nil lists equal to empty ones, quantities by value, times by instant.
    Semantic,
}

/// Stability of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Level {
    /// `+k8s:alpha`
    Alpha,
    /// `+k8s:beta`
    Beta,
}

/// One call of a validator.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Check {
    /// What is checked.
    pub rule: Rule,
    /// Its failure ends the cohort.
    pub short_circuit: bool,
    /// Its failure is no error.
    pub non_error: bool,
    /// Checks of a cohort end together; the nameless cohort is the whole place.
    pub cohort: Text,
    /// The stability it was declared with; none for stable rules.
    pub level: Option<Level>,
}

/// How a Go value is known to be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Setness {
    /// Not the zero value.
    Value,
    /// Not nil.
    Pointer,
    /// Not empty.
    List,
    /// Not empty.
    Map,
}

/// Which element of the old list an element was.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Match {
    /// It cannot be determined.
    None,
    /// The equal one.
    Equal(Equality),
    /// The one with equal values of these fields.
    Keys(Vec<KeyField>),
}

/// A key field of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct KeyField {
    /// The name in JSON.
    pub json: Text,
    /// The name in Go.
    pub go: Text,
}

/// What a validator checks.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Rule {
    /// It must be set.
    Required(Setness),
    /// It may be left out; then no other check is made.
    Optional(Setness),
    /// It must not be set.
    Forbidden(Setness),
    /// The smallest number.
    Minimum(i64),
    /// The largest number.
    Maximum(i64),
    /// The fewest characters of a text.
    MinLength(i64),
    /// The most characters of a text.
    MaxLength(i64),
    /// The most bytes of a text.
    MaxBytes(i64),
    /// The fewest items of a list.
    MinItems(i64),
    /// The most items of a list.
    MaxItems(i64),
    /// A named form of texts.
    Format(Format),
    /// One of some texts.
    Enum {
        /// The texts.
        values: Vec<Text>,
        /// Those that an option takes out.
        exclusions: Vec<Exclusion>,
    },
    /// It must not be this value.
    NotEqual(#[cfg_attr(feature = "serde", serde(with = "crate::stored::value"))] Value),
    /// It may not change once it was created.
    Immutable,
    /// Some ways of changing it are forbidden.
    Update {
        /// The ways that are.
        constraints: Vec<UpdateConstraint>,
        /// How it is known to be set.
        setness: UpdateSetness,
    },
    /// No item of a list twice, by value or by keys.
    Unique(Match),
    /// A check of each item of a list.
    EachValue {
        /// How an item's old self is found.
        matching: Match,
        /// How an item is compared with its old self; without it, an item that has one is
        /// unchanged.
        equivalence: Option<Equality>,
        /// The check.
        inner: Box<Check>,
    },
    /// A check of each value of a map.
    EachMapValue {
        /// How a value is compared with its old self.
        equivalence: Equality,
        /// The check.
        inner: Box<Check>,
    },
    /// A check of each key of a map.
    EachKey {
        /// The check.
        inner: Box<Check>,
    },
    /// A check of one field of a struct, written where the struct is used.
    Subfield {
        /// The field's name in JSON.
        json: Text,
        /// The field's name in Go.
        go: Text,
        /// How it is compared with its old self.
        equality: Equality,
        /// The check.
        inner: Box<Check>,
    },
    /// A check of one item of a list.
    Item {
        /// Which item: all of these hold.
        criteria: Vec<Criterion>,
        /// How it is compared with its old self.
        equality: Equality,
        /// The check.
        inner: Box<Check>,
    },
    /// A check that depends on an option of the request.
    IfOption {
        /// The option.
        option: Text,
        /// Whether it must be on or off.
        enabled: bool,
        /// The check.
        inner: Box<Check>,
    },
    /// Errors of the inner rule become warnings, in these words or in their own.
    Warn {
        /// The words; empty for those of the inner rule.
        text: Text,
        /// The check.
        inner: Box<Check>,
    },
    /// The validation function of another type.
    Call(FuncId),
    /// A union of fields or items.
    Union(UnionRule),
    /// Checks that depend on the value of another field.
    Discriminated(DiscriminatedRule),
    /// Test tags: always right or always wrong.
    Forced {
        /// Whether every value is right, or none.
        valid: bool,
        /// What is said.
        message: Text,
    },
}

impl Rule {
    /// The tag that says it.
    #[must_use]
    pub fn tag(&self) -> &'static str {
        match self {
            Rule::Required(_) => "k8s:required",
            Rule::Optional(_) => "k8s:optional",
            Rule::Forbidden(_) => "k8s:forbidden",
            Rule::Minimum(_) => "k8s:minimum",
            Rule::Maximum(_) => "k8s:maximum",
            Rule::MinLength(_) => "k8s:minLength",
            Rule::MaxLength(_) => "k8s:maxLength",
            Rule::MaxBytes(_) => "k8s:maxBytes",
            Rule::MinItems(_) => "k8s:minItems",
            Rule::MaxItems(_) => "k8s:maxItems",
            Rule::Format(_) => "k8s:format",
            Rule::Enum { .. } => "k8s:enum",
            Rule::NotEqual(_) => "k8s:neq",
            Rule::Immutable => "k8s:immutable",
            Rule::Update { .. } => "k8s:update",
            Rule::Unique(_) => "k8s:unique",
            Rule::EachValue { .. } | Rule::EachMapValue { .. } => "k8s:eachVal",
            Rule::EachKey { .. } => "k8s:eachKey",
            Rule::Subfield { .. } | Rule::Call(_) => "k8s:subfield",
            Rule::Item { .. } => "k8s:item",
            Rule::IfOption { enabled: true, .. } => "k8s:ifEnabled",
            Rule::IfOption { .. } => "k8s:ifDisabled",
            Rule::Warn { .. } => "k8s:warning",
            Rule::Union(it) if it.zero_or_one => "k8s:zeroOrOneOfMember",
            Rule::Union(_) => "k8s:unionMember",
            Rule::Discriminated(_) => "k8s:member",
            Rule::Forced { valid: true, .. } => "k8s:validateTrue",
            Rule::Forced { .. } => "k8s:validateFalse",
        }
    }

    /// Has the validator arguments besides the value? Wrapping one that has none loses its level,
    /// as upstream passes it by name.
    #[must_use]
    pub fn has_arguments(&self) -> bool {
        !matches!(
            self,
            Rule::Required(_)
                | Rule::Optional(_)
                | Rule::Forbidden(_)
                | Rule::Format(_)
                | Rule::Immutable
                | Rule::Call(_)
        )
    }
}

/// An enum value that an option takes out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Exclusion {
    /// The text that is taken out.
    pub value: Text,
    /// The option that decides.
    pub option: Text,
    /// Taken out when the option is on (true) or off (false).
    pub when: bool,
}

/// `+k8s:update`
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum UpdateConstraint {
    /// It may not get set later.
    NoSet,
    /// It may not get unset.
    NoUnset,
    /// It may not get another value.
    NoModify,
}

/// How `+k8s:update` tells set from unset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum UpdateSetness {
    /// Set is another value than zero.
    Value,
    /// Set is a pointer that is not nil.
    Pointer,
    /// A struct by value is always set.
    Struct,
}

/// A condition on a list element: the field with this JSON name has this value.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Criterion {
    /// The field's name in JSON.
    pub json: Text,
    /// The value that it has.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::value"))]
    pub value: Value,
}
