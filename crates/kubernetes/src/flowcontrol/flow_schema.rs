//! FlowSchema: which requests belong to which priority level.

use ordain_meta::name;
use ordain_strategy::typed::{COUNT_SPEC, Hooks, printer};
use ordain_strategy::{Change, Part, object};
use ordain_value::field::{self, Path};
use ordain_value::{Value, value};

use super::condition;
use crate::native::Native;
use crate::shared::access::{flag, int, items, part, some, text, texts};
use crate::shared::diff::Shape::{Flag, List, Number, Plain, Pointer, Struct, Text};
use crate::shared::diff::{self, Shape};
use crate::shared::{metadata, net, table};

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.lifecycle = COUNT_SPEC;
    hooks.cells = cells;
    let mut columns = table::columns(
        &[
            ("PriorityLevel", "string", "The level of the requests."),
            ("MatchingPrecedence", "string", "Which schema is asked first."),
            ("DistinguisherMethod", "string", "What tells flows apart."),
        ],
        &[],
    );
    columns.push(printer::column("MissingPL", "Whether the level is missing.", 0));
    Native {
        hooks,
        columns,
        status_reset: &[&["spec"], &["metadata"]],
        ..Native::new("flowcontrol.apiserver.k8s.io", "FlowSchema")
    }
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let mut errors = field::ErrorList::new();
    if change.part == Part::Status {
        condition::validate(change.object, &mut errors);
        return errors;
    }
    errors.extend(metadata::whole(change, false, name::subdomain_rule));
    let (schema, spec) = (object::name(change.object), part(change.object, "spec"));
    let path = Path::new("spec");
    precedence(int(spec, "matchingPrecedence"), schema, &path, &mut errors);
    if let Some(method) = some(spec, "distinguisherMethod") {
        let methods = ["ByNamespace", "ByUser"];
        if !methods.contains(&text(method, "type")) {
            let shown = diff::shown(method, &METHOD);
            let path = path.child("distinguisherMethod");
            errors.push(field::Error::not_supported(&path.child("type"), shown, &methods));
        }
    }
    level(spec, &path, &mut errors);
    let list = path.child("rules");
    for (at, item) in items(spec, "rules").iter().enumerate() {
        rule(item, &list.index(at), &mut errors);
    }
    mandatory(spec, schema, &path, &mut errors);
    condition::validate(change.object, &mut errors);
    errors
}

fn precedence(value: i64, schema: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    const PRECEDENCE_MAX: i64 = 10_000;
    let path = path.child("matchingPrecedence");
    let mut refuse = |why: &str| errors.push(field::Error::invalid(&path, value, why));
    if value <= 0 {
        refuse("must be a positive value");
    }
    if value > PRECEDENCE_MAX {
        refuse(&format!("must not be greater than {PRECEDENCE_MAX}"));
    }
    if value == 1 && schema != "exempt" {
        refuse("only the schema named 'exempt' may have matchingPrecedence 1");
    }
}

fn level(spec: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let path = path.child("priorityLevelConfiguration");
    let path = path.child("name");
    match text(part(spec, "priorityLevelConfiguration"), "name") {
        "" => errors.push(field::Error::required(&path, "must reference a priority level")),
        name => errors.extend(net::subdomain(&path, name)),
    }
}

fn rule(rule: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let (subjects, list) = (items(rule, "subjects"), path.child("subjects"));
    if subjects.is_empty() {
        let why = "subjects must contain at least one value";
        errors.push(field::Error::required(&list, why));
    }
    for (at, item) in subjects.iter().enumerate() {
        subject(item, &list.index(at), errors);
    }
    let (resources, others) = (items(rule, "resourceRules"), items(rule, "nonResourceRules"));
    if resources.is_empty() && others.is_empty() {
        let why = "at least one of resourceRules and nonResourceRules has to be non-empty";
        errors.push(field::Error::required(path, why));
    }
    let list = path.child("resourceRules");
    for (at, item) in resources.iter().enumerate() {
        resource_rule(item, &list.index(at), errors);
    }
    let list = path.child("nonResourceRules");
    for (at, item) in others.iter().enumerate() {
        url_rule(item, &list.index(at), errors);
    }
}

/// The member that each kind of subject has.
const MEMBERS: [(&str, &str); 3] =
    [("ServiceAccount", "serviceAccount"), ("User", "user"), ("Group", "group")];

