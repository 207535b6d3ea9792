//! Plays recorded requests of kube-apiserver against plans, without a server. What differs is listed
//! in `fixtures/known-differences.toml`.

mod machine;

use std::path::Path;

use machine::{Answer, Machine, Step};
use ordain_testkit::tally::Tally;
use ordain_testkit::transcript;
use ordain_value::Value;

fn add(tally: &mut Tally, place: &str, step: &Value, answer: &Answer) {
    let (code, want) = (int(step, "code"), step.get("response").unwrap_or(&Value::Null));
    let level = level(code, want, answer);
    let mut told = answer.warnings.clone();
    told.sort();
    if level == 3 && told == warnings(step) {
        return tally.agrees(place);
    }
    let (method, path) = (text(step, "method"), text(step, "path"));
    tally.differs(
        place,
        format!(
            "{method} {path} {:?}\n  got    {} {:?} {told:?}\n  wanted {code} {want:?} {:?}",
            step.get("body"),
            answer.code,
            answer.body,
            warnings(step)
        ),
    );
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

/// Plays the steps of a case; a step that plans alone cannot answer is left out, and with it what
/// depends on it.
fn play_case(machine: &mut Machine, case: &Value, place: &str, tally: &mut Tally) {
    let steps = case.get("steps").and_then(Value::as_list).expect("steps");
    for (at, step) in steps.iter().enumerate() {
        let path = text(step, "path");
        if path.starts_with("/apis/apiextensions.k8s.io/") {
            let body = step.get("body").unwrap_or(&Value::Null);
            if matches!(int(step, "code"), 200 | 201)
                && matches!(text(step, "method"), "POST" | "PUT")
                && machine.define(body).is_err()
            {
                return tally.left_out();
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
            Ok(answer) => add(tally, &format!("{place}#{at}"), step, &answer),
            Err(_) => {
                tally.left_out();
                if request.method != "GET" && steps.len() > 1 && int(step, "code") < 300 {
                    return;
                }
            }
        }
    }
}

/// Plays files of a set that are part of the repository.
fn play(set: &str, prefixes: &[&str], mut tally: Tally, at_least: usize) {
    let folder = transcript::vendored().join(set);
    for prefix in prefixes {
        for (file, case) in transcript::cases(&folder, prefix).expect("readable recordings") {
            let place = format!("{file} {}", text(&case, "id"));
            play_case(&mut Machine::default(), &case, &place, &mut tally);
        }
    }
    tally.check(at_least);
}

#[test]
fn defaulting_agrees_with_the_recordings() {
    play("crd", &["defaulting"], Tally::new("passes-defaulting"), 100);
}

#[test]
fn pruning_agrees_with_the_recordings() {
    play("crd", &["pruning"], Tally::new("passes-pruning"), 100);
}

#[test]
fn values_agree_with_the_recordings() {
    play("crd", &["values"], Tally::new("passes-values"), 100);
}

#[test]
fn formats_agree_with_the_recordings() {
    play("crd", &["formats"], Tally::new("passes-formats"), 100);
}

#[test]
fn list_types_agree_with_the_recordings() {
    play("crd", &["listtypes"], Tally::new("passes-listtypes"), 90);
}

#[test]
fn ratcheting_agrees_with_the_recordings() {
    play("crd", &["ratcheting"], Tally::new("passes-ratcheting"), 100);
}

#[test]
fn rules_are_evaluated_as_recorded() {
    play("cel", &["value-", "runtime-"], Tally::new("passes-rules"), 500);
}

/// The files of a set beside the repository: a definition, then cases; named by their project.
fn projects(set: &str) -> Vec<(String, Vec<Value>)> {
    let Some(folder) = transcript::set(set) else { return Vec::new() };
    let read = |path: &Path| {
        let name = path.strip_prefix(&folder).unwrap_or(path).to_string_lossy();
        let name = name.trim_end_matches(".jsonl.gz").to_owned();
        (name, transcript::read(path).expect("a readable recording"))
    };
    let files = transcript::files(&folder).expect("a folder of projects");
    files.iter().map(|path| read(path)).collect()
}

#[test]
fn real_projects_agree_with_the_recordings() {
    let projects = projects("corpus");
    if projects.is_empty() {
        return;
    }
    let mut tally = Tally::new("passes-corpus");
    for (name, lines) in projects {
        let Some(crd) = lines[0].get("crd") else { continue };
        let mut machine = Machine::default();
        if machine.define(crd).is_err() {
            tally.left_out();
            continue;
        }
        for (at, case) in lines[1..].iter().enumerate() {
            if !text(case, "kind").starts_with("apply") {
                play_case(&mut machine, case, &format!("{name} {at}"), &mut tally);
            }
        }
    }
    tally.check(10_000);
}

#[test]
fn tightened_schemas_forgive_as_the_recordings_do() {
    let projects = projects("ratchet");
    if projects.is_empty() {
        return;
    }
    let mut tally = Tally::new("passes-ratchet");
    for (name, lines) in projects {
        let Some(crd) = lines[0].get("crd") else { continue };
        let mut machine = Machine::default();
        let mut defined = machine.define(crd);
        for (at, line) in lines[1..].iter().enumerate() {
            if let Some(crd) = line.get("tighten") {
                defined = defined.and_then(|()| machine.define(crd));
            } else if defined.is_ok() {
                play_case(&mut machine, line, &format!("{name} {at}"), &mut tally);
            }
        }
        if defined.is_err() {
            tally.left_out();
        }
    }
    tally.check(5_000);
}
