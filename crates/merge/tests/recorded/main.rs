//! Plays recorded server-side apply cases through the crate, without a server.
//!
//! A step that the recording refused for reasons beyond this crate (validation, preconditions) is
//! left out; every other step must give the recorded object, owners included, or the recorded
//! refusal.

mod registry;

use ordain_testkit::tally::Tally;
use ordain_testkit::transcript;
use ordain_value::Value;
use registry::{Answer, Registry};

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

fn play(place: &str, case: &Value, mut registry: Registry, tally: &mut Tally) {
    let steps = case.get("steps").and_then(Value::as_list).into_iter().flat_map(|it| it.iter());
    for (at, step) in steps.enumerate() {
        let code = step.get("code").and_then(Value::as_int).unwrap_or(0);
        let wanted = step.get("response").cloned().unwrap_or_default();
        let answer = registry.step(step, code, &wanted);
        let message = wanted.get("message").and_then(Value::as_str).unwrap_or("");
        let verdict = match answer {
            Answer::Skipped => {
                tally.left_out();
                continue;
            }
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
        let place = format!("{place}#{at}");
        match verdict {
            Ok(()) => tally.agrees(&place),
            Err(text) => {
                let (path, body) = (step.get("path"), step.get("body"));
                tally.differs(&place, format!("{path:?} {body:?}\n  {text}"));
            }
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

#[test]
fn apply_and_ownership_follow_the_recording() {
    let mut tally = Tally::new("merge-apply");
    for (file, case) in
        transcript::cases(&transcript::vendored().join("crd"), "ssa").expect("readable recordings")
    {
        let id = case.get("id").and_then(Value::as_str).unwrap_or("?");
        play(&format!("{file} {id}"), &case, Registry::default(), &mut tally);
    }
    tally.check(300);
}

#[test]
fn applies_to_real_projects_follow_the_recording() {
    let Some(folder) = transcript::set("corpus") else { return };
    let mut tally = Tally::new("merge-corpus");
    for file in transcript::files(&folder).expect("a folder of projects") {
        let name = file.strip_prefix(&folder).unwrap_or(&file).to_string_lossy().into_owned();
        let name = name.trim_end_matches(".jsonl.gz");
        let mut registry = Registry::default();
        for (at, case) in transcript::read(&file).expect("a recording").iter().enumerate() {
            if let Some(crd) = case.get("crd") {
                registry.add_crd(crd);
            }
            let kind = case.get("kind").and_then(Value::as_str).unwrap_or("");
            if kind.starts_with("apply") {
                play(&format!("{name} {at}"), case, registry.fork(), &mut tally);
            }
        }
    }
    tally.check(300);
}