fn subject(subject: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    let kind = text(subject, "kind");
    if !MEMBERS.iter().any(|it| it.0 == kind) {
        let kinds = ["Group", "ServiceAccount", "User"];
        errors.push(field::Error::not_supported(&path.child("kind"), kind, &kinds));
        return;
    }
    for (owner, member) in MEMBERS {
        let place = path.child(member);
        match (owner == kind, some(subject, member)) {
            (true, Some(value)) => named_subject(value, kind, &place, errors),
            (true, None) => {
                let why = format!("{member} is required when subject kind is '{owner}'");
                errors.push(field::Error::required(&place, why));
            }
            (false, Some(_)) => {
                let why = format!("{member} is forbidden when subject kind is not '{owner}'");
                errors.push(field::Error::forbidden(&place, why));
            }
            (false, None) => {}
        }
    }
}

fn named_subject(subject: &Value, kind: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    let (name, place) = (text(subject, "name"), path.child("name"));
    if name.is_empty() {
        errors.push(field::Error::required(&place, ""));
    }
    if kind != "ServiceAccount" {
        return;
    }
    if !matches!(name, "" | "*") {
        errors.extend(net::subdomain(&place, name));
    }
    let place = path.child("namespace");
    match text(subject, "namespace") {
        "" => {
            let why = "must specify namespace for service account";
            errors.push(field::Error::required(&place, why));
        }
        namespace => errors.extend(net::label(&place, namespace)),
    }
}

fn shown_list(rule: &Value, name: &str) -> Value {
    rule.get(name).cloned().unwrap_or(Value::Null)
}

fn verbs(rule: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    const VERBS: [&str; 9] = [
        "create",
        "delete",
        "deletecollection",
        "get",
        "list",
        "patch",
        "proxy",
        "update",
        "watch",
    ];
    let (given, path) = (texts(rule, "verbs"), path.child("verbs"));
    let shown = || shown_list(rule, "verbs");
    if given.is_empty() {
        errors.push(field::Error::required(&path, "verbs must contain at least one value"));
    } else if given.contains(&"*") {
        if given.len() > 1 {
            let why = "if '*' is present, must not specify other verbs";
            errors.push(field::Error::invalid(&path, shown(), why));
        }
    } else if !given.iter().all(|verb| VERBS.contains(verb)) {
        errors.push(field::Error::not_supported(&path, shown(), &VERBS));
    }
}

fn resource_rule(rule: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    verbs(rule, path, errors);
    for (name, one, others) in
        [("apiGroups", "api group", "api groups"), ("resources", "resource", "resources")]
    {
        let (given, path) = (texts(rule, name), path.child(name));
        if given.is_empty() {
            let why = format!("resource rules must supply at least one {one}");
            errors.push(field::Error::required(&path, why));
        } else if given.len() > 1 && given.contains(&"*") {
            let why = format!("if '*' is present, must not specify other {others}");
            errors.push(field::Error::invalid(&path, shown_list(rule, name), why));
        }
    }
    let (namespaces, path) = (texts(rule, "namespaces"), path.child("namespaces"));
    if namespaces.is_empty() {
        if !flag(rule, "clusterScope") {
            let why = "resource rules that are not cluster scoped must supply at least one \
                       namespace";
            errors.push(field::Error::required(&path, why));
        }
    } else if namespaces.contains(&"*") {
        if namespaces.len() > 1 {
            let why = "if '*' is present, must not specify other namespaces";
            errors.push(field::Error::invalid(&path, shown_list(rule, "namespaces"), why));
        }
    } else {
        for (at, namespace) in namespaces.into_iter().enumerate() {
            for problem in name::dns_1123_label(namespace) {
                let why =
                    format!("each member of this list must be '*' or a DNS-1123 label; {problem}");
                errors.push(field::Error::invalid(&path.index(at), namespace, why));
            }
        }
    }
}

fn url_rule(rule: &Value, path: &Path<'_>, errors: &mut field::ErrorList) {
    verbs(rule, path, errors);
    let (urls, path) = (texts(rule, "nonResourceURLs"), path.child("nonResourceURLs"));
    if urls.is_empty() {
        let why = "nonResourceURLs must contain at least one value";
        errors.push(field::Error::required(&path, why));
    } else if urls.contains(&"*") {
        if urls.len() > 1 {
            let why = "if '*' is present, must not specify other non-resource URLs";
            errors.push(field::Error::invalid(&path, shown_list(rule, "nonResourceURLs"), why));
        }
    } else {
        for (at, url) in urls.into_iter().enumerate() {
            if let Some(why) = url_problem(url) {
                errors.push(field::Error::invalid(&path.index(at), url, why));
            }
        }
    }
}

