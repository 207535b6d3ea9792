//! Reviews: questions that are answered and not stored.

use ordain_schema::NodeId;
use ordain_value::field::{self, Path};
use ordain_value::{Map, Value};

use super::Kind;
use super::declare::{Builder, FieldOf};
use crate::object;
use crate::rest_config::{RestConfig, Verbs};
use crate::strategy::Change;
use crate::typed::Hooks;

const AUTHENTICATION: &str = "authentication.k8s.io";
const AUTHORIZATION: &str = "authorization.k8s.io";

fn kind(
    group: &'static str,
    kind: &'static str,
    plural: &'static str,
    schema: ordain_schema::Schema,
    validate: fn(&Change<'_>) -> field::ErrorList,
) -> RestConfig {
    Kind {
        group,
        kind,
        plural,
        namespaced: false,
        verbs: Verbs::CREATE_ONLY,
        ..Kind::core(schema, Hooks::new(validate))
    }
    .config()
}

pub(super) fn self_subject_review() -> RestConfig {
    let mut b = Builder::default();
    let text = b.string();
    let (texts, extra) = (b.list(text), b.extra_value());
    let extras = b.map(extra);
    let user = b.structure(
        "v1.UserInfo",
        "io.k8s.api.authentication.v1.UserInfo",
        vec![
            b.field("username", 1, text).omit().about("Name of the user."),
            b.field("uid", 2, text).omit().about("Tells users apart that had the same name."),
            b.field("groups", 3, texts).omit().atomic().about("Groups of the user."),
            b.field("extra", 4, extras).omit().about("What the authenticator adds."),
        ],
    );
    b.describe(user, "A user.");
    let status = b.structure(
        "v1.SelfSubjectReviewStatus",
        "io.k8s.api.authentication.v1.SelfSubjectReviewStatus",
        vec![b.field("userInfo", 1, user).omit().about("Who made the request.")],
    );
    let fields = vec![b.field("status", 2, status).omit().about("Who made the request.")];
    let published = "io.k8s.api.authentication.v1.SelfSubjectReview";
    let schema = b.kind("SelfSubjectReview", published, "Asks who one is.", fields);
    kind(AUTHENTICATION, "SelfSubjectReview", "selfsubjectreviews", schema, |_| {
        field::ErrorList::new()
    })
}

fn attributes(b: &mut Builder) -> (NodeId, NodeId) {
    let text = b.string();
    let texts = b.list(text);
    let mut requirement = |name: &str| {
        let published = format!("io.k8s.apimachinery.pkg.apis.meta.v1.{name}");
        let id = b.structure(
            &format!("v1.{name}"),
            &published,
            vec![
                b.field("key", 1, text).required().about("What is selected by."),
                b.field("operator", 2, text).required().about("How values compare."),
                b.field("values", 3, texts).omit().atomic().about("The values."),
            ],
        );
        b.list(id)
    };
    let by_field = requirement("FieldSelectorRequirement");
    let by_label = requirement("LabelSelectorRequirement");
    let mut selector = |name: &str, requirements: NodeId| {
        b.structure(
            &format!("v1.{name}"),
            &format!("io.k8s.api.authorization.v1.{name}"),
            vec![
                b.field("rawSelector", 1, text).omit().about("The selector as text."),
                b.field("requirements", 2, requirements).omit().atomic().about("Its parts."),
            ],
        )
    };
    let fields = selector("FieldSelectorAttributes", by_field);
    let labels = selector("LabelSelectorAttributes", by_label);
    let resource = b.structure(
        "v1.ResourceAttributes",
        "io.k8s.api.authorization.v1.ResourceAttributes",
        vec![
            b.field("namespace", 1, text).omit(),
            b.field("verb", 2, text).omit(),
            b.field("group", 3, text).omit(),
            b.field("version", 4, text).omit(),
            b.field("resource", 5, text).omit(),
            b.field("subresource", 6, text).omit(),
            b.field("name", 7, text).omit(),
            b.field("fieldSelector", 8, fields).pointer(),
            b.field("labelSelector", 9, labels).pointer(),
        ],
    );
    b.describe(resource, "A request for a resource.");
    let other = b.structure(
        "v1.NonResourceAttributes",
        "io.k8s.api.authorization.v1.NonResourceAttributes",
        vec![b.field("path", 1, text).omit(), b.field("verb", 2, text).omit()],
    );
    b.describe(other, "A request for something else.");
    (resource, other)
}

fn access_status(b: &mut Builder) -> NodeId {
    let (text, flag) = (b.string(), b.boolean());
    let id = b.structure(
        "v1.SubjectAccessReviewStatus",
        "io.k8s.api.authorization.v1.SubjectAccessReviewStatus",
        vec![
            b.field("allowed", 1, flag).required().about("Whether it is allowed."),
            b.field("denied", 4, flag).omit().about("Whether it is refused for certain."),
            b.field("reason", 2, text).omit().about("Why."),
            b.field("evaluationError", 3, text).omit().about("What went wrong on the way."),
        ],
    );
    b.describe(id, "The answer.");
    id
}

/// The specification of a review about somebody, and its answer.
fn access_fields(b: &mut Builder) -> Vec<FieldOf> {
    let text = b.string();
    let (texts, extra) = (b.list(text), b.extra_value());
    let extras = b.map(extra);
    let (resource, other) = attributes(b);
    let spec = b.structure(
        "v1.SubjectAccessReviewSpec",
        "io.k8s.api.authorization.v1.SubjectAccessReviewSpec",
        vec![
            b.field("resourceAttributes", 1, resource).pointer(),
            b.field("nonResourceAttributes", 2, other).pointer(),
            b.field("user", 3, text).omit(),
            b.field("groups", 4, texts).omit().atomic(),
            b.field("extra", 5, extras).omit(),
            b.field("uid", 6, text).omit(),
        ],
    );
    let status = access_status(b);
    vec![b.field("spec", 2, spec).required(), b.field("status", 3, status).omit()]
}

pub(super) fn subject_access_review() -> RestConfig {
    let mut b = Builder::default();
    let fields = access_fields(&mut b);
    let published = "io.k8s.api.authorization.v1.SubjectAccessReview";
    let about = "Asks whether somebody may do something.";
    let schema = b.kind("SubjectAccessReview", published, about, fields);
    kind(AUTHORIZATION, "SubjectAccessReview", "subjectaccessreviews", schema, |change| {
        validate(change, true)
    })
}

pub(super) fn local_subject_access_review() -> RestConfig {
    let mut b = Builder::default();
    let fields = access_fields(&mut b);
    let published = "io.k8s.api.authorization.v1.LocalSubjectAccessReview";
    let about = "Asks whether somebody may do something in one namespace.";
    let schema = b.kind("LocalSubjectAccessReview", published, about, fields);
    let hooks = Hooks::new(validate_local);
    Kind {
        group: AUTHORIZATION,
        kind: "LocalSubjectAccessReview",
        plural: "localsubjectaccessreviews",
        verbs: Verbs::CREATE_ONLY,
        ..Kind::core(schema, hooks)
    }
    .config()
}

pub(super) fn self_subject_rules_review() -> RestConfig {
    let mut b = Builder::default();
    let (text, flag) = (b.string(), b.boolean());
    let texts = b.list(text);
    let resource = b.structure(
        "v1.ResourceRule",
        "io.k8s.api.authorization.v1.ResourceRule",
        vec![
            b.field("verbs", 1, texts).required().atomic().about("What may be done."),
            b.field("apiGroups", 2, texts).omit().atomic().about("Groups of the resources."),
            b.field("resources", 3, texts).omit().atomic().about("Resources."),
            b.field("resourceNames", 4, texts).omit().atomic().about("Objects; none means all."),
        ],
    );
    b.describe(resource, "What may be done to resources.");
    let other = b.structure(
        "v1.NonResourceRule",
        "io.k8s.api.authorization.v1.NonResourceRule",
        vec![
            b.field("verbs", 1, texts).required().atomic().about("What may be done."),
            b.field("nonResourceURLs", 2, texts).omit().atomic().about("Paths."),
        ],
    );
    b.describe(other, "What may be done to paths.");
    let (resources, others) = (b.list(resource), b.list(other));
    let status = b.structure(
        "v1.SubjectRulesReviewStatus",
        "io.k8s.api.authorization.v1.SubjectRulesReviewStatus",
        vec![
            b.field("resourceRules", 1, resources).required().atomic().about("For resources."),
            b.field("nonResourceRules", 2, others).required().atomic().about("For paths."),
            b.field("incomplete", 3, flag).required().about("Whether there may be more."),
            b.field("evaluationError", 4, text).omit().about("What went wrong on the way."),
        ],
    );
    b.describe(status, "The answer.");
    let spec = b.structure(
        "v1.SelfSubjectRulesReviewSpec",
        "io.k8s.api.authorization.v1.SelfSubjectRulesReviewSpec",
        vec![b.field("namespace", 1, text).omit().about("Where.")],
    );
    let fields = vec![b.field("spec", 2, spec).required(), b.field("status", 3, status).omit()];
    let published = "io.k8s.api.authorization.v1.SelfSubjectRulesReview";
    let about = "Asks for everything that one may do in a namespace.";
    let schema = b.kind("SelfSubjectRulesReview", published, about, fields);
    kind(AUTHORIZATION, "SelfSubjectRulesReview", "selfsubjectrulesreviews", schema, |_| {
        field::ErrorList::new()
    })
}

pub(super) fn self_subject_access_review() -> RestConfig {
    let mut b = Builder::default();
    let (resource, other) = attributes(&mut b);
    let spec = b.structure(
        "v1.SelfSubjectAccessReviewSpec",
        "io.k8s.api.authorization.v1.SelfSubjectAccessReviewSpec",
        vec![
            b.field("resourceAttributes", 1, resource).pointer(),
            b.field("nonResourceAttributes", 2, other).pointer(),
        ],
    );
    let status = access_status(&mut b);
    let fields = vec![b.field("spec", 2, spec).required(), b.field("status", 3, status).omit()];
    let published = "io.k8s.api.authorization.v1.SelfSubjectAccessReview";
    let about = "Asks whether one may do something.";
    let schema = b.kind("SelfSubjectAccessReview", published, about, fields);
    kind(AUTHORIZATION, "SelfSubjectAccessReview", "selfsubjectaccessreviews", schema, |change| {
        validate(change, false)
    })
}

fn validate(change: &Change<'_>, names_user: bool) -> field::ErrorList {
    let mut errors = validate_spec(change, names_user);
    validate_metadata(change, &[], "must be empty", &mut errors);
    errors
}

fn validate_local(change: &Change<'_>) -> field::ErrorList {
    let mut errors = validate_spec(change, true);
    let why = "must be empty except for namespace";
    validate_metadata(change, &["namespace"], why, &mut errors);
    let spec = |name: &str| change.object.get_path(&["spec", name]);
    if let Some(resource) = spec("resourceAttributes") {
        let namespace = resource.get("namespace").and_then(Value::as_str).unwrap_or("");
        if namespace != object::namespace(change.object) {
            let path = Path::new("spec.resourceAttributes.namespace");
            let why = "must match metadata.namespace";
            errors.push(field::Error::invalid(&path, namespace, why));
        }
    }
    if let Some(other) = spec("nonResourceAttributes") {
        let path = Path::new("spec.nonResourceAttributes");
        let why = "disallowed on this kind of request";
        errors.push(field::Error::invalid(&path, other.clone(), why));
    }
    errors
}

fn validate_metadata(
    change: &Change<'_>,
    allowed: &[&str],
    why: &str,
    errors: &mut field::ErrorList,
) {
    let metadata = object::metadata(change.object);
    let given = |map: &Map| {
        map.iter().any(|(key, value)| {
            key != "managedFields" && !allowed.contains(&key.as_str()) && !value.is_null()
        })
    };
    if metadata.is_some_and(given) {
        let value = Value::Map(metadata.cloned().unwrap_or_default());
        errors.push(field::Error::invalid(&Path::new("metadata"), value, why));
    }
}

fn validate_spec(change: &Change<'_>, names_user: bool) -> field::ErrorList {
    let mut errors = field::ErrorList::new();
    let empty = Value::Map(Map::new());
    let spec = change.object.get("spec").unwrap_or(&empty);
    let path = Path::new("spec");
    let (resource, other) = (spec.get("resourceAttributes"), spec.get("nonResourceAttributes"));
    if let (Some(_), Some(other)) = (resource, other) {
        let why = "cannot be specified in combination with resourceAttributes";
        let path = path.child("nonResourceAttributes");
        errors.push(field::Error::invalid(&path, other.clone(), why));
    }
    if resource.is_none() && other.is_none() {
        let why = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
        let path = path.child("resourceAttributes");
        errors.push(field::Error::invalid(&path, Value::Null, why));
    }
    let has = |name: &str| spec.get(name).is_some();
    if names_user && !has("user") && !has("groups") {
        let why = "at least one of user or group must be specified";
        errors.push(field::Error::invalid(&path.child("user"), "", why));
    }
    errors
}
