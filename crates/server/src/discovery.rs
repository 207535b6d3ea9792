//! Discovery: which groups, versions and resources are served, one by one or all at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use http::Response;
use http::header::{ACCEPT, CACHE_CONTROL, HeaderValue};
use ordain_meta::Status;
use ordain_meta::gvk::{GroupVersion, compare_versions};
use ordain_registry::aggregate::Remote;
use ordain_registry::subresource::{self, Access};
use ordain_registry::{Catalog, Family, RestConfig, Warnings, group_versions};
use ordain_value::{Text, Value, json, value};

use crate::digest;
use crate::documents::{Document, Subject};
use crate::negotiate::{self, Accepted, Form, MEDIA_TYPES};
use crate::response::{self, Body};
use crate::router::Exchange;

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/// In which form a client wants discovery.
enum Wanted {
    Aggregated,
    Plain(Accepted),
}

pub(crate) fn handle(exchange: &Exchange<'_>, segments: &[&str]) -> Response<Body> {
    let catalog = exchange.app.registry.catalog();
    let found = match segments {
        ["api"] => Some(core_versions()),
        ["apis"] => Some(groups(&catalog, &exchange.app.registry.remotes())),
        ["api", version] => resources(&catalog, "", version),
        ["apis", group] => group_value(&catalog, &exchange.app.registry.remotes(), group),
        ["apis", group, version] => resources(&catalog, group, version),
        _ => None,
    };
    let Some(value) = found else {
        if is_built_in(&catalog, segments) {
            return response::plain_status(&Status::path_not_found());
        }
        return response::page_not_found();
    };
    match wanted(exchange.header(ACCEPT), segments.len() == 1) {
        Some(Wanted::Plain(accepted)) => {
            response::value(200, &value, accepted, &Warnings::default())
        }
        Some(Wanted::Aggregated) => aggregated(exchange, segments == ["api"]),
        None => response::plain_status(&Status::not_acceptable(&MEDIA_TYPES)),
    }
}

/// The first form in the header that can be made.
fn wanted(header: &str, is_root: bool) -> Option<Wanted> {
    for clause in header.split(',') {
        let params: Vec<&str> = clause.split(';').map(str::trim).collect();
        let is_aggregated = params.contains(&"application/json")
            && params.contains(&"g=apidiscovery.k8s.io")
            && params.contains(&"v=v2")
            && params.contains(&"as=APIGroupDiscoveryList");
        if is_aggregated && is_root {
            return Some(Wanted::Aggregated);
        }
        if let Some(accepted) = negotiate::accept(clause)
            && accepted.form == Form::Object
        {
            return Some(Wanted::Plain(accepted));
        }
    }
    None
}

/// Whether a path lies within a group that the server itself brings.
fn is_built_in(catalog: &Catalog, segments: &[&str]) -> bool {
    let group = match segments {
        ["api", ..] => "",
        ["apis", group, ..] => group,
        _ => return false,
    };
    catalog.iter().any(|it| it.family == Family::BuiltIn && it.group == group)
}

fn core_versions() -> Value {
    value!({"kind": "APIVersions", "versions": ["v1"], "serverAddressByClientCIDRs": []})
}

/// Groups with their served versions, the best first.
fn by_group(catalog: &Catalog) -> BTreeMap<Text, Vec<Text>> {
    let mut groups: BTreeMap<Text, Vec<Text>> = BTreeMap::new();
    for resource in catalog.iter() {
        let versions = groups.entry(resource.group.clone()).or_default();
        for version in resource.versions.iter().filter(|version| version.served) {
            if !versions.contains(&version.name) {
                versions.push(version.name.clone());
            }
        }
    }
    for versions in groups.values_mut() {
        versions.sort_by(|a, b| compare_versions(b, a));
    }
    groups.retain(|_, versions| !versions.is_empty());
    groups
}

/// The groups of this server and of others.
fn all_groups(catalog: &Catalog, remotes: &[Remote]) -> BTreeMap<Text, Vec<Text>> {
    let mut groups = by_group(catalog);
    for remote in remotes {
        let versions = groups.entry(remote.group.clone()).or_default();
        if !versions.contains(&remote.version) {
            versions.push(remote.version.clone());
        }
        versions.sort_by(|a, b| compare_versions(b, a));
    }
    groups
}

/// The same with the most important groups first.
fn in_order(catalog: &Catalog, remotes: &[Remote]) -> Vec<(Text, Vec<Text>)> {
    let mut groups: Vec<_> = all_groups(catalog, remotes).into_iter().collect();
    groups.sort_by_key(|(group, _)| group_versions::rank(group));
    groups
}

