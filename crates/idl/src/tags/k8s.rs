//! The `+k8s:` validation tags.

use super::registry::{ArgSpec, Family, PLAIN, Payload, Place, Stability, TagSpec, VALUES};

const RULE: TagSpec = TagSpec { family: Family::Validation, places: VALUES, ..PLAIN };
const FIELD: TagSpec = TagSpec { places: &[Place::Field], ..RULE };
const LIMIT: TagSpec =
    TagSpec { payload: Payload::Int, payload_required: true, stability: Stability::Beta, ..RULE };
const ITEMS: TagSpec =
    TagSpec { places: &[Place::Type, Place::Field, Place::ListValue, Place::MapValue], ..LIMIT };
const WORD: TagSpec = TagSpec { payload: Payload::Str, payload_required: true, ..RULE };
const WRAP: TagSpec = TagSpec { payload: Payload::Tag, payload_required: true, ..RULE };
const UNION: TagSpec = TagSpec {
    places: &[Place::Field, Place::ListValue],
    args: &[
        ArgSpec { name: "union", required: false },
        ArgSpec { name: "memberName", required: false },
    ],
    ..RULE
};
const FIXED: TagSpec = TagSpec {
    payload: Payload::Str,
    stability: Stability::Alpha,
    args: &[
        ArgSpec { name: "flags", required: false },
        ArgSpec { name: "typeArg", required: false },
        ArgSpec { name: "cohort", required: false },
    ],
    ..RULE
};
const LEVEL: TagSpec = TagSpec {
    args: &[ArgSpec { name: "since", required: false }],
    stability: Stability::Beta,
    late: true,
    ..WRAP
};
const OPTION: TagSpec = TagSpec {
    places: &[
        Place::Type,
        Place::Field,
        Place::ListValue,
        Place::MapKey,
        Place::MapValue,
        Place::Constant,
    ],
    args: &[ArgSpec { name: "", required: true }],
    stability: Stability::Beta,
    ..WRAP
};

