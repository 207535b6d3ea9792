//! Tags of the other Kubernetes generators: OpenAPI, defaulting, selection of types.

use super::registry::{Family, PLAIN, Payload, Place, TagSpec};

const ROW: TagSpec = TagSpec { family: Family::Generator, payload: Payload::Any, ..PLAIN };
const ANY: TagSpec = TagSpec { places: &[Place::Package, Place::Type, Place::Field], ..ROW };
const KIND: TagSpec = TagSpec { places: &[Place::Type], ..ROW };
const BOTH: TagSpec = TagSpec { places: &[Place::Type, Place::Field], ..ROW };
const PACKAGE: TagSpec = TagSpec { places: &[Place::Package], ..ROW };

pub(crate) const TAGS: &[TagSpec] = &[
    TagSpec {
        name: "k8s:validation-gen",
        usage: "+k8s:validation-gen=TypeMeta",
        meaning: "In a package: which types are validated on their own, by the name of a field they have, or `*` for all exported ones. On a type: true or false.",
        places: &[Place::Package, Place::Type],
        ..ROW
    },
    TagSpec {
        name: "k8s:validation-gen-nolint",
        usage: "+k8s:validation-gen-nolint",
        meaning: "The lint rules of validation tags are off for the package or type.",
        places: &[Place::Package, Place::Type],
        ..ROW
    },
    TagSpec {
        name: "k8s:validation-gen-input",
        usage: "+k8s:validation-gen-input=path",
        meaning: "The package whose types are meant.",
        ..PACKAGE
    },
    TagSpec {
        name: "k8s:validation-gen-scheme-registry",
        usage: "+k8s:validation-gen-scheme-registry=path.Type",
        meaning: "The registry generated code would register with.",
        ..PACKAGE
    },
    TagSpec {
        name: "k8s:validation-gen-test-fixture",
        usage: "+k8s:validation-gen-test-fixture=validateFalse",
        meaning: "Which test fixture upstream generates.",
        ..PACKAGE
    },
    TagSpec {
        name: "k8s:isSubresource",
        usage: "+k8s:isSubresource=\"/scale\"",
        meaning: "The type is the body of this subresource.",
        ..KIND
    },
    TagSpec {
        name: "k8s:supportsSubresource",
        usage: "+k8s:supportsSubresource=\"/status\"",
        meaning: "The type is also validated on this subresource.",
        ..KIND
    },
    TagSpec {
        name: "k8s:defaulter-gen",
        usage: "+k8s:defaulter-gen=TypeMeta",
        meaning: "In a package: which types are defaulted on their own. On a type: true, false, covers or nothing.",
        places: &[Place::Package, Place::Type],
        ..ROW
    },
    TagSpec {
        name: "k8s:defaulter-gen-input",
        usage: "+k8s:defaulter-gen-input=path",
        meaning: "The package whose types are meant.",
        ..PACKAGE
    },
    TagSpec {
        name: "default",
        usage: "+default=\"text\"",
        meaning: "The value an absent field takes: JSON, or `ref(Name)` for a constant.",
        places: &[Place::Type, Place::Field],
        payload_required: true,
        ..ROW
    },
    TagSpec {
        name: "k8s:openapi-gen",
        usage: "+k8s:openapi-gen=true",
        meaning: "Whether the package or type has OpenAPI definitions; `x-kubernetes-…:value` adds an extension.",
        ..ANY
    },
    TagSpec {
        name: "k8s:openapi-model-package",
        usage: "+k8s:openapi-model-package=io.example.v1",
        meaning: "The package part of the definitions' names.",
        places: &[Place::Package, Place::Type],
        ..ROW
    },
    TagSpec {
        name: "k8s:validation:*",
        usage: "+k8s:validation:maxLength=63",
        meaning: "A constraint in the OpenAPI document: maxLength, minLength, maximum, minimum, exclusiveMaximum, exclusiveMinimum, multipleOf, maxItems, minItems, uniqueItems, maxProperties, minProperties, pattern, format, enum, cel[i]:…, items:…, properties:…, additionalProperties:….",
        ..BOTH
    },
    TagSpec {
        name: "enum",
        usage: "+enum",
        meaning: "The constants of the type are the values of the OpenAPI enum.",
        ..KIND
    },
    TagSpec {
        name: "union",
        usage: "+union",
        meaning: "The struct is a union in upstream's legacy form, published as `x-kubernetes-unions`.",
        ..BOTH
    },
    TagSpec {
        name: "unionDeprecated",
        usage: "+unionDeprecated",
        meaning: "The union member has no discriminator value of its own.",
        ..ROW
    },
    TagSpec {
        name: "patchStrategy",
        usage: "+patchStrategy=merge",
        meaning: "How strategic merge patches treat the field; says what the struct tag says.",
        ..ROW
    },
    TagSpec {
        name: "patchMergeKey",
        usage: "+patchMergeKey=name",
        meaning: "The key of the list's items in strategic merge patches; says what the struct tag says.",
        ..ROW
    },
    TagSpec {
        name: "listMapKey",
        usage: "+listMapKey=name",
        meaning: "A field of the items that is part of their key.",
        ..BOTH
    },
    TagSpec {
        name: "listType",
        usage: "+listType=map",
        meaning: "How a list is merged: atomic, set or map.",
        ..BOTH
    },
    TagSpec {
        name: "mapType",
        usage: "+mapType=granular",
        meaning: "How a map is merged: atomic or granular.",
        ..BOTH
    },
    TagSpec {
        name: "structType",
        usage: "+structType=atomic",
        meaning: "How a struct is merged: atomic or granular.",
        ..BOTH
    },
    TagSpec { name: "optional", usage: "+optional", meaning: "The field may be left out.", ..ROW },
    TagSpec { name: "required", usage: "+required", meaning: "The field must be given.", ..ROW },
    TagSpec { name: "nullable", usage: "+nullable", meaning: "The field may be null.", ..ROW },
];
