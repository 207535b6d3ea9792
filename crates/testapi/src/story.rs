//! The story of a test: who wrote what when, with what changed, and what went wrong on the way.

use ordain_registry::Catalog;
use ordain_server::seam::Asked;
use ordain_storage::Event;
use ordain_value::{Value, json};

use crate::changes::changes;
use crate::journal::Exchange;

/// Where an object is stored, in words.
pub(crate) struct Place {
    pub(crate) group: String,
    pub(crate) resource: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl Place {
    /// The object behind a key.
    pub(crate) fn of(catalog: &Catalog, key: &str) -> Option<Self> {
        catalog.iter().find_map(|it| {
            let rest = key.strip_prefix(&it.collection_prefix(""))?;
            let (namespace, name) = match rest.split_once('/') {
                Some((namespace, name)) if it.namespaced => (namespace, name),
                None if !it.namespaced => ("", rest),
                _ => return None,
            };
            Some(Self {
                group: it.group.to_string(),
                resource: it.plural.to_string(),
                namespace: namespace.to_owned(),
                name: name.to_owned(),
            })
        })
    }

    fn shown(&self) -> String {
        let resource = match self.group.as_str() {
            "" => self.resource.clone(),
            group => format!("{}.{group}", self.resource),
        };
        match self.namespace.as_str() {
            "" => format!("{resource} {}", self.name),
            namespace => format!("{resource} {namespace}/{}", self.name),
        }
    }

    /// Whether a request may have written here. Deletions of collections name no object.
    fn is_of(&self, asked: &Asked, answered_name: &str) -> bool {
        let name = if asked.name.is_empty() { answered_name } else { &asked.name };
        let collection = asked.verb.as_str() == "deletecollection";
        asked.group == self.group
            && asked.resource == self.resource
            && (asked.namespace == self.namespace || (collection && asked.namespace.is_empty()))
            && (collection || name == self.name)
    }
}

/// Tells it, in the order of revisions; refused and disturbed requests stand where they were made.
pub(crate) fn report(exchanges: &[Exchange], forgotten: u64, events: &[(Place, Event)]) -> String {
    let mut lines: Vec<(u64, usize, String)> = Vec::new();
    for (order, exchange) in exchanges.iter().enumerate() {
        if let Some(text) = disturbance(exchange) {
            lines.push((exchange.before, order, text));
        }
    }
    for (place, event) in events {
        let by = writer(exchanges, place, event);
        lines.push((event.revision, 0, written(place, event, by)));
    }
    lines.sort_by_key(|line| (line.0, line.1));
    let mut story = String::new();
    if forgotten > 0 {
        story.push_str(&format!("({forgotten} requests before these are forgotten)\n"));
    }
    for (_, _, text) in lines {
        story.push_str(&text);
        story.push('\n');
    }
    story
}

/// The request that wrote an event: all of its writes lie between its two revisions.
fn writer<'a>(exchanges: &'a [Exchange], place: &Place, event: &Event) -> Option<&'a Exchange> {
    exchanges.iter().find(|it| {
        let name = it.answered.as_ref().map_or("", |answered| answered.name.as_str());
        let over = it.answered.is_none() || event.revision <= it.after;
        it.asked.verb.writes()
            && it.before < event.revision
            && over
            && it.answered.as_ref().is_none_or(|answered| answered.code < 300)
            && place.is_of(&it.asked, name)
    })
}

fn written(place: &Place, event: &Event, by: Option<&Exchange>) -> String {
    let did = match (event.is_create(), event.is_delete()) {
        (true, _) => "created",
        (_, true) => "deleted",
        _ => "changed",
    };
    let subresource = by.map_or("", |it| it.asked.subresource.as_str());
    let part = if subresource.is_empty() { String::new() } else { format!(" ({subresource})") };
    let who = by.map_or_else(|| "the server itself".to_owned(), who);
    let time = by.map_or(String::new(), |it| clock(it) + " ");
    let mut text = format!("{time}r{} {}{part} {did} by {who}", event.revision, place.shown());
    let decode = |bytes: Option<&bytes::Bytes>| {
        bytes.and_then(|it| json::decode(it).ok()).unwrap_or(Value::Null)
    };
    if did == "changed" {
        let old = decode(event.previous.as_ref().map(|it| &it.value));
        for line in changes(&old, &decode(event.value.as_ref())) {
            text.push_str("\n    ");
            text.push_str(&line);
        }
    }
    text
}

/// A line for a request that was refused or disturbed; none for those that went well.
fn disturbance(exchange: &Exchange) -> Option<String> {
    let asked = &exchange.asked;
    let answered = exchange.answered.as_ref();
    let refused = answered.filter(|it| it.code >= 400 && asked.verb.writes());
    if refused.is_none() && exchange.faults.is_empty() {
        return None;
    }
    let mut text =
        format!("{} {} {} by {}", clock(exchange), asked.method, asked.path, who(exchange));
    if let Some(answered) = refused {
        let body = json::decode(&answered.body).unwrap_or(Value::Null);
        let message = body.get("message").and_then(Value::as_str).unwrap_or("");
        text.push_str(&format!(" was refused: {} {message}", answered.code));
    }
    for fault in &exchange.faults {
        text.push_str(&format!("\n    fault: {fault}"));
    }
    Some(text)
}

fn who(exchange: &Exchange) -> String {
    let asked = &exchange.asked;
    let program = asked.user_agent.split(' ').next().unwrap_or("");
    match program {
        "" => asked.user.clone(),
        program => format!("{program} as {}", asked.user),
    }
}

fn clock(exchange: &Exchange) -> String {
    let text = exchange.began.encode_micro();
    // The time of the day, to the millisecond.
    text.get(11..23).unwrap_or(&text).to_owned()
}
