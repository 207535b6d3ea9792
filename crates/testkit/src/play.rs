//! Makes the requests of a recording and judges the answers.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use ordain_value::{Map, Text, Value, json};
use regex::Regex;

use crate::body::body_bytes;
use crate::client::{Answer, Client, Request};
use crate::level::{Level, Observed, level, same_warnings};
use crate::native;
use crate::normal::{Captured, near_times, normal, refine, without_uids};
use crate::transcript;

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const SETTLE_MAX: Duration = Duration::from_secs(20);
const UNTIL_MAX: Duration = Duration::from_secs(10);
const WATCHES_AT_ONCE: usize = 16;
/// Answer headers that are compared.
const HEADERS: [&str; 6] =
    ["allow", "retry-after", "location", "vary", "x-content-type-options", "cache-control"];

/// One judged step.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// `file case#step`
    pub place: String,
    /// What the step is about.
    pub kind: String,
    /// How closely the answer agrees.
    pub level: Level,
    /// Whether the warnings are those that were recorded.
    pub warnings_agree: bool,
    /// What was wanted and what came, for people.
    pub shown: String,
}

/// Plays a whole file.
pub fn play_file(client: &mut Client, path: &Path, name: &str) -> std::io::Result<Vec<Outcome>> {
    play_sample(client, path, name, 1)
}

/// Plays every nth line of a file.
pub fn play_sample(
    client: &mut Client,
    path: &Path,
    name: &str,
    every: usize,
) -> std::io::Result<Vec<Outcome>> {
    let mut outcomes = Vec::new();
    let mut live: Option<Value> = None;
    let mut watches = Vec::new();
    for (number, line) in transcript::read(path)?.iter().enumerate().step_by(every) {
        if let Some(crd) = line.get("crd").filter(|_| line.get("kind").is_none()) {
            live = Some(crd.clone());
            outcomes.push(create_definition(client, name, line, crd)?);
        } else if let Some(tightened) = line.get("tighten") {
            replace_definition(client, tightened)?;
        } else if line.get("watch").is_some() {
            watches.push(line.clone());
        } else {
            outcomes.extend(play_case(client, name, number, line)?);
        }
    }
    outcomes.extend(play_watches(client, name, &watches)?);
    if let Some(crd) = live {
        let path = definition_path(&crd);
        client.call(&Request { method: "DELETE", path: &path, ..Request::default() })?;
    }
    Ok(outcomes)
}

/// Plays the cases of a file and gives them with the answers that came, in the form of a recording.
/// Definitions and watches are not recorded.
pub fn record_file(client: &mut Client, path: &Path) -> std::io::Result<Vec<Value>> {
    let mut cases = transcript::read(path)?;
    for case in &mut cases {
        let mut state = State::default();
        let steps = case.get("steps").and_then(Value::as_list).cloned().unwrap_or_default();
        let mut recorded = Vec::new();
        for step in steps.iter() {
            let observed = play_step(client, step, &mut state, Form::Plain)?;
            recorded.push(record(step.clone(), observed));
        }
        case.set_path(&["steps"], Value::from(recorded));
    }
    Ok(cases)
}

fn record(mut step: Value, observed: Observed) -> Value {
    let Value::Map(map) = &mut step else { return step };
    for key in ["code", "response", "warnings"] {
        map.remove(key);
    }
    map.insert("code", Value::Int(observed.code));
    map.insert("response", observed.response);
    if !observed.warnings.is_empty() {
        let warnings = observed.warnings.into_iter().map(Value::from).collect::<Vec<_>>();
        map.insert("warnings", Value::from(warnings));
    }
    step
}

