//! Rules that differ between two versions of one kind.

use std::collections::BTreeMap;

use ordain_value::{Map, Value, json};

use super::Lint;
use super::definition::{places, span_of, versions};
use crate::diff::KEYWORDS;
use crate::manifest::Manifest;
use crate::source::Source;

pub(super) fn lint(source: &Source, manifest: &Manifest) -> Vec<Lint> {
    let versions = versions(&manifest.value);
    let is_stored = |version: &Value| version.get("storage").and_then(Value::as_bool) == Some(true);
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

/// Keywords with what they say here and there.
fn differences(here: &Value, there: &Value) -> Vec<(String, String, String)> {
    let shown = |value: Option<&Value>| match value {
        None => "not set".to_owned(),
        Some(value) => json::encode_string(&sorted(value)),
    };
    let mut out = Vec::new();
    for keyword in KEYWORDS.into_iter().chain(["required"]) {
        let (a, b) = (shown(here.get(keyword)), shown(there.get(keyword)));
        if a != b {
            out.push((keyword.to_owned(), a, b));
        }
    }
    let rules = |value: &Value| -> Vec<String> {
        let list = value.get("x-kubernetes-validations").and_then(Value::as_list);
        let texts = list.into_iter().flat_map(|it| it.iter());
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
