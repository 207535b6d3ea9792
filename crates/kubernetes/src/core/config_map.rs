//! ConfigMap: configuration data as texts and bytes.

use ordain_meta::name;
use ordain_strategy::Change;
use ordain_strategy::object;
use ordain_strategy::typed::Hooks;
use ordain_strategy::typed::{printer, rules};
use ordain_value::field::{self, Path};
use ordain_value::{Map, Value};

use crate::native::Native;

pub(crate) fn native() -> Native {
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
    Native { hooks, columns, ..Native::new("", "ConfigMap") }
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
