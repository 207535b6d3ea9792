//! No text makes the checker, the cost estimator or the planner panic.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ordain_passes::cel_library::Environment;
use ordain_passes::rules::probe::Probe;

fuzz_target!(|text: &str| {
    match Probe::untyped(Environment::declared()).compile(text, false) {
        Ok(probed) => assert!(probed.estimate.min <= probed.estimate.max),
        Err(error) => drop(error.to_string()),
    }
});
