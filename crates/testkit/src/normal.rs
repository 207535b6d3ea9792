//! The form in which answers are compared: what differs from run to run is removed or replaced.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use ordain_meta::time::Time;
use ordain_value::{Map, Text, Value, json};
use regex::Regex;

const VOLATILE: [&str; 5] =
    ["uid", "resourceVersion", "creationTimestamp", "selfLink", "deletionTimestamp"];

pub(crate) fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("invariant: a pattern of our own")
}

static SELF_TYPE: LazyLock<Regex> = LazyLock::new(|| pattern(r"selfType\d+"));
static UID: LazyLock<Regex> =
    LazyLock::new(|| pattern("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"));
static TIME: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)"));
static SHOWN_VERSION: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(resourceVersion(?:\\?")?: ?\\?")\d+(\\?")"#));
/// What differs from run to run in an object that a message shows, its quotes escaped.
static SHOWN_RUN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(\\"(?:uid|resourceVersion|creationTimestamp|deletionTimestamp|time)\\":\\")[^"\\]+"#,
    )
});
static AGE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\d+[smhdy]"));

/// What was captured from earlier answers, by name.
pub type Captured = BTreeMap<String, Value>;

/// Removes volatile metadata and sorts causes.
pub fn normal(body: &Value) -> Value {
    let mut body = body.clone();
    if !matches!(body, Value::Map(_)) {
        return body;
    }
    if body.get("kind").and_then(Value::as_str) == Some("Status") {
        return normal_status(body);
    }
    strip_metadata(&mut body);
    if body.get("kind").and_then(Value::as_str) == Some("CustomResourceDefinition") {
        each(&mut body, &["status", "conditions"], |condition| {
            condition.remove_path(&["lastTransitionTime"]);
        });
    }
    each(&mut body, &["items"], strip_metadata);
    body
}

fn normal_status(mut body: Value) -> Value {
    body.remove_path(&["details", "uid"]);
    if let Some(Value::List(causes)) = body.get_mut("details").and_then(|it| it.get_mut("causes")) {
        causes.to_mut().sort_by_key(json::encode_string);
    }
    body.remove_path(&["metadata"]);
    let text = json::encode_string(&body);
    if !text.contains("selfType") {
        return body;
    }
    json::decode(SELF_TYPE.replace_all(&text, "selfTypeN").as_bytes()).unwrap_or(body)
}

pub(crate) fn each(body: &mut Value, path: &[&str], mut change: impl FnMut(&mut Value)) {
    let mut at = Some(body);
    for key in path {
        at = at.and_then(|value| value.get_mut(key));
    }
    if let Some(Value::List(list)) = at {
        for item in list.to_mut() {
            change(item);
        }
    }
}

pub(crate) fn strip_metadata(object: &mut Value) {
    if !matches!(object.get("metadata"), Some(Value::Map(_))) {
        return;
    }
    for field in VOLATILE {
        object.remove_path(&["metadata", field]);
    }
    each(object, &["metadata", "managedFields"], |entry| {
        entry.remove_path(&["time"]);
        let manager = entry.get("manager").and_then(Value::as_str).unwrap_or("");
        if manager.to_ascii_lowercase().starts_with("python") {
            entry.remove_path(&["manager"]);
        }
    });
}

/// An answer in whose messages objects are shown without what differs from run to run.
pub fn without_shown_run(body: &Value) -> Value {
    rewrite(body, &|text| SHOWN_RUN.replace_all(text, "${1}<run>").into_owned())
}

/// The finer form of the `api` recordings.
pub fn refine(body: &Value, captured: &Captured, scrub: &[(Regex, String)]) -> Value {
    let mut body = normal(body);
    let mut generated = Vec::new();
    if matches!(body, Value::Map(_)) {
        refine_table(&mut body);
        let token = body.get_path(&["metadata", "continue"]).and_then(Value::as_str);
        if token.is_some_and(|token| !token.is_empty()) {
            body.set_path(&["metadata", "continue"], "<continue>".into());
        }
        generated = generated_names(&body);
    }
    rewrite(&body, &|text| refine_text(text, captured, &generated, scrub))
}

fn refine_table(body: &mut Value) {
    if body.get("kind").and_then(Value::as_str) != Some("Table") {
        return;
    }
    let columns = body.get("columnDefinitions").and_then(Value::as_list).cloned();
    let dated: Option<Vec<bool>> = columns.filter(|list| !list.is_empty()).map(|list| {
        list.iter()
            .map(|column| {
                let is =
                    |key: &str, text: &str| column.get(key).and_then(Value::as_str) == Some(text);
                is("type", "date") || is("name", "Age")
            })
            .collect()
    });
    each(body, &["rows"], |row| {
        if let Some(object) = row.get_mut("object") {
            strip_metadata(object);
        }
        if let Some(Value::List(cells)) = row.get_mut("cells") {
            for (at, cell) in cells.to_mut().iter_mut().enumerate() {
                let is_dated = dated.as_ref().is_none_or(|dated| dated.get(at) == Some(&true));
                if is_dated && cell.as_str().is_some_and(|text| AGE.is_match(text)) {
                    *cell = "<age>".into();
                }
            }
        }
    });
}

