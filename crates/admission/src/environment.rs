//! What expressions of policies and match conditions may refer to.
//!
//! `object`, `oldObject` and `params` have no declared type, as in Kubernetes: an expression is
//! compiled once and serves every kind that its policy matches. `request`, `namespaceObject` and
//! `variables` are typed.

use std::collections::BTreeMap;
use std::sync::Arc;

use ordain_cel::env::{Env, TypeProvider};
use ordain_cel::types::Type;
use ordain_passes::cel_library::{Environment, authz};
use ordain_value::Text;

/// The variables that every expression sees.
pub(crate) const OBJECT: &str = "object";
pub(crate) const OLD_OBJECT: &str = "oldObject";
pub(crate) const REQUEST: &str = "request";
pub(crate) const NAMESPACE: &str = "namespaceObject";
pub(crate) const PARAMS: &str = "params";
pub(crate) const AUTHORIZER: &str = "authorizer";
pub(crate) const REQUEST_RESOURCE: &str = "authorizer.requestResource";
pub(crate) const VARIABLES: &str = "variables";

const REQUEST_TYPE: &str = "kubernetes.AdmissionRequest";
const NAMESPACE_TYPE: &str = "kubernetes.Namespace";
const VARIABLES_TYPE: &str = "kubernetes.variables";
/// Objects that apply configurations are made of; fields are types below this one.
pub(crate) const OBJECT_TYPE: &str = "Object";
/// One operation of a JSON patch.
pub(crate) const PATCH_TYPE: &str = "JSONPatch";

/// What a field holds.
#[derive(Clone, Copy)]
enum Shape {
    Dyn,
    Bool,
    Int,
    Text,
    Time,
    Texts,
    /// Texts by text.
    Labels,
    /// Lists of texts by text.
    Extra,
    Object(&'static str),
    Objects(&'static str),
}

impl Shape {
    fn ty(self) -> Type {
        match self {
            Self::Dyn => Type::Dyn,
            Self::Bool => Type::Bool,
            Self::Int => Type::Int,
            Self::Text => Type::String,
            Self::Time => Type::Timestamp,
            Self::Texts => Type::list(Type::String),
            Self::Labels => Type::map(Type::String, Type::String),
            Self::Extra => Type::map(Type::String, Type::list(Type::String)),
            Self::Object(name) => Type::object(name),
            Self::Objects(name) => Type::list(Type::object(name)),
        }
    }
}

type Fields = &'static [(&'static str, Shape)];

/// The object types with their fields.
const TYPES: &[(&str, Fields)] = &[
    (
        REQUEST_TYPE,
        &[
            ("kind", Shape::Object("kubernetes.GroupVersionKind")),
            ("resource", Shape::Object("kubernetes.GroupVersionResource")),
            ("subResource", Shape::Text),
            ("requestKind", Shape::Object("kubernetes.GroupVersionKind")),
            ("requestResource", Shape::Object("kubernetes.GroupVersionResource")),
            ("requestSubResource", Shape::Text),
            ("name", Shape::Text),
            ("namespace", Shape::Text),
            ("operation", Shape::Text),
            ("userInfo", Shape::Object("kubernetes.UserInfo")),
            ("dryRun", Shape::Bool),
            ("options", Shape::Dyn),
        ],
    ),
    (
        "kubernetes.GroupVersionKind",
        &[("group", Shape::Text), ("version", Shape::Text), ("kind", Shape::Text)],
    ),
    (
        "kubernetes.GroupVersionResource",
        &[("group", Shape::Text), ("version", Shape::Text), ("resource", Shape::Text)],
    ),
    (
        "kubernetes.UserInfo",
        &[
            ("username", Shape::Text),
            ("uid", Shape::Text),
            ("groups", Shape::Texts),
            ("extra", Shape::Extra),
        ],
    ),
    (
        NAMESPACE_TYPE,
        &[
            ("metadata", Shape::Object("kubernetes.NamespaceMetadata")),
            ("spec", Shape::Object("kubernetes.NamespaceSpec")),
            ("status", Shape::Object("kubernetes.NamespaceStatus")),
        ],
    ),
    (
        "kubernetes.NamespaceMetadata",
        &[
            ("name", Shape::Text),
            ("generateName", Shape::Text),
            ("namespace", Shape::Text),
            ("labels", Shape::Labels),
            ("annotations", Shape::Labels),
            // Kubernetes declares it under this name, and so it can never be read.
            ("UID", Shape::Text),
            ("creationTimestamp", Shape::Time),
            ("deletionGracePeriodSeconds", Shape::Int),
            ("deletionTimestamp", Shape::Time),
            ("generation", Shape::Int),
            ("resourceVersion", Shape::Text),
            ("finalizers", Shape::Texts),
        ],
    ),
    ("kubernetes.NamespaceSpec", &[("finalizers", Shape::Texts)]),
    (
        "kubernetes.NamespaceStatus",
        &[("conditions", Shape::Objects("kubernetes.NamespaceCondition")), ("phase", Shape::Text)],
    ),
    (
        "kubernetes.NamespaceCondition",
        &[
            ("status", Shape::Text),
            ("type", Shape::Text),
            ("lastTransitionTime", Shape::Time),
            ("message", Shape::Text),
            ("reason", Shape::Text),
        ],
    ),
];