/// Watches take seconds of waiting each and do not touch each other: many at a time.
fn play_watches(client: &Client, name: &str, cases: &[Value]) -> std::io::Result<Vec<Outcome>> {
    let address = client.address();
    let mut outcomes = Vec::new();
    for chunk in cases.chunks(WATCHES_AT_ONCE) {
        let played = std::thread::scope(|scope| {
            let play = |case| {
                scope.spawn(move || crate::watch::play(&mut Client::new(address), name, case))
            };
            let threads: Vec<_> = chunk.iter().map(play).collect();
            threads.into_iter().map(|thread| thread.join()).collect::<Vec<_>>()
        });
        for outcome in played {
            outcomes.push(outcome.map_err(|_| std::io::Error::other("a watch failed"))??);
        }
    }
    Ok(outcomes)
}

fn definition_path(crd: &Value) -> String {
    let name = crd.get_path(&["metadata", "name"]).and_then(Value::as_str).unwrap_or("");
    format!("{CRDS}/{name}")
}

fn create_definition(
    client: &mut Client,
    name: &str,
    line: &Value,
    crd: &Value,
) -> std::io::Result<Outcome> {
    let answer = send(client, "POST", CRDS, Some(crd))?;
    let agrees = line.get("code").and_then(Value::as_int) == Some(i64::from(answer.code));
    if answer.code == 201 {
        settle(client, crd)?;
    }
    Ok(Outcome {
        place: format!("{name} crd#0"),
        kind: "crd".to_owned(),
        level: if agrees { Level::Exact } else { Level::None },
        warnings_agree: true,
        shown: format!("got {}: {}", answer.code, json::encode_string(&answer.body)),
    })
}

fn replace_definition(client: &mut Client, tightened: &Value) -> std::io::Result<()> {
    let path = definition_path(tightened);
    let current = client.get(&path)?;
    let mut crd = tightened.clone();
    if let Some(version) = current.body.get_path(&["metadata", "resourceVersion"]) {
        crd.set_path(&["metadata", "resourceVersion"], version.clone());
    }
    send(client, "PUT", &path, Some(&crd))?;
    settle(client, &crd)
}

fn send(
    client: &mut Client,
    method: &str,
    path: &str,
    body: Option<&Value>,
) -> std::io::Result<Answer> {
    let body = body.map(json::encode);
    let content_type = "application/json";
    client.call(&Request { method, path, body, content_type, headers: Vec::new() })
}

/// In which form answers were recorded.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Form {
    Plain,
    Api,
    Native,
}

/// The state that a case carries from step to step.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) captured: Captured,
    symbols: Vec<(&'static str, Value)>,
}

fn play_case(
    client: &mut Client,
    name: &str,
    number: usize,
    case: &Value,
) -> std::io::Result<Vec<Outcome>> {
    let kind = case.get("kind").and_then(Value::as_str).unwrap_or("");
    let fallback = format!("{kind}@{number}");
    let id = case.get("id").and_then(Value::as_str).unwrap_or(&fallback);
    let form = match kind.starts_with("api-") {
        true => Form::Api,
        false if native::is_native(case) => Form::Native,
        false => Form::Plain,
    };
    native::set_up(client, case)?;
    let mut state = State::default();
    let mut outcomes = Vec::new();
    let steps = case.get("steps").and_then(Value::as_list).cloned().unwrap_or_default();
    for (at, step) in steps.iter().enumerate() {
        let observed = play_step(client, step, &mut state, form)?;
        outcomes.push(Outcome {
            place: format!("{name} {id}#{at}"),
            kind: kind.split('/').next().unwrap_or("").to_owned(),
            level: level(step, &observed),
            warnings_agree: same_warnings(step, &observed),
            shown: shown(step, &observed),
        });
    }
    native::clean_up(client, case)?;
    Ok(outcomes)
}

fn shown(step: &Value, observed: &Observed) -> String {
    let text = |key: &str| step.get(key).map(json::encode_string).unwrap_or_default();
    format!(
        "{} {}\n  want {} {}\n  got  {} {}",
        text("method"),
        text("path"),
        text("code"),
        text("response"),
        observed.code,
        json::encode_string(&observed.response)
    )
}

