//! Tags of tools whose output is not ours to make: known, so that they are no mistake.

use super::registry::{PLAIN, Payload, Place, TagSpec};

const ROW: TagSpec = TagSpec {
    payload: Payload::Any,
    any_args: true,
    places: &[Place::Package, Place::Type, Place::Field, Place::Constant],
    ..PLAIN
};

pub(crate) const TAGS: &[TagSpec] = &[
    TagSpec {
        name: "genclient*",
        usage: "+genclient",
        meaning: "Go clients; no effect here.",
        ..ROW
    },
    TagSpec {
        name: "resourceName",
        usage: "+resourceName=plural",
        meaning: "Go clients; no effect here.",
        ..ROW
    },
    TagSpec {
        name: "protobuf*",
        usage: "+protobuf=true",
        meaning: "Protobuf definitions; no effect here.",
        ..ROW
    },
    TagSpec {
        name: "bitmask",
        usage: "+bitmask",
        meaning: "Protobuf definitions; no effect here.",
        ..ROW
    },
    TagSpec {
        name: "k8s:protobuf-gen",
        usage: "+k8s:protobuf-gen=package",
        meaning: "Protobuf definitions; no effect here.",
        ..ROW
    },
    TagSpec {
        name: "k8s:deepcopy-gen*",
        usage: "+k8s:deepcopy-gen=package",
        meaning: "Go copy functions; no effect here.",
        ..ROW
    },
    TagSpec {
        name: "k8s:nonpointer-interfaces",
        usage: "+k8s:nonpointer-interfaces=true",
        meaning: "Go copy functions; no effect here.",
        ..ROW
    },
    TagSpec {
        name: "k8s:conversion-gen*",
        usage: "+k8s:conversion-gen=path",
        meaning: "Go conversion functions; no effect here.",
        ..ROW
    },
    TagSpec {
        name: "k8s:conversion-fn",
        usage: "+k8s:conversion-fn=drop",
        meaning: "Go conversion functions; no effect here.",
        ..ROW
    },
    TagSpec {
        name: "k8s:register-gen",
        usage: "+k8s:register-gen",
        meaning: "Go scheme registration; no effect here.",
        ..ROW
    },
    TagSpec {
        name: "k8s:prerelease-lifecycle-gen*",
        usage: "+k8s:prerelease-lifecycle-gen=true",
        meaning: "Lifecycle of beta versions; no effect here.",
        ..ROW
    },
    TagSpec {
        name: "k8s:deprecated",
        usage: "+k8s:deprecated=field,protobuf=3",
        meaning: "A removed field's protobuf number; no effect here.",
        ..ROW
    },
    TagSpec {
        name: "build",
        usage: "+build linux",
        meaning: "Build constraint of old; `//go:build` counts.",
        ..ROW
    },
    TagSpec {
        name: "featureGate",
        usage: "+featureGate=Name",
        meaning: "Note of the gate a field stands behind; `+k8s:featureGate` is the one with effect.",
        ..ROW
    },
    TagSpec {
        name: "oneOf",
        usage: "+oneOf",
        meaning: "Note that one of the fields is set; no effect upstream.",
        ..ROW
    },
    TagSpec {
        name: "zeroOrOneOf",
        usage: "+zeroOrOneOf",
        meaning: "Note that at most one of the fields is set; no effect upstream.",
        ..ROW
    },
    TagSpec {
        name: "listKey",
        usage: "+listKey=name",
        meaning: "Old spelling of listMapKey that no reader knows; no effect.",
        ..ROW
    },
    TagSpec { name: "deprecated", usage: "+deprecated", meaning: "Note; no effect.", ..ROW },
    TagSpec {
        name: "nonNamespaced",
        usage: "+nonNamespaced",
        meaning: "Go clients; no effect here.",
        ..ROW
    },
    TagSpec {
        name: "kubebuilder:object:*",
        usage: "+kubebuilder:object:root=true",
        meaning: "Go copy functions, and which types are kinds.",
        ..ROW
    },
    TagSpec {
        name: "kubebuilder:rbac*",
        usage: "+kubebuilder:rbac:groups=apps",
        meaning: "Roles of a controller; no effect here.",
        ..ROW
    },
    TagSpec {
        name: "kubebuilder:webhook*",
        usage: "+kubebuilder:webhook:path=/x",
        meaning: "Webhook configurations; no effect here.",
        ..ROW
    },
    TagSpec {
        name: "kubebuilder:ac:*",
        usage: "+kubebuilder:ac:generate=true",
        meaning: "Go apply configurations; no effect here.",
        ..ROW
    },
    TagSpec {
        name: "kubebuilder:scaffold:*",
        usage: "+kubebuilder:scaffold:imports",
        meaning: "Places where kubebuilder inserts code; no effect here.",
        ..ROW
    },
    TagSpec {
        name: "kubebuilder:docs-gen:*",
        usage: "+kubebuilder:docs-gen:collapse=text",
        meaning: "Layout of kubebuilder's book; no effect here.",
        ..ROW
    },
];
