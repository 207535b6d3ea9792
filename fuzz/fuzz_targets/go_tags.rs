//! No text makes the readers of tags panic, nor the rules that are declared by it.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/idl/tests/support/survive.rs"]
#[allow(dead_code, reason = "each target uses its part")]
mod survive;

fuzz_target!(|text: &str| survive::tag(text));
