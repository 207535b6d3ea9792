//! Plays recorded conversations with kube-apiserver v1.36.4 against a server in this process.
//!
//! What differs must be listed in `fixtures/known-differences.toml` with a reason, and what is
//! listed must differ. Set `ORDAIN_SHOW=10` to see the first differences that are not listed.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test tells and fails loudly")]

mod support;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use ordain_testkit::known::Known;
use ordain_testkit::{Client, Level, Need, Outcome, play_sample, transcript};

/// Plays each file on a server of its own.
fn play(folder: &Path, set: &str, files: &[PathBuf], every: usize) -> Vec<Outcome> {
    let start = if set == "native" { support::start_whole } else { support::start };
    files.chunks(1).flat_map(|file| play_on_one(folder, set, file, every, start)).collect()
}

/// Plays files one after the other on one server.
fn play_on_one(
    folder: &Path,
    set: &str,
    files: &[PathBuf],
    every: usize,
    start: fn(&tokio::runtime::Runtime) -> SocketAddr,
) -> Vec<Outcome> {
    let runtime = support::runtime();
    let mut client = Client::new(start(&runtime));
    let mut outcomes = Vec::new();
    for path in files {
        let name = path.strip_prefix(folder).unwrap().to_string_lossy();
        let name = format!("{set}/{}", name.trim_end_matches(".jsonl.gz"));
        outcomes.extend(play_sample(&mut client, path, &name, every).unwrap());
    }
    drop(client);
    runtime.shutdown_background();
    outcomes
}

/// How many differences are shown.
fn show() -> usize {
    std::env::var("ORDAIN_SHOW").ok().and_then(|text| text.parse().ok()).unwrap_or(3)
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
    let show = show();
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
    judge(set, &play(&folder, set, &files, 1));
}

#[test]
fn definitions_and_custom_resources_answer_as_recorded() {
    play_vendored("crd");
}

#[test]
fn the_api_answers_as_recorded() {
    play_vendored("api");
}

#[test]
fn rules_answer_as_recorded() {
    play_vendored("cel");
}

/// A set of real projects beside the repository. A file brings its definition and takes it away, so
/// that one server can play them all.
fn play_projects(set: &str) {
    let Some(folder) = transcript::set(set) else { return };
    let files = transcript::files(&folder).unwrap();
    judge(set, &play_on_one(&folder, set, &files, 1, support::start));
}

#[test]
fn real_projects_answer_as_recorded() {
    play_projects("corpus");
}

#[test]
fn tightened_definitions_forgive_as_recorded() {
    play_projects("ratchet");
}

/// Native kinds, one case of some always and all on request, in the shares that the recordings
/// are to be met by: code, causes, exact, warnings.
#[test]
fn native_kinds_answer_as_recorded() {
    const SHARES: [(&str, f64); 4] =
        [("code", 99.6), ("causes", 99.4), ("exact", 99.3), ("warnings", 99.9)];
    const ONE_OF: usize = 23;
    let Some(folder) = transcript::set("native") else { return };
    let all = std::env::var_os("ORDAIN_ALL_TRANSCRIPTS").is_some();
    if !all {
        Need::LongSets.missing("ORDAIN_ALL_TRANSCRIPTS=1 plays all of this set");
    }
    let every = if all { 1 } else { ONE_OF };
    let outcomes = play(&folder, "native", &transcript::files(&folder).unwrap(), every);
    let reach = |wanted: Level| outcomes.iter().filter(|it| it.level >= wanted).count();
    let reported = outcomes.iter().filter(|it| it.warnings_agree).count();
    let met = [reach(Level::Code), reach(Level::Causes), reach(Level::Exact), reported];
    let differing = outcomes.iter().filter(|it| it.level < Level::Exact || !it.warnings_agree);
    for outcome in differing.take(show()) {
        println!("{} {:?}\n  {}", outcome.place, outcome.level, outcome.shown);
    }
    assert!(outcomes.len() > 500, "{} steps were played", outcomes.len());
    let count = |it: usize| f64::from(u32::try_from(it).unwrap());
    let shares = met.map(|it| 100.0 * count(it) / count(outcomes.len()));
    println!("native: {} steps, {SHARES:?} are wanted and {shares:.2?} are met", outcomes.len());
    for ((name, least), share) in SHARES.iter().zip(shares) {
        assert!(share >= *least, "{name}: {share:.2} % of {least} %");
    }
}
