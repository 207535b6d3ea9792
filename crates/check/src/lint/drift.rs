//! Rules that differ between two versions of one kind.

use std::collections::{BTreeMap, BTreeSet};

use ordain_idl::tags::registry::{self, Family};
use ordain_schema::{Schema, publish};
use ordain_value::{Map, Value, json};

use super::Lint;
use super::definition::{places, span_of, versions};
use crate::diff::KEYWORDS;
use crate::manifest::Manifest;
use crate::source::Source;

pub(super) fn lint(source: &Source, manifest: &Manifest) -> Vec<Lint> {
    let versions = versions(&manifest.value);
    let is_stored = |version: &Value| version.is_set("storage");
    let Some((stored, doc, stored_name)) =
        versions.iter().find(|(version, _, _)| is_stored(version))
    else {
        return Vec::new();
    };
    let base: BTreeMap<String, &Value> =
        places(stored, doc).into_iter().map(|it| (it.path, it.value)).collect();
    let mut lints = Vec::new();
    for (version, doc, name) in versions.iter().filter(|(_, _, name)| name != stored_name) {
        for place in places(version, doc) {
            let Some(other) = base.get(&place.path) else { continue };
            for (keyword, here, there) in differences(place.value, other) {
                let span = span_of(source, manifest, &place.doc);
                let path = format!("{}/{name}:{}", manifest.name(), place.path);
                let message = format!("{keyword} is {here} here and {there} in {stored_name}");
                lints.push(Lint::new("version-drift", source, &span, path, message));
            }
        }
    }
    lints
}

/// The rules of a field of a lowered type, one text each, and those of its `+k8s:` tags, which the
/// schema does not show. What says the same in other words is the same.
pub(super) fn rules(schema: &Schema, field: &str, tags: &[String]) -> BTreeSet<String> {
    const SHOWN: [&str; 5] =
        ["k8s:required", "k8s:optional", "k8s:listType", "k8s:listMapKey", "k8s:enum"];
    let name = |tag: &str| tag.split(['=', '(', ' ']).next().unwrap_or_default().to_owned();
    let is_rule = |tag: &&String| {
        let name = name(tag);
        let known = registry::find(&name);
        known.iter().any(|it| it.family == Family::Validation) && !SHOWN.contains(&name.as_str())
    };
    let mut out: BTreeSet<String> =
        tags.iter().filter(is_rule).map(|it| format!("+{it}")).collect();
    let root = schema.root_node();
    let Some(id) = root.property(field) else { return out };
    let required = root.validation.iter().flat_map(|it| &it.required);
    if required.into_iter().any(|it| it == field) {
        out.insert("required".to_owned());
    }
    let plain = publish::plain_type(schema, id);
    for (key, value) in publish::said(schema, id, plain, publish::Options::V3).iter() {
        let neutral = match key.as_str() {
            "description" | "title" | "example" | "externalDocs" => true,
            "x-kubernetes-list-type" => value.as_str() == Some("atomic"),
            "x-kubernetes-map-type" => value.as_str() == Some("granular"),
            _ => false,
        };
        if !neutral {
            out.insert(format!("{key} {}", json::encode_string(&sorted(value))));
        }
    }
    out
}

/// Keywords with what they say here and there.
fn differences(here: &Value, there: &Value) -> Vec<(String, String, String)> {
    let shown = |value: Option<&Value>| match value {
        None => "not set".to_owned(),
        Some(value) => json::encode_string(&sorted(value)),
    };
    let mut out = Vec::new();
    for keyword in KEYWORDS.into_iter().chain(["required"]) {
        // What is not said is what these say.
        let said = |value: &Value| {
            let found = value.get(keyword).cloned();
            found.filter(|it| !matches!(it.as_str(), Some("atomic" | "granular")))
        };
        let (a, b) = (shown(said(here).as_ref()), shown(said(there).as_ref()));
        if a != b {
            out.push((keyword.to_owned(), a, b));
        }
    }
    let rules = |value: &Value| -> Vec<String> {
        let texts = value.items("x-kubernetes-validations").iter();
        let mut texts: Vec<String> =
            texts.filter_map(|it| it.get("rule")?.as_str().map(ToOwned::to_owned)).collect();
        texts.sort();
        texts
    };
    let (a, b) = (rules(here), rules(there));
    if a != b {
        let joined = |list: &[String]| {
            if list.is_empty() { "not set".to_owned() } else { list.join("; ") }
        };
        out.push(("x-kubernetes-validations".to_owned(), joined(&a), joined(&b)));
    }
    out
}

/// Lists of names in order: `required` and `enum` are sets.
fn sorted(value: &Value) -> Value {
    match value {
        Value::List(list) if list.iter().all(|it| matches!(it, Value::Str(_))) => {
            let mut list: Vec<Value> = list.to_vec();
            list.sort_by(|a, b| a.as_str().cmp(&b.as_str()));
            list.into()
        }
        Value::Map(map) => {
            Value::Map(map.iter().map(|(k, v)| (k.clone(), v.clone())).collect::<Map>())
        }
        other => other.clone(),
    }
}
