//! Plays `fixtures/<group>/<kind>.yaml` through the spines of create and update.
//!
//! A file has YAML documents: `object`, perhaps `old` (then the case is an update of it, of the
//! part `subresource` if that is named), `errors` (each as `path: text`) and `warnings`. A document
//! without `errors` must be accepted. `result` names fields, by path with dots, of the object that
//! comes out.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_meta::status::Status;
use ordain_meta::time::Time;
use ordain_strategy::decode::{Body, Media};
use ordain_strategy::pool::Unlimited;
use ordain_strategy::source::{FixedClock, SeededEntropy};
use ordain_strategy::{Context, Part, RestConfig, Target, Warnings, WriteOptions, create, update};
use ordain_value::{Value, json, yaml};

const NOW: i64 = 1_700_000_000;

#[test]
fn fixtures_are_judged_as_they_say() {
    let kinds = ordain_kubernetes::all();
    let mut wrong = Vec::new();
    let mut played = 0;
    for path in files(Path::new("../kubernetes/fixtures")) {
        let text = fs::read(&path).unwrap();
        let documents = yaml::decode_documents(&text, yaml::Options::default()).unwrap();
        let cases = documents.iter().map(|it| it.value.as_ref().unwrap()).enumerate();
        for (at, case) in cases.filter(|it| !it.1.is_null()) {
            played += 1;
            if let Err(why) = play(&kinds, case) {
                wrong.push(format!("{} document {at}: {why}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(played > 0, "no fixture was found");
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|it| it == "yaml") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn play(kinds: &[RestConfig], case: &Value) -> Result<(), String> {
    for key in case.as_map().ok_or("not a case")?.keys() {
        let known = ["object", "old", "subresource", "errors", "warnings", "result"];
        if !known.contains(&key.as_str()) {
            return Err(format!("unknown key {key}"));
        }
    }
    let object = case.get("object").ok_or("no object")?;
    let target = target(kinds, object)?;
    let mut warnings = Warnings::default();
    let outcome = match case.get("old") {
        None => created(&target, object, &mut warnings),
        Some(old) => {
            let mut unused = Warnings::default();
            let old = created(&target, old, &mut unused).map_err(|it| it.message.to_string())?;
            let subresource = case.get("subresource").and_then(Value::as_str).unwrap_or("");
            updated(&target, part(&target, subresource)?, object, old, &mut warnings)
        }
    };
    let (result, errors) = match outcome {
        Ok(object) => (object, Vec::new()),
        Err(status) => (Value::Null, causes(&status)),
    };
    same("errors", errors, case)?;
    same("warnings", warnings.texts().to_vec(), case)?;
    let expected = case.get("result").and_then(Value::as_map);
    for (path, value) in expected.into_iter().flat_map(|map| map.iter()) {
        let steps: Vec<&str> = path.split('.').collect();
        let found = result.get_path(&steps).cloned().unwrap_or(Value::Null);
        if found != *value {
            return Err(format!("{path} is {}", json::encode_string(&found)));
        }
    }
    Ok(())
}

fn same(what: &str, mut found: Vec<String>, case: &Value) -> Result<(), String> {
    let listed = case.get(what).and_then(Value::as_list);
    let texts = listed.into_iter().flat_map(|list| list.iter()).filter_map(Value::as_str);
    let mut expected: Vec<String> = texts.map(str::to_owned).collect();
    expected.sort();
    found.sort();
    if found == expected {
        return Ok(());
    }
    Err(format!("{what}\n  expected {expected:#?}\n  found {found:#?}"))
}

/// `path: text` of each cause, or the message of a refusal without causes.
fn causes(status: &Status) -> Vec<String> {
    let encoded = status.encode();
    let causes = encoded.get_path(&["details", "causes"]).and_then(Value::as_list);
    match causes {
        Some(causes) => {
            let text = |cause: &Value, name: &str| {
                cause.get(name).and_then(Value::as_str).unwrap_or("").to_owned()
            };
            let line =
                |cause: &Value| format!("{}: {}", text(cause, "field"), text(cause, "message"));
            causes.iter().map(line).collect()
        }
        None => vec![status.message.to_string()],
    }
}

fn target(kinds: &[RestConfig], object: &Value) -> Result<Target, String> {
    let text = |path: &[&str]| object.get_path(path).and_then(Value::as_str).unwrap_or("");
    let (group, version) = text(&["apiVersion"]).rsplit_once('/').unwrap_or(("", "v1"));
    let found = kinds.iter().find(|it| it.group == group && it.kind == text(&["kind"]));
    let resource = found.ok_or_else(|| format!("no kind {}", text(&["kind"])))?;
    let namespace = if resource.namespaced { "default" } else { "" };
    Ok(Target {
        version: version.into(),
        namespace: namespace.into(),
        name: text(&["metadata", "name"]).into(),
        resource: Arc::new(resource.clone()),
    })
}

fn part(target: &Target, subresource: &str) -> Result<Part, String> {
    let others = &target.resource.subresources;
    match subresource {
        "" => Ok(Part::Main),
        "status" => Ok(Part::Status),
        name => others
            .iter()
            .position(|it| it == name)
            .map(Part::Other)
            .ok_or_else(|| format!("no subresource {name}")),
    }
}

fn created(target: &Target, object: &Value, warnings: &mut Warnings) -> Result<Value, Status> {
    let (clock, entropy) = (FixedClock(Time::from_unix(NOW, 0)), SeededEntropy::new(1));
    let context =
        Context { clock: &clock, entropy: &entropy, user: None, conversions: None, dry_run: false };
    let bytes = json::encode_string(object);
    let body = Body { bytes: bytes.as_bytes(), media: Media::Json };
    let options = WriteOptions::default();
    let read = create::Read::body(context, target, &body, &options, warnings)?;
    let mut admitted = read.admitted(warnings);
    admitted.allocate(&mut Unlimited::default())?;
    let mut object = admitted.candidate(warnings)?;
    object.set_path(&["metadata", "resourceVersion"], "1".into());
    Ok(object)
}

fn updated(
    target: &Target,
    part: Part,
    object: &Value,
    old: Value,
    warnings: &mut Warnings,
) -> Result<Value, Status> {
    let (clock, entropy) = (FixedClock(Time::from_unix(NOW + 60, 0)), SeededEntropy::new(2));
    let context =
        Context { clock: &clock, entropy: &entropy, user: None, conversions: None, dry_run: false };
    let mut object = object.clone();
    object.set_path(&["metadata", "resourceVersion"], "1".into());
    let bytes = json::encode_string(&object);
    let body = Body { bytes: bytes.as_bytes(), media: Media::Json };
    let options = WriteOptions::default();
    let source = update::replacement(target, part, &body, &options, warnings)?;
    let proposed = update::Proposed::new(context, target, part, &source, &old, warnings)?;
    let mut settled = proposed.settled(warnings)?;
    if part == Part::Main {
        settled.allocate(&mut Unlimited::default())?;
    }
    Ok(settled.admitted(warnings)?.object)
}
