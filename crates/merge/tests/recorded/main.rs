//! Plays recorded server-side apply cases through the crate, without a server.
//!
//! A step that the recording refused for reasons beyond this crate (validation, preconditions) is
//! skipped; every other step must give the recorded object, owners included, or the recorded
//! refusal.

#![expect(clippy::print_stdout, reason = "the score is what the reader wants to see")]

mod registry;

use std::io::Read as _;
use std::path::PathBuf;

use ordain_value::{Value, json};
use registry::{Answer, Registry};

fn shared() -> Option<PathBuf> {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let beside = here.join("../../../shared");
    let dir = std::env::var_os("ORDAIN_SHARED").map_or(beside, PathBuf::from);
    dir.join("transcripts").is_dir().then_some(dir)
}

fn cases(path: &PathBuf) -> Vec<Value> {
    let file = std::fs::File::open(path).expect("transcript opens");
    let mut text = String::new();
    flate2::read::GzDecoder::new(file).read_to_string(&mut text).expect("transcript unpacks");
    text.lines().map(|it| json::decode(it.as_bytes()).expect("a JSON line")).collect()
}

/// What is compared of an object: everything but what a registry sets.
fn comparable(object: &Value) -> Value {
    let mut object = object.clone();
    for field in [
        "uid",
        "resourceVersion",
        "creationTimestamp",
        "generation",
        "namespace",
        "deletionGracePeriodSeconds",
    ] {
        object.remove_path(&["metadata", field]);
    }
    let fields = object.get_path(&["metadata", "managedFields"]).cloned();
    if let Some(Value::List(entries)) = fields {
        let mut entries: Vec<Value> = entries.to_vec();
        for entry in &mut entries {
            entry.remove_path(&["time"]);
        }
        object.set_path(&["metadata", "managedFields"], Value::from(entries));
    }
    object
}

#[derive(Default)]
struct Score {
    steps: usize,
    wrong: Vec<String>,
}

impl Score {
    fn check(&self, steps_min: usize, least: f64) {
        let right = self.steps - self.wrong.len();
        let share = 100.0 * right as f64 / self.steps.max(1) as f64;
        println!("{right} of {} steps as recorded ({share:.2} %)", self.steps);
        for wrong in self.wrong.iter().take(40) {
            println!("{wrong}");
        }
        assert!(self.steps > steps_min, "the recording has many steps");
        assert!(share >= least, "{share:.2} % is below {least} %");
    }
}

fn play(case: &Value, mut registry: Registry, score: &mut Score) {
    let id = case.get("id").and_then(Value::as_str).unwrap_or("?");
    for step in case.get("steps").and_then(Value::as_list).into_iter().flat_map(|it| it.iter()) {
        let code = step.get("code").and_then(Value::as_int).unwrap_or(0);
        let wanted = step.get("response").cloned().unwrap_or_default();
        let answer = registry.step(step, code, &wanted);
        let message = wanted.get("message").and_then(Value::as_str).unwrap_or("");
        let verdict = match answer {
            Answer::Skipped => continue,
            Answer::Object(got) => {
                let (got, wanted) = (comparable(&got), comparable(&wanted));
                (code < 300 && got == wanted)
                    .then_some(())
                    .ok_or(format!("got {got:?}\n  wanted {code} {wanted:?}"))
            }
            Answer::Refused(got_code, got) => (got_code == code && same_words(&got, message))
                .then_some(())
                .ok_or(format!("got {got_code} {got}\n  wanted {code} {wanted:?}")),
        };
        score.steps += 1;
        if let Err(text) = verdict {
            let body = step.get("body").cloned().unwrap_or_default();
            let path = step.get("path").cloned().unwrap_or_default();
            score.wrong.push(format!("{id} {path:?} {body:?}\n  {text}"));
        }
    }
}

/// Upstream's order of several errors is that of map iteration.
fn same_words(a: &str, b: &str) -> bool {
    let words = |it: &str| {
        let mut words: Vec<String> =
            it.split_whitespace().map(|it| it.trim_matches(',').to_owned()).collect();
        words.sort();
        words
    };
    words(a) == words(b)
}

fn check(files: &[&str], least: f64) {
    let Some(shared) = shared() else {
        println!("skipped: no recorded transcripts (set ORDAIN_SHARED)");
        return;
    };
    let mut score = Score::default();
    for file in files {
        for case in cases(&shared.join("transcripts").join(file)) {
            play(&case, Registry::default(), &mut score);
        }
    }
    score.check(300, least);
}

#[test]
fn apply_and_ownership_follow_the_recording() {
    check(&["crd/ssa.jsonl.gz", "crd/ssa-more.jsonl.gz"], 99.0);
}

#[test]
fn applies_to_real_projects_follow_the_recording() {
    let Some(shared) = shared() else {
        println!("skipped: no recorded transcripts (set ORDAIN_SHARED)");
        return;
    };
    let mut score = Score::default();
    let corpus = std::fs::read_dir(shared.join("transcripts/corpus")).expect("the corpus is there");
    let mut projects: Vec<PathBuf> = corpus.map(|it| it.expect("a folder").path()).collect();
    projects.sort();
    for project in projects {
        let files = std::fs::read_dir(project).expect("a folder of transcripts");
        let mut files: Vec<PathBuf> = files.map(|it| it.expect("a file").path()).collect();
        files.sort();
        for file in files.iter().filter(|it| it.extension().is_some_and(|it| it == "gz")) {
            let mut registry = Registry::default();
            for case in cases(file) {
                if let Some(crd) = case.get("crd") {
                    registry.add_crd(crd);
                }
                let kind = case.get("kind").and_then(Value::as_str).unwrap_or("");
                if kind.starts_with("apply") {
                    play(&case, registry.fork(), &mut score);
                }
            }
        }
    }
    score.check(300, 99.5);
}
