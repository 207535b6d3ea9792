//! The JSONPath of printer columns: fields, indices, wildcards and simple filters.

use ordain_value::{Value, json};

/// A parsed path. What cannot be parsed finds nothing.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct JsonPath {
    steps: Option<Vec<Step>>,
}

#[derive(Debug, Clone, PartialEq)]
enum Step {
    Field(String),
    Index(i64),
    All,
    /// `[?(@.a.b==value)]`
    Filter {
        path: Vec<String>,
        operator: Operator,
        value: Value,
    },
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Operator {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Exists,
}

impl JsonPath {
    pub(crate) fn new(text: &str) -> Self {
        Self { steps: parse(text) }
    }

    /// The first value at the path, if it is found within so many steps, which it takes.
    pub(crate) fn first<'a>(&self, object: &'a Value, steps_left: &mut usize) -> Option<&'a Value> {
        let steps = self.steps.as_deref()?;
        let mut open = vec![vec![object].into_iter()];
        while let Some(values) = open.last_mut() {
            let Some(value) = values.next() else {
                open.pop();
                continue;
            };
            match steps.get(open.len() - 1) {
                None if value.is_null() => {}
                None => return Some(value),
                Some(step) => {
                    *steps_left = steps_left.checked_sub(width(step, value))?;
                    open.push(take(step, value).into_iter());
                }
            }
        }
        None
    }
}

/// How many values a step looks at.
fn width(step: &Step, value: &Value) -> usize {
    let len = match (step, value) {
        (Step::All | Step::Filter { .. }, Value::List(list)) => list.len(),
        (Step::All, Value::Map(map)) => map.len(),
        _ => 0,
    };
    len + 1
}

fn take<'a>(step: &Step, value: &'a Value) -> Vec<&'a Value> {
    match (step, value) {
        (Step::Field(name), Value::Map(map)) => map.get(name).into_iter().collect(),
        (Step::Index(index), Value::List(list)) => {
            let len = i64::try_from(list.len()).unwrap_or(i64::MAX);
            let at = if *index < 0 { len + index } else { *index };
            usize::try_from(at).ok().and_then(|at| list.get(at)).into_iter().collect()
        }
        (Step::All, Value::List(list)) => list.iter().collect(),
        (Step::All, Value::Map(map)) => map.values().collect(),
        (Step::Filter { path, operator, value: wanted }, Value::List(list)) => {
            list.iter().filter(|item| passes(item, path, *operator, wanted)).collect()
        }
        _ => Vec::new(),
    }
}

fn passes(item: &Value, path: &[String], operator: Operator, wanted: &Value) -> bool {
    let keys: Vec<&str> = path.iter().map(String::as_str).collect();
    let Some(found) = item.get_path(&keys) else { return false };
    let order = match (found, wanted) {
        (Value::Str(a), Value::Str(b)) => Some(a.cmp(b)),
        (a, b) => a.as_float().zip(b.as_float()).and_then(|(a, b)| a.partial_cmp(&b)),
    };
    match operator {
        Operator::Exists => true,
        Operator::Equal => order.map_or(found == wanted, |order| order.is_eq()),
        Operator::NotEqual => order.map_or(found != wanted, |order| order.is_ne()),
        Operator::Less => order.is_some_and(|order| order.is_lt()),
        Operator::LessEqual => order.is_some_and(|order| order.is_le()),
        Operator::Greater => order.is_some_and(|order| order.is_gt()),
        Operator::GreaterEqual => order.is_some_and(|order| order.is_ge()),
    }
}
fn parse(text: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let (name, after) = field(after);
            if name == "*" {
                steps.push(Step::All);
            } else if !name.is_empty() {
                steps.push(Step::Field(name));
            }
            rest = after;
        } else if let Some(after) = rest.strip_prefix('[') {
            let end = closing(after)?;
            steps.push(bracket(after[..end].trim())?);
            rest = &after[end + 1..];
        } else {
            return None;
        }
    }
    Some(steps)
}

