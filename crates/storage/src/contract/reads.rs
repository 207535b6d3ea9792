//! Ranges: order, pages, the past, compaction.

use super::{Case, Corner};
use crate::error::StoreError;
use crate::store::{Range, Revision};

pub(super) const CASES: &[Case] = &[
    ("a_range_is_ordered_by_the_bytes_of_keys", |corner| Box::pin(ordered_by_bytes(corner))),
    ("a_range_ends_with_its_prefix", |corner| Box::pin(ends_with_prefix(corner))),
    ("pages_cut_and_continue", |corner| Box::pin(pages_cut_and_continue(corner))),
    ("counts_follow_changes", |corner| Box::pin(counts_follow_changes(corner))),
    ("pages_of_one_revision_are_one_moment", |corner| Box::pin(pages_are_one_moment(corner))),
    ("the_past_can_be_read", |corner| Box::pin(the_past_can_be_read(corner))),
    ("the_future_cannot_be_read", |corner| Box::pin(the_future_cannot_be_read(corner))),
    ("compaction_ends_the_past", |corner| Box::pin(compaction_ends_the_past(corner))),
    ("compaction_keeps_the_present", |corner| Box::pin(compaction_keeps_the_present(corner))),
];

async fn ordered_by_bytes(corner: Corner<'_>) {
    let names = ["b", "a", "a/b", "a!", "a0", "Z", "é", "~", "a\u{0}", "𝄞", "\u{ffff}"];
    for name in names {
        corner.put(name, "x").await;
    }
    let mut expected: Vec<String> = names.iter().map(|name| corner.key(name)).collect();
    expected.sort_by(|left, right| left.as_bytes().cmp(right.as_bytes()));
    let page = corner.store.range(Range::prefix(&corner.prefix)).await.expect("a plain range");
    let keys: Vec<&str> = page.entries.iter().map(|entry| &*entry.key).collect();
    assert_eq!(keys, expected);
    assert!(!page.more);
    assert_eq!(page.revision, corner.revision().await);
}

async fn ends_with_prefix(corner: Corner<'_>) {
    for name in ["pods", "pods/", "pods/a", "pods/b", "pods0", "pode\u{10ffff}", "podt"] {
        corner.put(name, "x").await;
    }
    let prefix = corner.key("pods/");
    let page = corner.store.range(Range::prefix(&prefix).count()).await.expect("a plain range");
    let keys: Vec<&str> = page.entries.iter().map(|entry| &*entry.key).collect();
    assert_eq!(keys, [corner.key("pods/"), corner.key("pods/a"), corner.key("pods/b")]);
    assert_eq!(page.count, Some(3));
    let prefix = corner.key("pode\u{10ffff}");
    let page = corner.store.range(Range::prefix(&prefix)).await.expect("a plain range");
    assert_eq!(page.entries.len(), 1);
    let prefix = corner.key("none");
    let page = corner.store.range(Range::prefix(&prefix).count()).await.expect("a plain range");
    assert_eq!((page.entries.len(), page.more, page.count), (0, false, Some(0)));
}

async fn pages_cut_and_continue(corner: Corner<'_>) {
    for number in 0..10 {
        corner.put(&format!("{number}"), "x").await;
    }
    let prefix = corner.prefix.clone();
    let from = corner.key("7");
    let first = corner.store.range(Range::prefix(&prefix).limit(4).count()).await.expect("range");
    assert_eq!((first.entries.len(), first.more, first.count), (4, true, Some(10)));
    let range = Range::prefix(&prefix).limit(4).start(&from).count();
    let last = corner.store.range(range).await.expect("range");
    assert_eq!((last.entries.len(), last.more, last.count), (3, false, Some(3)));
    let exact = corner.store.range(Range::prefix(&prefix).limit(10)).await.expect("range");
    assert_eq!((exact.entries.len(), exact.more, exact.count), (10, false, None));
    let before = Range::prefix(&prefix).start("").limit(1);
    let before = corner.store.range(before).await.expect("a start before the prefix");
    assert_eq!(&*before.entries[0].key, corner.key("0").as_str());
    let behind = Range::prefix(&prefix).start("\u{10ffff}");
    let behind = corner.store.range(behind).await.expect("a start behind the prefix");
    assert_eq!((behind.entries.len(), behind.more), (0, false));
}

