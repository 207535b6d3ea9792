//! The markers controller-gen registers for CRDs, with the types of their arguments.

use std::sync::OnceLock;

/// What a marker may describe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// A package.
    Package,
    /// A type.
    Type,
    /// A field.
    Field,
}

impl Target {
    /// What it is called in messages.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Package => "a package",
            Self::Type => "a type",
            Self::Field => "a field",
        }
    }
}

/// The type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgType {
    /// An integer.
    Int,
    /// A number.
    Number,
    /// A text, in quotes or bare.
    Str,
    /// `true` or `false`.
    Bool,
    /// Whatever it looks like.
    Any,
    /// Several texts.
    Strings,
    /// Several of whatever they look like.
    Anys,
}

impl ArgType {
    /// Upstream's word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::Number => "float64",
            Self::Str => "string",
            Self::Bool => "bool",
            Self::Any => "<any>",
            Self::Strings => "[]string",
            Self::Anys => "[]<any>",
        }
    }
}

/// An argument of a marker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgDef {
    /// Its name; empty when it stands behind the marker's own name.
    pub name: &'static str,
    /// Its type.
    pub ty: ArgType,
    /// Whether it may be left out.
    pub optional: bool,
}

/// A marker.
#[derive(Clone, Copy, Debug)]
pub struct MarkerDef {
    /// Its name.
    pub name: &'static str,
    /// What it may describe.
    pub targets: &'static [Target],
    /// Its arguments.
    pub args: &'static [ArgDef],
    /// Whether its value is JSON (`+default`).
    pub json: bool,
}

impl MarkerDef {
    /// Whether the value stands behind the marker's own name.
    #[must_use]
    pub fn is_anonymous(&self) -> bool {
        matches!(self.args, [one] if one.name.is_empty())
    }

    /// How it is written.
    #[must_use]
    pub fn signature(&self) -> String {
        if self.json {
            return format!("{}=<JSON>", self.name);
        }
        if self.is_anonymous() {
            return format!("{}={}", self.name, self.args.first().map_or("", |arg| arg.ty.name()));
        }
        let args: Vec<String> = self
            .args
            .iter()
            .map(|arg| {
                let mark = if arg.optional { "?" } else { "" };
                format!("{}{mark}={}", arg.name, arg.ty.name())
            })
            .collect();
        if args.is_empty() { self.name.into() } else { format!("{}:{}", self.name, args.join(",")) }
    }
}

const FIELD: &[Target] = &[Target::Field];
const TYPE: &[Target] = &[Target::Type];
const BOTH: &[Target] = &[Target::Type, Target::Field];
const PACKAGE: &[Target] = &[Target::Package];

const fn req(name: &'static str, ty: ArgType) -> ArgDef {
    ArgDef { name, ty, optional: false }
}

const fn opt(name: &'static str, ty: ArgType) -> ArgDef {
    ArgDef { name, ty, optional: true }
}

const INT: &[ArgDef] = &[req("", ArgType::Int)];
const NUMBER: &[ArgDef] = &[req("", ArgType::Number)];
const STR: &[ArgDef] = &[req("", ArgType::Str)];
const BOOL: &[ArgDef] = &[req("", ArgType::Bool)];
const ANY: &[ArgDef] = &[req("", ArgType::Any)];
const STRINGS: &[ArgDef] = &[req("", ArgType::Strings)];

const fn def(name: &'static str, targets: &'static [Target], args: &'static [ArgDef]) -> MarkerDef {
    MarkerDef { name, targets, args, json: false }
}

const RULE: &[ArgDef] = &[
    req("rule", ArgType::Str),
    opt("message", ArgType::Str),
    opt("messageExpression", ArgType::Str),
    opt("reason", ArgType::Str),
    opt("fieldPath", ArgType::Str),
    opt("optionalOldSelf", ArgType::Bool),
];

