//! Pod templates as messages show them: under the names and in the order of upstream's internal
//! types, with every field that is absent.
//!
//! Invariant: the table in `internal.txt` names only types that it has; a test reads all of it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use ordain_value::field::BadValue;
use ordain_value::{Value, go_quote, json};

use crate::shared::{fields, internal, selector};

/// One field of a type.
enum Member {
    Field { go: &'static str, json: &'static str, kind: &'static str },
    Part(&'static str),
    Metadata,
}

static TYPES: LazyLock<BTreeMap<&'static str, Vec<Member>>> =
    LazyLock::new(|| parse(include_str!("internal.txt")));

fn parse(table: &'static str) -> BTreeMap<&'static str, Vec<Member>> {
    let mut types: BTreeMap<&'static str, Vec<Member>> = BTreeMap::new();
    let mut current = "";
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        if !line.starts_with(' ') {
            current = line;
            continue;
        }
        let members = types.entry(current).or_default();
        members.extend(line.split_whitespace().filter_map(|word| {
            if word == "@" {
                return Some(Member::Metadata);
            }
            if let Some(part) = word.strip_prefix('+') {
                return Some(Member::Part(part));
            }
            let mut words = word.splitn(3, ':');
            Some(Member::Field { go: words.next()?, json: words.next()?, kind: words.next()? })
        }));
    }
    types
}

/// Fields of the pod that the internal type keeps in its security context.
const HOST: [&str; 5] =
    ["hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers"];

/// A template.
pub(crate) fn template(template: &Value) -> BadValue {
    let mut moved = template.clone();
    if let Some(spec) = moved.get_mut("spec") {
        *spec = host_moved(spec);
    }
    BadValue::Json(structure("PodTemplateSpec", &moved))
}

/// The spec of a template.
pub(crate) fn spec(spec: &Value) -> BadValue {
    BadValue::Json(structure("PodSpec", &host_moved(spec)))
}

fn host_moved(spec: &Value) -> Value {
    let mut spec = spec.clone();
    for name in HOST {
        if let Some(value) = spec.get(name).cloned() {
            spec.set_path(&["securityContext", name], value);
        }
    }
    spec
}

fn structure(name: &str, value: &Value) -> String {
    let mut out = Vec::new();
    add_members(name, value, &mut out);
    format!("{{{}}}", out.join(","))
}

fn add_members(name: &str, value: &Value, out: &mut Vec<String>) {
    for member in TYPES.get(name).into_iter().flatten() {
        match member {
            Member::Metadata => add_metadata(value, out),
            Member::Part(part) => add_members(part, value, out),
            Member::Field { go, json, kind } => {
                let text = written(kind, fields::at(value, &[json]));
                out.push(format!("{}:{text}", go_quote(go)));
            }
        }
    }
}

/// Metadata has the names of the API, and leaves out what is absent.
fn add_metadata(template: &Value, out: &mut Vec<String>) {
    let order =
        ["name", "generateName", "namespace", "labels", "annotations", "ownerReferences", "finalizers"];
    for name in order {
        if let Some(value) = fields::at(template, &["metadata", name]) {
            out.push(format!("\"{name}\":{}", json::encode_string(value)));
        }
    }
}

fn written(kind: &str, value: Option<&Value>) -> String {
    let absent = |text: &str| value.map_or(text.to_owned(), json::encode_string);
    if let Some(item) = kind.strip_prefix("[]") {
        let Some(items) = value.and_then(Value::as_list) else { return "null".to_owned() };
        return internal::list(items.as_slice(), |item_value| written(item, Some(item_value)));
    }
    match kind {
        "*" => absent("null"),
        "s" => absent("\"\""),
        "q" => absent("\"0\""),
        "i" | "o" => absent("0"),
        "b" => absent("false"),
        "L" => internal::text(selector::shown(value)),
        _ => match (kind.strip_prefix('*'), value) {
            (Some("L"), _) => internal::text(selector::shown(value)),
            (Some(_), None) => "null".to_owned(),
            (Some(name), Some(value)) => structure(name, value),
            (None, value) => structure(kind, value.unwrap_or(&Value::Null)),
        },
    }
}

#[cfg(test)]
mod tests {
    use ordain_value::value;

    use super::*;

    #[test]
    fn the_table_is_closed() {
        for (name, members) in TYPES.iter() {
            for member in members {
                let kind = match member {
                    Member::Metadata => continue,
                    Member::Part(part) => part,
                    Member::Field { kind, .. } => kind.trim_start_matches("[]").trim_start_matches('*'),
                };
                let known = matches!(kind, "" | "s" | "i" | "b" | "q" | "o" | "L");
                assert!(known || TYPES.contains_key(kind), "{name} has {kind}");
            }
        }
        assert!(TYPES.len() > 100);
    }

    #[test]
    fn absent_fields_are_shown() {
        let shown = template(&value!({"metadata": {"labels": {"a": "b"}}, "spec":
            {"hostNetwork": true, "volumes": [{"name": "v", "emptyDir": {}}]}}));
        let text = internal::text(shown);
        assert!(text.starts_with(r#"{"labels":{"a":"b"},"Spec":{"Volumes":[{"Name":"v","#), "{text}");
        assert!(text.contains(r#""EmptyDir":{"Medium":"","SizeLimit":null}"#), "{text}");
        assert!(text.contains(r#""SecurityContext":{"HostNetwork":true,"HostPID":false"#), "{text}");
        assert!(text.contains(r#""Containers":null"#), "{text}");
    }
}
