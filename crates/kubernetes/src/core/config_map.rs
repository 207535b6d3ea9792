//! ConfigMap: configuration data as texts and bytes.

use ordain_meta::name;
use ordain_passes::declared::written::Asked;
use ordain_strategy::typed::Hooks;
use ordain_strategy::typed::{printer, rules};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use crate::native::Native;
use crate::shared::metadata;
use crate::shared::table::Cell::Of;
use crate::shared::table::{AGE, NAME};

pub(crate) fn native() -> Native {
    const DATA: &str = "Data contains the configuration data. Each key must consist of \
        alphanumeric characters, '-', '_' or '.'. Values with non-UTF-8 byte sequences must use \
        the BinaryData field. The keys stored in Data must not overlap with the keys in the \
        BinaryData field, this is enforced during validation process.";
    Native {
        hooks: Hooks::new(|change| metadata::changed_and_whole(change, true, name::subdomain_rule)),
        columns: &[NAME, ("Data", "string", 0, DATA, Of(count)), AGE],
        ..Native::new("", "ConfigMap")
    }
}

fn count(object: &Value) -> Value {
    Value::Int(printer::count(object, "data") + printer::count(object, "binaryData"))
}

/// All data together fits into an object. Refusals name no field.
pub(crate) fn check_size(asked: &Asked<'_, '_>, _: &Path<'_>, errors: &mut field::ErrorList) {
    let object = asked.value();
    let map = |name: &str| object.get(name).and_then(Value::as_map);
    let size = rules::text_bytes(map("data"));
    rules::check_size(
        size.saturating_add(rules::binary_bytes(map("binaryData"))),
        &Path::new("[]"),
        errors,
    );
}
