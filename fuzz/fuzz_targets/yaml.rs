//! No text makes the YAML reader panic; what it reads can be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ordain_value::yaml;

fuzz_target!(|bytes: &[u8]| {
    let Ok(documents) = yaml::decode_documents(bytes, yaml::Options::default()) else { return };
    for value in documents.into_iter().filter_map(|document| document.value.ok()) {
        let written = yaml::encode(&value);
        assert!(yaml::decode_first(written.as_bytes(), yaml::Options::default()).is_ok());
    }
});
