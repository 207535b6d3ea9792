//! Rules that ask nothing but the value of a field itself: lengths, numbers, formats and the like.
//! Most fields have only such rules and pass them, and then neither a place nor variables are needed.
//!
//! Invariant: where [`passes`] says yes, the walk has nothing against the value either; where it says
//! no, the walk is asked.

use ordain_cel::value::view::is_set;
use ordain_meta::format;
use ordain_schema::written::{Below, FieldRules, Over, Rule, Test};
use ordain_value::Value;

/// Whether all that is to be asked of a field is in rules of its own value, and nothing stands below.
pub(super) fn is_alone(field: &FieldRules) -> bool {
    field.below == Below::Nothing
        && field.on.is_empty()
        && field.lets.is_empty()
        && field.sound.is_empty()
        && field.rules.iter().all(|it| it.over == Over::Own)
}

/// Whether a rule may be asked by [`passes`]; `holds` tells that its condition does.
pub(super) fn is_plain(rule: &Rule, holds: bool) -> bool {
    let is_known = match &rule.test {
        // Asked before their condition.
        Test::Required | Test::Forbidden => true,
        Test::Optional
        | Test::Minimum(_)
        | Test::Maximum(_)
        | Test::Range(..)
        | Test::MaxBytes(_)
        | Test::MinItems(_)
        | Test::MaxItems(_)
        | Test::OneOf(_)
        | Test::Format(_) => rule.when.is_none() || holds,
        _ => false,
    };
    is_known && rule.on.is_empty()
}

/// Whether a plain rule has nothing against a value that is there, nor ends the rules after it.
pub(super) fn passes(rule: &Rule, value: &Value, pointer: bool) -> bool {
    let number = |fits: &dyn Fn(i64) -> bool| value.as_int().is_none_or(fits);
    let at_most = |len: usize, max: i64| i64::try_from(len).is_ok_and(|it| it <= max);
    match &rule.test {
        Test::Required | Test::Optional => is_set(value, pointer),
        Test::Forbidden => !is_set(value, pointer),
        Test::Minimum(min) => number(&|it| it >= *min),
        Test::Maximum(max) => number(&|it| it <= *max),
        Test::Range(min, max) => number(&|it| it >= *min && it <= *max),
        Test::MaxBytes(max) => value.as_str().is_none_or(|it| at_most(it.len(), *max)),
        Test::MinItems(min) => i64::try_from(len(value)).is_ok_and(|it| it >= *min),
        Test::MaxItems(max) => at_most(len(value), *max),
        Test::OneOf(values) => {
            let given = value.as_str().unwrap_or("");
            values.iter().any(|it| it == given)
        }
        Test::Format(name) => format::problems(name, value).is_empty(),
        _ => false,
    }
}

fn len(value: &Value) -> usize {
    match value {
        Value::List(list) => list.as_slice().len(),
        Value::Map(map) => map.len(),
        _ => 0,
    }
}