/// Makes the request of one step and brings the answer into its recorded form.
pub(crate) fn play_step(
    client: &mut Client,
    step: &Value,
    state: &mut State,
    form: Form,
) -> std::io::Result<Observed> {
    let text = |key: &str| step.get(key).and_then(Value::as_str).unwrap_or("");
    let path = fill_text(text("path"), &state.captured);
    let mut body = step.get("body").map(|body| fill(body, &state.captured));
    if let Some(body) = &mut body {
        set_current_version(client, &path, body)?;
    }
    let headers = step.get("headers").map(|headers| fill(headers, &state.captured));
    let headers = headers.as_ref().and_then(Value::as_map).map(|map| {
        let pairs = map.iter().filter_map(|(key, value)| Some((key, value.as_str()?)));
        pairs.map(|(key, value)| (key.to_string(), value.to_owned())).collect()
    });
    let content_type = match text("contentType") {
        "" if step.get("contentType").is_none() => "application/json",
        other => other,
    };
    let request = Request {
        method: text("method"),
        path: &path,
        body: body.as_ref().map(body_bytes),
        content_type,
        headers: headers.unwrap_or_default(),
    };
    let answer = call_until(client, &request, step.get("until"))?;
    capture(step, &answer, &mut state.captured);
    if step.get("settle").and_then(Value::as_bool) == Some(true)
        && answer.code < 300
        && let Some(body) = &body
    {
        settle(client, body)?;
    }
    Ok(match form {
        Form::Api => observe_api(step, &answer, state),
        Form::Native => {
            let response = native::normal(&answer.body, body.as_ref().unwrap_or(&Value::Null));
            Observed { response, ..observe(&answer) }
        }
        Form::Plain => observe(&answer),
    })
}

/// `$RV` stands for the current version of the object.
fn set_current_version(client: &mut Client, path: &str, body: &mut Value) -> std::io::Result<()> {
    let version = body.get_path(&["metadata", "resourceVersion"]).and_then(Value::as_str);
    if version != Some("$RV") {
        return Ok(());
    }
    let base = path.split('?').next().unwrap_or(path);
    let parts = ["status", "scale", "resize", "approval", "ephemeralcontainers", "finalize"];
    let object = base.rsplit_once('/').filter(|(_, part)| parts.contains(part));
    let base = object.map_or(base, |(object, _)| object);
    let current = client.get(base)?;
    let version = current.body.get_path(&["metadata", "resourceVersion"]).cloned();
    body.set_path(&["metadata", "resourceVersion"], version.unwrap_or_else(|| "0".into()));
    Ok(())
}

