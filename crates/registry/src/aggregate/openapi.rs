//! What another server says about its group version in its OpenAPI document, version 2.
//!
//! Of version 3 each group version has a document of its own, which is passed on. Version 2 is one
//! document about everything: the part of each server is taken into the one that is served here.

use std::collections::{BTreeMap, BTreeSet};

use ordain_value::{Map, Text, Value, json};

use super::{Outgoing, Relay, Remote, collect};

/// Larger documents are not read.
const BYTES_MAX: usize = 32 * 1024 * 1024;
const REFERENCE: &str = "#/definitions/";

/// The paths of a group version, and the definitions that they lead to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct OpenApi {
    pub paths: Map,
    pub definitions: Map,
    /// The name that its server has for the document, to ask whether there is a newer one.
    tag: Vec<u8>,
}

/// Reads the document of another server; `known` is what was read before. A server without a
/// document that can be used is served all the same.
pub(super) async fn fetch(
    relay: &dyn Relay,
    remote: &Remote,
    known: Option<OpenApi>,
) -> Option<OpenApi> {
    let mut headers = vec![("accept".to_owned(), b"application/json".to_vec())];
    let tag = known.as_ref().map(|it| it.tag.clone()).filter(|tag| !tag.is_empty());
    headers.extend(tag.map(|tag| ("if-none-match".to_owned(), tag)));
    let path = "/openapi/v2".to_owned();
    let request = Outgoing { method: "GET".to_owned(), path, headers, ..Outgoing::default() };
    let answer = relay.send(&remote.backend, request).await.ok()?;
    if answer.status == 304 {
        return known;
    }
    let tag = answer.headers.iter().find(|(name, _)| name == "etag").map(|(_, tag)| tag.clone());
    if answer.status != 200 {
        return None;
    }
    let body = collect(answer, BYTES_MAX).await.ok()?;
    let document = json::decode(&body).ok()?;
    let part = part(&document, &remote.group, &remote.version);
    Some(OpenApi { tag: tag.unwrap_or_default(), ..part })
}

/// What a document says about one group version.
fn part(document: &Value, group: &str, version: &str) -> OpenApi {
    let root = format!("/apis/{group}/{version}");
    let is_own = |path: &str| {
        path.strip_prefix(&root).is_some_and(|it| it.is_empty() || it.starts_with('/'))
    };
    let of = |name: &str| document.get(name).and_then(Value::as_map).cloned().unwrap_or_default();
    let mut paths = of("paths");
    paths.retain(|path, _| is_own(path));
    let mut definitions = of("definitions");
    let mut reached = BTreeSet::new();
    let mut pending = Vec::new();
    references(paths.iter().map(|(_, value)| value), &mut pending);
    while let Some(name) = pending.pop() {
        if let Some(definition) = definitions.get(&name)
            && reached.insert(name)
        {
            references([definition], &mut pending);
        }
    }
    definitions.retain(|name, _| reached.contains(name));
    OpenApi { paths, definitions, tag: Vec::new() }
}

/// The definitions that values refer to. The way into them is kept on the heap: another server
/// says how deep it is.
fn references<'a>(values: impl IntoIterator<Item = &'a Value>, found: &mut Vec<Text>) {
    let mut pending: Vec<&Value> = values.into_iter().collect();
    while let Some(value) = pending.pop() {
        match value {
            Value::Map(map) => {
                let name = map.get("$ref").and_then(Value::as_str);
                found.extend(name.and_then(|it| it.strip_prefix(REFERENCE)).map(Text::from));
                pending.extend(map.iter().map(|(_, value)| value));
            }
            Value::List(list) => pending.extend(list.iter()),
            _ => {}
        }
    }
}

impl OpenApi {
    /// Adds the part to a document. A definition whose name is taken by another one gets a name of
    /// its own, and so do those that refer to it.
    pub fn add_to(&self, paths: &mut Map, definitions: &mut Map) {
        let mut names = BTreeMap::new();
        for (name, definition) in self.definitions.iter() {
            if definitions.get(name).is_some_and(|known| known != definition) {
                let free = |number: &usize| !definitions.contains_key(&format!("{name}_v{number}"));
                let number = (2..).find(free).unwrap_or(2);
                names.insert(name.clone(), format!("{name}_v{number}"));
            }
        }
        for (name, definition) in self.definitions.iter() {
            let own = names.get(name).map_or_else(|| name.clone(), |it| it.as_str().into());
            definitions.insert(own, renamed(definition, &names));
        }
        for (path, value) in self.paths.iter() {
            paths.insert(path.clone(), renamed(value, &names));
        }
    }
}

/// A value with its references under their new names.
fn renamed(value: &Value, names: &BTreeMap<Text, String>) -> Value {
    if names.is_empty() {
        return value.clone();
    }
    match value {
        Value::Map(map) => {
            let mut changed = Map::new();
            for (key, value) in map.iter() {
                let target = value.as_str().and_then(|it| it.strip_prefix(REFERENCE));
                let name = target.filter(|_| key == "$ref").and_then(|it| names.get(it));
                let value = match name {
                    Some(name) => format!("{REFERENCE}{name}").into(),
                    None => renamed(value, names),
                };
                changed.insert(key.clone(), value);
            }
            Value::Map(changed)
        }
        Value::List(list) => list.iter().map(|it| renamed(it, names)).collect::<Vec<_>>().into(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use ordain_value::value;

    use super::*;

    fn reference(name: &str) -> Value {
        value!({"$ref": (format!("{REFERENCE}{name}"))})
    }

    #[test]
    fn only_what_a_group_version_needs_is_taken() {
        let document = value!({
            "paths": {
                "/apis/a.test/v1/": (reference("A")),
                "/apis/a.test/v1beta1/": (reference("Old")),
                "/apis/b.test/v1/": (reference("B"))
            },
            "definitions": {
                "A": {"properties": {"next": (reference("Inner"))}},
                "Inner": {"properties": {"self": (reference("Inner")), "up": (reference("A"))}},
                "Old": {}, "B": {}
            }
        });
        let part = part(&document, "a.test", "v1");
        assert_eq!(part.paths.keys().map(Text::as_str).collect::<Vec<_>>(), ["/apis/a.test/v1/"]);
        let names: Vec<&str> = part.definitions.keys().map(Text::as_str).collect();
        assert_eq!(names, ["A", "Inner"]);
    }

    #[test]
    fn a_name_that_means_two_things_becomes_two() {
        let document = value!({
            "paths": {"/apis/a.test/v1/": (reference("Same")), "/apis/a.test/v1/x": (reference("Other"))},
            "definitions": {"Same": {"type": "string"}, "Other": {"properties": {"a": (reference("Other"))}}}
        });
        let part = part(&document, "a.test", "v1");
        let mut paths = Map::new();
        let mut definitions = Map::new();
        definitions.insert("Same", value!({"type": "string"}));
        definitions.insert("Other", value!({"type": "integer"}));
        part.add_to(&mut paths, &mut definitions);
        assert_eq!(definitions.get("Other"), Some(&value!({"type": "integer"})));
        let other = value!({"properties": {"a": (reference("Other_v2"))}});
        assert_eq!(definitions.get("Other_v2"), Some(&other));
        assert_eq!(definitions.len(), 3);
        assert_eq!(paths.get("/apis/a.test/v1/x"), Some(&reference("Other_v2")));
        assert_eq!(paths.get("/apis/a.test/v1/"), Some(&reference("Same")));
    }
}
