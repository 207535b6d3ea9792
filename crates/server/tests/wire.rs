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
    let folder = transcript::shared().and_then(|it| Some(it.parent()?.join("wire")));
    let files = folder.filter(|folder| folder.is_dir()).map(|it| transcript::files(&it).unwrap());
    files.unwrap_or_default()
}

fn schema<'a>(kinds: &'a [RestConfig], api_version: &str, kind: &str) -> Option<&'a Schema> {
    let version = GroupVersion::decode(api_version).unwrap();
    let found = kinds.iter().find(|it| it.group == version.group && it.kind == kind)?;
    found.strategy.schema(&version.version)
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
        println!("skipped: no recordings of the wire beside the repository and no ORDAIN_SHARED");
        return;
    }
    let kinds = ordain_kubernetes::all();
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
