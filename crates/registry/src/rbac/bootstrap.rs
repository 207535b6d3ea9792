//! The roles and bindings that every server begins with. Rules name the kinds that every server
//! has; roles for other kinds join `admin`, `edit` and `view` by their labels.

use std::sync::Arc;

use futures_util::future::try_join_all;
use ordain_meta::status::{Reason, Status};
use ordain_value::{Map, Text, Value, json, value};

use super::{GROUP, Rule};
use crate::decode::{Body, Media};
use crate::registry::{Registry, Target};
use crate::request::{ListOptions, Warnings, WriteOptions};

const READ: &[&str] = &["get", "list", "watch"];
const WRITE: &[&str] = &["create", "delete", "deletecollection", "patch", "update"];
const READ_WRITE: &[&str] =
    &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/// Creates what is missing; what is there stays as it is.
pub(super) async fn create_missing(registry: &Registry) -> Result<(), Status> {
    // All at once, so that one sync of the disk serves many.
    try_join_all([
        create_kind(registry, "clusterroles", roles()),
        create_kind(registry, "clusterrolebindings", bindings()),
    ])
    .await
    .map(|_| ())
}

async fn create_kind(registry: &Registry, plural: &str, objects: Vec<Value>) -> Result<(), Status> {
    let Some(config) = registry.catalog().get(GROUP, plural).cloned() else {
        return Err(Status::internal(&format!("{plural} are not served")));
    };
    let target = Target {
        version: config.storage_version.clone(),
        resource: Arc::clone(&config),
        namespace: Text::default(),
        name: Text::default(),
    };
    let known = registry.list(&target, &ListOptions::default()).await?.items;
    let is_missing = |object: &Value| {
        !known.iter().any(|it| crate::object::name(it) == crate::object::name(object))
    };
    let missing = objects.into_iter().filter(is_missing);
    try_join_all(missing.map(|object| create(registry, &target, object))).await.map(|_| ())
}

async fn create(registry: &Registry, target: &Target, object: Value) -> Result<(), Status> {
    let bytes = json::encode(&object);
    let body = Body { bytes: &bytes, media: Media::Json };
    let options = WriteOptions { field_manager: "ordain".into(), ..WriteOptions::default() };
    match registry.create(target, &body, &options, &mut Warnings::default()).await {
        // Another server on the same store was faster.
        Err(status) if status.reason == Reason::AlreadyExists => Ok(()),
        result => result.map(|_| ()),
    }
}

fn texts(list: &[&str]) -> Vec<Text> {
    list.iter().map(|text| Text::from(*text)).collect()
}

fn resources(verbs: &[&str], group: &str, resources: &[&str]) -> Rule {
    Rule {
        verbs: texts(verbs),
        groups: vec![group.into()],
        resources: texts(resources),
        ..Rule::default()
    }
}

fn urls(urls: &[&str]) -> Rule {
    Rule { verbs: texts(&["get"]), urls: texts(urls), ..Rule::default() }
}

fn object(kind: &str, name: &str, labels: &[&str]) -> Map {
    let mut all = Map::new();
    all.insert("kubernetes.io/bootstrapping", "rbac-defaults".into());
    for label in labels {
        all.insert(format!("rbac.authorization.k8s.io/{label}"), "true".into());
    }
    let metadata = value!({
        "name": name,
        "labels": (Value::Map(all)),
        "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"}
    });
    let mut map = Map::new();
    map.insert("apiVersion", "rbac.authorization.k8s.io/v1".into());
    map.insert("kind", kind.into());
    map.insert("metadata", metadata);
    map
}

fn role(name: &str, labels: &[&str], rules: Vec<Rule>) -> Value {
    let mut role = object("ClusterRole", name, labels);
    let rules: Vec<Value> = rules.iter().map(Rule::encode).collect();
    role.insert("rules", rules.into());
    Value::Map(role)
}

