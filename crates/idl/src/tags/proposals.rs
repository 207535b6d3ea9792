//! Tags of the enhancement proposals that upstream never shipped or ships elsewhere.

use super::registry::{Family, PLAIN, Payload, Place, Stability, TagSpec};

const ROW: TagSpec = TagSpec {
    family: Family::Proposal,
    payload: Payload::Any,
    stability: Stability::Alpha,
    places: &[Place::Type, Place::Field],
    ..PLAIN
};
const FIELD: TagSpec = TagSpec { places: &[Place::Field], ..ROW };

pub(crate) const TAGS: &[TagSpec] = &[
    TagSpec {
        name: "format",
        usage: "+format=dns1123subdomain",
        meaning: "KEP-4153: a string has a named format.",
        ..ROW
    },
    TagSpec {
        name: "minLength",
        usage: "+minLength=1",
        meaning: "KEP-4153: least length of a string.",
        ..ROW
    },
    TagSpec {
        name: "maxLength",
        usage: "+maxLength=63",
        meaning: "KEP-4153: greatest length of a string.",
        ..ROW
    },
    TagSpec {
        name: "minItems",
        usage: "+minItems=1",
        meaning: "KEP-4153: least number of items.",
        ..ROW
    },
    TagSpec {
        name: "maxItems",
        usage: "+maxItems=8",
        meaning: "KEP-4153: greatest number of items.",
        ..ROW
    },
    TagSpec {
        name: "minProperties",
        usage: "+minProperties=1",
        meaning: "KEP-4153: least number of keys of a map.",
        ..ROW
    },
    TagSpec {
        name: "maxProperties",
        usage: "+maxProperties=8",
        meaning: "KEP-4153: greatest number of keys of a map.",
        ..ROW
    },
    TagSpec { name: "minimum", usage: "+minimum=0", meaning: "KEP-4153: least number.", ..ROW },
    TagSpec {
        name: "maximum",
        usage: "+maximum=100",
        meaning: "KEP-4153: greatest number.",
        ..ROW
    },
    TagSpec {
        name: "exclusiveMinimum",
        usage: "+exclusiveMinimum=true",
        meaning: "KEP-4153: the least number itself is not allowed.",
        ..ROW
    },
    TagSpec {
        name: "exclusiveMaximum",
        usage: "+exclusiveMaximum=true",
        meaning: "KEP-4153: the greatest number itself is not allowed.",
        ..ROW
    },
    TagSpec {
        name: "pattern",
        usage: "+pattern=^[a-z]+$",
        meaning: "KEP-4153: a regular expression a string matches.",
        ..ROW
    },
    TagSpec {
        name: "validationRule",
        usage: "+validationRule=\"self.a < self.b\",message=\"a below b\"",
        meaning: "KEP-4153: a CEL rule with message, messageExpression, reason and field; the text may span lines.",
        ..ROW
    },
    TagSpec {
        name: "nameFormat",
        usage: "+nameFormat=dns1123subdomain",
        meaning: "KEP-4153: the format of the object's name, on the kind or on its metadata.",
        ..ROW
    },
    TagSpec {
        name: "immutable",
        usage: "+immutable",
        meaning: "KEP-4153: the value may not change.",
        ..ROW
    },
    TagSpec {
        name: "mutually_exclusive",
        usage: "+mutually_exclusive=group",
        meaning: "KEP-4153: at most one field of the group is set.",
        ..FIELD
    },
    TagSpec {
        name: "contextual",
        usage: "+contextual(type)=RollingUpdate",
        meaning: "KEP-4153: the field may be set only while its neighbour has this value.",
        any_args: true,
        ..FIELD
    },
    TagSpec {
        name: "validationError",
        usage: "+validationError(keyword: \"minLength\", message: \"text\", reason: \"Invalid\")",
        meaning: "KEP-4153: the text (and reason) of the error that a keyword of this place makes.",
        any_args: true,
        ..ROW
    },
    TagSpec {
        name: "override",
        usage: "+override(capacity)=+optional",
        meaning: "KEP-4153: another tag for a field of a shared type, where this field uses it.",
        any_args: true,
        ..FIELD
    },
    TagSpec {
        name: "unionDiscriminator",
        usage: "+unionDiscriminator",
        meaning: "KEP-1027: the enum field that names the member that is set.",
        ..FIELD
    },
    TagSpec {
        name: "unionInferred",
        usage: "+unionInferred",
        meaning: "Beside `+unionDiscriminator`, for fields that are older than it: the discriminator follows the one member that is set where a request does not change it, so that clients that do not know it can switch members.",
        payload: Payload::None,
        ..FIELD
    },
    TagSpec {
        name: "unionMember",
        usage: "+unionMember=Name,optional",
        meaning: "KEP-1027: a member of a union, its discriminator value, and whether it may be empty.",
        ..FIELD
    },
    TagSpec {
        name: "unionDiscriminatedBy",
        usage: "+unionDiscriminatedBy=field",
        meaning: "KEP-1027: the discriminator of this member, when the struct has several unions.",
        ..FIELD
    },
    TagSpec {
        name: "k8s:featureGate",
        usage: "+k8s:featureGate=Name",
        meaning: "KEP-5975: the field is dropped unless the gate is on or the old object uses it.",
        ..FIELD
    },
    TagSpec {
        name: "conversionName",
        usage: "+conversionName=name",
        meaning: "The name by which other versions of the kind know the field; `-` for one that they do not have and need not keep.",
        ..FIELD
    },
    TagSpec {
        name: "rule:*",
        usage: "+rule:oneOf=A;B",
        meaning: "A rule of a kind of Kubernetes itself that holds for every write, with the server's words: see docs/rules.md. Other types are refused with it.",
        any_args: true,
        ..ROW
    },
    TagSpec {
        name: "unpublishedDefault",
        usage: "+unpublishedDefault",
        meaning: "The default of the field is applied and left out of OpenAPI documents and definitions, as those are that upstream sets in code.",
        payload: Payload::None,
        ..FIELD
    },
    TagSpec {
        name: "k8s:selectableField",
        usage: "+k8s:selectableField",
        meaning: "KEP-5975: the field may stand in field selectors.",
        ..FIELD
    },
    TagSpec {
        name: "k8s:printerColumn",
        usage: "+k8s:printerColumn(name: \"Age\", type: \"date\")",
        meaning: "KEP-5975: a column of the kind's table.",
        any_args: true,
        ..ROW
    },
];
