//! Discovery: which groups, versions and resources are served.

use std::collections::BTreeMap;
use std::sync::Arc;

use http::Response;
use ordain_meta::Status;
use ordain_meta::gvk::compare_versions;
use ordain_registry::{Catalog, Family, RestConfig, Warnings};
use ordain_value::{Map, Value, value};

use crate::negotiate::Accepted;
use crate::response::{self, Body};
use crate::router::Exchange;

pub(crate) fn handle(exchange: &Exchange<'_>, segments: &[&str]) -> Response<Body> {
    let catalog = exchange.app.registry.catalog();
    let found = match segments {
        ["api"] => Some(core_versions()),
        ["apis"] => Some(groups(&catalog)),
        ["api", version] => resources(&catalog, "", version),
        ["apis", group] => group_value(&catalog, group),
        ["apis", group, version] => resources(&catalog, group, version),
        _ => None,
    };
    match found {
        Some(value) => response::value(200, &value, Accepted::default(), &Warnings::default()),
        None if is_built_in(&catalog, segments) => {
            response::plain_status(&Status::path_not_found())
        }
        None => response::page_not_found(),
    }
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
fn by_group(catalog: &Catalog) -> BTreeMap<String, Vec<String>> {
    let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for resource in catalog.iter().filter(|resource| !resource.group.is_empty()) {
        let versions = groups.entry(resource.group.to_string()).or_default();
        for version in resource.versions.iter().filter(|version| version.served) {
            if !versions.contains(&version.name.to_string()) {
                versions.push(version.name.to_string());
            }
        }
    }
    for versions in groups.values_mut() {
        versions.sort_by(|a, b| compare_versions(b, a));
    }
    groups.retain(|_, versions| !versions.is_empty());
    groups
}

fn groups(catalog: &Catalog) -> Value {
    let groups: Vec<Value> =
        by_group(catalog).iter().map(|(group, versions)| group_entry(group, versions)).collect();
    value!({"kind": "APIGroupList", "apiVersion": "v1", "groups": groups})
}

fn group_entry(group: &str, versions: &[String]) -> Value {
    let entry = |version: &String| value!({"groupVersion": (format!("{group}/{version}")), "version": (version.as_str())});
    let list: Vec<Value> = versions.iter().map(entry).collect();
    let preferred = versions.first().map(entry).unwrap_or(Value::Null);
    value!({"name": group, "versions": list, "preferredVersion": preferred})
}

fn group_value(catalog: &Catalog, group: &str) -> Option<Value> {
    let groups = by_group(catalog);
    let mut value = group_entry(group, groups.get(group)?);
    if let Value::Map(map) = &mut value {
        map.insert("kind", "APIGroup".into());
        map.insert("apiVersion", "v1".into());
    }
    Some(value)
}

fn resources(catalog: &Catalog, group: &str, version: &str) -> Option<Value> {
    let mut list = Vec::new();
    for resource in catalog.iter().filter(|resource| resource.group == group) {
        list.extend(resource_entries(resource, version));
    }
    if list.is_empty() {
        return None;
    }
    let group_version =
        if group.is_empty() { version.to_owned() } else { format!("{group}/{version}") };
    Some(value!({
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": group_version,
        "resources": list
    }))
}

fn resource_entries(resource: &Arc<RestConfig>, version: &str) -> Vec<Value> {
    let Some(config) = resource.served(version) else { return Vec::new() };
    let entry = |suffix: &str, singular: &str, kind: &str, verbs: &[&str]| {
        let mut map = Map::new();
        map.insert("name", format!("{}{suffix}", resource.plural).into());
        map.insert("singularName", singular.into());
        map.insert("namespaced", Value::Bool(resource.namespaced));
        map.insert("kind", kind.into());
        let verbs: Vec<Value> = verbs.iter().map(|verb| Value::from(*verb)).collect();
        map.insert("verbs", verbs.into());
        map
    };
    let verbs: &[&str] = match resource.family {
        Family::Custom => {
            &["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"]
        }
        Family::BuiltIn => {
            &["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
        }
    };
    let mut main = entry("", &resource.singular, &resource.kind, verbs);
    let texts = |list: &[ordain_value::Text]| -> Value {
        list.iter().cloned().map(Value::Str).collect::<Vec<_>>().into()
    };
    if !resource.short_names.is_empty() {
        main.insert("shortNames", texts(&resource.short_names));
    }
    if !resource.categories.is_empty() {
        main.insert("categories", texts(&resource.categories));
    }
    let mut entries = vec![Value::Map(main)];
    if config.status {
        entries.push(Value::Map(entry("/status", "", &resource.kind, &["get", "patch", "update"])));
    }
    if config.scale.is_some() {
        let mut scale = entry("/scale", "", "Scale", &["get", "patch", "update"]);
        scale.insert("group", "autoscaling".into());
        scale.insert("version", "v1".into());
        entries.push(Value::Map(scale));
    }
    entries
}
