#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| ordain_fuzz::targets::read_protobuf(bytes));