/// Names that the server made up, told by their base.
fn generated_names(body: &Value) -> Vec<String> {
    let items = body.get("items").and_then(Value::as_list);
    let objects = std::iter::once(body).chain(items.into_iter().flat_map(|list| list.iter()));
    let mut names = Vec::new();
    for object in objects {
        let text = |key: &str| object.get_path(&["metadata", key]).and_then(Value::as_str);
        let (Some(base), Some(name)) = (text("generateName"), text("name")) else { continue };
        let cut: String = base.chars().take(58).collect();
        let split = name.len().checked_sub(5).and_then(|at| name.split_at_checked(at));
        if !base.is_empty() && split.is_some_and(|(start, _)| !start.is_empty() && start == cut) {
            names.push(name.to_owned());
        }
    }
    names
}

fn refine_text(
    text: &str,
    captured: &Captured,
    generated: &[String],
    scrub: &[(Regex, String)],
) -> String {
    let mut text = text.to_owned();
    for (name, value) in captured {
        if let Some(value) = value.as_str().filter(|value| is_symbolic(value)) {
            text = replace_word(&text, value, &format!("${{{name}}}"));
        }
    }
    for name in generated {
        text = text.replace(name.as_str(), &format!("{}?????", &name[..name.len() - 5]));
    }
    let text = UID.replace_all(&text, "<uid>");
    let text = near_times(&text);
    let mut text = SHOWN_VERSION.replace_all(&text, "${1}<rv>${2}").into_owned();
    for (pattern, replacement) in scrub {
        text = pattern.replace_all(&text, replacement.as_str()).into_owned();
    }
    text
}

/// Present-day times are replaced; others are part of the case.
pub fn near_times(text: &str) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = i64::try_from(now.unwrap_or_default().as_secs()).unwrap_or(0);
    let replaced = TIME.replace_all(text, |found: &regex::Captures<'_>| {
        let time = Time::decode(&format!("{}Z", &found[1]));
        match time {
            Ok(time) if (time.seconds - now).abs() < 2 * 86_400 => "<time>".to_owned(),
            _ => found[0].to_owned(),
        }
    });
    replaced.into_owned()
}

/// A text with its times of whole seconds replaced by a word, whenever they were.
pub fn without_times(text: &str) -> String {
    let replaced = TIME.replace_all(text, |found: &regex::Captures<'_>| {
        let is_plain = found.get(2).is_none() && &found[3] == "Z";
        if is_plain { "<time>".to_owned() } else { found[0].to_owned() }
    });
    replaced.into_owned()
}

/// A text with its uids replaced by a word.
pub fn without_uids(text: &str) -> String {
    UID.replace_all(text, "<uid>").into_owned()
}

fn is_symbolic(value: &str) -> bool {
    let whole = UID.find(value).is_some_and(|found| found.len() == value.len());
    whole || (value.len() >= 3 && value.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Replaces a word that stands alone: no letter, digit, underscore or dot beside it.
fn replace_word(text: &str, word: &str, with: &str) -> String {
    let part = |letter: Option<char>| {
        letter.is_some_and(|it| it.is_alphanumeric() || it == '_' || it == '.')
    };
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut before: Option<char> = None;
    while let Some(at) = rest.find(word) {
        let (head, tail) = rest.split_at(at);
        let after = &tail[word.len()..];
        let previous = head.chars().next_back().or(before);
        out.push_str(head);
        out.push_str(if part(previous) || part(after.chars().next()) { word } else { with });
        before = word.chars().next_back();
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Applies a change to every string, keys included.
pub fn rewrite(value: &Value, change: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::Str(text) => change(text).into(),
        Value::List(list) => {
            list.iter().map(|item| rewrite(item, change)).collect::<Vec<_>>().into()
        }
        Value::Map(map) => {
            let entries = map.iter();
            let entries =
                entries.map(|(key, item)| (Text::from(change(key)), rewrite(item, change)));
            Value::Map(entries.collect::<Map>())
        }
        other => other.clone(),
    }
}

/// Managed fields in a fixed order: the server orders them by time.
pub fn sorted_managed(value: &Value) -> Value {
    match value {
        Value::List(list) => list.iter().map(sorted_managed).collect::<Vec<_>>().into(),
        Value::Map(map) => {
            let entries = map.iter().map(|(key, item)| {
                let item = match item {
                    Value::List(list) if key == "managedFields" => {
                        let mut items: Vec<Value> = list.iter().cloned().collect();
                        items.sort_by_key(json::encode_string);
                        items.into()
                    }
                    other => sorted_managed(other),
                };
                (key.clone(), item)
            });
            Value::Map(entries.collect::<Map>())
        }
        other => other.clone(),
    }
}
