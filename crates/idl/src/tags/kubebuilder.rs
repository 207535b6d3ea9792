//! Markers that controller-gen reads for CRDs.

use super::registry::{Family, PLAIN, Payload, Place, TagSpec};

const ROW: TagSpec =
    TagSpec { family: Family::Kubebuilder, payload: Payload::Any, any_args: true, ..PLAIN };
const BOTH: TagSpec = TagSpec { places: &[Place::Type, Place::Field], ..ROW };
const KIND: TagSpec = TagSpec { places: &[Place::Type], ..ROW };
const FIELD: TagSpec = TagSpec { places: &[Place::Field], ..ROW };
const REQ: TagSpec = TagSpec { places: &[Place::Package, Place::Field], ..ROW };
const PACKAGE: TagSpec = TagSpec { places: &[Place::Package], ..ROW };

pub(crate) const TAGS: &[TagSpec] = &[
    TagSpec {
        name: "kubebuilder:validation:Maximum",
        usage: "+kubebuilder:validation:Maximum=5",
        meaning: "Greatest number.",
        ..BOTH
    },
    TagSpec {
        name: "kubebuilder:validation:Minimum",
        usage: "+kubebuilder:validation:Minimum=1",
        meaning: "Least number.",
        ..BOTH
    },
    TagSpec {
        name: "kubebuilder:validation:ExclusiveMaximum",
        usage: "+kubebuilder:validation:ExclusiveMaximum=true",
        meaning: "The greatest number itself is not allowed.",
        ..BOTH
    },
    TagSpec {
        name: "kubebuilder:validation:ExclusiveMinimum",
        usage: "+kubebuilder:validation:ExclusiveMinimum=true",
        meaning: "The least number itself is not allowed.",
        ..BOTH
    },
    TagSpec {
        name: "kubebuilder:validation:MultipleOf",
        usage: "+kubebuilder:validation:MultipleOf=2",
        meaning: "The number is a multiple of this.",
        ..BOTH
    },
    TagSpec {
        name: "kubebuilder:validation:MinProperties",
        usage: "+kubebuilder:validation:MinProperties=1",
        meaning: "Least number of keys.",
        ..BOTH
    },
    TagSpec {
        name: "kubebuilder:validation:MaxProperties",
        usage: "+kubebuilder:validation:MaxProperties=8",
        meaning: "Greatest number of keys.",
        ..BOTH
    },
    TagSpec {
        name: "kubebuilder:validation:MaxLength",
        usage: "+kubebuilder:validation:MaxLength=63",
        meaning: "Greatest length.",
        ..BOTH
    },
    TagSpec {
        name: "kubebuilder:validation:MinLength",
        usage: "+kubebuilder:validation:MinLength=1",
        meaning: "Least length.",
        ..BOTH
    },
    TagSpec {
        name: "kubebuilder:validation:Pattern",
        usage: "+kubebuilder:validation:Pattern=`^[a-z]+$`",
        meaning: "Regular expression the string matches.",
        ..BOTH
    },
    TagSpec {
        name: "kubebuilder:validation:MaxItems",
        usage: "+kubebuilder:validation:MaxItems=8",
        meaning: "Greatest number of items.",
        ..BOTH
    },
    TagSpec {
        name: "kubebuilder:validation:MinItems",
        usage: "+kubebuilder:validation:MinItems=1",
        meaning: "Least number of items.",
        ..BOTH
    },
    TagSpec {
        name: "kubebuilder:validation:UniqueItems",
        usage: "+kubebuilder:validation:UniqueItems=true",
        meaning: "Items are unique; forbidden in structural schemas.",
        ..BOTH
    },
    TagSpec {
        name: "kubebuilder:validation:Enum",
        usage: "+kubebuilder:validation:Enum=a;b",
        meaning: "The allowed values.",
        ..BOTH
    },
    TagSpec {
        name: "kubebuilder:validation:Format",
        usage: "+kubebuilder:validation:Format=date-time",
        meaning: "Format of the value.",
        ..BOTH
    },
    TagSpec {
        name: "kubebuilder:validation:Type",
        usage: "+kubebuilder:validation:Type=string",
        meaning: "Overrides the type.",
        ..BOTH
    },
    TagSpec {
        name: "kubebuilder:validation:XPreserveUnknownFields",
        usage: "+kubebuilder:validation:XPreserveUnknownFields",
        meaning: "Unknown keys are kept.",
        ..BOTH
    },
    TagSpec {
        name: "kubebuilder:validation:XEmbeddedResource",
        usage: "+kubebuilder:validation:XEmbeddedResource",
        meaning: "The value is a whole object with metadata.",
        ..BOTH
    },
    TagSpec {
        name: "kubebuilder:validation:XIntOrString",
        usage: "+kubebuilder:validation:XIntOrString",
        meaning: "The value is an integer or a string.",
        ..BOTH
    },
    TagSpec {
        name: "kubebuilder:validation:XValidation",
        usage: "+kubebuilder:validation:XValidation:rule=\"self > 0\",message=\"positive\"",
        meaning: "A CEL rule.",
        ..BOTH
    },
    TagSpec {
        name: "kubebuilder:validation:items:*",
        usage: "+kubebuilder:validation:items:MaxLength=63",
        meaning: "The same constraint for the items of a list.",
        ..BOTH
    },
    TagSpec {
        name: "kubebuilder:validation:AtMostOneOf",
        usage: "+kubebuilder:validation:AtMostOneOf=a;b",
        meaning: "At most one of the fields is set.",
        ..KIND
    },
    TagSpec {
        name: "kubebuilder:validation:ExactlyOneOf",
        usage: "+kubebuilder:validation:ExactlyOneOf=a;b",
        meaning: "Exactly one of the fields is set.",
        ..KIND
    },
    TagSpec {
        name: "kubebuilder:validation:AtLeastOneOf",
        usage: "+kubebuilder:validation:AtLeastOneOf=a;b",
        meaning: "At least one of the fields is set.",
        ..KIND
    },
    TagSpec {
        name: "kubebuilder:validation:Required",
        usage: "+kubebuilder:validation:Required",
        meaning: "The field must be given; on a package, all fields without a word of their own.",
        ..REQ
    },
    TagSpec {
        name: "kubebuilder:validation:Optional",
        usage: "+kubebuilder:validation:Optional",
        meaning: "The field may be left out; on a package, all fields without a word of their own.",
        ..REQ
    },
    TagSpec {
        name: "kubebuilder:validation:EmbeddedResource",
        usage: "+kubebuilder:validation:EmbeddedResource",
        meaning: "The value is a whole object with metadata.",
        ..FIELD
    },
    TagSpec {
        name: "kubebuilder:validation:Schemaless",
        usage: "+kubebuilder:validation:Schemaless",
        meaning: "The field has no schema of its own.",
        ..FIELD
    },
    TagSpec {
        name: "kubebuilder:default",
        usage: "+kubebuilder:default=5",
        meaning: "The value an absent field takes in the CRD.",
        ..FIELD
    },
    TagSpec {
        name: "kubebuilder:example",
        usage: "+kubebuilder:example=5",
        meaning: "An example value.",
        ..FIELD
    },
    TagSpec {
        name: "kubebuilder:title",
        usage: "+kubebuilder:title=\"Text\"",
        meaning: "The schema's title.",
        ..BOTH
    },
    TagSpec {
        name: "kubebuilder:pruning:PreserveUnknownFields",
        usage: "+kubebuilder:pruning:PreserveUnknownFields",
        meaning: "Unknown keys are kept.",
        ..BOTH
    },
    TagSpec {
        name: "kubebuilder:subresource:status",
        usage: "+kubebuilder:subresource:status",
        meaning: "The kind has a status subresource.",
        ..KIND
    },
    TagSpec {
        name: "kubebuilder:subresource:scale",
        usage: "+kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas",
        meaning: "The kind has a scale subresource.",
        ..KIND
    },
    TagSpec {
        name: "kubebuilder:printcolumn",
        usage: "+kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp",
        meaning: "A column of the kind's table.",
        ..KIND
    },
    TagSpec {
        name: "kubebuilder:resource",
        usage: "+kubebuilder:resource:scope=Cluster,shortName=x",
        meaning: "Names and scope of the kind.",
        ..KIND
    },
    TagSpec {
        name: "kubebuilder:storageversion",
        usage: "+kubebuilder:storageversion",
        meaning: "The version objects are stored in.",
        ..KIND
    },
    TagSpec {
        name: "kubebuilder:skipversion",
        usage: "+kubebuilder:skipversion",
        meaning: "The version is left out of the CRD.",
        ..KIND
    },
    TagSpec {
        name: "kubebuilder:unservedversion",
        usage: "+kubebuilder:unservedversion",
        meaning: "The version is not served.",
        ..KIND
    },
    TagSpec {
        name: "kubebuilder:deprecatedversion",
        usage: "+kubebuilder:deprecatedversion:warning=\"text\"",
        meaning: "The version is deprecated.",
        ..KIND
    },
    TagSpec {
        name: "kubebuilder:metadata",
        usage: "+kubebuilder:metadata:labels=a=b",
        meaning: "Labels and annotations of the CRD.",
        ..KIND
    },
    TagSpec {
        name: "kubebuilder:selectablefield",
        usage: "+kubebuilder:selectablefield:JSONPath=.spec.x",
        meaning: "A field that may stand in field selectors.",
        ..KIND
    },
    TagSpec {
        name: "kubebuilder:externalDocs",
        usage: "+kubebuilder:externalDocs:url=https://example.com",
        meaning: "Where more is written.",
        ..BOTH
    },
    TagSpec {
        name: "kubebuilder:skip",
        usage: "+kubebuilder:skip",
        meaning: "The package is passed over.",
        ..PACKAGE
    },
    TagSpec {
        name: "groupName",
        usage: "+groupName=example.com",
        meaning: "The API group of the package.",
        ..PACKAGE
    },
    TagSpec {
        name: "versionName",
        usage: "+versionName=v1",
        meaning: "The API version of the package, when it is not its name.",
        ..PACKAGE
    },
];
