//! What kubectl and kube-apiserver said to each other in protobuf is read and written byte for byte.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

use std::path::PathBuf;

use ordain_meta::gvk::GroupVersion;
use ordain_registry::RestConfig;
use ordain_registry::meta_v1;
use ordain_registry::typed::protobuf;
use ordain_schema::{Schema, base64};
use ordain_testkit::transcript;
use ordain_value::{Value, value};

fn recordings() -> Vec<PathBuf> {
    let folder = transcript::outside("wire");
    folder.map(|it| transcript::files(&it).unwrap()).unwrap_or_default()
}

fn schema<'a>(kinds: &'a [RestConfig], api_version: &str, kind: &str) -> Option<&'a Schema> {
    let version = GroupVersion::decode(api_version).unwrap();
    let found = kinds.iter().find(|it| it.group == version.group && it.kind == kind)?;
    found.strategy.schema(&version.version)
}

fn native() -> Vec<RestConfig> {
    ordain_kubernetes::all()
}

/// All protobuf bodies of the recordings.
fn bodies() -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for path in recordings() {
        for line in transcript::read(&path).unwrap() {
            let text = |key: &str| line.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
            for part in ["body", "response"] {
                let encoded = line.get_path(&[part, "base64"]).and_then(Value::as_str);
                let Some(encoded) = encoded else { continue };
                let name = format!("{part} of {} {}", text("method"), text("path"));
                found.push((name, base64::decode(encoded).unwrap()));
            }
        }
    }
    found
}

