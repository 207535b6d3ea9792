//! Secret: data that is shown to few, with rules for the types that others rely on.

use ordain_meta::name;
use ordain_schema::base64;
use ordain_strategy::Warnings;
use ordain_strategy::object;
use ordain_strategy::typed::Hooks;
use ordain_strategy::typed::{codec, printer, rules};
use ordain_strategy::{Change, Part};
use ordain_value::field::{self, Path};
use ordain_value::go_format::{cannot_unmarshal, json_type};
use ordain_value::{Map, Text, Value, json};

use crate::native::Native;

const ACCOUNT_NAME: &str = "kubernetes.io/service-account.name";

pub(crate) fn native() -> Native {
    let mut hooks = Hooks::new(validate);
    hooks.default = default;
    hooks.prepare_for_update = keep_type;
    hooks.warn = warn;
    hooks.field = |object, field| (field == "type").then(|| codec::to_text(object, &["type"]));
    hooks.selectable = true;
    hooks.cells = |object, now| {
        vec![
            object::name(object).into(),
            codec::text_at(object, &["type"]).into(),
            Value::Int(printer::count(object, "data")),
            printer::age(object, now),
        ]
    };
    let columns = printer::columns(&[
        (
            "Type",
            "Used to facilitate programmatic handling of secret data. More info: \
             https://kubernetes.io/docs/concepts/configuration/secret/#secret-types",
        ),
        (
            "Data",
            "Data contains the secret data. Each key must consist of alphanumeric characters, \
             '-', '_' or '.'. The serialized form of the secret data is a base64 encoded string, \
             representing the arbitrary (possibly non-string) data value here. Described in \
             https://tools.ietf.org/html/rfc4648#section-4",
        ),
    ]);
    Native { hooks, columns, selectable_fields: &["type"], ..Native::new("", "Secret") }
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

fn validate(change: &Change<'_>) -> field::ErrorList {
    let mut errors = rules::metadata(change, true, name::subdomain_rule);
    if change.old.is_some() {
        rules::unchanged(change, "type", "type", &mut errors);
        rules::immutable(change, &["data"], &mut errors);
        errors.extend(rules::metadata(
            &Change { old: None, ..*change },
            true,
            name::subdomain_rule,
        ));
    }
    let data = change.object.get("data").and_then(Value::as_map);
    let path = Path::new("data");
    rules::config_keys(data, &path, &mut errors);
    if rules::binary_bytes(data) > rules::DATA_BYTES_MAX {
        errors.push(field::Error::too_long(&path, rules::DATA_BYTES_MAX));
    }
    check_type(change.object, data, &path, &mut errors);
    errors
}

fn check_type(object: &Value, data: Option<&Map>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let has = |key: &str| data.is_some_and(|data| data.contains_key(key));
    let mut require = |key: &str| errors.push(field::Error::required(&path.key(key), ""));
    match codec::text_at(object, &["type"]) {
        "kubernetes.io/service-account-token" => {
            let path = Path::new("metadata");
            let path = path.child("annotations");
            if codec::text_at(object, &["metadata", "annotations", ACCOUNT_NAME]).is_empty() {
                errors.push(field::Error::required(&path.key(ACCOUNT_NAME), ""));
            }
        }
        "kubernetes.io/dockercfg" => check_json(data, ".dockercfg", path, errors),
        "kubernetes.io/dockerconfigjson" => check_json(data, ".dockerconfigjson", path, errors),
        "kubernetes.io/basic-auth" if !has("username") && !has("password") => {
            require("username");
            require("password");
        }
        "kubernetes.io/ssh-auth" => {
            let key = data.and_then(|data| data.get("ssh-privatekey")).and_then(Value::as_str);
            if key.unwrap_or("").is_empty() {
                require("ssh-privatekey");
            }
        }
        "kubernetes.io/tls" => {
            for key in ["tls.crt", "tls.key"] {
                if !has(key) {
                    require(key);
                }
            }
        }
        _ => {}
    }
}

fn check_json(data: Option<&Map>, key: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    let Some(text) = data.and_then(|data| data.get(key)).and_then(Value::as_str) else {
        errors.push(field::Error::required(&path.key(key), ""));
        return;
    };
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
