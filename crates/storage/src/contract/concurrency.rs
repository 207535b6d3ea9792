//! Many writers at once.

use std::collections::BTreeMap;

use futures_util::future::join_all;

use super::{Case, Corner, committed, next_batch};
use crate::store::{Expect, Outcome, Revision};
use crate::watch::Event;

pub(super) const CASES: &[Case] = &[
    ("no_update_is_lost", |corner| Box::pin(no_update_is_lost(corner))),
    ("one_creator_wins", |corner| Box::pin(one_creator_wins(corner))),
    ("the_watch_folds_to_the_state", |corner| Box::pin(watch_folds_to_state(corner))),
];

const WRITERS: u32 = 16;

async fn no_update_is_lost(corner: Corner<'_>) {
    const COUNTERS: u32 = 3;
    const ROUNDS: u32 = 20;
    for counter in 0..COUNTERS {
        corner.put(&counter.to_string(), "0").await;
    }
    let writer = |number: u32| {
        let corner = corner.clone();
        async move {
            for round in 0..ROUNDS {
                let name = ((number + round) % COUNTERS).to_string();
                loop {
                    let entry = corner.get(&name).await.expect("counters are never deleted");
                    let next = parse(&entry.value) + 1;
                    let expect = Expect::Exact(entry.mod_revision);
                    match corner.try_put(&name, expect, &next.to_string()).await {
                        Outcome::Committed(_) => break,
                        Outcome::Conflict(conflict) => {
                            let current = conflict.current.expect("counters are never deleted");
                            assert_ne!(current.mod_revision, entry.mod_revision);
                        }
                    }
                }
            }
        }
    };
    join_all((0..WRITERS).map(writer)).await;
    let mut sum = 0;
    for counter in 0..COUNTERS {
        sum += parse(&corner.get(&counter.to_string()).await.expect("still there").value);
    }
    assert_eq!(sum, WRITERS * ROUNDS);
}

fn parse(value: &[u8]) -> u32 {
    String::from_utf8_lossy(value).parse().expect("counters hold numbers")
}

async fn one_creator_wins(corner: Corner<'_>) {
    for round in 0..10 {
        let name = round.to_string();
        let create = |number: u32| {
            let corner = corner.clone();
            let name = name.clone();
            async move { corner.try_put(&name, Expect::Absent, &number.to_string()).await }
        };
        let outcomes = join_all((0..WRITERS).map(create)).await;
        let winners: Vec<Revision> = outcomes
            .iter()
            .filter_map(|outcome| match outcome {
                Outcome::Committed(revision) => Some(*revision),
                Outcome::Conflict(_) => None,
            })
            .collect();
        assert_eq!(winners.len(), 1);
        let entry = corner.get(&name).await.expect("one of them won");
        assert_eq!(entry.mod_revision, winners[0]);
        for outcome in outcomes {
            if let Outcome::Conflict(conflict) = outcome {
                assert_eq!(conflict.current.as_ref(), Some(&entry));
            }
        }
    }
}

async fn watch_folds_to_state(corner: Corner<'_>) {
    const ROUNDS: u32 = 30;
    let after = corner.revision().await;
    let mut live = corner.watch(after).await;
    let writer = |number: u32| {
        let corner = corner.clone();
        async move {
            let mut acknowledged = Vec::new();
            for round in 0..ROUNDS {
                let name = ((number * 7 + round * 3) % 10).to_string();
                if (number + round).is_multiple_of(4) {
                    if let Outcome::Committed(revision) =
                        corner.try_delete(&name, Expect::Any).await
                    {
                        acknowledged.push(revision);
                    }
                } else {
                    let value = format!("{number}.{round}");
                    let outcome = corner.try_put(&name, Expect::Any, &value).await;
                    acknowledged.push(committed(outcome));
                }
            }
            acknowledged
        }
    };
    let mut acknowledged = join_all((0..WRITERS).map(writer)).await.concat();
    acknowledged.sort_unstable();
    let all = read_until(&mut live, acknowledged[acknowledged.len() - 1]).await;
    let seen: Vec<Revision> = all.iter().map(|event| event.revision).collect();
    assert_eq!(seen, acknowledged, "each acknowledged commit is seen once, in order");

    let mut state: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for event in &all {
        let key = event.key.to_string();
        let before = match &event.value {
            Some(value) => state.insert(key, value.to_vec()),
            None => state.remove(&key),
        };
        let previous = event.previous.as_ref().map(|entry| entry.value.to_vec());
        assert_eq!(previous, before, "the value before is the one of the event before");
    }
    let range = crate::Range::prefix(&corner.prefix);
    let page = corner.store.range(range).await.expect("a plain range");
    let listed: BTreeMap<String, Vec<u8>> =
        page.entries.iter().map(|entry| (entry.key.to_string(), entry.value.to_vec())).collect();
    assert_eq!(state, listed);

    for cut in [1, all.len() / 2, all.len() - 1] {
        let mut resumed = corner.watch(all[cut - 1].revision).await;
        let rest = read_until(&mut resumed, acknowledged[acknowledged.len() - 1]).await;
        assert_eq!(rest, all[cut..], "a resumed watch tells the same story");
    }
}

async fn read_until(watch: &mut crate::Watch, last: Revision) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    while events.last().is_none_or(|event| event.revision < last) {
        let batch = next_batch(watch).await;
        events.extend(batch.events.iter().map(|event| Event::clone(event)));
    }
    events
}
