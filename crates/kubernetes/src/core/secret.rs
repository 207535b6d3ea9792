//! Secret: data that is shown to few, with rules for the types that others rely on.

use ordain_meta::name;
use ordain_passes::declared::written::Asked;
use ordain_schema::base64;
use ordain_strategy::Warnings;
use ordain_strategy::typed::Hooks;
use ordain_strategy::typed::{codec, rules};
use ordain_strategy::{Change, Part};
use ordain_value::field::{self, Path};
use ordain_value::go_format::{cannot_unmarshal, json_type};
use ordain_value::{Text, Value, json};

use crate::native::Native;
use crate::shared::metadata;
use crate::shared::table::{AGE, Cell, NAME};

pub(crate) fn native() -> Native {
    let mut hooks =
        Hooks::new(|change| metadata::changed_and_whole(change, true, name::subdomain_rule));
    hooks.default = default;
    hooks.prepare_for_update = keep_type;
    hooks.warn = warn;
    hooks.field = |object, field| (field == "type").then(|| codec::to_text(object, &["type"]));
    hooks.selectable = true;
    const TYPE: &str = "Used to facilitate programmatic handling of secret data. More info: \
        https://kubernetes.io/docs/concepts/configuration/secret/#secret-types";
    const DATA: &str = "Data contains the secret data. Each key must consist of alphanumeric \
        characters, '-', '_' or '.'. The serialized form of the secret data is a base64 encoded \
        string, representing the arbitrary (possibly non-string) data value here. Described in \
        https://tools.ietf.org/html/rfc4648#section-4";
    Native {
        hooks,
        columns: &[
            NAME,
            ("Type", "string", 0, TYPE, Cell::Text("type")),
            ("Data", "string", 0, DATA, Cell::Len("data")),
            AGE,
        ],
        selectable_fields: &["type"],
        ..Native::new("", "Secret")
    }
}

/// Texts become data, and a secret without a type is an opaque one.
fn default(object: &mut Value) {
    let Value::Map(map) = object else { return };
    if let Some(Value::Map(texts)) = map.remove("stringData") {
        let mut data = map.get("data").and_then(Value::as_map).cloned().unwrap_or_default();
        let encoded = texts.iter().map(|(key, text)| {
            let bytes = text.as_str().unwrap_or("").as_bytes();
            (key.clone(), Some(base64::encode(bytes).into()))
        });
        data.change(encoded.collect());
        if !data.is_empty() {
            map.insert("data", Value::Map(data));
        }
    }
    if map.get("type").and_then(Value::as_str).unwrap_or("").is_empty() {
        map.insert("type", "Opaque".into());
    }
}

fn keep_type(_part: Part, object: &mut Value, old: &Value) {
    if codec::text_at(object, &["type"]).is_empty() {
        object.set_path(&["type"], old.get("type").cloned().unwrap_or(Value::Null));
    }
}

/// All data together fits into an object.
pub(crate) fn check_size(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    rules::check_size(rules::binary_bytes(asked.value().as_map()), path, errors);
}

/// What logs into registries is JSON.
pub(crate) fn check_json(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let key = match codec::text_at(&asked.ask("parent"), &["type"]) {
        "kubernetes.io/dockercfg" => ".dockercfg",
        "kubernetes.io/dockerconfigjson" => ".dockerconfigjson",
        _ => return,
    };
    let data = asked.value();
    let Some(text) = data.get(key).and_then(Value::as_str) else { return };
    let bytes = base64::decode(text).unwrap_or_default();
    let why = match json::decode(&bytes) {
        Ok(Value::Map(_) | Value::Null) => return,
        Ok(other) => cannot_unmarshal(json_type(&other), "map[string]interface {}"),
        Err(error) => error.message,
    };
    let redacted = Text::from("<secret contents redacted>");
    errors.push(field::Error::invalid(&path.key(key), Value::Str(redacted), why));
}

/// A key pair that cannot be one is worth a word.
fn warn(change: &Change<'_>, warnings: &mut Warnings) {
    let object = change.object;
    if codec::text_at(object, &["type"]) != "kubernetes.io/tls" {
        return;
    }
    for (key, what) in [("tls.crt", "certificate"), ("tls.key", "key")] {
        let text = codec::text_at(object, &["data", key]);
        let bytes = base64::decode(text).unwrap_or_default();
        if !String::from_utf8_lossy(&bytes).contains("-----BEGIN ") {
            warnings.add(format!("tls: failed to find any PEM data in {what} input"));
            return;
        }
    }
}