pub(crate) const TAGS: &[TagSpec] = &[
    TagSpec {
        name: "k8s:required",
        usage: "+k8s:required",
        meaning: "The field must be given: not nil, not empty, not the zero value.",
        ..FIELD
    },
    TagSpec {
        name: "k8s:optional",
        usage: "+k8s:optional",
        meaning: "The field may be left out; further rules then do not run. Beside a non-zero `+default` an absent value is an error, because defaulting has run before.",
        ..FIELD
    },
    TagSpec {
        name: "k8s:forbidden",
        usage: "+k8s:forbidden",
        meaning: "The field must not be given.",
        stability: Stability::Beta,
        ..FIELD
    },
    TagSpec {
        name: "k8s:maxLength",
        usage: "+k8s:maxLength=63",
        meaning: "A string has at most so many characters.",
        ..LIMIT
    },
    TagSpec {
        name: "k8s:minLength",
        usage: "+k8s:minLength=1",
        meaning: "A string has at least so many characters.",
        stability: Stability::Alpha,
        ..LIMIT
    },
    TagSpec {
        name: "k8s:maxBytes",
        usage: "+k8s:maxBytes=256",
        meaning: "A string has at most so many bytes.",
        ..LIMIT
    },
    TagSpec {
        name: "k8s:minItems",
        usage: "+k8s:minItems=1",
        meaning: "A list has at least so many items.",
        ..ITEMS
    },
    TagSpec {
        name: "k8s:maxItems",
        usage: "+k8s:maxItems=16",
        meaning: "A list has at most so many items; when it has more, no other rule of it runs.",
        stability: Stability::Stable,
        ..ITEMS
    },
    TagSpec {
        name: "k8s:minimum",
        usage: "+k8s:minimum=0",
        meaning: "An integer is at least so large.",
        stability: Stability::Stable,
        ..LIMIT
    },
    TagSpec {
        name: "k8s:maximum",
        usage: "+k8s:maximum=100",
        meaning: "An integer is at most so large.",
        ..LIMIT
    },
    TagSpec {
        name: "k8s:enum",
        usage: "+k8s:enum",
        meaning: "A string type takes the values of the constants of that type.",
        places: &[Place::Type],
        ..RULE
    },
    TagSpec {
        name: "k8s:enumExclude",
        usage: "+k8s:enumExclude",
        meaning: "A constant is not a value of its enum; inside `ifEnabled` or `ifDisabled` only under that option.",
        places: &[Place::Constant],
        stability: Stability::Alpha,
        ..RULE
    },
    TagSpec {
        name: "k8s:format",
        usage: "+k8s:format=k8s-short-name",
        meaning: "A string has a named format: k8s-extended-resource-name, k8s-label-key, k8s-label-value, k8s-long-name, k8s-long-name-caseless, k8s-path-segment-name, k8s-resource-fully-qualified-name, k8s-resource-pool-name, k8s-short-name or k8s-uuid.",
        ..WORD
    },
    TagSpec {
        name: "k8s:neq",
        usage: "+k8s:neq=0",
        meaning: "A string, integer or boolean is not this value.",
        payload: Payload::Any,
        stability: Stability::Alpha,
        ..WORD
    },
    TagSpec {
        name: "k8s:immutable",
        usage: "+k8s:immutable",
        meaning: "The value may not change once the object exists.",
        places: &[Place::Field, Place::Type, Place::MapValue, Place::ListValue],
        stability: Stability::Beta,
        ..RULE
    },
    TagSpec {
        name: "k8s:update",
        usage: "+k8s:update=NoModify",
        meaning: "Which changes an update may not make: NoSet, NoUnset or NoModify. May be given several times. Not for lists and maps.",
        payload: Payload::Str,
        stability: Stability::Beta,
        ..FIELD
    },
    TagSpec {
        name: "k8s:listType",
        usage: "+k8s:listType=map",
        meaning: "How a list is owned and compared: atomic, set (values are unique) or map (keys are unique).",
        ..WORD
    },
    TagSpec {
        name: "k8s:listMapKey",
        usage: "+k8s:listMapKey=name",
        meaning: "A field of the items, by JSON name, that is part of their key.",
        ..WORD
    },
    TagSpec {
        name: "k8s:unique",
        usage: "+k8s:unique=set",
        meaning: "The items of an atomic list are unique as in a set or in a map.",
        stability: Stability::Beta,
        ..WORD
    },
    TagSpec {
        name: "k8s:customUnique",
        usage: "+k8s:customUnique",
        meaning: "Uniqueness of the list is checked by hand-written code; none is generated.",
        stability: Stability::Beta,
        ..RULE
    },
    TagSpec {
        name: "k8s:eachVal",
        usage: "+k8s:eachVal=+k8s:maxLength=63",
        meaning: "A rule for each value of a list or map.",
        late: true,
        stability: Stability::Alpha,
        ..WRAP
    },
    TagSpec {
        name: "k8s:eachKey",
        usage: "+k8s:eachKey=+k8s:format=k8s-label-key",
        meaning: "A rule for each key of a map.",
        stability: Stability::Beta,
        ..WRAP
    },
    TagSpec {
        name: "k8s:item",
        usage: "+k8s:item(name: \"main\")=+k8s:immutable",
        meaning: "A rule for the item of a map list that has these keys; all keys must be named.",
        any_args: true,
        late: true,
        ..WRAP
    },
    TagSpec {
        name: "k8s:subfield",
        usage: "+k8s:subfield(name)=+k8s:required",
        meaning: "A rule for a field of the struct, by JSON name.",
        args: &[ArgSpec { name: "", required: true }],
        ..WRAP
    },
    TagSpec {
        name: "k8s:ifEnabled",
        usage: "+k8s:ifEnabled(Option)=+k8s:required",
        meaning: "A rule that holds when an option is on.",
        ..OPTION
    },
    TagSpec {
        name: "k8s:ifDisabled",
        usage: "+k8s:ifDisabled(Option)=+k8s:forbidden",
        meaning: "A rule that holds when an option is off.",
        ..OPTION
    },
    TagSpec {
        name: "k8s:warning",
        usage: "+k8s:warning=\"text\"",
        meaning: "KEP-5975: a warning for clients that set the field, or use the type or kind; around another tag (`+k8s:warning(message: \"text\")=+k8s:maxLength=63`) only where that tag would refuse the value.",
        any_args: true,
        payload: Payload::Any,
        stability: Stability::Alpha,
        ..RULE
    },
    TagSpec {
        name: "k8s:alpha",
        usage: "+k8s:alpha(since: \"1.36\")=+k8s:minimum=1",
        meaning: "A rule that is only observed: its errors are marked alpha.",
        ..LEVEL
    },
    TagSpec {
        name: "k8s:beta",
        usage: "+k8s:beta(since: \"1.36\")=+k8s:minimum=1",
        meaning: "A rule that may still be switched off: its errors are marked beta.",
        ..LEVEL
    },
    TagSpec {
        name: "k8s:unionDiscriminator",
        usage: "+k8s:unionDiscriminator(union: \"name\")",
        meaning: "The string field that names the member of the union that is set.",
        places: &[Place::Field, Place::ListValue],
        args: &[ArgSpec { name: "union", required: false }],
        stability: Stability::Beta,
        ..RULE
    },
    TagSpec {
        name: "k8s:unionMember",
        usage: "+k8s:unionMember(union: \"name\", memberName: \"Value\")",
        meaning: "A member of a union, of which exactly one is set.",
        ..UNION
    },
    TagSpec {
        name: "k8s:zeroOrOneOfMember",
        usage: "+k8s:zeroOrOneOfMember(union: \"name\")",
        meaning: "A member of a group of which at most one is set.",
        ..UNION
    },
    TagSpec {
        name: "k8s:discriminator",
        usage: "+k8s:discriminator(name: \"group\")",
        meaning: "The field whose value decides which `+k8s:member` rules hold.",
        args: &[ArgSpec { name: "name", required: false }],
        stability: Stability::Alpha,
        ..FIELD
    },
    TagSpec {
        name: "k8s:member",
        usage: "+k8s:member(\"Value\")=+k8s:required",
        meaning: "A rule that holds when the discriminator has this value; for values without rules the field is forbidden.",
        places: &[Place::Field],
        args: &[
            ArgSpec { name: "", required: false },
            ArgSpec { name: "discriminator", required: false },
            ArgSpec { name: "value", required: false },
        ],
        stability: Stability::Alpha,
        ..WRAP
    },
    TagSpec {
        name: "k8s:opaqueType",
        usage: "+k8s:opaqueType",
        meaning: "The rules of the field's type are not run here.",
        stability: Stability::Alpha,
        ..RULE
    },
    TagSpec {
        name: "k8s:validateTrue",
        usage: "+k8s:validateTrue",
        meaning: "A rule that always passes, for tests.",
        ..FIXED
    },
    TagSpec {
        name: "k8s:validateFalse",
        usage: "+k8s:validateFalse=\"text\"",
        meaning: "A rule that always fails, for tests.",
        ..FIXED
    },
    TagSpec {
        name: "k8s:validateTrueAlpha",
        usage: "+k8s:validateTrueAlpha",
        meaning: "An alpha rule that always passes, for tests.",
        ..FIXED
    },
    TagSpec {
        name: "k8s:validateTrueBeta",
        usage: "+k8s:validateTrueBeta",
        meaning: "A beta rule that always passes, for tests.",
        stability: Stability::Beta,
        ..FIXED
    },
    TagSpec {
        name: "k8s:validateError",
        usage: "+k8s:validateError=\"text\"",
        meaning: "A tag that is always refused, for tests.",
        args: &[],
        ..FIXED
    },
];