fn call_until(
    client: &mut Client,
    request: &Request<'_>,
    until: Option<&Value>,
) -> std::io::Result<Answer> {
    let start = Instant::now();
    loop {
        let answer = client.call(request)?;
        let Some(until) = until else { return Ok(answer) };
        if is_ready(&answer.body, until) || start.elapsed() > UNTIL_MAX {
            return Ok(answer);
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn is_ready(body: &Value, until: &Value) -> bool {
    let Some(conditions) = until.as_map() else { return true };
    conditions.iter().all(|(path, want)| {
        let found = pointer(body, path);
        let empty = found.is_none_or(|value| match value {
            Value::Null => true,
            Value::Str(text) => text.is_empty(),
            Value::List(list) => list.is_empty(),
            _ => false,
        });
        match want.as_str() {
            Some("*") => !empty,
            Some("-") => empty,
            _ => found == Some(want),
        }
    })
}

fn capture(step: &Value, answer: &Answer, captured: &mut Captured) {
    let Some(wanted) = step.get("capture").and_then(Value::as_map) else { return };
    for (name, path) in wanted.iter() {
        let found = path.as_str().and_then(|path| pointer(&answer.body, path)).cloned();
        captured.insert(name.to_string(), found.unwrap_or_else(|| "".into()));
    }
}

/// The value at a JSON pointer.
pub(crate) fn pointer<'a>(value: &'a Value, path: &str) -> Option<&'a Value> {
    let mut at = value;
    for part in path.split('/').filter(|part| !part.is_empty()) {
        let part = part.replace("~1", "/").replace("~0", "~");
        at = match at {
            Value::List(list) => list.get(part.parse::<usize>().ok()?)?,
            other => other.get(&part)?,
        };
    }
    Some(at)
}

pub(crate) fn fill_text(text: &str, captured: &Captured) -> String {
    let mut text = text.to_owned();
    for (name, value) in captured {
        let value = match value {
            Value::Str(text) => text.to_string(),
            other => json::encode_string(other),
        };
        text = text.replace(&format!("${{{name}}}"), &value);
    }
    text
}

fn fill(value: &Value, captured: &Captured) -> Value {
    match value {
        Value::Str(text) => fill_text(text, captured).into(),
        Value::List(list) => {
            list.iter().map(|item| fill(item, captured)).collect::<Vec<_>>().into()
        }
        Value::Map(map) => {
            let entries = map.iter().map(|(key, item)| (key.clone(), fill(item, captured)));
            Value::Map(entries.collect::<Map>())
        }
        other => other.clone(),
    }
}

/// Waits until the definition is served, or is known never to be.
fn settle(client: &mut Client, body: &Value) -> std::io::Result<()> {
    if body.get("kind").and_then(Value::as_str) != Some("CustomResourceDefinition") {
        return Ok(());
    }
    let path = definition_path(body);
    let start = Instant::now();
    while start.elapsed() < SETTLE_MAX {
        let answer = client.get(&path)?;
        if answer.code != 200 {
            return Ok(());
        }
        let conditions = answer.body.get_path(&["status", "conditions"]).and_then(Value::as_list);
        let status = |ty: &str| {
            let found =
                conditions?.iter().find(|it| it.get("type").and_then(Value::as_str) == Some(ty));
            found?.get("status").and_then(Value::as_str)
        };
        if status("NamesAccepted") == Some("False") || status("Established") == Some("True") {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

fn observe(answer: &Answer) -> Observed {
    Observed {
        code: i64::from(answer.code),
        response: normal(&answer.body),
        warnings: answer.warnings(),
        ..Observed::default()
    }
}

fn observe_api(step: &Value, answer: &Answer, state: &mut State) -> Observed {
    let volatile = if step.get("novolatile").is_some() {
        Value::Map(Map::new())
    } else {
        state.volatile(&answer.body)
    };
    let mut body = answer.body.clone();
    if let Some(keep) = step.get("keep").and_then(Value::as_list) {
        let kept = keep.iter().filter_map(Value::as_text).map(|path| {
            let found = pointer(&body, path).cloned();
            (path.clone(), found.unwrap_or_else(|| "<absent>".into()))
        });
        body = Value::Map(kept.collect::<Map>());
    }
    if let Some(pick) = step.get("pick").and_then(Value::as_list) {
        let texts: Vec<&str> = pick.iter().filter_map(Value::as_str).collect();
        body = picked(&body, &texts);
    }
    let warnings = answer.warnings().iter().map(|text| near_times(&without_uids(text))).collect();
    let kept = HEADERS.iter().filter_map(|name| {
        let value = answer.header(name);
        let usual = *name == "cache-control" && value == "no-cache, private";
        (!value.is_empty() && !usual).then(|| (Text::from(*name), Value::from(value)))
    });
    Observed {
        code: i64::from(answer.code),
        response: refine(&body, &state.captured, &scrubs(step)),
        warnings,
        content_type: Some(answer.header("content-type").to_owned()),
        volatile: Some(volatile),
        headers: Some(Value::Map(kept.collect::<Map>())),
    }
}

fn scrubs(step: &Value) -> Vec<(Regex, String)> {
    let list = step.get("scrub").and_then(Value::as_list);
    let pairs = list.into_iter().flat_map(|list| list.iter()).filter_map(|pair| {
        let pair = pair.as_list()?;
        let pattern = Regex::new(pair.first()?.as_str()?).ok()?;
        Some((pattern, pair.get(1)?.as_str()?.replace("\\1", "${1}")))
    });
    pairs.collect()
}

/// A filtered part of an answer.
fn picked(body: &Value, pick: &[&str]) -> Value {
    let [what, path, text] = pick else { return body.clone() };
    if !matches!(body, Value::Map(_)) {
        return body.clone();
    }
    let found = pointer(body, path);
    match *what {
        "named" => {
            let is_named = |item: &&Value| {
                let own = item.get("name").and_then(Value::as_str);
                let meta = item.get_path(&["metadata", "name"]).and_then(Value::as_str);
                own == Some(text) || meta == Some(text)
            };
            let list = found.and_then(Value::as_list).cloned().unwrap_or_default();
            list.iter().filter(is_named).cloned().collect::<Vec<_>>().into()
        }
        "keys" => {
            let map = found.and_then(Value::as_map).cloned().unwrap_or_default();
            let kept = map.iter().filter(|(key, _)| key.contains(text));
            Value::Map(kept.map(|(key, item)| (key.clone(), item.clone())).collect::<Map>())
        }
        _ => {
            let map = found.and_then(Value::as_map).cloned().unwrap_or_default();
            let keys = map.keys().filter(|key| key.contains(text));
            keys.cloned().map(Value::Str).collect::<Vec<_>>().into()
        }
    }
}

impl State {
    /// Symbols for what differs from run to run: the same value gets the same symbol.
    pub(crate) fn volatile(&mut self, body: &Value) -> Value {
        let mut out = BTreeMap::new();
        if body.get("kind").and_then(Value::as_str) == Some("Status") {
            if let Some(uid) = body.get_path(&["details", "uid"]) {
                out.insert("/details/uid".to_owned(), self.symbol("uid", uid));
            }
        } else if let Some(items) = body.get("items").and_then(Value::as_list) {
            if let Some(version) = body.get_path(&["metadata", "resourceVersion"]) {
                let set = version.as_str().is_some_and(|text| !text.is_empty());
                let symbol = if set { "set" } else { "''" };
                out.insert("/metadata/resourceVersion".to_owned(), symbol.into());
            }
            if items.len() <= 20 {
                for (at, item) in items.iter().enumerate() {
                    self.metadata(item, &format!("/items/{at}"), &mut out);
                }
            }
        } else if body.get("kind").and_then(Value::as_str) != Some("Table") {
            self.metadata(body, "", &mut out);
        }
        let entries = out.into_iter().map(|(key, value)| (Text::from(key), value));
        Value::Map(entries.collect::<Map>())
    }

    fn metadata(&mut self, object: &Value, place: &str, out: &mut BTreeMap<String, Value>) {
        let Some(metadata) = object.get("metadata").and_then(Value::as_map) else { return };
        for (field, what) in [
            ("uid", "uid"),
            ("resourceVersion", "rv"),
            ("creationTimestamp", "ts"),
            ("deletionTimestamp", "ts"),
            ("selfLink", "ts"),
        ] {
            let Some(value) = metadata.get(field) else { continue };
            let symbol = match value {
                Value::Null => "None".into(),
                Value::Str(text) if text.is_empty() => "''".into(),
                value => self.symbol(what, value),
            };
            out.insert(format!("{place}/metadata/{field}"), symbol);
        }
    }

    fn symbol(&mut self, what: &'static str, value: &Value) -> Value {
        if what == "ts" {
            let text = value.as_str().unwrap_or("");
            return near_times(text).replace("<time>", "set").into();
        }
        let key = (what, value.clone());
        if !self.symbols.contains(&key) {
            self.symbols.push(key.clone());
        }
        let same = self.symbols.iter().filter(|(kind, _)| *kind == what);
        let at = same.take_while(|known| **known != key).count() + 1;
        format!("{what}{at}").into()
    }
}
