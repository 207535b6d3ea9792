//! Three reconcilers with a race each. All of them pass on a plain server, and a few seeds of fuzzed
//! schedules catch every one:
//!
//! ```sh
//! cargo run --example races                      # all, until a seed catches them
//! cargo run --example races -- stale-cache 3     # one of them, with one seed, and its story
//! ```
//!
//! What a schedule does may happen on any real cluster: events come late, watches end, versions are
//! forgotten. What is wrong is in the reconcilers, and each file says how to mend it.

mod lost_update;
mod missed_delete;
mod race;
mod stale_cache;

use race::{Race, Trial, trial};

#[tokio::main]
async fn main() -> Result<(), race::Error> {
    let mut arguments = std::env::args().skip(1);
    let (wanted, seed) = (arguments.next(), arguments.next());
    let seed: Option<u64> = seed.map(|it| it.parse()).transpose()?;
    for race in [Race::LostUpdate, Race::MissedDelete, Race::StaleCache] {
        if wanted.as_deref().is_some_and(|it| it != race.name()) {
            continue;
        }
        let plain = trial(race, None).await?;
        println!("{}: on a plain server {}", race.name(), verdict(&plain));
        for seed in seed.map_or(1..=race::SEEDS, |it| it..=it) {
            let tried = trial(race, Some(seed)).await?;
            println!("{}: with seed {seed} {}", race.name(), verdict(&tried));
            if let Err(why) = &tried.outcome {
                println!("  {why}\n\n{}", tried.story);
                break;
            }
        }
    }
    Ok(())
}

fn verdict(trial: &Trial) -> &'static str {
    if trial.outcome.is_ok() { "it passes" } else { "it is caught" }
}