fn groups(catalog: &Catalog, remotes: &[Remote]) -> Value {
    let named = in_order(catalog, remotes);
    let named = named.iter().filter(|(group, _)| !group.is_empty());
    let groups: Vec<Value> = named.map(|(group, versions)| group_entry(group, versions)).collect();
    value!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

fn group_entry(group: &str, versions: &[Text]) -> Value {
    let entry = |version: &Text| value!({"groupVersion": (format!("{group}/{version}")), "version": (version.as_str())});
    let list: Vec<Value> = versions.iter().map(entry).collect();
    let preferred = versions.first().map(entry).unwrap_or(Value::Null);
    value!({"name": group, "versions": list, "preferredVersion": preferred})
}

fn group_value(catalog: &Catalog, remotes: &[Remote], group: &str) -> Option<Value> {
    let groups = all_groups(catalog, remotes);
    let mut value = group_entry(group, groups.get(group)?);
    value.set_path(&["kind"], "APIGroup".into());
    value.set_path(&["apiVersion"], "v1".into());
    Some(value)
}

fn resources(catalog: &Catalog, group: &str, version: &str) -> Option<Value> {
    let of_group = catalog.iter().filter(|resource| resource.group == group);
    let list: Vec<Value> = of_group.flat_map(|it| resource_entries(it, version)).collect();
    if list.is_empty() {
        return None;
    }
    let api_version = (!group.is_empty()).then_some("v1");
    Some(value!({
        "kind": "APIResourceList",
        "apiVersion"?: api_version,
        "groupVersion": (GroupVersion::new(group, version).to_string()),
        "resources": list
    }))
}

fn names(list: &[Text]) -> Vec<Value> {
    list.iter().map(Value::from).collect()
}

fn texts<'a>(list: impl IntoIterator<Item = &'a str>) -> Value {
    list.into_iter().map(Value::from).collect::<Vec<_>>().into()
}

fn verbs(resource: &RestConfig) -> Vec<&'static str> {
    if resource.family == Family::Custom {
        return vec![
            "delete",
            "deletecollection",
            "get",
            "list",
            "patch",
            "create",
            "update",
            "watch",
        ];
    }
    let given = resource.verbs;
    let by_collection = given.delete && resource.plural != "namespaces";
    let all = [
        ("create", given.create),
        ("delete", given.delete),
        ("deletecollection", by_collection),
        ("get", given.read),
        ("list", given.read),
        ("patch", given.update),
        ("update", given.update),
        ("watch", given.watch),
    ];
    all.into_iter().filter(|(_, has)| *has).map(|(verb, _)| verb).collect()
}

/// The subresources of a version with their verbs, by name.
fn subresources(resource: &RestConfig, version: &str) -> Vec<(Text, &'static [&'static str])> {
    let Some(config) = resource.served(version) else { return Vec::new() };
    let others = resource.subresources.iter();
    let mut found: Vec<(Text, &'static [&'static str])> =
        others.map(|name| (name.clone(), Access::of(name).verbs())).collect();
    found.extend(config.status.then(|| ("status".into(), Access::Edit.verbs())));
    found.extend(config.scale.as_ref().map(|_| ("scale".into(), Access::Edit.verbs())));
    if resource.family == Family::BuiltIn {
        found.sort();
    }
    found
}

fn resource_entries(resource: &Arc<RestConfig>, version: &str) -> Vec<Value> {
    if resource.served(version).is_none() {
        return Vec::new();
    }
    let main = value!({
        "name": (&resource.plural),
        "singularName": (&resource.singular),
        "namespaced": (resource.namespaced),
        "kind": (&resource.kind),
        "verbs": (texts(verbs(resource))),
        "shortNames"?: (names(&resource.short_names)),
        "categories"?: (names(&resource.categories)),
        "storageVersionHash"?: (resource.verbs.watch.then(|| storage_hash(resource)))
    });
    let mut entries = vec![main];
    for (name, verbs) in subresources(resource, version) {
        let kind = subresource::kind(resource, &name);
        let other = !kind.version.is_empty();
        entries.push(value!({
            "name": (format!("{}/{name}", resource.plural)),
            "singularName": "",
            "namespaced": (resource.namespaced),
            "kind": (kind.kind),
            "verbs": (texts(verbs.iter().copied())),
            "group"?: (other.then_some(kind.group)),
            "version"?: (kind.version)
        }));
    }
    entries
}

/// Events of both groups are stored as those of the core; definitions and mutating policies still
/// go by the version that the reference stores them in.
fn storage_hash(resource: &RestConfig) -> String {
    if resource.group == "apiextensions.k8s.io" {
        return digest::storage_version_hash(&resource.group, "v1beta1", &resource.kind);
    }
    if resource.kind.starts_with("MutatingAdmissionPolicy") {
        return digest::storage_version_hash(&resource.group, "v1beta1", &resource.kind);
    }
    if resource.group == "events.k8s.io" {
        return digest::storage_version_hash("", "v1", &resource.kind);
    }
    digest::storage_version_hash(&resource.group, &resource.storage_version, &resource.kind)
}

