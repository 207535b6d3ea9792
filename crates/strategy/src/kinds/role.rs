//! Role and ClusterRole: rules about what may be done to what.

use ordain_meta::name;
use ordain_schema::NodeId;
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::Kind;
use super::RBAC_GROUP as GROUP;
use super::declare::{Builder, FieldOf};
use crate::object;
use crate::rest_config::RestConfig;
use crate::strategy::{Change, Policy};
use crate::typed::Hooks;
use crate::typed::{printer, rules};

/// What roles and bindings have in common: a PUT creates them, and overwrites without a version.
pub(super) const POLICY: Policy = Policy {
    create_on_update: true,
    unconditional_update: true,
    returns_deleted: false,
    garbage_collection: crate::strategy::GarbageCollection::DeleteDependents,
    delete_marks: false,
};

fn rules_field(b: &mut Builder) -> FieldOf {
    let text = b.string();
    let texts = b.list(text);
    let rule = b.structure(
        "v1.PolicyRule",
        "io.k8s.api.rbac.v1.PolicyRule",
        vec![
            b.field("verbs", 1, texts).required().atomic().about("What may be done; * is all."),
            b.field("apiGroups", 2, texts).omit().atomic().about("Groups of the resources."),
            b.field("resources", 3, texts).omit().atomic().about("Resources; * is all."),
            b.field("resourceNames", 4, texts)
                .omit()
                .atomic()
                .about("The only objects that are meant; none means all."),
            b.field("nonResourceURLs", 5, texts)
                .omit()
                .atomic()
                .about("Paths that are no resources; a * at the end stands for the rest."),
        ],
    );
    b.describe(rule, "What may be done to what.");
    let list = b.list(rule);
    b.field("rules", 2, list).atomic().about("What the role allows.")
}

fn selector(b: &mut Builder) -> NodeId {
    let text = b.string();
    let (texts, labels) = (b.list(text), b.map(text));
    let requirement = b.structure(
        "v1.LabelSelectorRequirement",
        "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement",
        vec![
            b.field("key", 1, text).required().about("The label."),
            b.field("operator", 2, text).required().about("How values compare."),
            b.field("values", 3, texts).omit().atomic().about("The values."),
        ],
    );
    let requirements = b.list(requirement);
    let id = b.structure(
        "v1.LabelSelector",
        "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector",
        vec![
            b.field("matchLabels", 1, labels).omit().about("Labels that must be so."),
            b.field("matchExpressions", 2, requirements)
                .omit()
                .atomic()
                .about("Conditions that must hold."),
        ],
    );
    b.atomic(id);
    b.describe(id, "Selects objects by their labels.");
    id
}

pub(super) fn config() -> RestConfig {
    let mut b = Builder::default();
    let fields = vec![rules_field(&mut b)];
    let about = "What may be done in a namespace.";
    let schema = b.kind("Role", "io.k8s.api.rbac.v1.Role", about, fields);
    let mut hooks = Hooks::new(|change| validate(change, true));
    hooks.cells = cells;
    Kind {
        group: GROUP,
        kind: "Role",
        plural: "roles",
        policy: POLICY,
        columns: columns(),
        ..Kind::core(schema, hooks)
    }
    .config()
}

pub(super) fn cluster_config() -> RestConfig {
    let mut b = Builder::default();
    let selector = selector(&mut b);
    let selectors = b.list(selector);
    let aggregation = b.structure(
        "v1.AggregationRule",
        "io.k8s.api.rbac.v1.AggregationRule",
        vec![
            b.field("clusterRoleSelectors", 1, selectors)
                .omit()
                .atomic()
                .about("Selects the roles whose rules are gathered."),
        ],
    );
    b.describe(aggregation, "How a role gathers the rules of others.");
    let fields = vec![
        rules_field(&mut b),
        b.field("aggregationRule", 3, aggregation).pointer().about("Where its rules come from."),
    ];
    let about = "What may be done anywhere.";
    let schema = b.kind("ClusterRole", "io.k8s.api.rbac.v1.ClusterRole", about, fields);
    let mut hooks = Hooks::new(|change| {
        let mut errors = validate(change, false);
        validate_aggregation(change.object, &mut errors);
        errors
    });
    hooks.cells = cells;
    Kind {
        group: GROUP,
        kind: "ClusterRole",
        plural: "clusterroles",
        namespaced: false,
        policy: POLICY,
        columns: columns(),
        ..Kind::core(schema, hooks)
    }
    .config()
}

fn columns() -> Vec<crate::rest_config::Column> {
    let mut created = printer::column("Created At", printer::AGE, 0);
    created.ty = "date".into();
    vec![printer::column("Name", printer::NAME, 0), created]
}

fn cells(object: &Value, _now: i64) -> Vec<Value> {
    vec![object::name(object).into(), object::text(object, "creationTimestamp").into()]
}