#[test]
fn recorded_messages_come_back_as_the_same_bytes() {
    let bodies = bodies();
    if bodies.is_empty() {
        return;
    }
    let kinds: Vec<RestConfig> = native();
    let (mut objects, mut lists, mut unknown) = (0, 0, Vec::new());
    for (name, bytes) in &bodies {
        let envelope = protobuf::open(bytes).unwrap();
        if let Some(schema) = schema(&kinds, &envelope.api_version, &envelope.kind) {
            let object = protobuf::decode(schema, &envelope).unwrap();
            assert_eq!(
                hex(&protobuf::encode_message(schema, &object)),
                hex(envelope.raw),
                "{name}"
            );
            if name.starts_with("response") {
                assert_eq!(hex(&protobuf::encode(schema, &object)), hex(bytes), "{name}");
            }
            objects += 1;
        } else if let Some(schema) = envelope
            .kind
            .strip_suffix("List")
            .and_then(|kind| schema(&kinds, &envelope.api_version, kind))
        {
            let version = protobuf::list_version(&envelope).unwrap();
            let list = value!({
                "apiVersion": (envelope.api_version.as_str()), "kind": (envelope.kind.as_str()),
                "metadata": {"resourceVersion": version}, "items": []
            });
            assert_eq!(hex(&protobuf::encode_list(schema, &list)), hex(bytes), "{name}");
            lists += 1;
        } else {
            unknown.push(envelope.kind.clone());
        }
    }
    println!("{objects} objects and {lists} empty lists agree; kinds not served: {unknown:?}");
    assert!(objects >= 20 && lists >= 2, "the recordings hold more");
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn refusals_are_messages_too() {
    let status = ordain_meta::Status::not_found(&ordain_meta::GroupResource::new("", "pods"), "a");
    let schema = meta_v1::status();
    let bytes = protobuf::encode(&schema, &status.encode());
    let envelope = protobuf::open(&bytes).unwrap();
    assert_eq!((envelope.api_version.as_str(), envelope.kind.as_str()), ("v1", "Status"));
    let back = protobuf::decode(&schema, &envelope).unwrap();
    for field in ["message", "reason", "code", "status"] {
        assert_eq!(back.get(field), status.encode().get(field));
    }
    assert_eq!(back.get_path(&["details", "name"]).and_then(Value::as_str), Some("a"));
}

/// The objects that the recorded server answered with.
fn answers(set: &str) -> Vec<Value> {
    let Some(folder) = transcript::set(set) else { return Vec::new() };
    let mut found = Vec::new();
    for path in transcript::files(&folder).unwrap() {
        for line in transcript::read(&path).unwrap() {
            let steps = line.get("steps").and_then(Value::as_list).cloned().unwrap_or_default();
            let answers = steps.iter().filter_map(|step| step.get("response")).cloned();
            found.extend(answers.filter(|it| it.get_path(&["metadata", "name"]).is_some()));
            found.extend(line.get("crd").cloned());
        }
    }
    found
}

/// Without the members of maps that are not kept, at every depth.
fn only(mut value: Value, kept: fn(&str, &Value) -> bool) -> Value {
    match &mut value {
        Value::Map(map) => {
            let entries = map.iter().map(|(key, it)| (key.clone(), only(it.clone(), kept)));
            let entries = entries.filter(|(key, it)| kept(key, it)).collect();
            value = Value::Map(ordain_value::Map::from_entries(entries));
        }
        Value::List(list) => list.to_mut().iter_mut().for_each(|it| *it = only(it.clone(), kept)),
        _ => {}
    }
    value
}

/// Without what the recordings name instead of showing it.
fn shown(object: Value) -> Value {
    only(object, |_, it| it.as_str().is_none_or(|it| !it.contains('<')))
}

/// Without what protobuf cannot say: the types of objects within objects.
fn untyped(mut object: Value) -> Value {
    if let Some(claims) = object.get_path(&["spec", "volumeClaimTemplates"]).cloned() {
        let claims = only(claims, |key, _| !matches!(key, "apiVersion" | "kind"));
        object.set_path(&["spec", "volumeClaimTemplates"], claims);
    }
    object
}

/// Without empty lists and maps, which protobuf does not tell from missing ones.
fn filled(object: Value) -> Value {
    only(object, |_, it| {
        it.as_list().is_none_or(|it| !it.is_empty()) && it.as_map().is_none_or(|it| !it.is_empty())
    })
}

#[test]
fn recorded_objects_survive_protobuf() {
    let kinds = native();
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    for object in answers("native").into_iter().map(shown) {
        let text = |name: &str| object.get(name).and_then(Value::as_str).unwrap_or("").to_owned();
        let (api_version, kind) = (text("apiVersion"), text("kind"));
        let Some(config) = kinds.iter().find(|it| {
            it.kind == kind
                && api_version
                    .strip_prefix(it.group.as_str())
                    .is_some_and(|rest| !rest.trim_start_matches('/').contains('/'))
        }) else {
            continue;
        };
        let version = api_version.rsplit('/').next().unwrap_or("v1");
        let Some(schema) = config.strategy.message(version) else { continue };
        let read = |value: Value| {
            config.strategy.decode(version, value, ordain_registry::FieldValidation::Ignore)
        };
        let Ok(expected) = read(object.clone()) else { continue };
        let bytes = protobuf::encode(schema, &expected.object);
        let back = protobuf::decode(schema, &protobuf::open(&bytes).unwrap()).unwrap();
        let mut expected = expected.object;
        config.strategy.canonicalize(
            ordain_registry::Part::Main,
            &mut expected,
            Default::default(),
        );
        let mut back = read(back).unwrap().object;
        config.strategy.canonicalize(ordain_registry::Part::Main, &mut back, Default::default());
        assert_eq!(untyped(back), untyped(expected), "{api_version} {kind}");
        *seen.entry(kind).or_default() += 1;
    }
    println!("{} objects of {} kinds", seen.values().sum::<usize>(), seen.len());
}

#[test]
fn definitions_survive_protobuf() {
    let schema = ordain_kubernetes::definition_schema().unwrap();
    let mut count = 0;
    for object in answers("crd") {
        if object.get("kind").and_then(Value::as_str) != Some("CustomResourceDefinition") {
            continue;
        }
        let name = object.get_path(&["metadata", "name"]).cloned();
        let bytes = protobuf::encode(&schema, &object);
        let back = protobuf::decode(&schema, &protobuf::open(&bytes).unwrap()).unwrap();
        assert!(bytes == protobuf::encode(&schema, &back), "{name:?} comes back otherwise");
        let spec = |it: &Value| {
            let (definition, _) = ordain_schema::crd::Crd::decode(it).unwrap();
            let written = ordain_registry::crd::write(&definition);
            written.get("spec").cloned().map(filled)
        };
        assert!(spec(&back) == spec(&object), "{name:?}");
        count += 1;
    }
    println!("{count} definitions");
}