/// Everything in one answer.
fn aggregated(exchange: &Exchange<'_>, core: bool) -> Response<Body> {
    let documents = &exchange.app.documents;
    let subject = Subject::of(&exchange.app.registry);
    let name = if core { "discovery core" } else { "discovery groups" };
    let document = documents.get(&subject, name).unwrap_or_else(|| {
        let mut bytes = json::encode(&aggregated_list(&subject, core));
        bytes.push(b'\n');
        let document = Document::new(bytes);
        documents.keep(&subject, name, &document);
        document
    });
    let mut response = document.answer(exchange, AGGREGATED);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("public"));
    response
}

fn aggregated_list(subject: &Subject, core: bool) -> Value {
    let mut items = Vec::new();
    let catalog = &subject.catalog;
    let groups = in_order(catalog, &subject.remotes);
    for (group, versions) in groups.iter().filter(|(it, _)| it.is_empty() == core) {
        let shown = |version: &Text| {
            let remote = subject.remote(group, version);
            remote.map_or_else(|| aggregated_version(catalog, group, version), remote_version)
        };
        let versions: Vec<Value> = versions.iter().map(shown).collect();
        items.push(value!({"metadata": {"name"?: group}, "versions": versions}));
    }
    value!({
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": items
    })
}

fn aggregated_version(catalog: &Catalog, group: &str, version: &str) -> Value {
    let members = catalog.iter().filter(|it| it.group == group && it.served(version).is_some());
    let resources: Vec<Value> = members.map(|it| aggregated_resource(it, version)).collect();
    value!({"version": version, "resources": resources, "freshness": "Current"})
}

/// A version of another server, by the list that it gave of its resources.
fn remote_version(remote: &Remote) -> Value {
    let kind = |entry: &Value| value!({"group": "", "version": "", "kind": (entry.text("kind"))});
    let mut resources: Vec<Value> = Vec::new();
    for entry in remote.resources.iter().filter(|it| !it.text("name").contains('/')) {
        let prefix = format!("{}/", entry.text("name"));
        let subresource = |entry: &Value| {
            let name = entry.text("name").strip_prefix(&prefix)?;
            let verbs = entry.get("verbs");
            Some(value!({"subresource": name, "responseKind": (kind(entry)), "verbs": verbs}))
        };
        resources.push(value!({
            "resource": (entry.text("name")),
            "responseKind": (kind(entry)),
            "scope": (if entry.is_set("namespaced") { "Namespaced" } else { "Cluster" }),
            "singularResource": (entry.text("singularName")),
            "verbs": (entry.get("verbs")),
            "shortNames"?: (entry.get("shortNames")),
            "categories"?: (entry.get("categories")),
            "subresources"?: (remote.resources.iter().filter_map(subresource).collect::<Vec<_>>())
        }));
    }
    let freshness = if remote.is_available { "Current" } else { "Stale" };
    value!({"version": (remote.version.as_str()), "resources": resources, "freshness": freshness})
}

fn aggregated_resource(resource: &RestConfig, version: &str) -> Value {
    // Built-in kinds leave group and version out: they are those of the resource.
    let response_kind = |group: &str, version: &str, kind: &str| {
        let built_in = resource.family == Family::BuiltIn;
        let (group, version) = if built_in { ("", "") } else { (group, version) };
        value!({"group": group, "version": version, "kind": kind})
    };
    let subresources: Vec<Value> = subresources(resource, version)
        .into_iter()
        .map(|(name, verbs)| {
            let kind = subresource::kind(resource, &name);
            let kind = match kind.version.as_str() {
                "" => response_kind(&resource.group, version, &kind.kind),
                other => value!({
                    "group": (kind.group.as_str()), "version": other, "kind": (kind.kind.as_str())
                }),
            };
            let verbs = texts(verbs.iter().copied());
            value!({"subresource": (name.as_str()), "responseKind": kind, "verbs": verbs})
        })
        .collect();
    value!({
        "resource": (&resource.plural),
        "responseKind": (response_kind(&resource.group, version, &resource.kind)),
        "scope": (if resource.namespaced { "Namespaced" } else { "Cluster" }),
        "singularResource": (&resource.singular),
        "verbs": (texts(verbs(resource))),
        "shortNames"?: (names(&resource.short_names)),
        "categories"?: (names(&resource.categories)),
        "subresources"?: subresources
    })
}
