//! The journal as a transcript: JSON lines in the form of the recordings that `ordain replay` plays.

use ordain_server::request_info::Verb;
use ordain_testkit::normal::normal;
use ordain_value::{Map, Value, json, value};

use crate::journal::Exchange;

/// The lines of all exchanges that were answered.
pub(crate) fn lines(exchanges: &[Exchange]) -> String {
    let mut text = String::new();
    for line in exchanges.iter().filter_map(line) {
        text.push_str(&json::encode_string(&line));
        text.push('\n');
    }
    text
}

fn line(exchange: &Exchange) -> Option<Value> {
    let answered = exchange.answered.as_ref()?;
    let id = format!("recorded/{}", exchange.asked.number);
    if exchange.asked.verb == Verb::Watch {
        let events: Vec<Value> = exchange.events.iter().flat_map(|it| events(it)).collect();
        return Some(value!({
            "id": id,
            "kind": "api-watch",
            "setup": [],
            "watch": {
                "path": (exchange.asked.path.as_str()),
                "code": (i64::from(answered.code)),
                "events": events
            },
            "during": []
        }));
    }
    Some(value!({"id": id, "kind": "recorded", "steps": [(step(exchange)?)]}))
}

/// A step can be made again only if its bodies are text.
fn step(exchange: &Exchange) -> Option<Value> {
    let (asked, answered) = (&exchange.asked, exchange.answered.as_ref()?);
    let mut step = Map::new();
    step.insert("method", asked.method.as_str().into());
    step.insert("path", asked.path.as_str().into());
    if !answered.request_body.is_empty() {
        step.insert("body", request_body(exchange)?);
        step.insert("contentType", asked.content_type.as_str().into());
    }
    if !asked.accept.is_empty() && asked.accept != "*/*" {
        step.insert("headers", value!({"Accept": (asked.accept.as_str())}));
    }
    step.insert("code", Value::Int(i64::from(answered.code)));
    let body = std::str::from_utf8(&answered.body).ok()?;
    let body = json::decode(body.as_bytes()).unwrap_or_else(|_| body.into());
    step.insert("response", normal(&body));
    if !answered.warnings.is_empty() {
        let warnings = answered.warnings.iter().map(|it| it.as_str().into());
        step.insert("warnings", warnings.collect::<Vec<Value>>().into());
    }
    Some(Value::Map(step))
}

/// The body as it was sent. A version that the object had is the current one when it is played.
fn request_body(exchange: &Exchange) -> Option<Value> {
    let answered = exchange.answered.as_ref()?;
    let text = std::str::from_utf8(&answered.request_body).ok()?;
    let mut body = json::decode(text.as_bytes()).unwrap_or_else(|_| text.into());
    let is_version = |it: &Value| it.as_str().is_some_and(|it| !it.is_empty());
    if answered.code < 300
        && body.get_path(&["metadata", "resourceVersion"]).is_some_and(is_version)
    {
        body.set_path(&["metadata", "resourceVersion"], "$RV".into());
    }
    Some(body)
}

fn events(bytes: &[u8]) -> Vec<Value> {
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let decoded = lines.filter_map(|line| json::decode(line).ok());
    decoded
        .map(|event| {
            let object = normal(event.get("object").unwrap_or(&Value::Null));
            value!({"type": (event.get("type").cloned().unwrap_or(Value::Null)), "object": object})
        })
        .collect()
}
