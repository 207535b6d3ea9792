//! How closely an answer agrees with the recorded one.

use ordain_value::{Value, json};

use crate::normal::{normal, sorted_managed, without_shown_run};

/// The levels of agreement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    None,
    Code,
    Causes,
    Exact,
}

/// What a server answered to a step, in normal form.
#[derive(Debug, Clone, Default)]
pub struct Observed {
    /// Zero when no answer came.
    pub code: i64,
    /// The body of the answer.
    pub response: Value,
    /// Its warnings.
    pub warnings: Vec<String>,
    /// Only `api` recordings have these.
    pub content_type: Option<String>,
    /// Values that change from run to run.
    pub volatile: Option<Value>,
    /// The headers that were recorded.
    pub headers: Option<Value>,
}

/// Compares an answer with a recorded step.
pub fn level(step: &Value, observed: &Observed) -> Level {
    if step.get("code").and_then(Value::as_int) != Some(observed.code) {
        return Level::None;
    }
    let want = sorted_managed(&normal(step.get("response").unwrap_or(&Value::Null)));
    let mut got = sorted_managed(&observed.response);
    if is_failure(&want) {
        if facts(&want) != facts(&got) {
            return Level::Code;
        }
        let (want, got) = (without_shown_run(&want), without_shown_run(&got));
        let same = loose(&want) == loose(&got) && same_wire(step, observed);
        return if same { Level::Exact } else { Level::Causes };
    }
    let tracked = want.get_path(&["metadata", "managedFields"]).is_some();
    let is_object = matches!(want.get("metadata"), Some(Value::Map(_)));
    if is_object && !tracked && step.get("respType").is_none() {
        got = without_managed(&got);
    }
    if text(&want) == text(&got) {
        return if same_wire(step, observed) { Level::Exact } else { Level::Causes };
    }
    if text(&without_managed(&want)) == text(&without_managed(&got)) {
        return Level::Causes;
    }
    Level::Code
}

/// Whether the warnings agree, in any order.
pub fn same_warnings(step: &Value, observed: &Observed) -> bool {
    let want = step.get("warnings").and_then(Value::as_list);
    let mut want: Vec<String> = want
        .map(|list| list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .unwrap_or_default();
    let mut got = observed.warnings.clone();
    want.sort();
    got.sort();
    want == got
}

/// Type-strict text: 1 and 1.0 differ.
fn text(value: &Value) -> String {
    format!("{value:?}")
}

fn is_failure(value: &Value) -> bool {
    let is = |key: &str, text: &str| value.get(key).and_then(Value::as_str) == Some(text);
    is("kind", "Status") && is("status", "Failure")
}

fn facts(value: &Value) -> Vec<String> {
    let causes = value.get_path(&["details", "causes"]).and_then(Value::as_list);
    let mut facts: Vec<String> = causes
        .map(|list| {
            list.iter()
                .map(|cause| {
                    let part = |key: &str| cause.get(key).map(json::encode_string);
                    format!("{:?} {:?}", part("reason"), part("field"))
                })
                .collect()
        })
        .unwrap_or_default();
    facts.sort();
    facts
}

/// A failure with the order of the words in its message removed.
fn loose(value: &Value) -> String {
    let mut value = value.clone();
    let message = value.get("message").and_then(Value::as_str).unwrap_or("").to_owned();
    let spaced = message.replace(['[', ']', ','], " ");
    let mut words: Vec<&str> = spaced.split_whitespace().collect();
    words.sort_unstable();
    let words: Vec<Value> = words.into_iter().map(Value::from).collect();
    if matches!(value, Value::Map(_)) {
        value.set_path(&["message"], words.into());
    }
    text(&value)
}

fn without_managed(value: &Value) -> Value {
    let mut value = value.clone();
    if matches!(value.get("metadata"), Some(Value::Map(_))) {
        value.remove_path(&["metadata", "managedFields"]);
    }
    value
}

fn same_wire(step: &Value, observed: &Observed) -> bool {
    let Some(content_type) = step.get("respType") else { return true };
    let empty = |value: Option<&Value>| match value {
        None => true,
        Some(Value::Map(map)) => map.is_empty(),
        Some(Value::Str(text)) => text.is_empty(),
        Some(other) => other.is_null(),
    };
    let same = |want: Option<&Value>, got: Option<&Value>| {
        (empty(want) && empty(got)) || want.map(text) == got.map(text)
    };
    let got_type = observed.content_type.as_deref().map(Value::from);
    same(Some(content_type), got_type.as_ref())
        && same(step.get("volatile"), observed.volatile.as_ref())
        && same(step.get("respHeaders"), observed.headers.as_ref())
}
