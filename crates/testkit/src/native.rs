//! Recordings of native kinds: what stands around a case, and names for what a server makes up.
//!
//! Invariant: what the request itself contained is kept, so that only values of the server's own
//! making compare as equal.

use std::sync::LazyLock;

use ordain_value::{Map, Value, json};
use regex::{Captures, Regex};

use crate::client::{Client, Request};
use crate::normal::{self, pattern};

static AGE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^(<unknown>|<invalid>|\d+(ms|s|m|h|d|y)(\d+(s|m|h|d))?)$"));
static STAMP: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#""(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)""#));
static ANY_STAMP: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)"));
static UID: LazyLock<Regex> =
    LazyLock::new(|| pattern("([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})"));
static QUOTED_VERSION: LazyLock<Regex> =
    LazyLock::new(|| pattern(r#"(resourceVersion[\\]+":[\\]+")\d+"#));
static CLUSTER_IP: LazyLock<Regex> = LazyLock::new(|| pattern(r#""(10\.0\.0\.\d+)""#));

/// Ports that a server gives begin here.
const NODE_PORT_MIN: i64 = 30_000;

/// Whether a case is of this kind.
pub fn is_native(case: &Value) -> bool {
    case.get("native").and_then(Value::as_bool) == Some(true)
}

/// Makes what a case needs; what is there already is no matter.
pub fn set_up(client: &mut Client, case: &Value) -> std::io::Result<()> {
    let steps = case.get("setup").and_then(Value::as_list).cloned().unwrap_or_default();
    for step in steps.iter().filter_map(Value::as_list) {
        let text = |at: usize| step.get(at).and_then(Value::as_str).unwrap_or("");
        call(client, text(0), text(1), "application/json", step.get(2))?;
    }
    Ok(())
}

/// Takes away what a case made, whatever holds it.
pub fn clean_up(client: &mut Client, case: &Value) -> std::io::Result<()> {
    let paths = case.get("cleanup").and_then(Value::as_list).cloned().unwrap_or_default();
    for path in paths.iter().filter_map(Value::as_str) {
        let now = format!("{path}?gracePeriodSeconds=0&propagationPolicy=Background");
        let left = call(client, "DELETE", &now, "", None)?;
        if left.get_path(&["metadata", "finalizers"]).is_some() {
            let release = ordain_value::value!({"metadata": {"finalizers": null}});
            call(client, "PATCH", path, "application/merge-patch+json", Some(&release))?;
        }
    }
    Ok(())
}

fn call(
    client: &mut Client,
    method: &str,
    path: &str,
    content_type: &str,
    body: Option<&Value>,
) -> std::io::Result<Value> {
    let body = body.filter(|it| !it.is_null()).map(json::encode);
    let request = Request { method, path, body, content_type, headers: Vec::new() };
    Ok(client.call(&request)?.body)
}

/// An answer with names for uids, times, addresses and ports that the request did not have.
pub fn normal(answer: &Value, sent: &Value) -> Value {
    let uid = answer.get_path(&["metadata", "uid"]).and_then(Value::as_str).unwrap_or("");
    let mut body = normal::normal(answer);
    if !matches!(body, Value::Map(_) | Value::List(_)) {
        return body;
    }
    let asked = json::encode_string(sent);
    let is = |body: &Value, kind: &str| body.get("kind").and_then(Value::as_str) == Some(kind);
    if is(&body, "Table") {
        name_cells(&mut body);
    }
    let mut text = json::encode_string(&name_ports(&body, &asked));
    if !uid.is_empty() {
        text = text.replace(uid, "<uid>");
    }
    if is(&body, "Status") {
        text = named(&UID, &text, &asked, "<uid>");
        text = QUOTED_VERSION.replace_all(&text, "${1}N").into_owned();
        text = named(&ANY_STAMP, &text, &asked, "<time>");
    }
    text = named(&STAMP, &text, &asked, "\"<time>\"");
    text = named(&CLUSTER_IP, &text, &asked, "\"<ip>\"");
    json::decode(text.as_bytes()).unwrap_or(body)
}

/// Replaces what a pattern finds, unless the request had its first group.
fn named(pattern: &Regex, text: &str, asked: &str, name: &str) -> String {
    let replaced = pattern.replace_all(text, |found: &Captures<'_>| match &found[1] {
        given if asked.contains(given) => found[0].to_owned(),
        _ => name.to_owned(),
    });
    replaced.into_owned()
}

fn name_cells(table: &mut Value) {
    table.remove_path(&["metadata", "resourceVersion"]);
    normal::each(table, &["rows"], |row| {
        if let Some(object) = row.get_mut("object") {
            normal::strip_metadata(object);
        }
        normal::each(row, &["cells"], |cell| {
            if cell.as_str().is_some_and(|text| AGE.is_match(text)) {
                *cell = "<age>".into();
            }
        });
    });
    normal::each(table, &["columnDefinitions"], |column| {
        column.remove_path(&["description"]);
    });
}

fn name_ports(value: &Value, asked: &str) -> Value {
    match value {
        Value::Map(map) => {
            let entries = map.iter().map(|(key, item)| {
                let is_port = matches!(key.as_str(), "nodePort" | "healthCheckNodePort");
                let given = |port: i64| port >= NODE_PORT_MIN && !asked.contains(&port.to_string());
                match item.as_int().filter(|port| is_port && given(*port)) {
                    Some(_) => (key.clone(), Value::from("<port>")),
                    None => (key.clone(), name_ports(item, asked)),
                }
            });
            Value::Map(entries.collect::<Map>())
        }
        Value::List(list) => {
            list.iter().map(|item| name_ports(item, asked)).collect::<Vec<_>>().into()
        }
        other => other.clone(),
    }
}
