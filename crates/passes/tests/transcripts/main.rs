//! Plays recorded requests of kube-apiserver against plans, without a server.
//!
//! Finds the recordings in `$ORDAIN_SHARED` or in the folder `shared` beside the repository, and says so when
//! they are not there. `ORDAIN_SHOW=n` prints the first differences.

#![expect(clippy::print_stdout, reason = "the scores are the point")]

mod machine;

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use machine::{Answer, Machine, Step};
use ordain_value::{Value, json};

#[derive(Default, Debug)]
struct Score {
    total: usize,
    code: usize,
    causes: usize,
    exact: usize,
    warnings: usize,
    skipped: BTreeMap<String, usize>,
    shown: usize,
}

impl Score {
    fn percent(&self, part: usize) -> f64 {
        100.0 * part as f64 / self.total.max(1) as f64
    }

    fn check(&self, name: &str, code: f64, causes: f64, exact: f64) {
        println!(
            "{name}: {} steps, code {:.2}%, causes {:.2}%, exact {:.2}%, warnings {:.2}%; not played {:?}",
            self.total,
            self.percent(self.code),
            self.percent(self.causes),
            self.percent(self.exact),
            self.percent(self.warnings),
            self.skipped
        );
        assert!(self.total > 0, "nothing was played");
        assert!(self.percent(self.code) >= code, "code below {code}");
        assert!(self.percent(self.causes) >= causes, "causes below {causes}");
        assert!(self.percent(self.exact) >= exact, "exact below {exact}");
    }

    fn add(&mut self, label: &str, step: &Value, answer: &Answer) {
        let (code, want) = (int(step, "code"), step.get("response").unwrap_or(&Value::Null));
        let level = level(code, want, answer);
        self.total += 1;
        self.code += usize::from(level > 0);
        self.causes += usize::from(level > 1);
        self.exact += usize::from(level > 2);
        let limit = std::env::var("ORDAIN_SHOW").ok().and_then(|it| it.parse().ok()).unwrap_or(0);
        let same_warnings = warnings(step) == {
            let mut got = answer.warnings.clone();
            got.sort();
            got
        };
        self.warnings += usize::from(same_warnings);
        if (level < 3 || !same_warnings) && self.shown < limit {
            self.shown += 1;
            println!("--- {label} agrees at level {level}");
            println!(
                " request {} {} {:?}",
                text(step, "method"),
                text(step, "path"),
                step.get("body")
            );
            println!(" want {code} {want:?}");
            println!(" got  {} {:?}", answer.code, answer.body);
            println!(" warnings want {:?} got {:?}", warnings(step), answer.warnings);
        }
    }
}

fn level(code: i64, want: &Value, answer: &Answer) -> u8 {
    if code != answer.code {
        return 0;
    }
    if want.get("kind").and_then(Value::as_str) == Some("Status") {
        if causes(want) != causes(&answer.body) {
            return 1;
        }
        return if words(want) == words(&answer.body) { 3 } else { 2 };
    }
    if normal(want) == normal(&answer.body) { 3 } else { 1 }
}

/// The pairs of field and reason.
fn causes(status: &Value) -> Vec<(String, String)> {
    let list = status.get_path(&["details", "causes"]).and_then(Value::as_list);
    let mut causes: Vec<_> = list
        .into_iter()
        .flat_map(|list| list.iter())
        .map(|it| (text(it, "field").to_owned(), text(it, "reason").to_owned()))
        .collect();
    causes.sort();
    causes
}

/// The words of a message; upstream takes the order of errors from map iteration.
fn words(status: &Value) -> Vec<&str> {
    let message = text(status, "message");
    let mut words: Vec<&str> =
        message.split([' ', '[', ']', ',', '\n', '\t']).filter(|it| !it.is_empty()).collect();
    words.sort_unstable();
    words
}

fn normal(object: &Value) -> Value {
    let mut object = object.clone();
    for field in [
        "uid",
        "resourceVersion",
        "creationTimestamp",
        "deletionTimestamp",
        "managedFields",
        "selfLink",
    ] {
        object.remove_path(&["metadata", field]);
    }
    object
}

fn warnings(step: &Value) -> Vec<String> {
    let list = step.get("warnings").and_then(Value::as_list);
    let mut warnings: Vec<String> = list
        .into_iter()
        .flat_map(|list| list.iter())
        .filter_map(Value::as_str)
        .map(|it| {
            let it = it.strip_prefix("299 - \"").unwrap_or(it);
            let it = it.strip_suffix('"').unwrap_or(it);
            it.replace("\\\"", "\"").replace("\\\\", "\\")
        })
        .collect();
    warnings.sort();
    warnings
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn int(value: &Value, key: &str) -> i64 {
    value.get(key).and_then(Value::as_int).unwrap_or_default()
}

fn shared() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3)?.to_owned();
    let folder =
        std::env::var_os("ORDAIN_SHARED").map_or_else(|| root.join("shared"), PathBuf::from);
    let found = folder.join("transcripts").is_dir();
    if !found {
        println!("skipped: no recordings in {}", folder.display());
    }
    found.then(|| folder.join("transcripts"))
}