/// The rules of metadata, all of them also on an update.
pub(super) fn metadata(change: &Change<'_>, namespaced: bool) -> field::ErrorList {
    let mut errors = rules::metadata(change, namespaced, name::path_segment_rule);
    if change.old.is_some() {
        let whole = Change { old: None, ..*change };
        errors.extend(rules::metadata(&whole, namespaced, name::path_segment_rule));
    }
    errors
}

fn validate(change: &Change<'_>, namespaced: bool) -> field::ErrorList {
    let mut errors = metadata(change, namespaced);
    let list = change.object.get("rules").and_then(Value::as_list);
    for (at, rule) in list.into_iter().flat_map(|list| list.iter()).enumerate() {
        validate_rule(rule, namespaced, &Path::new("rules").index(at), &mut errors);
    }
    errors
}

fn validate_rule(rule: &Value, namespaced: bool, path: &Path<'_>, errors: &mut field::ErrorList) {
    let list = |name: &str| {
        rule.get(name).filter(|value| value.as_list().is_some_and(|list| !list.is_empty()))
    };
    if list("verbs").is_none() {
        let why = "verbs must contain at least one value";
        errors.push(field::Error::required(&path.child("verbs"), why));
    }
    let resource = ["apiGroups", "resources", "resourceNames"];
    if let Some(urls) = list("nonResourceURLs") {
        let path = path.child("nonResourceURLs");
        if namespaced {
            let why = "namespaced rules cannot apply to non-resource URLs";
            errors.push(field::Error::invalid(&path, urls.clone(), why));
        }
        if resource.iter().any(|name| list(name).is_some()) {
            let why = "rules cannot apply to both regular resources and non-resource URLs";
            errors.push(field::Error::invalid(&path, urls.clone(), why));
        }
        return;
    }
    if list("apiGroups").is_none() {
        let why = "resource rules must supply at least one api group";
        errors.push(field::Error::required(&path.child("apiGroups"), why));
    }
    if list("resources").is_none() {
        let why = "resource rules must supply at least one resource";
        errors.push(field::Error::required(&path.child("resources"), why));
    }
}

fn validate_aggregation(role: &Value, errors: &mut field::ErrorList) {
    let Some(aggregation) = role.get("aggregationRule").filter(|it| !it.is_null()) else { return };
    let path = Path::new("aggregationRule");
    let path = path.child("clusterRoleSelectors");
    let list = aggregation.get("clusterRoleSelectors").and_then(Value::as_list);
    let Some(list) = list.filter(|list| !list.is_empty()) else {
        let why = "at least one clusterRoleSelector required if aggregationRule is non-nil";
        errors.push(field::Error::required(&path, why));
        return;
    };
    for (at, selector) in list.iter().enumerate() {
        validate_selector(selector, &path.index(at), errors);
    }
}

fn validate_selector(selector: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let labels = selector.get("matchLabels").and_then(Value::as_map);
    let labels_path = path.child("matchLabels");
    for (key, value) in labels.into_iter().flat_map(ordain_value::Map::iter) {
        for problem in name::qualified_name(key) {
            errors.push(field::Error::invalid(&labels_path, key.as_str(), problem));
        }
        for problem in name::label_value(value.as_str().unwrap_or("")) {
            errors.push(field::Error::invalid(&labels_path.key(key), value.clone(), problem));
        }
    }
    let expressions = selector.get("matchExpressions").and_then(Value::as_list);
    let all = path.child("matchExpressions");
    for (at, expression) in expressions.into_iter().flat_map(|list| list.iter()).enumerate() {
        validate_expression(expression, &all.index(at), errors);
    }
}

fn validate_expression(expression: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let text = |name: &str| expression.get(name).and_then(Value::as_str).unwrap_or("");
    let values = expression.get("values").and_then(Value::as_list);
    let count = values.map_or(0, |list| list.len());
    match text("operator") {
        "In" | "NotIn" if count == 0 => {
            let why = "must be specified when `operator` is 'In' or 'NotIn'";
            errors.push(field::Error::required(&path.child("values"), why));
        }
        "Exists" | "DoesNotExist" if count > 0 => {
            let why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
            errors.push(field::Error::forbidden(&path.child("values"), why));
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
        operator => {
            let why = "not a valid selector operator";
            errors.push(field::Error::invalid(&path.child("operator"), operator, why));
        }
    }
    for problem in name::qualified_name(text("key")) {
        errors.push(field::Error::invalid(&path.child("key"), text("key"), problem));
    }
    let place = path.child("values");
    for (at, value) in values.into_iter().flat_map(|list| list.iter()).enumerate() {
        for problem in name::label_value(value.as_str().unwrap_or("")) {
            errors.push(field::Error::invalid(&place.index(at), value.clone(), problem));
        }
    }
}
