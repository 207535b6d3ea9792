//! `kill -9` under load: nothing acknowledged is lost, no revision comes twice, and a watch goes
//! on where it stopped.
//!
//! `ORDAIN_KILL_CYCLES=n` makes the run longer, `ORDAIN_SEED=n` makes it another one.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "tests fail by panicking and tell what they did"
)]
#![cfg(unix)]

mod support;

use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use ordain_storage::{EmbeddedStore, Expect, Outcome, Store, Write};
use support::ledger::{Ledger, decode, encode};
use support::{Random, number_from_env};

const DIRECTORY: &str = "ORDAIN_KILL_DIRECTORY";
const WRITERS: u64 = 8;
const KEYS_PER_WRITER: u64 = 8;

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

#[test]
fn no_kill_loses_what_was_acknowledged() {
    let cycles = number_from_env("ORDAIN_KILL_CYCLES", 200);
    let seed = number_from_env("ORDAIN_SEED", 1);
    let mut random = Random::new(seed);
    let directory = tempfile::tempdir().unwrap();
    let mut ledger = Ledger::new();
    for cycle in 0..cycles {
        let outcome = life(directory.path(), &mut ledger, &mut random).and_then(|()| {
            // Now and then one kill follows the other without anybody looking.
            if random.below(4) == 0 { Ok(()) } else { verify(directory.path(), &mut ledger) }
        });
        if let Err(what) = outcome {
            panic!("cycle {cycle} of seed {seed}: {what}");
        }
    }
    verify(directory.path(), &mut ledger).unwrap();
    let report = ordain_storage::embedded::check(directory.path()).unwrap();
    assert_eq!(report.problems, Vec::<String>::new());
    println!("{cycles} kills, {} acknowledged commits, {report:?}", ledger.acknowledged());
    assert!(ledger.acknowledged() as u64 > cycles, "the test must not be idle");
}

fn verify(directory: &Path, ledger: &mut Ledger) -> Result<(), String> {
    let store = EmbeddedStore::open(directory).map_err(|error| format!("opening: {error}"))?;
    runtime().block_on(ledger.verify(&store))
}

/// Starts a process that writes, kills it, and notes all that it had been told by the store.
fn life(directory: &Path, ledger: &mut Ledger, random: &mut Random) -> Result<(), String> {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["the_process_that_is_killed", "--exact", "--nocapture", "--test-threads=1"])
        .env(DIRECTORY, directory)
        .env("ORDAIN_SEED", random.next().to_string())
        .env("ORDAIN_KILL_AFTER", ledger.last_seen.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let reported = listen_and_kill(&mut child, random);
    let output = child.wait_with_output().unwrap();
    for line in reported.split_inclusive('\n') {
        note(ledger, line)?;
    }
    if output.status.code().is_some() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("the process ended before it was killed: {text}"));
    }
    Ok(())
}

fn listen_and_kill(child: &mut Child, random: &mut Random) -> String {
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    // Most lives end under load, some while the file is opened and repaired.
    let early = random.below(5) == 0;
    let mut reported = String::new();
    while !early
        && !reported.contains("acknowledged")
        && lines.read_line(&mut reported).unwrap() > 0
    {}
    std::thread::sleep(Duration::from_micros(random.below(40_000)));
    child.kill().unwrap();
    let mut rest = Vec::new();
    lines.read_to_end(&mut rest).unwrap();
    reported + &String::from_utf8_lossy(&rest)
}

/// A line that was cut off by the kill tells nothing.
fn note(ledger: &mut Ledger, line: &str) -> Result<(), String> {
    let Some(line) = line.strip_suffix('\n') else { return Ok(()) };
    let words: Vec<&str> = line.split(' ').collect();
    let number = |word: &str| word.parse::<u64>().map_err(|_| format!("not a number: {line}"));
    match words.as_slice() {
        ["attempt", key, value] => ledger.attempt(key, number(value)?),
        ["acknowledged", key, value, revision] => {
            ledger.acknowledge(key, number(value)?, number(revision)?)?;
        }
        ["event", revision, key, value] => {
            ledger.see(number(revision)?, key, Some(number(value)?))?;
        }
        _ => {}
    }
    Ok(())
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(line.as_bytes()).unwrap();
    out.flush().unwrap();
}

/// Not a test of its own: what `no_kill_loses_what_was_acknowledged` starts and kills.
#[test]
fn the_process_that_is_killed() {
    let Ok(directory) = std::env::var(DIRECTORY) else { return };
    // The test runner has begun a line of its own.
    say("\n");
    runtime().block_on(async {
        let store = Arc::new(EmbeddedStore::open(directory).unwrap());
        let seed = number_from_env("ORDAIN_SEED", 1);
        let after = number_from_env("ORDAIN_KILL_AFTER", 1);
        let watching = tokio::spawn(watch(store.clone(), after));
        for writer in 0..WRITERS {
            let random = Random::new(seed.wrapping_add(writer));
            tokio::spawn(write(store.clone(), writer, random));
        }
        watching.await.unwrap();
    });
}

async fn write(store: Arc<EmbeddedStore>, writer: u64, mut random: Random) {
    loop {
        let key = format!("/{writer}/{}", random.below(KEYS_PER_WRITER));
        let entry = store.get(&key).await.unwrap().entry;
        let value = entry.as_ref().map_or(0, |entry| decode(&entry.value).unwrap()) + 1;
        let expect = entry.map_or(Expect::Absent, |entry| Expect::Exact(entry.mod_revision));
        say(&format!("attempt {key} {value}\n"));
        match store.commit(Write::put(&*key, expect, encode(value))).await.unwrap() {
            Outcome::Committed(revision) => {
                say(&format!("acknowledged {key} {value} {revision}\n"));
                if random.below(100) == 0 {
                    // Far enough back that the watch of the next life still finds its place.
                    store.compact(revision.saturating_sub(2000).max(1)).await.unwrap();
                }
            }
            Outcome::Conflict(conflict) => panic!("a conflict on an own key: {conflict:?}"),
        }
    }
}

async fn watch(store: Arc<EmbeddedStore>, after: u64) {
    let mut watch = store.watch("/", after).await.unwrap();
    while let Some(batch) = watch.next().await {
        for event in batch.unwrap().events {
            let value = event.value.as_ref().map_or(0, |value| decode(value).unwrap());
            say(&format!("event {} {} {value}\n", event.revision, event.key));
        }
    }
}
