//! One method of a path: what it takes, what it answers with, and its parameters.

use ordain_registry::{Family, RestConfig};
use ordain_value::Text;

pub(super) const META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1";

/// Parameters with their types.
pub(super) type Parameters = &'static [(&'static str, &'static str)];

/// One method of a path.
pub(super) struct Operation {
    pub(super) method: &'static str,
    pub(super) action: &'static str,
    pub(super) verb: &'static str,
    /// The model of the answer.
    pub(super) answer: Text,
    /// The model of the body, if there is one.
    pub(super) body: Option<Text>,
    pub(super) parameters: Parameters,
}

/// An operation by its method, its action and its verb.
fn operation(
    [method, action, verb]: [&'static str; 3],
    answer: Text,
    body: Option<Text>,
    parameters: Parameters,
) -> Operation {
    Operation { method, action, verb, answer, body, parameters }
}

const WRITE: Parameters =
    &[("dryRun", "string"), ("fieldManager", "string"), ("fieldValidation", "string")];
const PATCH: Parameters = &[
    ("dryRun", "string"),
    ("fieldManager", "string"),
    ("fieldValidation", "string"),
    ("force", "boolean"),
];
const DELETE: Parameters = &[
    ("dryRun", "string"),
    ("gracePeriodSeconds", "integer"),
    ("ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"),
    ("orphanDependents", "boolean"),
    ("propagationPolicy", "string"),
];
pub(super) const LIST: Parameters = &[
    ("allowWatchBookmarks", "boolean"),
    ("continue", "string"),
    ("fieldSelector", "string"),
    ("labelSelector", "string"),
    ("limit", "integer"),
    ("resourceVersion", "string"),
    ("resourceVersionMatch", "string"),
    ("sendInitialEvents", "boolean"),
    ("shardSelector", "string"),
    ("timeoutSeconds", "integer"),
    ("watch", "boolean"),
];
const READ: Parameters = &[("resourceVersion", "string")];
const DELETE_COLLECTION: Parameters = &[
    ("continue", "string"),
    ("dryRun", "string"),
    ("fieldSelector", "string"),
    ("gracePeriodSeconds", "integer"),
    ("ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"),
    ("labelSelector", "string"),
    ("limit", "integer"),
    ("orphanDependents", "boolean"),
    ("propagationPolicy", "string"),
    ("resourceVersion", "string"),
    ("resourceVersionMatch", "string"),
    ("sendInitialEvents", "boolean"),
    ("shardSelector", "string"),
    ("timeoutSeconds", "integer"),
];
/// What a parameter is for.
pub(super) fn about(parameter: &str) -> &'static str {
    match parameter {
        "shardSelector" => "Selects a part of a list by hash; not served here.",
        "dryRun" => "All: the request is checked and nothing is stored.",
        "fieldManager" => "Who makes the change; required for apply.",
        "fieldValidation" => "What becomes of unknown and repeated fields: Ignore, Warn or Strict.",
        "force" => "Takes over fields of other managers on apply.",
        "gracePeriodSeconds" => "How long the object may take to end.",
        "ignoreStoreReadErrorWithClusterBreakingPotential" => {
            "Deletes an object that cannot be read, without its usual steps."
        }
        "orphanDependents" => "Replaced by propagationPolicy.",
        "propagationPolicy" => "What becomes of dependents: Orphan, Background or Foreground.",
        "allowWatchBookmarks" => "Whether a watch may send bookmarks.",
        "continue" => "Token of the page to go on with.",
        "fieldSelector" => "Selects by fields.",
        "labelSelector" => "Selects by labels.",
        "limit" => "How many items a page has at most.",
        "resourceVersion" => "Which versions the answer may show.",
        "resourceVersionMatch" => "How resourceVersion is meant.",
        "sendInitialEvents" => "Begins a watch with what is there.",
        "timeoutSeconds" => "How long a list or watch may take.",
        "watch" => "Watches instead of listing.",
        "pretty" => "Whether the answer is written for people.",
        _ => "",
    }
}

pub(super) fn create(model: &Text) -> Operation {
    operation(["post", "post", "create"], model.clone(), Some(model.clone()), WRITE)
}

pub(super) fn collection_operations(
    resource: &RestConfig,
    model: &Text,
    list_model: &Text,
) -> Vec<Operation> {
    let verbs = resource.verbs;
    let built_in = resource.family == Family::BuiltIn;
    let mut operations = Vec::new();
    if verbs.read {
        operations.push(list(list_model));
    }
    if verbs.create {
        operations.push(create(model));
    }
    if verbs.delete && resource.plural != "namespaces" {
        let body = built_in.then(|| format!("{META}.DeleteOptions").into());
        let parameters = if built_in { DELETE_COLLECTION } else { LIST };
        let answer = format!("{META}.Status").into();
        let words = ["delete", "deletecollection", "deletecollection"];
        operations.push(operation(words, answer, body, parameters));
    }
    operations
}

pub(super) fn object_operations(resource: &RestConfig, model: &Text) -> Vec<Operation> {
    let verbs = resource.verbs;
    let mut operations = Vec::new();
    if verbs.read {
        operations.push(read(resource, model));
    }
    if verbs.update {
        operations.push(replace(model));
        operations.push(patch(model));
    }
    if verbs.delete {
        let body = Some(format!("{META}.DeleteOptions").into());
        let answer = deletion_answer(resource, model);
        operations.push(operation(["delete"; 3], answer, body, DELETE));
    }
    operations
}

/// A delete that only marks is documented as one that answers with a Status.
fn deletion_answer(resource: &RestConfig, model: &Text) -> Text {
    let policy = resource.strategy.policy();
    match policy.returns_deleted && !policy.delete_marks {
        true => model.clone(),
        false => format!("{META}.Status").into(),
    }
}

pub(super) fn list(model: &Text) -> Operation {
    operation(["get", "list", "list"], model.clone(), None, LIST)
}

pub(super) fn read(resource: &RestConfig, model: &Text) -> Operation {
    let parameters = if resource.family == Family::BuiltIn { &[] } else { READ };
    operation(["get", "get", "read"], model.clone(), None, parameters)
}

pub(super) fn replace(model: &Text) -> Operation {
    operation(["put", "put", "replace"], model.clone(), Some(model.clone()), WRITE)
}

pub(super) fn patch(model: &Text) -> Operation {
    operation(["patch"; 3], model.clone(), Some(format!("{META}.Patch").into()), PATCH)
}
