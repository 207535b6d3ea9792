//! Plays a recorded watch: opens the stream, writes meanwhile, and compares the events.

use std::io::BufReader;
use std::net::SocketAddr;
use std::sync::mpsc;
use std::time::Duration;

use ordain_value::{Map, Value, json, value};
use regex::Regex;

use crate::client::{Client, Request, encode, open, parse, read_chunk, read_head};
use crate::level::{Observed, level};
use crate::normal::refine;
use crate::play::{Form, Outcome, State, fill_text, play_step};

/// What came over the stream.
struct Received {
    code: u16,
    bytes: Vec<u8>,
}

/// Plays one case of a watch.
pub fn play(client: &mut Client, file: &str, case: &Value) -> std::io::Result<Outcome> {
    let id = case.get("id").and_then(Value::as_str).unwrap_or("");
    let steps = |key: &str| case.get(key).and_then(Value::as_list).cloned().unwrap_or_default();
    let mut state = State::default();
    for step in steps("setup").iter() {
        play_step(client, step, &mut state, Form::Api)?;
    }
    let watch = case.get("watch").unwrap_or(&Value::Null);
    let path = fill_text(watch.get("path").and_then(Value::as_str).unwrap_or(""), &state.captured);
    let headers = watch.get("headers").and_then(Value::as_map).cloned().unwrap_or_default();
    let headers = headers
        .iter()
        .filter_map(|(key, value)| Some((key.to_string(), value.as_str()?.to_owned())));
    let headers: Vec<(String, String)> = headers.collect();
    let hangup = case.get("hangup").and_then(|value| match value {
        Value::Int(seconds) => u64::try_from(*seconds).ok().map(Duration::from_secs),
        Value::Float(seconds) => Some(Duration::from_secs_f64(seconds.max(0.0))),
        _ => None,
    });
    let (opened, is_open) = mpsc::channel();
    let address = client.address();
    let reader = std::thread::spawn(move || receive(address, &path, headers, hangup, &opened));
    let _ = is_open.recv_timeout(Duration::from_secs(5));
    std::thread::sleep(Duration::from_millis(400));
    for step in steps("during").iter() {
        play_step(client, step, &mut state, Form::Api)?;
    }
    let received = reader.join().map_err(|_| std::io::Error::other("the reader failed"))??;
    let observed = observe(case, &received, &mut state);
    let want = value!({
        "code": (watch.get("code").cloned().unwrap_or(Value::Null)),
        "response": (value!({
            "events": (watch.get("events").cloned().unwrap_or(Value::Null)),
            "answer": (watch.get("response").cloned().unwrap_or(Value::Null))
        }))
    });
    let shown = format!(
        "want {}\n  got  {} {}",
        json::encode_string(&want),
        observed.code,
        json::encode_string(&observed.response)
    );
    Ok(Outcome {
        place: format!("{file} {id}#0"),
        kind: "api-watch".to_owned(),
        level: level(&want, &observed),
        warnings_agree: true,
        shown,
    })
}

fn receive(
    address: SocketAddr,
    path: &str,
    headers: Vec<(String, String)>,
    hangup: Option<Duration>,
    opened: &mpsc::Sender<()>,
) -> std::io::Result<Received> {
    let request = Request { method: "GET", path, headers, ..Request::default() };
    let mut stream = open(address)?;
    std::io::Write::write_all(&mut stream, &encode(address, &request))?;
    if hangup.is_some() {
        stream.set_read_timeout(hangup)?;
    }
    let mut connection = BufReader::new(stream);
    let (code, headers) = read_head(&mut connection)?;
    let _ = opened.send(());
    let mut bytes = Vec::new();
    let header =
        |name: &str| headers.iter().find(|(key, _)| key == name).map(|(_, it)| it.as_str());
    if let Some(len) = header("content-length").and_then(|len| len.parse::<u64>().ok()) {
        let mut body = std::io::Read::take(&mut connection, len);
        std::io::Read::read_to_end(&mut body, &mut bytes)?;
    } else {
        while read_chunk(&mut connection, &mut bytes).unwrap_or(false) {}
    }
    Ok(Received { code, bytes })
}

fn observe(case: &Value, received: &Received, state: &mut State) -> Observed {
    let id = case.get("id").and_then(Value::as_str).unwrap_or("");
    let lines = received.bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    let events: Option<Vec<Value>> = lines.map(event).collect();
    let (events, answer) = match events {
        Some(events) => (shown_events(case, id, events, state), Value::Null),
        None => {
            let scrub = scrubs(&[(r"current: [0-9]+", "current: <rv>"), (r"\([0-9]+\)", "(<rv>)")]);
            let body = parse(&received.bytes);
            (Value::Null, refine(&body, &state.captured, &scrub))
        }
    };
    Observed {
        code: i64::from(received.code),
        response: value!({"events": events, "answer": answer}),
        ..Observed::default()
    }
}

fn event(line: &[u8]) -> Option<Value> {
    let value = json::decode(line).ok()?;
    let map = value.as_map()?;
    (map.len() == 2 && map.contains_key("type") && map.contains_key("object")).then_some(value)
}

fn shown_events(case: &Value, id: &str, events: Vec<Value>, state: &mut State) -> Value {
    let scrub = scrubs(&[
        (r"too old resource version: ([0-9]+) \([0-9]+\)", "too old resource version: ${1} (<rv>)"),
        (r"current: [0-9]+", "current: <rv>"),
    ]);
    let unordered = case.get("unordered").is_some();
    let mut shown: Vec<Value> = Vec::new();
    for event in events {
        let is_bookmark = event.get("type").and_then(Value::as_str) == Some("BOOKMARK");
        let object = event.get("object").cloned().unwrap_or(Value::Null);
        let annotated = object.get_path(&["metadata", "annotations"]).is_some();
        let first =
            !shown.iter().any(|it| it.get("type").and_then(Value::as_str) == Some("BOOKMARK"));
        if is_bookmark && !annotated && !(id == "watch/bookmarks" && first) {
            continue;
        }
        let mut volatile = state.volatile(&object);
        if let (true, Value::Map(map)) = (is_bookmark, &mut volatile) {
            for (_, symbol) in map.iter_mut() {
                *symbol = "set".into();
            }
        }
        let mut entry = Map::new();
        entry.insert("type", event.get("type").cloned().unwrap_or(Value::Null));
        entry.insert("object", refine(&object, &Default::default(), &scrub));
        if !unordered && volatile.as_map().is_some_and(|map| !map.is_empty()) {
            entry.insert("volatile", volatile);
        }
        shown.push(Value::Map(entry));
    }
    if unordered {
        shown.sort_by_key(|it| it.get("object").map(json::encode_string));
    }
    shown.into()
}

fn scrubs(pairs: &[(&str, &str)]) -> Vec<(Regex, String)> {
    let compiled = pairs.iter().map(|(pattern, with)| {
        let pattern = Regex::new(pattern).expect("invariant: a pattern of our own");
        (pattern, (*with).to_owned())
    });
    compiled.collect()
}
