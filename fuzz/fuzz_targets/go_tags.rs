//! No text makes the readers of tags panic, nor the rules that are declared by it.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[path = "../../crates/idl/tests/support/survive.rs"]
mod survive;

fuzz_target!(|text: &str| survive::tag(text));
