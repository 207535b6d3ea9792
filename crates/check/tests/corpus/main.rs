//! Recorded answers of a real API server against the verdicts given offline.
//!
//! The recordings are found through `ORDAIN_SHARED` or in `shared` beside the repository; without
//! them the test says so and passes.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod native;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ordain_check::{Catalog, Verdict};
use ordain_merge::patch::Strictness;
use ordain_merge::patch::json::JsonPatch;
use ordain_meta::gvk::GroupVersion;
use ordain_meta::status::Status;
use ordain_registry::Registry;
use ordain_server::App;
use ordain_testkit::Client;
use ordain_testkit::client::Request;
use ordain_value::{Value, json};

fn files(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for project in std::fs::read_dir(root).unwrap() {
        for file in std::fs::read_dir(project.unwrap().path()).unwrap() {
            found.push(file.unwrap().path());
        }
    }
    found.sort();
    found
}

fn lines(file: &Path) -> Vec<Value> {
    let mut text = String::new();
    let packed = std::fs::File::open(file).unwrap();
    flate2::read::GzDecoder::new(packed).read_to_string(&mut text).unwrap();
    text.lines().map(|line| json::decode(line.as_bytes()).unwrap()).collect()
}

#[derive(Default)]
struct Score {
    cases: usize,
    code: usize,
    causes: usize,
    exact: usize,
    shown: Vec<String>,
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

/// The Status or object that the verdict means, under the field validation of the request.
fn answer(verdict: &Verdict, body: &Value, path: &str) -> (i64, Value) {
    let gv = GroupVersion::decode(text(body, "apiVersion")).unwrap_or_default();
    let mut gvk = gv.with_kind(text(body, "kind"));
    if gvk.kind == "Event" {
        // Events of both groups are those of the core.
        gvk.group = ordain_value::Text::default();
    }
    let handled = |why: &str| {
        let version = ordain_value::go_quote(&gvk.version);
        Status::bad_request(format!(
            "{0} in version {version} cannot be handled as a {0}: {why}",
            gvk.kind
        ))
    };
    if let Some(why) = &verdict.unreadable {
        return (400, handled(why).encode());
    }
    if path.contains("fieldValidation=Strict") && !verdict.unknown.is_empty() {
        let all: Vec<String> =
            verdict.unknown.iter().map(|it| format!("unknown field \"{it}\"")).collect();
        return (400, handled(&format!("strict decoding error: {}", all.join(", "))).encode());
    }
    let object = verdict.object.clone().unwrap_or(Value::Null);
    if !verdict.errors.is_empty() {
        let name = object.get_path(&["metadata", "name"]).and_then(Value::as_str).unwrap_or("");
        return (422, Status::invalid(&gvk.group_kind(), name, &verdict.errors).encode());
    }
    (0, object)
}

fn words(message: &str) -> Vec<String> {
    let mut words: Vec<String> = message
        .split([' ', '\n'])
        .map(|it| it.trim_matches(|it| matches!(it, '[' | ']' | ',')).to_owned())
        .collect();
    words.sort();
    words
}

fn causes(status: &Value) -> Vec<(String, String)> {
    let list = status.get_path(&["details", "causes"]).and_then(Value::as_list);
    let mut causes: Vec<(String, String)> = list
        .map(|list| {
            list.iter().map(|it| (text(it, "field").into(), text(it, "reason").into())).collect()
        })
        .unwrap_or_default();
    causes.sort();
    causes
}

fn content(object: &Value) -> Value {
    let mut object = object.clone();
    for field in ["uid", "resourceVersion", "creationTimestamp", "managedFields", "generation"] {
        object.remove_path(&["metadata", field]);
    }
    object
}

impl Score {
    fn add(&mut self, what: &str, ours: (i64, Value), step: &Value) {
        self.cases += 1;
        let code = step.get("code").and_then(Value::as_int).unwrap_or_default();
        let response = step.get("response").cloned().unwrap_or(Value::Null);
        let accepted = (200..300).contains(&code);
        let same_code = if accepted { ours.0 == 0 } else { ours.0 == code };
        let same_causes = same_code
            && if accepted {
                json::encode(&content(&ours.1)) == json::encode(&content(&response))
            } else {
                causes(&ours.1) == causes(&response)
            };
        let exact = same_causes
            && (accepted || words(text(&ours.1, "message")) == words(text(&response, "message")));
        self.code += usize::from(same_code);
        self.causes += usize::from(same_causes);
        self.exact += usize::from(exact);
        if !exact && self.shown.len() < 10 {
            let (ours, theirs) = (json::encode_string(&ours.1), json::encode_string(&response));
            let cut = |text: &str| text.chars().take(700).collect::<String>();
            self.shown.push(format!(
                "{what} {code}\n  ours   {}\n  theirs {}",
                cut(&ours),
                cut(&theirs)
            ));
        }
    }

