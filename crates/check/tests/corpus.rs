//! Recorded answers of a real API server against the verdicts given offline.
//!
//! The recordings are found through `ORDAIN_SHARED` or in `shared` beside the repository; without
//! them the test says so and passes.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use ordain_check::{Catalog, Verdict};
use ordain_meta::gvk::GroupVersion;
use ordain_meta::status::Status;
use ordain_value::{Value, json};

fn shared() -> Option<PathBuf> {
    let given = std::env::var_os("ORDAIN_SHARED").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    given.into_iter().chain([beside]).find(|it| it.join("transcripts/corpus").is_dir())
}

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
    let gvk = gv.with_kind(text(body, "kind"));
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

#[test]
fn offline_verdicts_agree_with_recorded_answers() {
    let Some(shared) = shared() else {
        eprintln!("skipped: no recordings; set ORDAIN_SHARED");
        return;
    };
    let every: usize =
        std::env::var("ORDAIN_CORPUS_EVERY").ok().and_then(|it| it.parse().ok()).unwrap_or(1);
    let mut scores: BTreeMap<&str, Score> = BTreeMap::new();
    for file in files(&shared.join("transcripts/corpus")).iter().step_by(every) {
        let mut catalog = Catalog::default();
        for line in lines(file) {
            if let Some(crd) = line.get("crd") {
                catalog.add_definition(crd).unwrap();
                continue;
            }
            play(&catalog, &line, file, &mut scores);
        }
    }
    for (name, score) in &scores {
        eprintln!(
            "{name}: {} cases, code {:.4}, causes {:.4}, exact {:.4}",
            score.cases,
            score.share(score.code),
            score.share(score.causes),
            score.share(score.exact)
        );
        for shown in &score.shown {
            eprintln!("  {shown}");
        }
    }
    for score in scores.values() {
        assert!(score.cases > 0);
        assert!(score.share(score.code) >= 0.999);
        assert!(score.share(score.causes) >= 0.999);
        assert!(score.share(score.exact) >= 0.999);
    }
}

fn play(catalog: &Catalog, line: &Value, file: &Path, scores: &mut BTreeMap<&str, Score>) {
    let steps = line.get("steps").and_then(Value::as_list).unwrap();
    let case = text(line, "kind");
    let first = &steps[0];
    let Some(body) = first.get("body") else { return };
    if text(first, "method") != "POST" || !matches!(body, Value::Map(_)) {
        return;
    }
    let gv = GroupVersion::decode(text(body, "apiVersion")).unwrap_or_default();
    let Ok(kind) = catalog.find(&gv.with_kind(text(body, "kind"))) else { return };
    let what = format!("{case} {}", file.display());
    let verdict = kind.judge_create(body);
    let ours = answer(&verdict, body, text(first, "path"));
    scores.entry("create").or_default().add(&what, ours, first);
    let (Some(second), true) = (steps.get(1), case.starts_with("update-put/")) else { return };
    let Some(body) = second.get("body").filter(|it| matches!(it, Value::Map(_))) else { return };
    let old = first.get("response").cloned().unwrap_or(Value::Null);
    let verdict = kind.judge_update(body, &old);
    let ours = answer(&verdict, body, text(second, "path"));
    scores.entry("update").or_default().add(&what, ours, second);
}
