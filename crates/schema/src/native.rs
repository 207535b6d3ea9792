//! Validation of declared Go types as a program: what `+k8s:` tags mean, as data.
//!
//! The Go front end lowers tags to this, the passes run it. The shapes of the Go types stand
//! beside the checks, because the checks speak of Go values: zero values, nil pointers, keys of
//! list elements.

use ordain_value::{Text, Value};

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
    pub types: Vec<GoType>,
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
    pub name: Text,
    pub ty: TypeId,
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
    pub kind: GoKind,
}

/// What a Go value of a type looks like.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum GoKind {
    Bool,
    Int,
    Float,
    String,
    /// `[]byte`, base64 in JSON.
    Bytes,
    /// Types with a JSON form of their own.
    Special(Special),
    /// Anything: interfaces, raw JSON.
    Any,
    Pointer(TypeId),
    List(TypeId),
    Map(TypeId),
    Struct(Vec<GoField>),
}

/// Well-known types whose JSON is not their Go shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Special {
    Time,
    MicroTime,
    Duration,
    Quantity,
    IntOrString,
}

/// A field of a struct.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GoField {
    pub go: Text,
    /// Empty for inlined structs.
    pub json: Text,
    pub inline: bool,
    /// Of an inlined struct: the JSON names below it that belong to other fields, or to none since
    /// two fields of equal depth claim them.
    pub hidden: Vec<Text>,
    pub omit_empty: bool,
    pub ty: TypeId,
}

/// The validation function of a named type.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TypeFunc {
    pub checks: Vec<Check>,
    /// Iteration of a named map's keys; run only if `checks` exist.
    pub keys: Vec<Check>,
    /// Iteration of a named list's or map's values; run only if `checks` exist.
    pub values: Vec<Check>,
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
    pub go: Text,
    /// The path element; for an inlined struct the type's name, which counts at the root only.
    pub path: Text,
    pub inline: bool,
    pub ty: TypeId,
    pub equality: Equality,
    /// Feature gates: while one is off, a field that is not set has nothing to answer for.
    pub gates: Vec<Text>,
    pub checks: Vec<Check>,
    /// The field's type has a function of its own.
    pub call: Option<FuncId>,
    pub keys: Vec<Check>,
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
    Alpha,
    Beta,
}

/// One call of a validator.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Check {
    pub rule: Rule,
    /// Its failure ends the cohort.
    pub short_circuit: bool,
    /// Its failure is no error.
    pub non_error: bool,
    /// Checks of a cohort end together; the nameless cohort is the whole place.
    pub cohort: Text,
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
    pub json: Text,
    pub go: Text,
}

/// What a validator checks.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Rule {
    Required(Setness),
    Optional(Setness),
    Forbidden(Setness),
    Minimum(i64),
    Maximum(i64),
    MinLength(i64),
    MaxLength(i64),
    MaxBytes(i64),
    MinItems(i64),
    MaxItems(i64),
    Format(Format),
    Enum {
        values: Vec<Text>,
        exclusions: Vec<Exclusion>,
    },
    NotEqual(#[cfg_attr(feature = "serde", serde(with = "crate::stored::value"))] Value),
    Immutable,
    Update {
        constraints: Vec<UpdateConstraint>,
        setness: UpdateSetness,
    },
    Unique(Match),
    EachValue {
        matching: Match,
        equivalence: Option<Equality>,
        inner: Box<Check>,
    },
    EachMapValue {
        equivalence: Equality,
        inner: Box<Check>,
    },
    EachKey {
        inner: Box<Check>,
    },
    Subfield {
        json: Text,
        go: Text,
        equality: Equality,
        inner: Box<Check>,
    },
    Item {
        criteria: Vec<Criterion>,
        equality: Equality,
        inner: Box<Check>,
    },
    IfOption {
        option: Text,
        enabled: bool,
        inner: Box<Check>,
    },
    /// What the inner rule has against the value is a warning, in these words or in its own.
    Warn {
        text: Text,
        inner: Box<Check>,
    },
    Call(FuncId),
    Union(UnionRule),
    Discriminated(DiscriminatedRule),
    /// Test tags: always right or always wrong.
    Forced {
        valid: bool,
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

/// The named formats of `+k8s:format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Format {
    ExtendedResourceName,
    LabelKey,
    LabelValue,
    LongName,
    LongNameCaseless,
    PathSegmentName,
    ResourceFullyQualifiedName,
    ResourcePoolName,
    ShortName,
    Uuid,
}

impl Format {
    /// Name and origin of every format.
    pub const ALL: [(&'static str, &'static str, Format); 10] = [
        (
            "k8s-extended-resource-name",
            "format=k8s-extended-resource-name",
            Format::ExtendedResourceName,
        ),
        ("k8s-label-key", "format=k8s-label-key", Format::LabelKey),
        ("k8s-label-value", "format=k8s-label-value", Format::LabelValue),
        ("k8s-long-name", "format=k8s-long-name", Format::LongName),
        ("k8s-long-name-caseless", "format=k8s-long-name-caseless", Format::LongNameCaseless),
        ("k8s-path-segment-name", "format=k8s-path-segment-name", Format::PathSegmentName),
        (
            "k8s-resource-fully-qualified-name",
            "format=k8s-resource-fully-qualified-name",
            Format::ResourceFullyQualifiedName,
        ),
        ("k8s-resource-pool-name", "format=k8s-resource-pool-name", Format::ResourcePoolName),
        ("k8s-short-name", "format=k8s-short-name", Format::ShortName),
        ("k8s-uuid", "format=k8s-uuid", Format::Uuid),
    ];

    /// The format with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Format> {
        Self::ALL.iter().find(|it| it.0 == name).map(|it| it.2)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|it| it.2 == self).map_or("", |it| it.0)
    }

    /// The origin of its errors.
    #[must_use]
    pub fn origin(self) -> &'static str {
        Self::ALL.iter().find(|it| it.2 == self).map_or("format", |it| it.1)
    }
}

/// An enum value that an option takes out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Exclusion {
    pub value: Text,
    pub option: Text,
    /// Taken out when the option is on (true) or off (false).
    pub when: bool,
}

/// `+k8s:update`
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum UpdateConstraint {
    NoSet,
    NoUnset,
    NoModify,
}

/// How `+k8s:update` tells set from unset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum UpdateSetness {
    Value,
    Pointer,
    /// A struct by value is always set.
    Struct,
}

/// A condition on a list element: the field with this JSON name has this value.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Criterion {
    pub json: Text,
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::value"))]
    pub value: Value,
}

/// A union of fields or of list elements.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct UnionRule {
    /// JSON name and Go name of the discriminator.
    pub discriminator: Option<(Text, Text)>,
    pub zero_or_one: bool,
    pub members: Vec<UnionRuleMember>,
}

/// A member of a union.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct UnionRuleMember {
    /// Name in messages.
    pub name: Text,
    pub discriminator_value: Text,
    pub select: UnionSelect,
}

/// What makes a member set.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum UnionSelect {
    Field { go: Text, setness: Setness },
    Item(Vec<Criterion>),
}

/// State-based validation of one field by a discriminator.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DiscriminatedRule {
    pub json: Text,
    pub go: Text,
    pub discriminator: Text,
    pub equality: Equality,
    /// By discriminator value.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::cases"))]
    pub rules: Vec<(Value, Vec<Check>)>,
    /// For every other value.
    pub otherwise: Vec<Check>,
}