/// Constraints that exist for fields, types and items alike: name, name for items, arguments.
const VALIDATION: &[(&str, &str, &[ArgDef])] = &[
    ("kubebuilder:validation:Maximum", "kubebuilder:validation:items:Maximum", NUMBER),
    ("kubebuilder:validation:Minimum", "kubebuilder:validation:items:Minimum", NUMBER),
    (
        "kubebuilder:validation:ExclusiveMaximum",
        "kubebuilder:validation:items:ExclusiveMaximum",
        BOOL,
    ),
    (
        "kubebuilder:validation:ExclusiveMinimum",
        "kubebuilder:validation:items:ExclusiveMinimum",
        BOOL,
    ),
    ("kubebuilder:validation:MultipleOf", "kubebuilder:validation:items:MultipleOf", NUMBER),
    ("kubebuilder:validation:MinProperties", "kubebuilder:validation:items:MinProperties", INT),
    ("kubebuilder:validation:MaxProperties", "kubebuilder:validation:items:MaxProperties", INT),
    ("kubebuilder:validation:MaxLength", "kubebuilder:validation:items:MaxLength", INT),
    ("kubebuilder:validation:MinLength", "kubebuilder:validation:items:MinLength", INT),
    ("kubebuilder:validation:Pattern", "kubebuilder:validation:items:Pattern", STR),
    ("kubebuilder:validation:MaxItems", "kubebuilder:validation:items:MaxItems", INT),
    ("kubebuilder:validation:MinItems", "kubebuilder:validation:items:MinItems", INT),
    ("kubebuilder:validation:UniqueItems", "kubebuilder:validation:items:UniqueItems", BOOL),
    ("kubebuilder:validation:Enum", "kubebuilder:validation:items:Enum", &[req("", ArgType::Anys)]),
    ("kubebuilder:validation:Format", "kubebuilder:validation:items:Format", STR),
    ("kubebuilder:validation:Type", "kubebuilder:validation:items:Type", STR),
    (
        "kubebuilder:validation:XPreserveUnknownFields",
        "kubebuilder:validation:items:XPreserveUnknownFields",
        &[],
    ),
    (
        "kubebuilder:validation:XEmbeddedResource",
        "kubebuilder:validation:items:XEmbeddedResource",
        &[],
    ),
    ("kubebuilder:validation:XIntOrString", "kubebuilder:validation:items:XIntOrString", &[]),
    ("kubebuilder:validation:XValidation", "kubebuilder:validation:items:XValidation", RULE),
];

