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
use ordain_testkit::normal::{Captured, refine, rewrite, sorted_managed};
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

/// The object of a body that was sent or answered as a message.
fn opened(part: &Value) -> Option<Value> {
    let bytes = base64::decode(part.get("base64")?.as_str()?).ok()?;
    let envelope = protobuf::open(&bytes).ok()?;
    let version = GroupVersion::decode(&envelope.api_version).ok()?;
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
    let headers = headers.filter_map(|(name, value)| {
        let json = name == "accept" && value.as_str().is_some_and(|it| it.contains(PROTOBUF));
        let value = if json { "application/json" } else { value.as_str()? };
        Some((name.to_string(), value.to_owned()))
    });
    let method = line.get("method").and_then(Value::as_str).unwrap_or("");
    let content_type = if is_message { PROTOBUF } else { "application/json" };
    Request { method, path, body, content_type, headers: headers.collect() }
}

/// The text without times, which are those of the recording.
fn timeless(text: &str) -> String {
    const FORM: &[u8] = b"0000-00-00T00:00:00Z";
    let bytes = text.as_bytes();
    let fits = |part: &[u8]| {
        let same = |(a, b): (&u8, &u8)| if *b == b'0' { a.is_ascii_digit() } else { a == b };
        part.len() == FORM.len() && part.iter().zip(FORM).all(same)
    };
    let (mut out, mut at, mut copied) = (String::new(), 0, 0);
    while at + FORM.len() <= bytes.len() {
        if fits(&bytes[at..at + FORM.len()]) {
            out.push_str(&text[copied..at]);
            out.push_str("<time>");
            at += FORM.len();
            copied = at;
        } else {
            at += 1;
        }
    }
    out.push_str(&text[copied..]);
    out
}

/// The form in which answers are compared: columns are described in words of our own.
fn shown(body: &Value) -> String {
    let mut body = rewrite(body, &timeless);
    if let Some(columns) = body.get_mut("columnDefinitions").and_then(Value::as_list_mut) {
        for column in columns.to_mut() {
            column.remove_path(&["description"]);
        }
    }
    json::encode_string(&sorted_managed(&refine(&body, &Captured::new(), &[])))
}

/// Plays a session and tells how many answers were compared, and how those differ that do.
fn play(path: &Path) -> (usize, Vec<String>) {
    let runtime = support::runtime();
    let mut client = Client::new(support::start_whole(&runtime));
    let (mut versions, mut compared, mut differences) = (Versions::default(), 0, Vec::new());
    for line in transcript::read(path).unwrap().iter().filter(|line| is_compared(line)) {
        let text = |field: &str| line.get(field).and_then(Value::as_str).unwrap_or("");
        let body = line.get("body").filter(|body| !body.is_null());
        let message = body.and_then(|body| body.get("base64")).and_then(Value::as_str);
        let bytes = match (message, body) {
            (Some(message), _) => Some(base64::decode(message).unwrap()),
            (None, Some(Value::Str(text))) => Some(versions.translate(text).into_bytes()),
            (None, body) => {
                body.map(|body| versions.translate(&json::encode_string(body)).into_bytes())
            }
        };
        let place = versions.translate(text("path"));
        let answer = client.call(&request(line, &place, bytes, message.is_some())).unwrap();
        let expected = line.get("response").unwrap();
        let expected = opened(expected).unwrap_or_else(|| expected.clone());
        versions.note(&expected, &answer.body);
        let code = line.get("code").and_then(Value::as_int);
        compared += 1;
        if code != Some(i64::from(answer.code)) || shown(&expected) != shown(&answer.body) {
            let (wanted, found) = (shown(&expected), shown(&answer.body));
            let same = wanted.bytes().zip(found.bytes()).take_while(|(a, b)| a == b).count();
            let rest = |text: &str| text.chars().skip(same.saturating_sub(80)).take(300).collect();
            let (wanted, found): (String, String) = (rest(&wanted), rest(&found));
            let (method, answered) = (text("method"), answer.code);
            differences
                .push(format!("{method} {place}\n  {code:?} …{wanted}\n  {answered} …{found}"));
        }
    }
    runtime.shutdown_background();
    (compared, differences)
}

#[test]
fn sessions_of_kubectl_are_answered_as_recorded() {
    let Some(folder) = transcript::outside("wire") else { return };
    for path in transcript::files(&folder).unwrap() {
        let (compared, differences) = play(&path);
        println!("{}: {compared} answers, {} differ", path.display(), differences.len());
        assert!(compared > 50, "the recording holds more");
        // Managers that wrote within one second stand in no fixed order.
        assert!(differences.len() * 20 <= compared, "{}", differences.join("\n"));
    }
}
