//! Plays recorded conversations with kube-apiserver v1.36.4 against a server in this process.
//!
//! What differs must be listed in `fixtures/known-differences.toml` with a reason, and what is
//! listed must differ. Set `ORDAIN_SHOW=10` to see the first differences that are not listed.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a test tells and fails loudly")]

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use ordain_meta::time::Time;
use ordain_registry::admission::Chain;
use ordain_registry::namespace::NamespaceLifecycle;
use ordain_registry::source::{Clock, SeededEntropy};
use ordain_registry::{Options, Registry};
use ordain_server::App;
use ordain_storage::{Expect, MemoryStore, Store, Write};
use ordain_testkit::known::Known;
use ordain_testkit::{Client, Level, Outcome, play_file, transcript};

#[derive(Debug)]
struct WallClock;

impl Clock for WallClock {
    fn now(&self) -> Time {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        Time::from_unix(i64::try_from(since.as_secs()).unwrap(), since.subsec_nanos())
    }
}

/// Starts a fresh server; it stops with the runtime.
fn start(runtime: &tokio::runtime::Runtime) -> SocketAddr {
    runtime.block_on(async {
        let store = Arc::new(MemoryStore::default());
        // Recorded versions have three digits and more; shorter ones are not told from numbers.
        for number in 0_u32..200 {
            let write = Write::put("/before", Expect::Any, number.to_string());
            store.commit(write).await.unwrap();
        }
        let registry = Registry::new(
            store,
            Arc::new(WallClock),
            Arc::new(SeededEntropy::new(1)),
            Chain::new(vec![Arc::new(NamespaceLifecycle)]),
            Arc::new(ordain_registry::crd::DefinitionHooks::default()),
            Options { controllers: false },
        );
        let registry = Arc::new(registry);
        registry.start().await.unwrap();
        registry.forget_history().await.unwrap();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let app = Arc::new(App::new(registry));
        tokio::spawn(ordain_server::serve(app, listener, std::future::pending()));
        address
    })
}

fn play(folder: &Path, set: &str, files: &[PathBuf]) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    for path in files {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let mut client = Client::new(start(&runtime));
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
