//! Evaluation never panics, and ends within its budget. The first line of the input is a JSON
//! value for `self`, the rest the expression.
#![no_main]

use libfuzzer_sys::fuzz_target;
use ordain_cel::program::EvalOptions;
use ordain_cel::value::tree;
use ordain_passes::cel_library::Environment;
use ordain_passes::rules::probe::Probe;
use ordain_value::{Value, json};

const LIMIT: u64 = 10_000;

fuzz_target!(|text: &str| {
    let (object, expression) = text.split_once('\n').unwrap_or(("null", text));
    let object = json::decode(object.as_bytes()).unwrap_or(Value::Null);
    let probe = Probe::untyped(Environment::declared());
    let Ok(probed) = probe.compile(expression, false) else { return };
    let options = EvalOptions { cost_limit: Some(LIMIT), interrupt: None };
    let outcome = probe.evaluate(&probed, Some(&object), Some(&object), options);
    match &outcome.value {
        Ok(value) => {
            assert!(outcome.cost <= LIMIT);
            drop(tree::to_tree(value));
        }
        Err(error) => assert!(error.is_cost_limit() || outcome.cost <= LIMIT),
    }
});
