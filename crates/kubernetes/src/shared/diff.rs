//! What changed between two values, as refusals show it: both written as upstream's internal types
//! write themselves (Go names, every field, one space of indentation) and compared line by line.

use std::collections::HashMap;
use std::fmt::Write as _;

use ordain_value::field::BadValue;
use ordain_value::{Value, json};

/// Go name, JSON name and shape.
pub(crate) type Field = (&'static str, &'static str, Shape);

/// How a value of an internal type writes itself.
pub(crate) enum Shape {
    /// As the API does; null when absent.
    Plain,
    /// A text, number or flag that is written even when absent.
    Text,
    Number,
    Flag,
    /// The fields, in the order of the Go type.
    Struct(&'static [Field]),
    /// The fields of an embedded structure, written among those of the one around it.
    Inlined(&'static [Field]),
    /// A structure behind a pointer: null when absent.
    Pointer(&'static Shape),
    /// The items of a list, each of a shape; null when absent.
    List(&'static Shape),
    /// Left out when absent.
    Omitted(&'static Shape),
}

/// A label selector, which writes itself as the API does, in the order of its Go type.
pub(crate) const LABEL_SELECTOR: Shape = Shape::Struct(&[
    ("matchLabels", "matchLabels", Shape::Omitted(&Shape::Plain)),
    ("matchExpressions", "matchExpressions", Shape::Omitted(&Shape::List(&REQUIREMENT))),
]);

const REQUIREMENT: Shape = Shape::Struct(&[
    ("key", "key", Shape::Text),
    ("operator", "operator", Shape::Text),
    ("values", "values", Shape::Omitted(&Shape::Plain)),
]);

/// A reference to an object anywhere.
pub(crate) const OBJECT_REFERENCE: Shape = Shape::Struct(&[
    ("Kind", "kind", Shape::Text),
    ("Namespace", "namespace", Shape::Text),
    ("Name", "name", Shape::Text),
    ("UID", "uid", Shape::Text),
    ("APIVersion", "apiVersion", Shape::Text),
    ("ResourceVersion", "resourceVersion", Shape::Text),
    ("FieldPath", "fieldPath", Shape::Text),
]);

/// The unified difference of two values with three lines of context, without a header.
pub(crate) fn diff(old: &Value, new: &Value, shape: &Shape) -> String {
    let (old, new) = (text(old, shape), text(new, shape));
    unified(&lines(&old), &lines(&new))
}

/// A value as a refusal shows it: the same form on one line.
pub(crate) fn shown(value: &Value, shape: &Shape) -> BadValue {
    let text = text(value, shape);
    let lines: Vec<&str> = text.split('\n').map(str::trim_start).collect();
    // Strings have no line breaks of their own, and a space follows only the colons of keys.
    BadValue::Json(lines.into_iter().map(without_gap).collect())
}

/// `"key": value` without the space.
fn without_gap(line: &str) -> String {
    let mut escaped = false;
    let end = line.char_indices().skip(1).find(|(_, letter)| {
        let closes = *letter == '"' && !escaped;
        escaped = *letter == '\\' && !escaped;
        closes
    });
    match end {
        Some((at, _)) if line.starts_with('"') && line[at + 1..].starts_with(": ") => {
            format!("{}:{}", &line[..=at], &line[at + 3..])
        }
        _ => line.to_owned(),
    }
}

fn text(value: &Value, shape: &Shape) -> String {
    let mut out = String::new();
    write(&mut out, Some(value), shape, 0);
    out
}

/// Lines with their ends; the last one gets one, too.
fn lines(text: &str) -> Vec<String> {
    text.split('\n').map(|line| format!("{line}\n")).collect()
}

fn write(out: &mut String, value: Option<&Value>, shape: &Shape, depth: usize) {
    let value = value.filter(|it| !it.is_null());
    match (shape, value) {
        (Shape::Struct(fields), _) => structure(out, value, fields, depth),
        (Shape::Pointer(inner) | Shape::Omitted(inner), Some(_)) => {
            write(out, value, inner, depth);
        }
        (Shape::List(inner), Some(Value::List(list))) => {
            let items = list.iter().map(|item| (None, Some(item), *inner));
            block(out, ['[', ']'], items.collect(), depth);
        }
        (_, Some(Value::List(list))) => {
            let items = list.iter().map(|item| (None, Some(item), &Shape::Plain));
            block(out, ['[', ']'], items.collect(), depth);
        }
        (_, Some(Value::Map(map))) => {
            let entries = map.iter().map(|(key, item)| (Some(key.as_str()), Some(item)));
            let entries = entries.map(|(key, item)| (key, item, &Shape::Plain));
            block(out, ['{', '}'], entries.collect(), depth);
        }
        (_, Some(value)) => out.push_str(&json::encode_string(value)),
        (Shape::Text, None) => out.push_str("\"\""),
        (Shape::Number, None) => out.push('0'),
        (Shape::Flag, None) => out.push_str("false"),
        (_, None) => out.push_str("null"),
    }
}

type Entry<'a> = (Option<&'a str>, Option<&'a Value>, &'a Shape);

fn structure(out: &mut String, value: Option<&Value>, fields: &'static [Field], depth: usize) {
    let at = |name: &str| value.and_then(|it| it.get(name)).filter(|it| !it.is_null());
    let flat = fields.iter().flat_map(|field| match &field.2 {
        Shape::Inlined(inner) => inner.iter(),
        _ => std::slice::from_ref(field).iter(),
    });
    let given = |name: &str| match at(name) {
        Some(Value::List(list)) => !list.is_empty(),
        Some(Value::Map(map)) => !map.is_empty(),
        other => other.is_some(),
    };
    let shown = flat.filter(|(_, name, shape)| !matches!(shape, Shape::Omitted(_)) || given(name));
    let entries = shown.map(|(go, name, shape)| (Some(*go), at(name), shape));
    block(out, ['{', '}'], entries.collect(), depth);
}

fn block(out: &mut String, brackets: [char; 2], entries: Vec<Entry<'_>>, depth: usize) {
    out.push(brackets[0]);
    let count = entries.len();
    for (at, (key, value, shape)) in entries.into_iter().enumerate() {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', depth + 1));
        if let Some(key) = key {
            out.push_str(&json::encode_string(&Value::from(key)));
            out.push_str(": ");
        }
        write(out, value, shape, depth + 1);
        if at + 1 < count {
            out.push(',');
        }
    }
    if count > 0 {
        out.push('\n');
        out.extend(std::iter::repeat_n(' ', depth));
    }
    out.push(brackets[1]);
}

/// Equal runs of lines: where in both texts, and how many.
type Run = (usize, usize, usize);

/// The longest equal runs, found as Python's and Go's difflib find them: the longest one first,
/// then those before and after it.
fn runs(old: &[String], new: &[String]) -> Vec<Run> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in new.iter().enumerate() {
        places.entry(line).or_default().push(at);
    }
    // Lines of long texts that are in many places say little; difflib passes over them.
    const LONG: usize = 200;
    if new.len() >= LONG {
        places.retain(|_, at| at.len() <= new.len() / 100 + 1);
    }
    let mut found: Vec<Run> = Vec::new();
    let mut open = vec![(0, old.len(), 0, new.len())];
    while let Some((old_low, old_high, new_low, new_high)) = open.pop() {
        let window = (old_low..old_high, new_low..new_high);
        let Some((i, j, size)) = longest(old, new, &places, window) else { continue };
        found.push((i, j, size));
        open.push((old_low, i, new_low, j));
        open.push((i + size, old_high, j + size, new_high));
    }
    found.sort_unstable();
    let mut joined: Vec<Run> = Vec::new();
    for (i, j, size) in found {
        match joined.last_mut() {
            Some(last) if last.0 + last.2 == i && last.1 + last.2 == j => last.2 += size,
            _ => joined.push((i, j, size)),
        }
    }
    joined
}

fn longest(
    old: &[String],
    new: &[String],
    places: &HashMap<&str, Vec<usize>>,
    (in_old, in_new): (std::ops::Range<usize>, std::ops::Range<usize>),
) -> Option<Run> {
    let mut best = (in_old.start, in_new.start, 0);
    let mut ends: HashMap<usize, usize> = HashMap::new();
    for i in in_old.clone() {
        let mut next = HashMap::new();
        for &j in places.get(old[i].as_str()).into_iter().flatten() {
            if !in_new.contains(&j) {
                continue;
            }
            let size = j.checked_sub(1).and_then(|it| ends.get(&it)).copied().unwrap_or(0) + 1;
            next.insert(j, size);
            if size > best.2 {
                best = (i + 1 - size, j + 1 - size, size);
            }
        }
        ends = next;
    }
    let (mut i, mut j, mut size) = best;
    while i > in_old.start && j > in_new.start && old[i - 1] == new[j - 1] {
        (i, j, size) = (i - 1, j - 1, size + 1);
    }
    while i + size < in_old.end && j + size < in_new.end && old[i + size] == new[j + size] {
        size += 1;
    }
    (size > 0).then_some((i, j, size))
}

/// A part of both texts: equal, or replaced.
struct Step {
    equal: bool,
    old: std::ops::Range<usize>,
    new: std::ops::Range<usize>,
}

fn unified(old: &[String], new: &[String]) -> String {
    let mut out = String::new();
    for group in groups(&steps(old, new)) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let header = writeln!(
            out,
            "@@ -{} +{} @@",
            range(first.old.start, last.old.end),
            range(first.new.start, last.new.end)
        );
        debug_assert!(header.is_ok(), "writing to a string does not fail");
        for step in &group {
            let mut push = |mark: char, lines: &[String]| {
                for line in lines {
                    out.push(mark);
                    out.push_str(line);
                }
            };
            if step.equal {
                push(' ', &old[step.old.clone()]);
            } else {
                push('-', &old[step.old.clone()]);
                push('+', &new[step.new.clone()]);
            }
        }
    }
    out
}

fn steps(old: &[String], new: &[String]) -> Vec<Step> {
    let mut steps = Vec::new();
    let (mut i, mut j) = (0, 0);
    let mut all = runs(old, new);
    all.push((old.len(), new.len(), 0));
    for (at_old, at_new, size) in all {
        if i < at_old || j < at_new {
            steps.push(Step { equal: false, old: i..at_old, new: j..at_new });
        }
        (i, j) = (at_old + size, at_new + size);
        if size > 0 {
            steps.push(Step { equal: true, old: at_old..i, new: at_new..j });
        }
    }
    steps
}

/// Changes with three equal lines around them; those that are close to each other stay together.
fn groups(steps: &[Step]) -> Vec<Vec<Step>> {
    const CONTEXT: usize = 3;
    let mut groups = Vec::new();
    let mut group: Vec<Step> = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let (mut from, mut to) = (step.old.clone(), step.new.clone());
        if step.equal && at == 0 {
            from.start = from.start.max(from.end.saturating_sub(CONTEXT));
            to.start = to.start.max(to.end.saturating_sub(CONTEXT));
        }
        if step.equal && at + 1 == steps.len() {
            from.end = from.end.min(from.start + CONTEXT);
            to.end = to.end.min(to.start + CONTEXT);
        }
        if step.equal && from.len() > 2 * CONTEXT {
            let head = from.start..from.start + CONTEXT;
            group.push(Step { equal: true, old: head, new: to.start..to.start + CONTEXT });
            groups.push(std::mem::take(&mut group));
            from.start = from.end - CONTEXT;
            to.start = to.end - CONTEXT;
        }
        group.push(Step { equal: step.equal, old: from, new: to });
    }
    if group.iter().any(|step| !step.equal) {
        groups.push(group);
    }
    groups
}

/// `first,count`, or the line alone; an empty range is named by the line before it.
fn range(start: usize, end: usize) -> String {
    match end - start {
        0 => format!("{start},0"),
        1 => (start + 1).to_string(),
        count => format!("{},{count}", start + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_value::value;

    const SHAPE: Shape = Shape::Struct(&[
        ("Name", "name", Shape::Text),
        ("Size", "size", Shape::Number),
        ("Fast", "fast", Shape::Flag),
        ("Modes", "modes", Shape::Plain),
        ("Selector", "selector", Shape::Pointer(&LABEL_SELECTOR)),
    ]);

    #[test]
    fn changes_are_shown_with_three_lines_around_them() {
        let old = value!({"name": "a", "modes": ["x", "y"]});
        let new = value!({"name": "a", "modes": ["x"], "selector": {"matchLabels": {"k": "v"}}});
        let expected = "@@ -3,8 +3,11 @@\n  \"Size\": 0,\n  \"Fast\": false,\n  \"Modes\": [\n-  \
                        \"x\",\n-  \"y\"\n+  \"x\"\n  ],\n- \"Selector\": null\n+ \"Selector\": \
                        {\n+  \"matchLabels\": {\n+   \"k\": \"v\"\n+  }\n+ }\n }\n";
        assert_eq!(diff(&old, &new, &SHAPE), expected);
    }
}
