//! Plays what kubectl 1.31, 1.33 and 1.36 said in a working session, where it was recorded beside
//! the repository: requests are answered as kube-apiserver answered them.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test tells and fails loudly")]

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use ordain_meta::gvk::GroupVersion;
use ordain_registry::typed::protobuf;
use ordain_schema::base64;
use ordain_testkit::client::Request;
use ordain_testkit::known::Known;
use ordain_testkit::normal::{Captured, refine, rewrite, sorted_managed, without_times};
use ordain_testkit::{Client, transcript};
use ordain_value::{Value, json};

const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// Versions of the recorded server and the ones that stand for them here.
#[derive(Default)]
struct Versions(BTreeMap<String, String>);

impl Versions {
    fn note(&mut self, recorded: &Value, ours: &Value) {
        let version = |object: &Value| {
            let version = object.get_path(&["metadata", "resourceVersion"]);
            version.and_then(Value::as_str).map(str::to_owned)
        };
        if let Some((theirs, ours)) = version(recorded).zip(version(ours)) {
            self.0.insert(theirs, ours);
        }
    }

    /// The text with our versions in place of the recorded ones.
    fn translate(&self, text: &str) -> String {
        let pairs = self.0.iter().flat_map(|(theirs, ours)| {
            [("\"", "\""), ("resourceVersion=", "&")]
                .map(|(a, b)| (format!("{a}{theirs}{b}"), format!("{a}{ours}{b}")))
        });
        pairs.fold(text.to_owned(), |text, (theirs, ours)| text.replace(&theirs, &ours))
    }
}

/// The object of a body that was answered as a message; `None` for JSON.
fn opened(part: &Value) -> Option<Value> {
    let bytes = base64::decode(part.get("base64")?.as_str()?).ok()?;
    let envelope = protobuf::open(&bytes).ok()?;
    let version = GroupVersion::decode(&envelope.api_version).ok()?;
    if let Some(item) = envelope.kind.strip_suffix("List") {
        // A list is its kind and its bytes with the version taken out.
        let version = protobuf::list_version(&envelope).ok()?;
        let bytes = envelope.raw.len() - version.len();
        return Some(Value::str(format!("{bytes} bytes of {item} objects")));
    }
    let kinds = ordain_kubernetes::all();
    let kind = kinds.iter().find(|it| it.group == version.group && it.kind == envelope.kind)?;
    protobuf::decode(kind.strategy.schema(&version.version)?, &envelope).ok()
}

/// Whether an answer can be compared: streams and documents of the whole server cannot.
fn is_compared(line: &Value) -> bool {
    let path = line.get("path").and_then(Value::as_str).unwrap_or("");
    let response = line.get("response").unwrap_or(&Value::Null);
    let left_out = response.as_str() == Some("(left out)");
    // These definitions were left on the recorded server by others.
    let of_others = path.contains(".api.oracle.test/");
    !left_out
        && !of_others
        && !path.contains("watch=true")
        && (path.starts_with("/api/v1/") || path.starts_with("/apis/"))
}

fn request<'a>(
    line: &'a Value,
    path: &'a str,
    body: Option<Vec<u8>>,
    is_message: bool,
) -> Request<'a> {
    let headers = line.get("headers").and_then(Value::as_map);
    let headers = headers.into_iter().flat_map(|map| map.iter());
    let headers =
        headers.filter_map(|(name, value)| Some((name.to_string(), value.as_str()?.to_owned())));
    let method = line.get("method").and_then(Value::as_str).unwrap_or("");
    let content_type = if is_message { PROTOBUF } else { "application/json" };
    Request { method, path, body, content_type, headers: headers.collect() }
}

/// The form in which answers are compared: columns are described in words of our own.
fn shown(body: &Value) -> String {
    let mut body = rewrite(body, &without_times);
    if let Some(columns) = body.get_mut("columnDefinitions").and_then(Value::as_list_mut) {
        for column in columns.to_mut() {
            column.remove_path(&["description"]);
        }
    }
    json::encode_string(&sorted_managed(&refine(&body, &Captured::new(), &[])))
}

/// The bytes of a recorded body, and whether they are a message.
fn bytes(body: &Value, versions: &Versions) -> (Vec<u8>, bool) {
    let message = body.get("base64").and_then(Value::as_str);
    match (message, body) {
        (Some(message), _) => (base64::decode(message).unwrap(), true),
        (None, Value::Str(text)) => (versions.translate(text).into_bytes(), false),
        (None, body) => (versions.translate(&json::encode_string(body)).into_bytes(), false),
    }
}

/// Where two texts part, with a little of what is before.
fn parting(wanted: &str, found: &str) -> String {
    let same = wanted.chars().zip(found.chars()).take_while(|(a, b)| a == b).count();
    let rest =
        |text: &str| -> String { text.chars().skip(same.saturating_sub(80)).take(300).collect() };
    format!("wanted …{}\n  found  …{}", rest(wanted), rest(found))
}

/// Plays a session; each answer by its place, with whether it agrees.
fn play(path: &Path) -> Vec<(String, bool)> {
    let runtime = support::runtime();
    let mut client = Client::new(support::start_whole(&runtime));
    let (mut versions, mut played) = (Versions::default(), Vec::new());
    let session = path.file_name().unwrap().to_string_lossy();
    let session = session.trim_end_matches(".jsonl.gz");
    let lines = transcript::read(path).unwrap();
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| is_compared(line)) {
        let body = line.get("body").filter(|body| !body.is_null());
        let body = body.map(|body| bytes(body, &versions));
        let is_message = body.as_ref().is_some_and(|(_, is_message)| *is_message);
        let text = |field: &str| line.get(field).and_then(Value::as_str).unwrap_or("");
        let target = versions.translate(text("path"));
        let body = body.map(|(bytes, _)| bytes);
        let answer = client.call(&request(line, &target, body, is_message)).unwrap();
        let expected = line.get("response").unwrap();
        let expected = opened(expected).unwrap_or_else(|| expected.clone());
        let received = opened(&answer.body).unwrap_or_else(|| answer.body.clone());
        versions.note(&expected, &received);
        let code = line.get("code").and_then(Value::as_int);
        let (wanted, found) = (shown(&expected), shown(&received));
        let agrees = code == Some(i64::from(answer.code)) && wanted == found;
        let place = format!("wire/{session} {at} {} {}", text("method"), text("path"));
        if !agrees {
            println!("{place}: {code:?}, {}\n  {}", answer.code, parting(&wanted, &found));
        }
        played.push((place, agrees));
    }
    runtime.shutdown_background();
    played
}

#[test]
fn sessions_of_kubectl_are_answered_as_recorded() {
    let Some(folder) = transcript::outside("wire") else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let known = Known::read(&root.join("known-differences.toml")).unwrap();
    let files = transcript::files(&folder).unwrap();
    let played: Vec<_> = files.iter().flat_map(|path| play(path)).collect();
    let agreeing = played.iter().filter(|(_, agrees)| *agrees).count();
    println!("wire: {agreeing} of {} answers agree", played.len());
    assert!(played.len() > 150, "the recordings hold more");
    let complaints = known.complaints(&played);
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
