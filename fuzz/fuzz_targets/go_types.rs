//! No text makes the Go reader, the tags, the rules, the defaults or the lowering panic.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/idl/tests/support/survive.rs"]
#[allow(dead_code, reason = "each target uses its part")]
mod survive;

fuzz_target!(|bytes: &[u8]| survive::go_file(&String::from_utf8_lossy(bytes)));
