//! Recorded writes, played on both sides: what was answered then does not matter here.

use std::path::Path;

use ordain_registry::{PatchType, WriteOptions};
use ordain_testkit::transcript;
use ordain_value::{Value, json, yaml};

use crate::both::{Both, Verb, Write};
use crate::{Tally, path_text, text};

/// Plays every nth case of a file.
pub(crate) fn play(both: &mut Both, file: &Path, name: &str, every: usize, tally: &mut Tally) {
    for (number, line) in transcript::read(file).unwrap().iter().enumerate() {
        let place = |at: usize| format!("{name} {number}#{at}");
        if let Some(definition) = line.get("crd").filter(|_| line.get("kind").is_none()) {
            tally.add(&place(0), both.judge(&of_definition(Verb::Create, definition)));
            continue;
        }
        if let Some(definition) = line.get("tighten") {
            tally.add(&place(0), both.judge(&of_definition(Verb::Replace, definition)));
            continue;
        }
        if number % every != 0 {
            continue;
        }
        let list = |key: &str| line.get(key).and_then(Value::as_list).cloned().unwrap_or_default();
        for step in list("setup").iter().filter_map(Value::as_list) {
            let part = |at: usize| step.get(at).and_then(Value::as_str).unwrap_or_default();
            if let Some(write) = write(part(0), part(1), "", step.get(2)) {
                both.judge(&write);
            }
        }
        for (at, step) in list("steps").iter().enumerate() {
            let (method, path) = (text(step, "method"), text(step, "path"));
            if method == "DELETE" {
                if let Some(write) = write("PUT", path, "", Some(&Value::Null)) {
                    both.delete(&write);
                }
            } else if let Some(write) =
                write(method, path, text(step, "contentType"), step.get("body"))
            {
                tally.add(&place(at), both.judge(&write));
            }
        }
        for path in list("cleanup").iter().filter_map(Value::as_str) {
            if let Some(write) = write("PUT", path, "", Some(&Value::Null)) {
                both.delete(&write);
            }
        }
    }
}

pub(crate) fn of_definition(verb: Verb, definition: &Value) -> Write {
    let name = path_text(definition, &["metadata", "name"]);
    Write {
        verb,
        group: "apiextensions.k8s.io".to_owned(),
        version: "v1".to_owned(),
        plural: "customresourcedefinitions".to_owned(),
        namespace: String::new(),
        name: if verb == Verb::Create { String::new() } else { name.to_owned() },
        is_status: false,
        body: definition.clone(),
        options: WriteOptions { field_manager: "test".into(), ..WriteOptions::default() },
    }
}

/// The write that a request asks for; `None` for other requests.
fn write(method: &str, path: &str, content_type: &str, body: Option<&Value>) -> Option<Write> {
    let verb = match (method, content_type.split(';').next().unwrap_or_default()) {
        ("POST", "" | "application/json" | "application/yaml") => Verb::Create,
        ("PUT", "" | "application/json" | "application/yaml") => Verb::Replace,
        ("PATCH", "application/json-patch+json") => Verb::Patch(PatchType::Json),
        ("PATCH", "application/merge-patch+json") => Verb::Patch(PatchType::Merge),
        ("PATCH", "application/strategic-merge-patch+json") => Verb::Patch(PatchType::Strategic),
        ("PATCH", "application/apply-patch+yaml") => Verb::Patch(PatchType::Apply),
        _ => return None,
    };
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let mut parts = path.trim_matches('/').split('/');
    let group = match parts.next()? {
        "api" => "",
        "apis" => parts.next()?,
        _ => return None,
    };
    let version = parts.next()?;
    let rest: Vec<&str> = parts.collect();
    let (namespace, rest) = match rest.as_slice() {
        ["namespaces", namespace, rest @ ..] if !rest.is_empty() && !is_part(rest) => {
            (*namespace, rest)
        }
        rest => ("", rest),
    };
    let (plural, name, part) = match (verb, rest) {
        (Verb::Create, [plural]) => (*plural, "", ""),
        (Verb::Create, _) => return None,
        (_, [plural, name]) => (*plural, *name, ""),
        (_, [plural, name, part]) => (*plural, *name, *part),
        _ => return None,
    };
    if !matches!(part, "" | "status") {
        return None;
    }
    Some(Write {
        verb,
        group: group.to_owned(),
        version: version.to_owned(),
        plural: plural.to_owned(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
        is_status: part == "status",
        body: object(verb, body?)?,
        options: options(query),
    })
}

/// Whether what follows the name of a namespace is a part of that namespace.
fn is_part(rest: &[&str]) -> bool {
    matches!(rest, ["status" | "finalize"])
}

/// The body of a create or replacement as an object; a patch may be any text.
fn object(verb: Verb, body: &Value) -> Option<Value> {
    let (Value::Str(text), Verb::Create | Verb::Replace) = (body, verb) else {
        return Some(body.clone());
    };
    json::decode(text.as_bytes())
        .ok()
        .or_else(|| yaml::decode_first(text.as_bytes(), yaml::Options::default()).ok()?.value.ok())
}

fn options(query: &str) -> WriteOptions {
    let mut options = WriteOptions::default();
    for (key, value) in query.split('&').filter_map(|it| it.split_once('=')) {
        match key {
            "fieldManager" => options.field_manager = value.into(),
            "fieldValidation" => options.field_validation = value.into(),
            "force" => options.force = Some(matches!(value, "true" | "1")),
            // Both sides are for real: a dry run stores nothing and is judged alike.
            _ => {}
        }
    }
    options
}