    fn share(&self, of: usize) -> f64 {
        f64::from(u32::try_from(of).unwrap()) / f64::from(u32::try_from(self.cases.max(1)).unwrap())
    }
}

/// A server of ours in this process, with one definition.
struct Server {
    client: Client,
    runtime: tokio::runtime::Runtime,
}

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

impl Server {
    fn start(crd: &Value) -> Server {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let address = runtime.block_on(async {
            let registry = Registry::repeatable();
            let registry = Arc::new(registry);
            registry.start().await.unwrap();
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
            let address = listener.local_addr().unwrap();
            let app = Arc::new(App::new(registry));
            tokio::spawn(ordain_server::serve(app, listener, std::future::pending()));
            address
        });
        let mut server = Server { client: Client::new(address), runtime };
        let (code, _) = server.send("POST", DEFINITIONS, "application/json", crd);
        assert_eq!(code, 0);
        server
    }

    /// Code and body; a code of success is 0, as in the answers made offline.
    fn send(&mut self, method: &str, path: &str, media: &str, body: &Value) -> (i64, Value) {
        let body = Some(json::encode(body));
        let request = Request { method, path, body, content_type: media, headers: Vec::new() };
        let answer = self.client.call(&request).unwrap();
        let code = if (200..300).contains(&answer.code) { 0 } else { i64::from(answer.code) };
        (code, answer.body)
    }
}

/// Offline and on the server, the same cases against the same recordings.
#[derive(Default)]
struct Both {
    offline: BTreeMap<&'static str, Score>,
    server: BTreeMap<&'static str, Score>,
}

fn every() -> Option<usize> {
    std::env::var("ORDAIN_CORPUS_EVERY").ok().and_then(|it| it.parse().ok())
}

#[test]
fn offline_verdicts_agree_with_recorded_answers_as_the_servers_do() {
    let Some(folder) = ordain_testkit::transcript::set("corpus") else { return };
    // All of them offline; on the server a part unless asked for, because it takes its time.
    let every = every();
    let served = every.unwrap_or(24);
    let mut both = Both::default();
    for (number, file) in files(&folder).iter().enumerate() {
        if number % every.unwrap_or(1) != 0 {
            continue;
        }
        let mut catalog = Catalog::default();
        let mut server = None;
        for line in lines(file) {
            if let Some(crd) = line.get("crd") {
                catalog.add_definition(crd).unwrap();
                server = (number % served == 0).then(|| Server::start(crd));
                continue;
            }
            play(&catalog, &mut server, &line, file, &mut both);
        }
        if let Some(server) = server {
            server.runtime.shutdown_background();
        }
    }
    for (place, scores) in [("offline", &both.offline), ("server", &both.server)] {
        for (name, score) in scores {
            eprintln!(
                "{place} {name}: {} cases, code {:.4}, causes {:.4}, exact {:.4}",
                score.cases,
                score.share(score.code),
                score.share(score.causes),
                score.share(score.exact)
            );
            for shown in &score.shown {
                eprintln!("  {shown}");
            }
        }
    }
    for (name, server) in &both.server {
        let offline = &both.offline[name];
        assert!(offline.cases >= server.cases && server.cases > 0);
        // Shares of different numbers of cases: as good up to a case in a thousand.
        for (ours, theirs) in [
            (offline.share(offline.code), server.share(server.code)),
            (offline.share(offline.causes), server.share(server.causes)),
            (offline.share(offline.exact), server.share(server.exact)),
        ] {
            assert!(ours >= theirs - 0.001, "{name}: {ours} offline, {theirs} on the server");
            assert!(ours >= 0.999);
        }
    }
}

fn play(
    catalog: &Catalog,
    server: &mut Option<Server>,
    line: &Value,
    file: &Path,
    both: &mut Both,
) {
    let steps = line.get("steps").and_then(Value::as_list).unwrap();
    let case = text(line, "kind");
    let first = &steps[0];
    let Some(body) = first.get("body") else { return };
    let by_apply = text(first, "contentType").contains("apply-patch");
    if !(text(first, "method") == "POST" || by_apply) || !matches!(body, Value::Map(_)) {
        return;
    }
    let code = first.get("code").and_then(Value::as_int).unwrap_or_default();
    // Manifests are judged as a create takes them. Whom the fields of an applied object belong to is
    // no matter of theirs, and an apply keeps nulls that a create drops.
    if by_apply && (!matches!(code, 200 | 201 | 422) || has_null(body)) {
        return;
    }
    let gv = GroupVersion::decode(text(body, "apiVersion")).unwrap_or_default();
    let Ok(kind) = catalog.find(&gv.with_kind(text(body, "kind"))) else { return };
    let what = format!("{case} {}", file.display());
    let ours = answer(&kind.judge_create(body), body, text(first, "path"));
    let (way, media) = match by_apply {
        true => ("create by apply", text(first, "contentType")),
        false => ("create", "application/json"),
    };
    both.offline.entry(way).or_default().add(&what, ours, first);
    if let Some(server) = server {
        let theirs = server.send(text(first, "method"), text(first, "path"), media, body);
        both.server.entry(way).or_default().add(&what, theirs, first);
    }
    if by_apply {
        return;
    }
    let Some(second) = steps.get(1) else { return };
    let old = first.get("response").cloned().unwrap_or(Value::Null);
    let name = match case.split('/').next() {
        Some("update-put") => "update by put",
        Some("update-merge") => "update by merge patch",
        Some("update-json") => "update by json patch",
        Some("update-status") => "update of the status",
        _ => return,
    };
    let of_status = name == "update of the status";
    let Some(change) = second.get("body").filter(|_| is_subresource(second) == of_status) else {
        return;
    };
    // The manifest of today is the old object with the change made.
    let new = match name {
        "update by put" | "update of the status" => change.clone(),
        "update by merge patch" => ordain_merge::patch::json_merge::apply(&old, change),
        _ => {
            let read = JsonPatch::decode(&json::encode(change), Strictness::Ignore);
            match read.and_then(|(patch, _)| patch.apply(&old)) {
                Ok(new) => new,
                // What is wrong with a patch is no matter of manifests.
                Err(_) => return,
            }
        }
    };
    if !matches!(new, Value::Map(_)) {
        return;
    }
    let verdict = match of_status {
        true => kind.judge_status(&new, &old),
        false => kind.judge_update(&new, &old),
    };
    let ours = answer(&verdict, &new, text(second, "path"));
    both.offline.entry(name).or_default().add(&what, ours, second);
    if let Some(server) = server {
        let media = match text(second, "contentType") {
            "" => "application/json",
            media => media,
        };
        let path = text(second, "path");
        let mut change = change.clone();
        if change.get_path(&["metadata", "resourceVersion"]).and_then(Value::as_str) == Some("$RV")
        {
            let bare = path.split('?').next().unwrap_or_default();
            let current = server.client.get(bare).unwrap().body;
            let version = current.get_path(&["metadata", "resourceVersion"]).cloned();
            change.set_path(&["metadata", "resourceVersion"], version.unwrap_or_default());
        }
        let theirs = server.send(text(second, "method"), path, media, &change);
        both.server.entry(name).or_default().add(&what, theirs, second);
    }
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Map(map) => map.values().any(has_null),
        Value::List(list) => list.iter().any(has_null),
        _ => false,
    }
}

fn is_subresource(step: &Value) -> bool {
    let path = text(step, "path").split('?').next().unwrap_or_default();
    path.ends_with("/status") || path.ends_with("/scale")
}