/// A field name, with `\.` for a dot that belongs to it.
fn field(text: &str) -> (String, &str) {
    let mut name = String::new();
    let mut chars = text.char_indices();
    while let Some((at, letter)) = chars.next() {
        match letter {
            '\\' => {
                if let Some((_, escaped)) = chars.next() {
                    name.push(escaped);
                }
            }
            '.' | '[' => return (name, &text[at..]),
            other => name.push(other),
        }
    }
    (name, "")
}

/// Where the bracket closes, outside of quotes.
fn closing(text: &str) -> Option<usize> {
    let (mut quote, mut depth) = (None, 0_usize);
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(letter),
            (None, '[') => depth += 1,
            (None, ']') if depth == 0 => return Some(at),
            (None, ']') => depth -= 1,
            (None, _) => {}
        }
    }
    None
}

fn bracket(text: &str) -> Option<Step> {
    if text == "*" {
        return Some(Step::All);
    }
    if let Some(quoted) = text.strip_prefix('\'').and_then(|text| text.strip_suffix('\'')) {
        return Some(Step::Field(quoted.to_owned()));
    }
    if let Some(filter) = text.strip_prefix("?(").and_then(|text| text.strip_suffix(')')) {
        return condition(filter);
    }
    text.parse().ok().map(Step::Index)
}

fn condition(text: &str) -> Option<Step> {
    let operators = [
        ("==", Operator::Equal),
        ("!=", Operator::NotEqual),
        ("<=", Operator::LessEqual),
        (">=", Operator::GreaterEqual),
        ("<", Operator::Less),
        (">", Operator::Greater),
    ];
    for (sign, operator) in operators {
        if let Some((left, right)) = text.split_once(sign) {
            return Some(Step::Filter { path: operand(left)?, operator, value: literal(right)? });
        }
    }
    Some(Step::Filter { path: operand(text)?, operator: Operator::Exists, value: Value::Null })
}

fn operand(text: &str) -> Option<Vec<String>> {
    let mut rest = text.trim().strip_prefix('@')?;
    let mut names = Vec::new();
    while let Some(after) = rest.strip_prefix('.') {
        let (name, after) = field(after);
        names.push(name);
        rest = after;
    }
    rest.is_empty().then_some(names)
}

fn literal(text: &str) -> Option<Value> {
    let text = text.trim();
    for quote in ['\'', '"'] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote)) {
            return Some(inner.into());
        }
    }
    json::decode(text.as_bytes()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_value::value;

    #[test]
    fn paths_find_fields_items_and_filtered_items() {
        let object = value!({
            "a": {"b.c": 1, "l": [{"n": "x", "p": 80}, {"n": "y", "p": 81, "q": null}]},
            "nothing": null
        });
        let found = |path: &str| {
            let path = JsonPath::new(path);
            path.first(&object, &mut 100).map(json::encode_string).unwrap_or_default()
        };
        assert_eq!(found(r".a.b\.c"), "1");
        assert_eq!(found(".a.l[1].n"), r#""y""#);
        assert_eq!(found(".a.l[*].p"), "80");
        assert_eq!(found(".a.l[*].q"), "");
        assert_eq!(found(".a.l[?(@.p==81)].n"), r#""y""#);
        assert_eq!(found(".a.l[?(@.n=='y')].p"), "81");
        assert_eq!(found(".nothing"), "");
        assert_eq!(found(".a.["), "");
    }

    #[test]
    fn a_search_takes_only_so_many_steps() {
        let list: Vec<Value> = (0..10).map(Value::Int).collect();
        let lists: Vec<Value> = (0..10).map(|_| list.clone().into()).collect();
        let object = value!({"l": Value::from(lists)});
        let path = JsonPath::new(".l[*][*].missing");
        let mut left = 1000;
        assert!(path.first(&object, &mut left).is_none());
        assert_eq!(left, 1000 - (2 + 10 + 10 * 11 + 100));
        let mut left = 50;
        assert!(path.first(&object, &mut left).is_none());
        assert!(left < 11);
    }
}
