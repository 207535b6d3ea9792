//! The reconcilers of `examples/races` pass on a plain server, and seeds catch each of them.

#[path = "../../../examples/races/lost_update.rs"]
mod lost_update;
#[path = "../../../examples/races/missed_delete.rs"]
mod missed_delete;
#[path = "../../../examples/races/race.rs"]
mod race;
#[path = "../../../examples/races/stale_cache.rs"]
mod stale_cache;

use race::{Race, SEEDS, trial};

async fn check(race: Race) {
    let plain = trial(race, None).await.unwrap();
    assert_eq!(plain.outcome, Ok(()), "{} on a plain server:\n{}", race.name(), plain.story);
    for seed in 1..=SEEDS {
        let tried = trial(race, Some(seed)).await.unwrap();
        if let Err(why) = tried.outcome {
            println!("{} is caught by seed {seed}: {why}\n{}", race.name(), tried.story);
            assert!(!tried.story.is_empty());
            return;
        }
    }
    panic!("no seed up to {SEEDS} catches {}", race.name());
}

#[tokio::test(flavor = "multi_thread")]
async fn lost_updates_are_caught() {
    check(Race::LostUpdate).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn missed_deletes_are_caught() {
    check(Race::MissedDelete).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stale_cache_reads_are_caught() {
    check(Race::StaleCache).await;
}