/// What a path of requests has against it; a star may only stand alone at its end.
fn url_problem(url: &str) -> Option<&'static str> {
    let stars = url.matches('*').count();
    match url {
        "" => Some("must not be empty"),
        "/" => None,
        _ if !url.starts_with('/') => Some("must start with slash"),
        _ if url.contains(' ') => Some("must not contain white-space"),
        _ if url.contains("//") => Some("must not contain double slash"),
        _ if stars > 1 || (stars == 1 && !url.ends_with("/*")) => {
            Some("wildcard can only do suffix matching")
        }
        _ => None,
    }
}

const METHOD: Shape = Struct(&[("Type", "type", Text)]);
const NAMED: Shape = Pointer(&Struct(&[("Name", "name", Text)]));

/// The specification as upstream's internal type writes it.
const SPEC: Shape = Struct(&[
    ("PriorityLevelConfiguration", "priorityLevelConfiguration", Struct(&[("Name", "name", Text)])),
    ("MatchingPrecedence", "matchingPrecedence", Number),
    ("DistinguisherMethod", "distinguisherMethod", Pointer(&METHOD)),
    ("Rules", "rules", List(&RULE)),
]);

const RULE: Shape = Struct(&[
    ("Subjects", "subjects", List(&SUBJECT)),
    (
        "ResourceRules",
        "resourceRules",
        List(&Struct(&[
            ("Verbs", "verbs", Plain),
            ("APIGroups", "apiGroups", Plain),
            ("Resources", "resources", Plain),
            ("ClusterScope", "clusterScope", Flag),
            ("Namespaces", "namespaces", Plain),
        ])),
    ),
    (
        "NonResourceRules",
        "nonResourceRules",
        List(&Struct(&[("Verbs", "verbs", Plain), ("NonResourceURLs", "nonResourceURLs", Plain)])),
    ),
]);

const SUBJECT: Shape = Struct(&[
    ("Kind", "kind", Text),
    ("User", "user", NAMED),
    ("Group", "group", NAMED),
    (
        "ServiceAccount",
        "serviceAccount",
        Pointer(&Struct(&[("Namespace", "namespace", Text), ("Name", "name", Text)])),
    ),
]);

/// The two schemas that every server has may not be changed.
fn mandatory(spec: &Value, schema: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    let everything = |groups: &[&str]| {
        let group = |name: &&str| value!({"kind": "Group", "group": {"name": (*name)}});
        let subjects: Vec<Value> = groups.iter().map(group).collect();
        value!([{
            "subjects": (Value::from(subjects)),
            "resourceRules": [{
                "verbs": ["*"],
                "apiGroups": ["*"],
                "resources": ["*"],
                "clusterScope": true,
                "namespaces": ["*"]
            }],
            "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}]
        }])
    };
    let fixed = match schema {
        "exempt" => value!({
            "priorityLevelConfiguration": {"name": "exempt"},
            "matchingPrecedence": 1,
            "rules": (everything(&["system:masters"]))
        }),
        "catch-all" => value!({
            "priorityLevelConfiguration": {"name": "catch-all"},
            "matchingPrecedence": 10000,
            "distinguisherMethod": {"type": "ByUser"},
            "rules": (everything(&["system:unauthenticated", "system:authenticated"]))
        }),
        _ => return,
    };
    if *spec != fixed {
        let why = format!("spec of '{schema}' must equal the fixed value");
        errors.push(field::Error::invalid(path, diff::shown(spec, &SPEC), why));
    }
}

fn cells(schema: &Value, now: i64) -> Vec<Value> {
    let spec = part(schema, "spec");
    let method = some(spec, "distinguisherMethod").map_or("<none>", |it| text(it, "type"));
    let conditions = items(part(schema, "status"), "conditions").iter();
    let dangling = conditions.into_iter().find(|it| text(it, "type") == "Dangling");
    vec![
        object::name(schema).into(),
        text(part(spec, "priorityLevelConfiguration"), "name").into(),
        int(spec, "matchingPrecedence").into(),
        method.into(),
        printer::age(schema, now),
        dangling.map_or("?", |it| text(it, "status")).into(),
    ]
}
