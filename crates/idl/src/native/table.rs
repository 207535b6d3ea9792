//! The validation tags that may stand on Go types: where, with which arguments, and how stable.
//!
//! Upstream: the `TagDoc`s of `validation-gen`.

use crate::tags::codetag::{ArgKind, Tag, TagValue};

/// What a tag stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// A type declaration.
    Type,
    /// A struct field.
    Field,
    /// Values of a list.
    ListValue,
    /// Keys of a map.
    MapKey,
    /// Values of a map.
    MapValue,
    /// A constant.
    Const,
}

impl Scope {
    pub(super) fn name(self) -> &'static str {
        match self {
            Scope::Type => "type definitions",
            Scope::Field => "struct fields",
            Scope::ListValue => "list values",
            Scope::MapKey => "map keys",
            Scope::MapValue => "map values",
            Scope::Const => "constant values",
        }
    }
}

/// What must stand behind `=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Payload {
    /// Nothing.
    None,
    /// Text, if anything.
    OptionalText,
    /// Text.
    Text,
    /// An integer.
    Int,
    /// Another tag.
    Tag,
    /// Text, integer or boolean.
    Scalar,
}

/// How settled a tag is; less settled tags need a wrapper in more settled packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Stability {
    Alpha,
    Beta,
    Stable,
}

impl Stability {
    pub(super) fn name(self) -> &'static str {
        match self {
            Stability::Alpha => "Alpha",
            Stability::Beta => "Beta",
            Stability::Stable => "Stable",
        }
    }
}

/// One argument a tag takes: its name (empty for the positional one), kind, and must it be there?
type ArgRow = (&'static str, ArgKind, bool);

/// One row of the table.
#[derive(Debug)]
pub struct TagRow {
    /// The name with its prefix.
    pub name: &'static str,
    /// How settled it is.
    pub stability: Stability,
    /// Where it may stand.
    pub scopes: &'static [Scope],
    /// Its arguments.
    pub args: &'static [ArgRow],
    /// Does it take arguments of any name?
    pub any_args: bool,
    /// What stands behind `=`.
    pub payload: Payload,
    /// Read after all other tags of the place.
    pub late: bool,
    /// One sentence for people.
    pub doc: &'static str,
}

const ALL: &[Scope] =
    &[Scope::Type, Scope::Field, Scope::ListValue, Scope::MapKey, Scope::MapValue];
const NO_KEY: &[Scope] = &[Scope::Type, Scope::Field, Scope::ListValue, Scope::MapValue];
const FIELD: &[Scope] = &[Scope::Field];
const MEMBER: &[Scope] = &[Scope::Field, Scope::ListValue];
const ALL_AND_CONST: &[Scope] =
    &[Scope::Type, Scope::Field, Scope::ListValue, Scope::MapKey, Scope::MapValue, Scope::Const];
const UNION_ARGS: &[ArgRow] =
    &[("union", ArgKind::String, false), ("memberName", ArgKind::String, false)];
const PROBE_ARGS: &[ArgRow] = &[
    ("flags", ArgKind::String, false),
    ("typeArg", ArgKind::String, false),
    ("cohort", ArgKind::String, false),
];

macro_rules! rows {
    ($($name:literal $stability:ident $scopes:expr, $args:expr, $payload:ident $(, $flag:ident)*; $doc:literal;)*) => {
        /// All validation tags, by name.
        pub const ROWS: &[TagRow] = &[$(TagRow {
            name: $name,
            stability: Stability::$stability,
            scopes: $scopes,
            args: $args,
            any_args: false $(|| rows!(@any $flag))*,
            payload: Payload::$payload,
            late: false $(|| rows!(@late $flag))*,
            doc: $doc,
        }),*];
    };
    (@any any) => { true }; (@any late) => { false };
    (@late late) => { true }; (@late any) => { false };
}

rows! {
    "k8s:alpha" Beta ALL, &[("since", ArgKind::String, false)], Tag, late;
        "The wrapped rule is new: its errors are reported but never refuse an object.";
    "k8s:beta" Beta ALL, &[("since", ArgKind::String, false)], Tag, late;
        "The wrapped rule refuses objects unless the gate for beta rules is off.";
    "k8s:customUnique" Beta ALL, &[], None;
        "Uniqueness of this list is checked by hand-written code; no check is derived.";
    "k8s:discriminator" Alpha FIELD, &[("name", ArgKind::String, false)], None;
        "This field's value decides which `member` rules apply.";
    "k8s:eachKey" Beta ALL, &[], Tag;
        "Applies a rule to every key of a map.";
    "k8s:eachVal" Alpha ALL, &[], Tag, late;
        "Applies a rule to every value of a list or map.";
    "k8s:enum" Stable &[Scope::Type], &[], None;
        "The constants of this string type are its only values.";
    "k8s:enumExclude" Alpha &[Scope::Const], &[], None;
        "This constant is no value of its enum.";
    "k8s:forbidden" Beta FIELD, &[], None;
        "The field may not be set.";
    "k8s:format" Stable ALL, &[], Text;
        "The string has a named format.";
    "k8s:ifDisabled" Beta ALL_AND_CONST, &[("", ArgKind::String, true)], Tag;
        "The wrapped rule applies while the option is off.";
    "k8s:ifEnabled" Beta ALL_AND_CONST, &[("", ArgKind::String, true)], Tag;
        "The wrapped rule applies while the option is on.";
    "k8s:immutable" Beta NO_KEY, &[], None;
        "The value may not change once the object exists.";
    "k8s:item" Stable ALL, &[], Tag, late, any;
        "Applies a rule to the element of a list map with these keys.";
    "k8s:listMapKey" Stable ALL, &[], Text;
        "A field of the elements that identifies them.";
    "k8s:listType" Stable ALL, &[], Text;
        "Whether a list is atomic, a set, or a map by keys.";
    "k8s:maxBytes" Beta ALL, &[], Int;
        "The string has at most so many bytes.";
    "k8s:maxItems" Stable NO_KEY, &[], Int;
        "The list has at most so many items.";
    "k8s:maxLength" Beta ALL, &[], Int;
        "The string has at most so many characters.";
    "k8s:maximum" Beta ALL, &[], Int;
        "The integer is at most this.";
    "k8s:member" Alpha FIELD,
        &[("", ArgKind::String, false), ("discriminator", ArgKind::String, false), ("value", ArgKind::String, false)], Tag;
        "The wrapped rule applies while the discriminator has this value; for other values the field is forbidden.";
    "k8s:minItems" Beta NO_KEY, &[], Int;
        "The list has at least so many items.";
    "k8s:minLength" Alpha ALL, &[], Int;
        "The string has at least so many characters.";
    "k8s:minimum" Stable ALL, &[], Int;
        "The integer is at least this.";
    "k8s:neq" Alpha ALL, &[], Scalar;
        "The value is not this one.";
    "k8s:opaqueType" Alpha ALL, &[], None;
        "Rules of the field's type are not applied here.";
    "k8s:optional" Stable FIELD, &[], None;
        "The field may be left out; its rules apply when it is set.";
    "k8s:required" Stable FIELD, &[], None;
        "The field must be set.";
    "k8s:subfield" Stable ALL, &[("", ArgKind::String, true)], Tag;
        "Applies a rule to a field of the struct, by its JSON name.";
    "k8s:unionDiscriminator" Beta MEMBER, &[("union", ArgKind::String, false)], None;
        "This field names the member of the union that is set.";
    "k8s:unionMember" Stable MEMBER, UNION_ARGS, None;
        "The field or list element is a member of a union of which exactly one is set.";
    "k8s:unique" Beta ALL, &[], Text;
        "The elements of the list are unique, as a set or by keys.";
    "k8s:update" Beta FIELD, &[], Text;
        "What an update may not do to the field: NoSet, NoUnset, NoModify.";
    "k8s:validateError" Alpha ALL, &[], OptionalText;
        "For tests: always a mistake in the declaration.";
    "k8s:validateFalse" Alpha ALL, PROBE_ARGS, OptionalText;
        "For tests: always an error.";
    "k8s:validateTrue" Alpha ALL, PROBE_ARGS, OptionalText;
        "For tests: never an error.";
    "k8s:validateTrueAlpha" Alpha ALL, PROBE_ARGS, OptionalText;
        "For tests: never an error.";
    "k8s:validateTrueBeta" Beta ALL, PROBE_ARGS, OptionalText;
        "For tests: never an error.";
    "k8s:zeroOrOneOfMember" Stable MEMBER, UNION_ARGS, None;
        "The field or list element is a member of a union of which at most one is set.";
}

/// The row of a tag.
#[must_use]
pub fn row(name: &str) -> Option<&'static TagRow> {
    ROWS.binary_search_by(|row| row.name.cmp(name)).ok().map(|at| &ROWS[at])
}

