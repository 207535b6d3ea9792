//! The claims of the fuzz targets (`fuzz/src/targets.rs`), tried on inputs that are made from their
//! corpora by chance.
//!
//! `ORDAIN_FUZZ_SECONDS=600` tries each target for so long, `ORDAIN_FUZZ_TARGET=yaml` that one alone,
//! `ORDAIN_FUZZ_SEED=7` other inputs.
//! An input that breaks a claim is kept in a file, and `ORDAIN_FUZZ_INPUT=<file>` tries it again.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

#[path = "../../../fuzz/src/targets.rs"]
mod targets;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use targets::{Claim, TARGETS};

/// Inputs of each target in a usual test run.
const TRIES: usize = 150;
const INPUT_LEN_MAX: usize = 64 * 1024;
/// Threads of the server have as much in a release build; frames of a debug build are larger.
const STACK_LEN: usize = 32 * 1024 * 1024;

/// Pieces that mean something to one of the readers.
const WORDS: [&[u8]; 36] = [
    b"{",
    b"}",
    b"[",
    b"]",
    b"(",
    b")",
    b"\"",
    b"'",
    b":",
    b",",
    b"\n",
    b"\n  ",
    b"- ",
    b"? ",
    b"&a ",
    b"*a",
    b"<<: ",
    b"---\n",
    b"null",
    b"true",
    b"-9223372036854775808",
    b"18446744073709551615",
    b"1e999",
    b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    b"\x00",
    b"\\u0000",
    b"\xed\xa0\x80",
    b"$patch",
    b"/",
    b"..",
    b"!",
    b"=",
    b"in",
    b"|",
    b"{1000}",
    b"self.",
];

/// Chance by a seed.
struct Chance(u64);

impl Chance {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ mixed >> 31) % bound.max(1) as u64) as usize
    }

    fn range(&mut self, len: usize) -> std::ops::Range<usize> {
        let start = self.below(len + 1);
        let most = (len - start).min(1 + self.below(64));
        start..start + self.below(most + 1)
    }
}

/// Changes an input in a few places.
fn mutate(chance: &mut Chance, seeds: &[Vec<u8>], input: &mut Vec<u8>) {
    for _ in 0..=chance.below(6) {
        let at = chance.below(input.len() + 1);
        match chance.below(8) {
            0 if at < input.len() => input[at] ^= 1 << chance.below(8),
            1 if at < input.len() => input[at] = chance.below(256) as u8,
            2 => drop(input.drain(chance.range(input.len()))),
            3 => {
                let piece = input[chance.range(input.len())].to_vec();
                input.splice(at..at, piece);
            }
            4 => {
                let other = &seeds[chance.below(seeds.len())];
                let piece = other[chance.range(other.len())].to_vec();
                input.splice(at..at, piece);
            }
            5 => {
                let word = WORDS[chance.below(WORDS.len())].repeat(1 + chance.below(40));
                input.splice(at..at, word);
            }
            6 => {
                let piece = input[chance.range(input.len())].repeat(chance.below(200));
                input.splice(at..at, piece);
            }
            _ => {
                let word = WORDS[chance.below(WORDS.len())];
                let gone = chance.range(input.len());
                input.splice(gone, word.iter().copied());
            }
        }
        input.truncate(INPUT_LEN_MAX);
    }
}

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

/// Tries one input; one that breaks the claim is kept.
fn hold((name, claim): Claim, input: &[u8]) {
    if catch_unwind(AssertUnwindSafe(|| claim(input))).is_err() {
        let file = std::env::temp_dir().join(format!("ordain-fuzz-{name}"));
        std::fs::write(&file, input).unwrap();
        panic!(
            "an input breaks the claim of {name}; again: ORDAIN_FUZZ_TARGET={name} \
             ORDAIN_FUZZ_INPUT={} cargo test -p ordain-server --test mutated",
            file.display()
        );
    }
}

/// The same each time, unless another one is asked for.
fn seed() -> u64 {
    std::env::var("ORDAIN_FUZZ_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

fn try_target(target: Claim, time: Option<Duration>) {
    let seeds = corpus(target.0);
    let mut pool = seeds.clone();
    let mut chance = Chance(seed());
    let began = Instant::now();
    let mut tries = 0;
    for seed in &seeds {
        hold(target, seed);
    }
    while time.map_or(tries < TRIES, |time| began.elapsed() < time) {
        let mut input = pool[chance.below(pool.len())].clone();
        mutate(&mut chance, &seeds, &mut input);
        hold(target, &input);
        tries += 1;
        // Changes add up: now and then a changed input takes the place of another changed one.
        if chance.below(16) == 0 {
            if pool.len() < 256 {
                pool.push(input);
            } else {
                let at = seeds.len() + chance.below(pool.len() - seeds.len());
                pool[at] = input;
            }
        }
    }
    println!("{}: {tries} inputs in {:?}", target.0, began.elapsed());
}

#[test]
fn no_input_breaks_the_claim_of_a_target() {
    let only = std::env::var("ORDAIN_FUZZ_TARGET").ok();
    let input = std::env::var("ORDAIN_FUZZ_INPUT").ok().map(|file| std::fs::read(file).unwrap());
    let time = std::env::var("ORDAIN_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    for target in TARGETS {
        if only.as_ref().is_some_and(|name| name != target.0) {
            continue;
        }
        let input = input.clone();
        let tried = std::thread::Builder::new().stack_size(STACK_LEN).spawn(move || match input {
            Some(input) => (target.1)(&input),
            None => try_target(target, time.map(Duration::from_secs)),
        });
        assert!(tried.unwrap().join().is_ok(), "{}", target.0);
    }
}
