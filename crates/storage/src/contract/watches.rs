//! Watches: nothing missed, nothing twice, nothing out of order, and an end that is reported.

use super::{Case, Corner, PATIENCE, committed, expect_quiet, next_batch, next_events};
use crate::error::StoreError;
use crate::store::{Expect, Write};
use crate::watch::Event;

pub(super) const CASES: &[Case] = &[
    ("a_watch_tells_what_changed", |corner| Box::pin(tells_what_changed(corner))),
    ("a_watch_begins_after_its_revision", |corner| Box::pin(begins_after_revision(corner))),
    ("a_watch_is_live", |corner| Box::pin(is_live(corner))),
    ("a_watch_sees_its_prefix_only", |corner| Box::pin(sees_its_prefix_only(corner))),
    ("a_commit_arrives_in_one_batch", |corner| Box::pin(commit_in_one_batch(corner))),
    ("a_conflict_makes_no_event", |corner| Box::pin(conflict_makes_no_event(corner))),
    ("a_long_history_arrives_whole", |corner| Box::pin(long_history(corner))),
    ("a_watch_from_the_future_waits", |corner| Box::pin(from_the_future(corner))),
    ("a_watch_before_the_compaction_is_refused", |corner| Box::pin(before_compaction(corner))),
    ("a_watch_after_the_compaction_works", |corner| Box::pin(after_compaction(corner))),
    ("a_live_watch_survives_compaction", |corner| Box::pin(live_over_compaction(corner))),
    ("progress_is_reported_on_request", |corner| Box::pin(progress_on_request(corner))),
    ("an_event_seen_can_be_read", |corner| Box::pin(event_seen_can_be_read(corner))),
    ("dropped_watches_do_no_harm", |corner| Box::pin(dropped_watches(corner))),
];

fn summary(corner: &Corner<'_>, event: &Event) -> String {
    let name = event.key.strip_prefix(&corner.prefix).unwrap_or(&event.key);
    let text = |value: &bytes::Bytes| String::from_utf8_lossy(value).into_owned();
    let value = event.value.as_ref().map_or("-".to_owned(), text);
    let previous = event.previous.as_ref().map_or("-".to_owned(), |entry| text(&entry.value));
    format!("{name}:{previous}>{value}")
}

async fn tells_what_changed(corner: Corner<'_>) {
    let after = corner.revision().await;
    let first = corner.put("a", "1").await;
    let second = corner.put("a", "2").await;
    let third = corner.delete("a").await;
    let fourth = corner.put("a", "3").await;
    let events = next_events(&mut corner.watch(after).await, 4).await;
    let reported: Vec<_> = events.iter().map(|event| summary(&corner, event)).collect();
    assert_eq!(reported, ["a:->1", "a:1>2", "a:2>-", "a:->3"]);
    let revisions: Vec<_> = events.iter().map(|event| event.revision).collect();
    assert_eq!(revisions, [first, second, third, fourth]);
    let created: Vec<_> = events.iter().map(|event| event.create_revision).collect();
    assert_eq!(created, [first, first, first, fourth]);
    let before = events[2].previous.as_ref().expect("a deletion tells what was there");
    assert_eq!((before.create_revision, before.mod_revision), (first, second));
    assert!(events[0].is_create() && !events[1].is_create() && events[2].is_delete());
    assert_eq!(events[3].entry(), corner.get("a").await);
}

async fn begins_after_revision(corner: Corner<'_>) {
    let mut revisions = Vec::new();
    for number in 0..6 {
        revisions.push(corner.put("a", &number.to_string()).await);
    }
    for (position, after) in revisions.iter().enumerate() {
        let mut watch = corner.watch(*after).await;
        let events = next_events(&mut watch, revisions.len() - position - 1).await;
        let seen: Vec<_> = events.iter().map(|event| event.revision).collect();
        assert_eq!(seen, revisions[position + 1..]);
    }
}

async fn is_live(corner: Corner<'_>) {
    let mut watch = corner.watch(corner.revision().await).await;
    expect_quiet(&mut watch).await;
    for number in 0..5 {
        let revision = corner.put("a", &number.to_string()).await;
        let events = next_events(&mut watch, 1).await;
        assert_eq!(events[0].revision, revision);
    }
    expect_quiet(&mut watch).await;
}

async fn sees_its_prefix_only(corner: Corner<'_>) {
    let after = corner.revision().await;
    let prefix = corner.key("pods/");
    let mut live = corner.store.watch(&prefix, after).await.expect("a watch");
    expect_quiet(&mut live).await;
    for name in ["pods", "pods/a", "pods0", "pods/b", "pod", "services/a"] {
        corner.put(name, "x").await;
    }
    let mut late = corner.store.watch(&prefix, after).await.expect("a watch");
    for watch in [&mut live, &mut late] {
        let events = next_events(watch, 2).await;
        let keys: Vec<&str> = events.iter().map(|event| &*event.key).collect();
        assert_eq!(keys, [corner.key("pods/a"), corner.key("pods/b")]);
        expect_quiet(watch).await;
    }
}

