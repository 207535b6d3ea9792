//! What changed between two versions of an object, for people.

use ordain_value::{Value, json};

/// Lines for one object at most.
const LINES_MAX: usize = 40;
const VALUE_CHARS_MAX: usize = 120;
/// What changes with every write and means nothing.
const NOISE: [&str; 3] =
    ["metadata.managedFields", "metadata.resourceVersion", "metadata.generation"];

/// One line for each difference.
pub(crate) fn changes(old: &Value, new: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    // The walk keeps its own stack: objects may be nested deeply.
    let mut pending = vec![(String::new(), Some(old), Some(new))];
    while let Some((path, old, new)) = pending.pop() {
        if lines.len() >= LINES_MAX {
            lines.push("…".to_owned());
            break;
        }
        if NOISE.contains(&path.as_str()) {
            continue;
        }
        match (old, new) {
            (Some(Value::Map(old)), Some(Value::Map(new))) => {
                let mut keys: Vec<&str> =
                    old.keys().chain(new.keys()).map(|it| it.as_str()).collect();
                keys.sort_unstable();
                keys.dedup();
                for key in keys.into_iter().rev() {
                    let at = if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
                    pending.push((at, old.get(key), new.get(key)));
                }
            }
            (Some(Value::List(old)), Some(Value::List(new))) => {
                for at in (0..old.len().max(new.len())).rev() {
                    pending.push((format!("{path}[{at}]"), old.get(at), new.get(at)));
                }
            }
            (Some(old), Some(new)) if old == new => {}
            (Some(old), Some(new)) => {
                lines.push(format!("{path}: {} → {}", shown(old), shown(new)));
            }
            (Some(old), None) => lines.push(format!("- {path}: {}", shown(old))),
            (None, Some(new)) => lines.push(format!("+ {path}: {}", shown(new))),
            (None, None) => {}
        }
    }
    lines
}

fn shown(value: &Value) -> String {
    let text = json::encode_string(value);
    if text.chars().count() <= VALUE_CHARS_MAX {
        return text;
    }
    let cut: String = text.chars().take(VALUE_CHARS_MAX).collect();
    format!("{cut}…")
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_value::value;

    #[test]
    fn differences_have_a_line_each() {
        let old = value!({"metadata": {"generation": 1}, "spec": {"a": 1, "b": [1, 2], "c": "x"}});
        let new =
            value!({"metadata": {"generation": 2}, "spec": {"a": 2, "b": [1], "d": {"e": true}}});
        let expected =
            ["spec.a: 1 → 2", "- spec.b[1]: 2", "- spec.c: \"x\"", "+ spec.d: {\"e\":true}"];
        assert_eq!(changes(&old, &new), expected);
        let long = value!({"a": ("é".repeat(500))});
        assert!(changes(&Value::Null, &long)[0].ends_with('…'));
    }
}
