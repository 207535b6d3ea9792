//! What decodes encodes, and decodes to the same again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ordain_value::json;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(value) = json::decode(bytes) {
        let again = json::decode(&json::encode(&value)).expect("our own output");
        assert!(value == again);
    }
});