async fn commit_in_one_batch(corner: Corner<'_>) {
    let after = corner.revision().await;
    let mut live = corner.watch(after).await;
    expect_quiet(&mut live).await;
    let names = ["c", "a", "b"];
    let writes = names.map(|name| Write::put(corner.key(name), Expect::Any, "1")).to_vec();
    let revision = committed(corner.store.commit_all(writes).await.expect("a valid commit"));
    let mut late = corner.watch(after).await;
    for watch in [&mut live, &mut late] {
        let mut batch = next_batch(watch).await;
        while batch.events.is_empty() {
            batch = next_batch(watch).await;
        }
        let reported: Vec<_> = batch.events.iter().map(|event| summary(&corner, event)).collect();
        assert_eq!(reported, ["a:->1", "b:->1", "c:->1"]);
        assert!(batch.events.iter().all(|event| event.revision == revision));
    }
}

async fn conflict_makes_no_event(corner: Corner<'_>) {
    let after = corner.put("a", "1").await;
    let mut watch = corner.watch(after).await;
    corner.try_put("a", Expect::Absent, "2").await;
    corner.try_delete("b", Expect::Any).await;
    expect_quiet(&mut watch).await;
}

async fn long_history(corner: Corner<'_>) {
    let after = corner.revision().await;
    let len = 1500;
    for number in 0..len {
        corner.put(&format!("{}", number % 7), &number.to_string()).await;
    }
    let mut watch = corner.watch(after).await;
    let events = next_events(&mut watch, len).await;
    for (number, event) in events.iter().enumerate() {
        assert_eq!(event.value.as_deref(), Some(number.to_string().as_bytes()));
    }
    expect_quiet(&mut watch).await;
}

async fn from_the_future(corner: Corner<'_>) {
    let after = corner.revision().await + 2;
    let mut watch = corner.watch(after).await;
    corner.put("a", "1").await;
    let skipped = corner.put("a", "2").await;
    assert_eq!(skipped, after, "nobody else writes here");
    let revision = corner.put("a", "3").await;
    let events = next_events(&mut watch, 1).await;
    assert_eq!(events[0].revision, revision);
}

async fn before_compaction(corner: Corner<'_>) {
    let mut revisions = Vec::new();
    for number in 0..5 {
        revisions.push(corner.put("a", &number.to_string()).await);
    }
    corner.compact(revisions[3]).await;
    for after in &revisions[..3] {
        let error = match corner.store.watch(&corner.prefix, *after).await {
            Err(error) => error,
            Ok(mut watch) => {
                let item = tokio::time::timeout(PATIENCE, watch.next()).await;
                let Ok(Some(Err(error))) = item else { panic!("expected an error, got {item:?}") };
                assert!(watch.next().await.is_none(), "a watch ends with its error");
                error
            }
        };
        assert!(matches!(error, StoreError::Compacted { .. }), "{error:?}");
    }
}

async fn after_compaction(corner: Corner<'_>) {
    corner.put("a", "1").await;
    corner.put("b", "1").await;
    let compacted = corner.delete("a").await;
    corner.put("a", "2").await;
    corner.put("b", "2").await;
    corner.compact(compacted).await;
    let events = next_events(&mut corner.watch(compacted).await, 2).await;
    let reported: Vec<_> = events.iter().map(|event| summary(&corner, event)).collect();
    assert_eq!(reported, ["a:->2", "b:1>2"]);
}

async fn live_over_compaction(corner: Corner<'_>) {
    let mut watch = corner.watch(corner.put("a", "1").await).await;
    expect_quiet(&mut watch).await;
    for number in 0..5 {
        let revision = corner.put("a", &number.to_string()).await;
        assert_eq!(next_events(&mut watch, 1).await[0].revision, revision);
        corner.compact(revision).await;
    }
    let revision = corner.delete("a").await;
    assert_eq!(next_events(&mut watch, 1).await[0].revision, revision);
}

async fn progress_on_request(corner: Corner<'_>) {
    let quiet = corner.key("quiet/");
    let mut watch = corner.store.watch(&quiet, corner.revision().await).await.expect("a watch");
    expect_quiet(&mut watch).await;
    for _ in 0..3 {
        let revision = corner.put("busy", "x").await;
        corner.store.request_progress().await.expect("progress can be asked for");
        loop {
            let batch = next_batch(&mut watch).await;
            assert!(batch.events.is_empty());
            if batch.revision >= revision {
                break;
            }
            // An answer to an earlier question may still have been on its way.
            corner.store.request_progress().await.expect("progress can be asked for");
        }
    }
}

async fn event_seen_can_be_read(corner: Corner<'_>) {
    let mut watch = corner.watch(corner.revision().await).await;
    let writing = async {
        for number in 0..100 {
            corner.put("a", &number.to_string()).await;
        }
    };
    let reading = async {
        let mut seen = 0;
        while seen < 100 {
            let batch = next_batch(&mut watch).await;
            let read = corner.store.get(&corner.key("a")).await.expect("reading works");
            assert!(read.revision >= batch.revision);
            for event in &batch.events {
                let entry = read.entry.as_ref().expect("the key is never deleted");
                assert!(entry.mod_revision >= event.revision);
                seen += 1;
            }
        }
    };
    tokio::join!(writing, reading);
}

async fn dropped_watches(corner: Corner<'_>) {
    let after = corner.revision().await;
    for number in 0..50 {
        let mut watch = corner.watch(after).await;
        corner.put("a", &number.to_string()).await;
        if number % 2 == 0 {
            next_batch(&mut watch).await;
        }
    }
    next_events(&mut corner.watch(after).await, 50).await;
}