impl TagRow {
    /// Checks arguments and payload of a use.
    pub(super) fn check(&self, tag: &Tag) -> Result<(), String> {
        for (name, kind, required) in self.args {
            match tag.args.iter().find(|it| it.name == *name) {
                Some(arg) if arg.kind != *kind => {
                    return Err(format!(
                        "argument `{arg}` has wrong type: got {}, want {}",
                        arg.kind.name(),
                        kind.name()
                    ));
                }
                Some(_) => {}
                None if *required && name.is_empty() => {
                    let kind = kind.name();
                    return Err(format!("missing required positional argument of type {kind}"));
                }
                None if *required => {
                    return Err(format!("missing named argument `{name}` of type {}", kind.name()));
                }
                None => {}
            }
        }
        if !self.any_args
            && let Some(arg) =
                tag.args.iter().find(|it| !self.args.iter().any(|row| row.0 == it.name))
        {
            return Err(format!("unrecognized argument `{arg}`"));
        }
        self.check_payload(&tag.value)
    }

    fn check_payload(&self, value: &TagValue) -> Result<(), String> {
        let wanted = match self.payload {
            Payload::None => "nothing",
            Payload::OptionalText | Payload::Text => "string",
            Payload::Int => "int",
            Payload::Tag => "tag",
            Payload::Scalar => "value",
        };
        let fits = match (self.payload, value) {
            (Payload::None | Payload::OptionalText, TagValue::None)
            | (Payload::OptionalText | Payload::Text, TagValue::Str(_))
            | (Payload::Int, TagValue::Int(_))
            | (Payload::Tag, TagValue::Tag(_)) => true,
            (Payload::Scalar, TagValue::None) => false,
            (Payload::Scalar, _) => true,
            _ => false,
        };
        match (fits, value) {
            (true, _) => Ok(()),
            (false, TagValue::None) => Err(format!("missing required tag value of type {wanted}")),
            (false, _) => {
                let got = value.kind_name();
                Err(format!("tag value has wrong type: got {got}, want {wanted}"))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn rows_are_sorted_by_name() {
        assert!(super::ROWS.is_sorted_by(|a, b| a.name < b.name));
    }
}
