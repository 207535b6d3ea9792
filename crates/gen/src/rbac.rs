//! Roles from `+kubebuilder:rbac` markers, as controller-gen writes them.
//!
//! Each marker is a rule per resource. Rules of one role that are about the same thing are one rule
//! with the verbs of all; then rules with the same verbs are joined, first over their resources, then
//! over their groups, then over their URLs.

use std::collections::{BTreeMap, BTreeSet};

use ordain_idl::tags::marker::{Marker, MarkerValue, RBAC, package_markers};
use ordain_idl::{Diagnostic, Universe};
use ordain_value::{Map, Text, Value};

/// What came out.
#[derive(Clone, Debug, Default)]
pub struct Output {
    /// Roles by namespace and name, those of the cluster first.
    pub roles: Vec<Value>,
    /// What is wrong, by place. With an error in it the roles are not to be used.
    pub diagnostics: Vec<Diagnostic>,
}

type Set = BTreeSet<String>;

/// A rule; every part is sorted and has nothing twice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Rule {
    groups: Set,
    resources: Set,
    resource_names: Set,
    urls: Set,
    verbs: Set,
}

/// Makes the roles of the markers in the packages that were asked for. Rules without a role of their
/// own belong to `role`.
#[must_use]
pub fn generate(universe: &Universe, role: &str) -> Output {
    let mut out = Output::default();
    let mut rules: BTreeMap<(String, String), Vec<Rule>> = BTreeMap::new();
    for package in universe.requested() {
        let (markers, diagnostics) = package_markers(universe, package, RBAC);
        out.diagnostics.extend(diagnostics);
        for marker in &markers {
            let text = |name| marker.arg(name).and_then(MarkerValue::as_str).unwrap_or("");
            let name = if text("roleName").is_empty() { role } else { text("roleName") };
            let key = (text("namespace").to_owned(), name.to_owned());
            rules.entry(key).or_default().extend(rules_of(marker));
        }
    }
    for ((namespace, name), rules) in rules {
        out.roles.push(object(&namespace, &name, &normalized(rules)));
    }
    out
}

/// The rules of a marker: one for each resource, or one without.
fn rules_of(marker: &Marker) -> Vec<Rule> {
    let set = |name| -> Set {
        let values = marker.arg(name).map(MarkerValue::as_strings).unwrap_or_default();
        values.into_iter().map(str::to_owned).collect()
    };
    // People may write the name of the group that has none.
    let group = |it: String| if it == "core" { String::new() } else { it };
    let rule = Rule {
        groups: set("groups").into_iter().map(group).collect(),
        resources: Set::new(),
        resource_names: set("resourceNames"),
        urls: set("urls"),
        verbs: set("verbs"),
    };
    let resources = set("resources");
    if resources.is_empty() {
        return vec![rule];
    }
    let of = |it: String| Rule { resources: Set::from([it]), ..rule.clone() };
    resources.into_iter().map(of).collect()
}

fn joined(set: &Set) -> String {
    set.iter().map(String::as_str).collect::<Vec<_>>().join("&")
}

/// What a rule is about, which also is its place among the others.
fn subject(rule: &Rule) -> String {
    let parts = [&rule.groups, &rule.resources, &rule.resource_names, &rule.urls];
    parts.map(joined).join(" + ")
}

/// Joins rules that are alike but for one part.
fn join(
    rules: Vec<Rule>,
    part: fn(&mut Rule) -> &mut Set,
    rest: impl Fn(&Rule) -> Vec<String>,
) -> Vec<Rule> {
    let mut out: Vec<(Vec<String>, Rule)> = Vec::new();
    for mut rule in rules {
        let key = rest(&rule);
        match out.iter_mut().find(|it| it.0 == key) {
            Some((_, known)) => part(known).append(part(&mut rule)),
            None => out.push((key, rule)),
        }
    }
    out.into_iter().map(|it| it.1).collect()
}

fn normalized(rules: Vec<Rule>) -> Vec<Rule> {
    let keys = |sets: &[&Set]| sets.iter().map(|it| joined(it)).collect::<Vec<String>>();
    let rules = join(rules, |it| &mut it.verbs, |it| vec![subject(it)]);
    let rules = join(
        rules,
        |it| &mut it.resources,
        |it| keys(&[&it.groups, &it.resource_names, &it.urls, &it.verbs]),
    );
    let rules = join(
        rules,
        |it| &mut it.groups,
        |it| keys(&[&it.resources, &it.resource_names, &it.urls, &it.verbs]),
    );
    let mut rules = join(
        rules,
        |it| &mut it.urls,
        |it| keys(&[&it.groups, &it.resources, &it.resource_names, &it.verbs]),
    );
    rules.sort_by_key(subject);
    for rule in rules.iter_mut().filter(|it| it.verbs.contains("*")) {
        rule.verbs = Set::from(["*".to_owned()]);
    }
    rules
}

fn object(namespace: &str, name: &str, rules: &[Rule]) -> Value {
    let mut metadata = Map::new();
    metadata.insert("name", Value::from(name));
    crate::insert_text(&mut metadata, "namespace", namespace);
    let rule = |rule: &Rule| {
        let mut out = Map::new();
        let parts = [
            ("apiGroups", &rule.groups),
            ("nonResourceURLs", &rule.urls),
            ("resourceNames", &rule.resource_names),
            ("resources", &rule.resources),
        ];
        for (key, set) in parts.into_iter().filter(|(_, set)| !set.is_empty()) {
            out.insert(key, crate::texts(set.iter().map(String::as_str)));
        }
        out.insert("verbs", crate::texts(rule.verbs.iter().map(String::as_str)));
        Value::Map(out)
    };
    let kind = if namespace.is_empty() { "ClusterRole" } else { "Role" };
    let entries = [
        ("apiVersion", Value::from("rbac.authorization.k8s.io/v1")),
        ("kind", Value::from(kind)),
        ("metadata", Value::Map(metadata)),
        ("rules", Value::from(rules.iter().map(rule).collect::<Vec<_>>())),
    ];
    Value::Map(entries.into_iter().map(|(key, value)| (Text::new_static(key), value)).collect())
}
