//! Plays recorded conversations with kube-apiserver v1.36.4 against a server in this process.
//!
//! What differs must be listed in `fixtures/known-differences.toml` with a reason, and what is
//! listed must differ. Set `ORDAIN_SHOW=10` to see the first differences that are not listed.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test tells and fails loudly")]

mod support;

use std::path::{Path, PathBuf};

use ordain_testkit::known::Known;
use ordain_testkit::{Client, Level, Outcome, play_file, transcript};

fn play(folder: &Path, set: &str, files: &[PathBuf]) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for path in files {
        let runtime = support::runtime();
        let mut client = Client::new(support::start(&runtime));
        let name = path.strip_prefix(folder).unwrap().to_string_lossy();
        let name = format!("{set}/{}", name.trim_end_matches(".jsonl.gz"));
        outcomes.extend(play_file(&mut client, path, &name).unwrap());
        drop(client);
        runtime.shutdown_background();
    }
    outcomes
}

/// Judges a set against the list.
fn judge(set: &str, outcomes: &[Outcome]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let known = Known::read(&root.join("known-differences.toml")).unwrap();
    let agrees = |outcome: &Outcome| outcome.level == Level::Exact && outcome.warnings_agree;
    let played: Vec<(String, bool)> =
        outcomes.iter().map(|outcome| (outcome.place.clone(), agrees(outcome))).collect();
    let exact = played.iter().filter(|(_, agrees)| *agrees).count();
    println!("{set}: {exact} of {} steps agree", played.len());
    if let Some(path) = std::env::var_os("ORDAIN_DIFFERENCES") {
        let differing = played.iter().filter(|(_, agrees)| !agrees);
        let lines: String = differing.map(|(place, _)| format!("{place}\n")).collect();
        std::fs::write(path, lines).unwrap();
    }
    let complaints = known.complaints(&played);
    let show: usize =
        std::env::var("ORDAIN_SHOW").ok().and_then(|text| text.parse().ok()).unwrap_or(3);
    let unlisted = outcomes
        .iter()
        .filter(|it| !agrees(it) && complaints.iter().any(|text| text.ends_with(&it.place)));
    for outcome in unlisted.take(show) {
        println!("{} agrees {:?}\n  {}", outcome.place, outcome.level, outcome.shown);
    }
    assert!(!played.is_empty(), "nothing was played");
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

fn play_vendored(set: &str) {
    let folder = transcript::vendored().join(set);
    let files = transcript::files(&folder).unwrap();
    judge(set, &play(&folder, set, &files));
}

#[test]
fn definitions_and_custom_resources_answer_as_recorded() {
    play_vendored("crd");
}

#[test]
fn the_api_answers_as_recorded() {
    play_vendored("api");
}

/// The longest sets take minutes in a debug build; they are played on request.
fn all_wanted() -> bool {
    let wanted = std::env::var_os("ORDAIN_ALL_TRANSCRIPTS").is_some();
    if !wanted {
        println!("skipped: set ORDAIN_ALL_TRANSCRIPTS=1 to play this set too");
    }
    wanted
}

#[test]
fn rules_answer_as_recorded() {
    if all_wanted() {
        play_vendored("cel");
    }
}

/// Real projects' definitions: played when they are there.
#[test]
fn the_corpus_answers_as_recorded() {
    if !all_wanted() {
        return;
    }
    let Some(shared) = transcript::shared() else {
        println!("skipped: no shared transcripts beside the repository and no ORDAIN_SHARED");
        return;
    };
    let folder = shared.join("corpus");
    let files = transcript::files(&folder).unwrap();
    let outcomes = play(&folder, "corpus", &files);
    let wrong = outcomes.iter().filter(|outcome| outcome.level < Level::Exact).count();
    println!("corpus: {} of {} steps agree", outcomes.len() - wrong, outcomes.len());
    for outcome in outcomes.iter().filter(|outcome| outcome.level < Level::Exact).take(3) {
        println!("{} {:?}\n  {}", outcome.place, outcome.level, outcome.shown);
    }
    assert!(wrong * 1000 <= outcomes.len(), "more than one step in a thousand differs");
}
