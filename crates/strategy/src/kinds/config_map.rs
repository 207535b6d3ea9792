//! ConfigMap: configuration data as texts and bytes.

use ordain_meta::name;
use ordain_value::field::{self, Path};
use ordain_value::{Map, Value};

use super::Kind;
use super::declare::Builder;
use crate::object;
use crate::rest_config::RestConfig;
use crate::strategy::{Change, Policy};
use crate::typed::Hooks;
use crate::typed::{printer, rules};

pub(super) fn config() -> RestConfig {
    let mut b = Builder::default();
    let (text, flag, bytes) = (b.string(), b.boolean(), b.bytes());
    let (texts, binary) = (b.map(text), b.map(bytes));
    let fields = vec![
        b.field("immutable", 4, flag).pointer().about("Whether data can still be changed."),
        b.field("data", 2, texts).omit().about("The configuration as texts."),
        b.field("binaryData", 3, binary).omit().about("The configuration as bytes."),
    ];
    let about = "Configuration data for others to read.";
    let schema = b.kind("ConfigMap", "io.k8s.api.core.v1.ConfigMap", about, fields);
    let mut hooks = Hooks::new(validate);
    hooks.cells = |object, now| {
        let count = printer::count(object, "data") + printer::count(object, "binaryData");
        vec![object::name(object).into(), Value::Int(count), printer::age(object, now)]
    };
    let columns = printer::columns(&[(
        "Data",
        "Data contains the configuration data. Each key must consist of alphanumeric characters, \
         '-', '_' or '.'. Values with non-UTF-8 byte sequences must use the BinaryData field. The \
         keys stored in Data must not overlap with the keys in the BinaryData field, this is \
         enforced during validation process.",
    )]);
    Kind {
        kind: "ConfigMap",
        plural: "configmaps",
        short_names: &["cm"],
        policy: Policy { unconditional_update: true, ..Policy::default() },
        columns,
        ..Kind::core(schema, hooks)
    }
    .config()
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let map = |name: &str| change.object.get(name).and_then(Value::as_map);
    let (data, binary) = (map("data"), map("binaryData"));
    let mut errors = rules::metadata(change, true, name::subdomain_rule);
    rules::immutable(change, &["data", "binaryData"], &mut errors);
    if change.old.is_some() {
        errors.extend(rules::metadata(
            &Change { old: None, ..*change },
            true,
            name::subdomain_rule,
        ));
    }
    let path = Path::new("data");
    for key in data.into_iter().flat_map(Map::keys) {
        for problem in rules::config_key(key) {
            errors.push(field::Error::invalid(&path.key(key), key.as_str(), problem));
        }
        if binary.is_some_and(|binary| binary.contains_key(key)) {
            let why = "duplicate of key present in binaryData";
            errors.push(field::Error::invalid(&path.key(key), key.as_str(), why));
        }
    }
    rules::config_keys(binary, &Path::new("binaryData"), &mut errors);
    let size = rules::text_bytes(data).saturating_add(rules::binary_bytes(binary));
    if size > rules::DATA_BYTES_MAX {
        errors.push(field::Error::too_long(&Path::new("[]"), rules::DATA_BYTES_MAX));
    }
    errors
}
