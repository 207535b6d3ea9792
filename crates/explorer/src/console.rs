//! The console: one expression on one object, with the value of each part.
//!
//! Work and answer are bounded: the expression by CEL's own limits, its evaluation and that of its
//! parts by one budget, the number of parts and the length of what is shown of each by constants.

use ordain_cel::cost::Cost;
use ordain_cel::program::{EvalOptions, Outcome};
use ordain_cel::value::{Val, tree};
use ordain_passes::cel_library::{Environment, KubeVersion, PER_CALL_LIMIT};
use ordain_passes::rules::EXPRESSION_COST_MAX;
use ordain_passes::rules::probe::{self, Probe, Probed};
use ordain_value::{Value, json, value};

use crate::ask::{Unanswered, int, schema};

/// What is shown of the value of a whole expression.
const SHOWN_MAX: usize = 64 * 1024;
/// What is shown of the value of a part.
const SHOWN_PART_MAX: usize = 1024;
const PARTS_MAX: usize = 100;

/// `{expression, self, oldSelf, schema, at}` gives `{value, type, cost, parts}`, or `{compile}`
/// with the words of the compiler. `at` is the part of object and schema that `self` is.
pub(crate) fn answer(posted: &Value) -> Result<Value, Unanswered> {
    let text = posted.get("expression").and_then(Value::as_str).unwrap_or("");
    if text.trim().is_empty() {
        return Err(Unanswered("there is no expression".to_owned()));
    }
    let at = posted.get("at").and_then(Value::as_str).unwrap_or("");
    let steps = probe::steps(at)?;
    let environment = Environment::crd_at(KubeVersion::CURRENT);
    let probe = match schema(posted)? {
        Some(schema) => Probe::at(&schema, &steps, environment)?,
        None => Probe::untyped(environment),
    };
    let probed = match probe.compile(text, false) {
        Ok(probed) => probed,
        Err(error) => return Ok(value!({"compile": (error.to_string())})),
    };
    let given = |name: &str| posted.get(name).filter(|it| !it.is_null());
    let own = given("self").and_then(|it| probe::value_at(it, &steps));
    let old = given("oldSelf").and_then(|it| probe::value_at(it, &steps));
    let mut answer = value!({
        "type": (probed.checked.result_type().to_string()),
        "estimate": estimate(probed.estimate),
        "limit": int(EXPRESSION_COST_MAX)
    });
    let reads = |name: &str| probed.program.variables().iter().any(|it| it == name);
    for (name, value) in [("self", own), ("oldSelf", old)] {
        if reads(name) && value.is_none() {
            answer.set_path(&["missing"], Value::str(name));
            return Ok(answer);
        }
    }
    let evaluate = |probed: &Probed, budget: u64, shown: usize| {
        let options = EvalOptions { cost_limit: Some(budget), ..EvalOptions::default() };
        show(&probe.evaluate(probed, own, old, options), shown)
    };
    let (whole, mut spent) = evaluate(&probed, PER_CALL_LIMIT, SHOWN_MAX);
    let mut parts = Vec::new();
    for part in probe.parts(&probed).into_iter().take(PARTS_MAX) {
        if spent >= PER_CALL_LIMIT {
            break;
        }
        let (mut entry, cost) = evaluate(&part.probed, PER_CALL_LIMIT - spent, SHOWN_PART_MAX);
        spent = spent.saturating_add(cost);
        entry.set_path(&["text"], Value::str(part.text.as_str()));
        entry.set_path(&["depth"], int(u64::from(part.depth)));
        entry.set_path(&["type"], Value::str(part.probed.checked.result_type().to_string()));
        parts.push(entry);
    }
    answer.set_path(&["parts"], parts.into());
    for (key, value) in whole.as_map().into_iter().flat_map(ordain_value::Map::iter) {
        answer.set_path(&[key], value.clone());
    }
    Ok(answer)
}

/// What came of an evaluation, and what it cost.
fn show(outcome: &Outcome<'_>, shown_max: usize) -> (Value, u64) {
    let mut entry = value!({"cost": int(outcome.cost)});
    match &outcome.value {
        Ok(value) => {
            entry.set_path(&["value"], Value::str(shown(value, shown_max)));
            if let Val::Bool(holds) = value {
                entry.set_path(&["holds"], Value::Bool(*holds));
            }
        }
        Err(error) => entry.set_path(&["error"], Value::str(error.message())),
    }
    (entry, outcome.cost)
}

fn shown(value: &Val<'_>, max: usize) -> String {
    let text = json::encode_string(&tree::to_tree(value));
    match text.char_indices().nth(max) {
        Some((end, _)) => text.get(..end).unwrap_or("").to_owned() + "…",
        None => text,
    }
}

fn estimate(cost: Cost) -> Value {
    value!({"min": int(cost.min), "max": int(cost.max)})
}