/// A role that has the rules of all roles with a label.
fn gathering(name: &str, labels: &[&str], label: &str) -> Value {
    let mut role = object("ClusterRole", name, labels);
    let mut selector = Map::new();
    selector.insert(format!("rbac.authorization.k8s.io/{label}"), "true".into());
    let selector = value!({"matchLabels": (Value::Map(selector))});
    role.insert("aggregationRule", value!({"clusterRoleSelectors": [(selector)]}));
    Value::Map(role)
}

fn roles() -> Vec<Value> {
    const HEALTH: [&str; 5] = ["/healthz", "/livez", "/readyz", "/version", "/version/"];
    let discovery =
        ["/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*"].iter().chain(&HEALTH);
    let discovery: Vec<&str> = discovery.copied().collect();
    let monitoring = [
        "/healthz",
        "/healthz/*",
        "/livez",
        "/livez/*",
        "/metrics",
        "/metrics/slis",
        "/readyz",
        "/readyz/*",
    ];
    vec![
        role(
            "cluster-admin",
            &[],
            vec![
                resources(&["*"], "*", &["*"]),
                Rule { verbs: texts(&["*"]), urls: texts(&["*"]), ..Rule::default() },
            ],
        ),
        role("system:discovery", &[], vec![urls(&discovery)]),
        role(
            "system:basic-user",
            &[],
            vec![
                resources(
                    &["create"],
                    "authorization.k8s.io",
                    &["selfsubjectaccessreviews", "selfsubjectrulesreviews"],
                ),
                resources(&["create"], "authentication.k8s.io", &["selfsubjectreviews"]),
            ],
        ),
        role("system:public-info-viewer", &[], vec![urls(&HEALTH)]),
        role("system:monitoring", &[], vec![urls(&monitoring)]),
        gathering("admin", &[], "aggregate-to-admin"),
        gathering("edit", &["aggregate-to-admin"], "aggregate-to-edit"),
        gathering("view", &["aggregate-to-edit"], "aggregate-to-view"),
        role(
            "system:aggregate-to-admin",
            &["aggregate-to-admin"],
            vec![
                resources(&["create"], "authorization.k8s.io", &["localsubjectaccessreviews"]),
                resources(READ_WRITE, GROUP, &["rolebindings", "roles"]),
            ],
        ),
        role(
            "system:aggregate-to-edit",
            &["aggregate-to-edit"],
            vec![
                resources(READ, "", &["secrets"]),
                resources(&["impersonate"], "", &["serviceaccounts"]),
                resources(WRITE, "", &["configmaps", "events", "secrets", "serviceaccounts"]),
                resources(WRITE, "", &["services"]),
                resources(WRITE, "events.k8s.io", &["events"]),
                resources(READ_WRITE, "coordination.k8s.io", &["leases"]),
            ],
        ),
        role(
            "system:aggregate-to-view",
            &["aggregate-to-view"],
            vec![
                resources(READ, "", &["configmaps", "events", "serviceaccounts", "services"]),
                resources(READ, "", &["namespaces", "namespaces/status"]),
                resources(READ, "events.k8s.io", &["events"]),
            ],
        ),
    ]
}

fn bindings() -> Vec<Value> {
    let bind = |name: &str, groups: &[&str]| {
        let mut binding = object("ClusterRoleBinding", name, &[]);
        binding.insert("roleRef", value!({"apiGroup": GROUP, "kind": "ClusterRole", "name": name}));
        let subject = |group: &&str| value!({"apiGroup": GROUP, "kind": "Group", "name": (*group)});
        binding.insert("subjects", groups.iter().map(subject).collect::<Vec<_>>().into());
        Value::Map(binding)
    };
    vec![
        bind("cluster-admin", &["system:masters"]),
        bind("system:discovery", &["system:authenticated"]),
        bind("system:basic-user", &["system:authenticated"]),
        bind("system:public-info-viewer", &["system:authenticated", "system:unauthenticated"]),
        bind("system:monitoring", &["system:monitoring"]),
    ]
}