const PATCH_FIELDS: Fields =
    &[("op", Shape::Text), ("path", Shape::Text), ("from", Shape::Text), ("value", Shape::Dyn)];

fn field(fields: Fields, name: &str) -> Option<Type> {
    fields.iter().find(|(known, _)| *known == name).map(|(_, shape)| shape.ty())
}

/// The variables of a policy by name. Shared with the environment of one expression at a time, so
/// that adding one copies nothing.
pub(crate) type VariableTypes = Arc<BTreeMap<Text, Type>>;

/// Answers for the types of one policy.
#[derive(Debug)]
struct Types {
    /// None when there is no `variables` at all.
    variables: Option<VariableTypes>,
    patches: bool,
}

impl Types {
    fn is_patch_object(&self, name: &str) -> bool {
        self.patches
            && name
                .strip_prefix(OBJECT_TYPE)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }
}

impl TypeProvider for Types {
    /// Each variable of the policy is one of its own, so that it is computed when it is read and
    /// not before.
    fn find_variable(&self, name: &str) -> Option<Type> {
        let name = name.strip_prefix(VARIABLES)?.strip_prefix('.')?;
        self.variables.as_ref()?.get(name).cloned()
    }

    fn find_type(&self, name: &str) -> Option<Type> {
        match name {
            "duration" => return Some(Type::Duration),
            "timestamp" => return Some(Type::Timestamp),
            VARIABLES_TYPE if self.variables.is_some() => return Some(Type::object(name)),
            PATCH_TYPE if self.patches => return Some(Type::object(name)),
            _ => {}
        }
        let known = TYPES.iter().any(|(known, _)| *known == name) || self.is_patch_object(name);
        known.then(|| Type::object(name))
    }

    fn find_field(&self, object: &str, name: &str) -> Option<Type> {
        if object == VARIABLES_TYPE {
            return self.variables.as_ref()?.get(name).cloned();
        }
        if object == PATCH_TYPE && self.patches {
            // Upstream knows every field here, unknown ones without a type.
            return Some(field(PATCH_FIELDS, name).unwrap_or_else(|| Type::Object("".into())));
        }
        if self.is_patch_object(object) {
            return Some(Type::Dyn);
        }
        let (_, fields) = TYPES.iter().find(|(known, _)| *known == object)?;
        field(fields, name)
    }
}

/// What an expression is given besides the object and the request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Given {
    pub(crate) params: bool,
    pub(crate) authorizer: bool,
    /// Whether it makes a patch.
    pub(crate) patches: bool,
}

/// Which declarations count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Age {
    /// The expression is new: other servers must understand it too.
    New,
    /// The expression was accepted before.
    Stored,
}

/// The environment of an expression. `variables` are the names and types of those declared before
/// it; none when the policy has no variables at all.
pub(crate) fn environment(
    age: Age,
    given: Given,
    variables: Option<&VariableTypes>,
) -> (&'static Environment, Env) {
    let base = match (given.patches, age) {
        (true, _) => Environment::patching(),
        (false, Age::New) => Environment::crd(),
        (false, Age::Stored) => Environment::stored(),
    };
    let provider = Types { variables: variables.cloned(), patches: given.patches };
    let mut env = base
        .env
        .with_provider(Arc::new(provider))
        .with_variable(OBJECT, Type::Dyn)
        .with_variable(OLD_OBJECT, Type::Dyn)
        .with_variable(NAMESPACE, Type::object(NAMESPACE_TYPE))
        .with_variable(REQUEST, Type::object(REQUEST_TYPE));
    if given.params {
        env = env.with_variable(PARAMS, Type::Dyn);
    }
    if given.authorizer {
        env = env
            .with_variable(AUTHORIZER, authz::authorizer_type())
            .with_variable(REQUEST_RESOURCE, authz::resource_check_type());
    }
    if variables.is_some() {
        env = env.with_variable(VARIABLES, Type::object(VARIABLES_TYPE));
    }
    (base, env)
}

/// The type that a variable has for the expressions after it.
pub(crate) fn variable_type(ty: &Type) -> Type {
    match ty {
        Type::Any
        | Type::Bool
        | Type::Bytes
        | Type::Double
        | Type::Duration
        | Type::Int
        | Type::Null
        | Type::String
        | Type::Timestamp
        | Type::Uint => ty.clone(),
        Type::List(element) => Type::list(variable_type(element)),
        Type::Map(pair) => Type::map(variable_type(&pair.0), variable_type(&pair.1)),
        _ => Type::Dyn,
    }
}