fn lines(path: &Path) -> Vec<Value> {
    let bytes = std::fs::read(path).expect("a readable recording");
    let mut text = String::new();
    flate2::read::GzDecoder::new(bytes.as_slice()).read_to_string(&mut text).expect("gzipped text");
    text.lines()
        .filter(|it| !it.trim().is_empty())
        .map(|it| json::decode(it.as_bytes()).expect("a JSON line"))
        .collect()
}

fn play_case(machine: &mut Machine, case: &Value, label: &str, score: &mut Score) {
    let steps = case.get("steps").and_then(Value::as_list).expect("steps");
    for step in steps.iter() {
        let path = text(step, "path");
        let mut skip = |why: String| *score.skipped.entry(why).or_default() += 1;
        if path.starts_with("/apis/apiextensions.k8s.io/") {
            let body = step.get("body").unwrap_or(&Value::Null);
            if matches!(int(step, "code"), 200 | 201)
                && matches!(text(step, "method"), "POST" | "PUT")
                && let Err(why) = machine.define(body)
            {
                skip(why);
                return;
            }
            continue;
        }
        let request = Step {
            method: text(step, "method"),
            path,
            content_type: text(step, "contentType"),
            body: step.get("body").unwrap_or(&Value::Null),
        };
        match machine.play(&request) {
            Ok(answer) => score.add(label, step, &answer),
            Err(why) => {
                skip(why);
                // What follows may depend on what was not played.
                if request.method != "GET" && steps.len() > 1 && int(step, "code") < 300 {
                    return;
                }
            }
        }
    }
}

fn play_crd_set(name: &str) -> Option<Score> {
    let path = shared()?.join("crd").join(format!("{name}.jsonl.gz"));
    let mut score = Score::default();
    for case in lines(&path) {
        let mut machine = Machine::default();
        play_case(&mut machine, &case, text(&case, "id"), &mut score);
    }
    Some(score)
}

#[test]
fn defaulting_agrees_with_the_recordings() {
    if let Some(score) = play_crd_set("defaulting") {
        score.check("defaulting", 99.9, 99.9, 99.9);
    }
}

#[test]
fn pruning_agrees_with_the_recordings() {
    if let Some(score) = play_crd_set("pruning") {
        score.check("pruning", 98.5, 97.0, 96.0);
    }
}

#[test]
fn values_agree_with_the_recordings() {
    if let Some(score) = play_crd_set("values") {
        score.check("values", 99.9, 99.9, 99.9);
    }
}

#[test]
fn formats_agree_with_the_recordings() {
    if let Some(score) = play_crd_set("formats") {
        score.check("formats", 99.9, 99.9, 99.9);
    }
}

#[test]
fn list_types_agree_with_the_recordings() {
    if let Some(score) = play_crd_set("listtypes") {
        score.check("listtypes", 99.9, 99.9, 99.9);
    }
}

#[test]
fn ratcheting_agrees_with_the_recordings() {
    if let Some(score) = play_crd_set("ratcheting") {
        score.check("ratcheting", 99.9, 99.9, 99.9);
    }
}

#[test]
fn rules_are_evaluated_as_recorded() {
    let Some(folder) = shared() else { return };
    let folder = folder.join("cel");
    let mut score = Score::default();
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|file| file.expect("an entry").path())
        .filter(|path| {
            let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
            name.starts_with("value-") || name.starts_with("runtime-")
        })
        .collect();
    files.sort();
    for path in files {
        for case in lines(&path) {
            let mut machine = Machine::default();
            play_case(&mut machine, &case, text(&case, "id"), &mut score);
        }
    }
    score.check("rules", 99.0, 99.0, 95.0);
}

#[test]
fn real_projects_agree_with_the_recordings() {
    let Some(folder) = shared() else { return };
    let mut score = Score::default();
    for path in recordings(&folder.join("corpus")) {
        let lines = lines(&path);
        let Some(crd) = lines[0].get("crd") else { continue };
        let mut machine = Machine::default();
        if let Err(why) = machine.define(crd) {
            *score.skipped.entry(why).or_default() += 1;
            continue;
        }
        for case in &lines[1..] {
            if !text(case, "kind").starts_with("apply") {
                let label = format!("{} {}", path.display(), text(case, "kind"));
                play_case(&mut machine, case, &label, &mut score);
            }
        }
    }
    score.check("corpus", 99.9, 99.9, 99.9);
}

#[test]
fn tightened_schemas_forgive_as_the_recordings_do() {
    let Some(folder) = shared() else { return };
    let mut score = Score::default();
    for path in recordings(&folder.join("ratchet")) {
        let lines = lines(&path);
        let Some(crd) = lines[0].get("crd") else { continue };
        let mut machine = Machine::default();
        let mut defined = machine.define(crd);
        for line in &lines[1..] {
            if let Some(crd) = line.get("tighten") {
                defined = defined.and_then(|()| machine.define(crd));
            } else if defined.is_ok() {
                let label = format!("{} {}", path.display(), text(line, "kind"));
                play_case(&mut machine, line, &label, &mut score);
            }
        }
        if let Err(why) = defined {
            *score.skipped.entry(why).or_default() += 1;
        }
    }
    score.check("ratchet", 99.9, 99.9, 99.9);
}

fn recordings(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("a folder of projects")
        .flat_map(|project| {
            std::fs::read_dir(project.expect("an entry").path()).expect("a project")
        })
        .map(|file| file.expect("an entry").path())
        .collect();
    found.sort();
    found
}