async fn counts_follow_changes(corner: Corner<'_>) {
    let count = async |name: &str, at: Option<Revision>| {
        let prefix = corner.key(name);
        let mut range = Range::prefix(&prefix).limit(1).count();
        range.at = at;
        corner.store.range(range).await.expect("range").count
    };
    for name in ["n/a", "n/b", "n/c/d", "n0", "m/a"] {
        corner.put(name, "x").await;
    }
    corner.put("n/a", "y").await;
    let before = corner.revision().await;
    assert_eq!(count("n/", None).await, Some(3));
    corner.delete("n/a").await;
    corner.delete("m/a").await;
    assert_eq!((count("n/", None).await, count("n/", Some(before)).await), (Some(2), Some(3)));
    assert_eq!((count("m/", None).await, count("m/", Some(before)).await), (Some(0), Some(1)));
    corner.put("n/a", "z").await;
    corner.put("m/a", "z").await;
    let counts = (count("n/", None).await, count("m/", None).await, count("n", None).await);
    assert_eq!(counts, (Some(3), Some(1), Some(4)));
}

async fn pages_are_one_moment(corner: Corner<'_>) {
    for number in 0..9 {
        corner.put(&format!("{number}"), "old").await;
    }
    let moment = corner.list_at(None).await;
    let prefix = corner.prefix.clone();
    let mut page = corner.store.range(Range::prefix(&prefix).limit(2)).await.expect("range");
    let revision = page.revision;
    let mut seen = Vec::new();
    for round in 0.. {
        assert_eq!(page.revision, revision);
        seen.extend(page.entries.iter().map(|entry| corner.show(entry)));
        if !page.more {
            break;
        }
        corner.put(&format!("{round}"), "new").await;
        corner.delete(&format!("{}", 8 - round)).await;
        corner.put(&format!("{round}x"), "new").await;
        let start = format!("{}\0", page.entries.last().expect("a page with more").key);
        let range = Range::prefix(&prefix).limit(2).start(&start).at(revision);
        page = corner.store.range(range).await.expect("the next page");
    }
    assert_eq!(seen, moment);
}

async fn the_past_can_be_read(corner: Corner<'_>) {
    let mut history = vec![(corner.revision().await, Vec::new())];
    for round in 0..12_u32 {
        let name = format!("{}", round % 3);
        if round % 4 == 3 && corner.get(&name).await.is_some() {
            corner.delete(&name).await;
        } else {
            corner.put(&name, &format!("{round}")).await;
        }
        history.push((corner.revision().await, corner.list_at(None).await));
    }
    for (revision, list) in history {
        assert_eq!(corner.list_at(Some(revision)).await, list, "at {revision}");
    }
}

async fn the_future_cannot_be_read(corner: Corner<'_>) {
    let current = corner.revision().await;
    let requested = current + 1000;
    let answer = corner.store.range(Range::prefix(&corner.prefix).at(requested)).await;
    assert!(matches!(answer, Err(StoreError::FutureRevision { .. })), "{answer:?}");
    let answer = corner.store.compact(requested).await;
    assert!(matches!(answer, Err(StoreError::FutureRevision { .. })), "{answer:?}");
}

async fn compaction_ends_the_past(corner: Corner<'_>) {
    let mut history: Vec<(Revision, Vec<String>)> = Vec::new();
    for round in 0..9_u32 {
        let name = format!("{}", round % 2);
        if round % 3 == 2 {
            corner.delete(&name).await;
        } else {
            corner.put(&name, &format!("{round}")).await;
        }
        history.push((corner.revision().await, corner.list_at(None).await));
    }
    let compacted = history[5].0;
    for _ in 0..2 {
        corner.compact(compacted).await;
        corner.compact(history[1].0).await;
        for (revision, list) in &history {
            if *revision >= compacted {
                assert_eq!(corner.list_at(Some(*revision)).await, *list, "at {revision}");
                continue;
            }
            let answer = corner.store.range(Range::prefix(&corner.prefix).at(*revision)).await;
            assert!(matches!(answer, Err(StoreError::Compacted { .. })), "{answer:?}");
        }
    }
}

async fn compaction_keeps_the_present(corner: Corner<'_>) {
    corner.put("gone", "1").await;
    corner.put("kept", "1").await;
    corner.put("kept", "2").await;
    corner.delete("gone").await;
    let list = corner.list_at(None).await;
    let revision = corner.revision().await;
    corner.compact(revision).await;
    assert_eq!(corner.revision().await, revision, "a compaction takes no revision");
    assert_eq!(corner.list_at(None).await, list);
    assert_eq!(corner.list_at(Some(revision)).await, list);
    assert_eq!(corner.get("gone").await, None);
    let next = corner.put("gone", "2").await;
    let entry = corner.get("gone").await.expect("just put");
    assert_eq!((entry.create_revision, entry.mod_revision), (next, next));
}