const OTHERS: &[MarkerDef] = &[
    def("kubebuilder:validation:AtMostOneOf", TYPE, STRINGS),
    def("kubebuilder:validation:ExactlyOneOf", TYPE, STRINGS),
    def("kubebuilder:validation:AtLeastOneOf", TYPE, STRINGS),
    def("k8s:enum", BOTH, &[]),
    def("kubebuilder:validation:Required", &[Target::Field, Target::Package], &[]),
    def("kubebuilder:validation:Optional", &[Target::Field, Target::Package], &[]),
    def("required", FIELD, &[]),
    def("optional", FIELD, &[]),
    def("k8s:required", FIELD, &[]),
    def("k8s:optional", FIELD, &[]),
    def("nullable", FIELD, &[]),
    def("kubebuilder:default", FIELD, ANY),
    MarkerDef { name: "default", targets: FIELD, args: ANY, json: true },
    def("kubebuilder:example", FIELD, ANY),
    def("kubebuilder:validation:EmbeddedResource", FIELD, &[]),
    def("kubebuilder:validation:Schemaless", FIELD, &[]),
    def("k8s:immutable", FIELD, &[]),
    def("kubebuilder:pruning:PreserveUnknownFields", BOTH, &[]),
    def("kubebuilder:title", BOTH, ANY),
    def("listType", BOTH, STR),
    def("listMapKey", BOTH, STR),
    def("mapType", BOTH, STR),
    def("structType", BOTH, STR),
    def("k8s:listType", BOTH, STR),
    def("k8s:listMapKey", BOTH, STR),
    def("kubebuilder:subresource:status", TYPE, &[]),
    def(
        "kubebuilder:subresource:scale",
        TYPE,
        &[
            req("specpath", ArgType::Str),
            req("statuspath", ArgType::Str),
            opt("selectorpath", ArgType::Str),
        ],
    ),
    def(
        "kubebuilder:printcolumn",
        TYPE,
        &[
            req("name", ArgType::Str),
            req("type", ArgType::Str),
            req("JSONPath", ArgType::Str),
            opt("description", ArgType::Str),
            opt("format", ArgType::Str),
            opt("priority", ArgType::Int),
        ],
    ),
    def(
        "kubebuilder:resource",
        TYPE,
        &[
            opt("path", ArgType::Str),
            opt("shortName", ArgType::Strings),
            opt("categories", ArgType::Strings),
            opt("singular", ArgType::Str),
            opt("scope", ArgType::Str),
        ],
    ),
    def("kubebuilder:storageversion", TYPE, &[]),
    def("kubebuilder:skipversion", TYPE, &[]),
    def("kubebuilder:unservedversion", TYPE, &[]),
    def("kubebuilder:deprecatedversion", TYPE, &[opt("warning", ArgType::Str)]),
    def(
        "kubebuilder:metadata",
        TYPE,
        &[opt("annotations", ArgType::Strings), opt("labels", ArgType::Strings)],
    ),
    def("kubebuilder:selectablefield", TYPE, &[req("JSONPath", ArgType::Str)]),
    def(
        "kubebuilder:externalDocs",
        BOTH,
        &[req("url", ArgType::Str), opt("description", ArgType::Str)],
    ),
    def("groupName", PACKAGE, &[opt("", ArgType::Str)]),
    def("versionName", PACKAGE, STR),
    def("kubebuilder:skip", PACKAGE, &[]),
];

/// The markers of controller-gen's generator of roles.
pub const RBAC: &[MarkerDef] = &[def(
    "kubebuilder:rbac",
    PACKAGE,
    &[
        opt("groups", ArgType::Strings),
        opt("resources", ArgType::Strings),
        opt("resourceNames", ArgType::Strings),
        req("verbs", ArgType::Strings),
        opt("urls", ArgType::Strings),
        opt("namespace", ArgType::Str),
        opt("roleName", ArgType::Str),
    ],
)];

/// The markers of controller-gen's generator of webhook configurations.
pub const WEBHOOK: &[MarkerDef] = &[
    def(
        "kubebuilder:webhook",
        PACKAGE,
        &[
            req("mutating", ArgType::Bool),
            req("failurePolicy", ArgType::Str),
            opt("matchPolicy", ArgType::Str),
            opt("sideEffects", ArgType::Str),
            opt("timeoutSeconds", ArgType::Int),
            req("groups", ArgType::Strings),
            req("resources", ArgType::Strings),
            req("verbs", ArgType::Strings),
            req("versions", ArgType::Strings),
            req("name", ArgType::Str),
            opt("serviceName", ArgType::Str),
            opt("serviceNamespace", ArgType::Str),
            opt("path", ArgType::Str),
            opt("servicePort", ArgType::Int),
            opt("webhookVersions", ArgType::Strings),
            req("admissionReviewVersions", ArgType::Strings),
            opt("reinvocationPolicy", ArgType::Str),
            opt("url", ArgType::Str),
            opt("patch", ArgType::Str),
        ],
    ),
    def(
        "kubebuilder:webhookconfiguration",
        PACKAGE,
        &[req("mutating", ArgType::Bool), opt("name", ArgType::Str)],
    ),
];

/// All markers of types and fields.
pub fn definitions() -> &'static [MarkerDef] {
    static ALL: OnceLock<Vec<MarkerDef>> = OnceLock::new();
    ALL.get_or_init(|| {
        let mut out = Vec::new();
        for (name, items, args) in VALIDATION {
            out.push(def(name, BOTH, args));
            out.push(def(items, BOTH, args));
        }
        out.extend_from_slice(OTHERS);
        out
    })
}
