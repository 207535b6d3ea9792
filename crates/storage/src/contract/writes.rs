//! Commits: expectations, conflicts, revisions.

use super::{Case, Corner, committed, conflicting};
use crate::error::StoreError;
use crate::store::{Expect, Outcome, Write};

pub(super) const CASES: &[Case] = &[
    ("create_needs_absence", |corner| Box::pin(create_needs_absence(corner))),
    ("update_needs_the_exact_revision", |corner| Box::pin(update_needs_exact_revision(corner))),
    ("delete_needs_something_to_delete", |corner| Box::pin(delete_needs_something(corner))),
    ("a_recreated_key_has_a_new_create_revision", |corner| Box::pin(recreated_key(corner))),
    ("revisions_only_grow", |corner| Box::pin(revisions_only_grow(corner))),
    ("an_empty_value_is_a_value", |corner| Box::pin(empty_value(corner))),
    ("values_are_any_bytes", |corner| Box::pin(values_are_any_bytes(corner))),
    ("many_writes_are_one_commit", |corner| Box::pin(many_writes_one_commit(corner))),
    ("one_conflict_stops_the_whole_commit", |corner| Box::pin(one_conflict_stops_all(corner))),
    ("a_check_stops_the_commit_or_changes_nothing", |corner| Box::pin(checks(corner))),
    ("senseless_commits_are_refused", |corner| Box::pin(senseless_commits(corner))),
];

async fn create_needs_absence(corner: Corner<'_>) {
    assert_eq!(corner.get("a").await, None);
    let first = committed(corner.try_put("a", Expect::Absent, "1").await);
    let entry = corner.get("a").await.expect("the entry was just made");
    assert_eq!((entry.create_revision, entry.mod_revision), (first, first));
    assert_eq!((&*entry.key, &*entry.value), (corner.key("a").as_str(), b"1".as_slice()));
    let current = conflicting(corner.try_put("a", Expect::Absent, "2").await);
    assert_eq!(current, Some(entry.clone()), "a conflict tells what is there");
    assert_eq!(corner.get("a").await, Some(entry), "a conflict changes nothing");
    assert_eq!(corner.revision().await, first, "a conflict takes no revision");
}

async fn checks(corner: Corner<'_>) {
    let first = corner.put("guard", "1").await;
    let commit = async |expect, value: &'static str| {
        let check = Write::check(corner.key("guard").as_str(), expect);
        let put = Write::put(corner.key("a").as_str(), Expect::Any, value);
        corner.store.commit_all(vec![put, check]).await.expect("the commit is answered")
    };
    let second = committed(commit(Expect::Exact(first), "1").await);
    let guard = corner.get("guard").await;
    assert_eq!(guard.as_ref().map(|it| it.mod_revision), Some(first), "a check changes nothing");
    for expect in [Expect::Exact(second), Expect::Absent] {
        assert_eq!(conflicting(commit(expect, "2").await), guard);
    }
    let entry = corner.get("a").await.expect("the first commit was made");
    assert_eq!((entry.mod_revision, &*entry.value), (second, b"1".as_slice()));
    let alone = vec![Write::check(corner.key("guard").as_str(), Expect::Any)];
    let refused = corner.store.commit_all(alone).await;
    assert!(matches!(refused, Err(StoreError::Invalid(_))), "{refused:?}");
}

async fn update_needs_exact_revision(corner: Corner<'_>) {
    let missing = corner.try_put("a", Expect::Exact(1), "x").await;
    assert_eq!(conflicting(missing), None);
    let first = corner.put("a", "1").await;
    let second = committed(corner.try_put("a", Expect::Exact(first), "2").await);
    let entry = corner.get("a").await.expect("the entry was just updated");
    assert_eq!((entry.create_revision, entry.mod_revision), (first, second));
    let stale = corner.try_put("a", Expect::Exact(first), "3").await;
    assert_eq!(conflicting(stale), Some(entry.clone()));
    let future = corner.try_put("a", Expect::Exact(second + 1), "3").await;
    assert_eq!(conflicting(future), Some(entry));
}

async fn delete_needs_something(corner: Corner<'_>) {
    let before = corner.revision().await;
    for expect in [Expect::Any, Expect::Absent, Expect::Exact(1)] {
        assert_eq!(conflicting(corner.try_delete("a", expect).await), None, "{expect:?}");
    }
    assert_eq!(corner.revision().await, before);
    let first = corner.put("a", "1").await;
    let entry = corner.get("a").await;
    assert_eq!(conflicting(corner.try_delete("a", Expect::Absent).await), entry);
    assert_eq!(conflicting(corner.try_delete("a", Expect::Exact(first + 1)).await), entry);
    let second = committed(corner.try_delete("a", Expect::Exact(first)).await);
    assert!(second > first, "a delete takes a revision");
    assert_eq!(corner.get("a").await, None);
    assert_eq!(conflicting(corner.try_put("a", Expect::Exact(first), "2").await), None);
}

async fn recreated_key(corner: Corner<'_>) {
    corner.put("a", "1").await;
    corner.delete("a").await;
    let third = committed(corner.try_put("a", Expect::Absent, "2").await);
    let fourth = corner.put("a", "3").await;
    let entry = corner.get("a").await.expect("the entry was just made");
    assert_eq!((entry.create_revision, entry.mod_revision), (third, fourth));
}

async fn revisions_only_grow(corner: Corner<'_>) {
    let mut last = corner.revision().await;
    assert!(last > 0, "a list of an empty store needs a revision to watch from");
    for round in 0..20 {
        let revision =
            if round % 5 == 4 { corner.delete("a").await } else { corner.put("a", "x").await };
        assert!(revision > last);
        assert_eq!(corner.revision().await, revision);
        let read = corner.store.get(&corner.key("a")).await.expect("reading works");
        assert_eq!(read.revision, revision);
        last = revision;
    }
}

async fn empty_value(corner: Corner<'_>) {
    let revision = corner.put("a", "").await;
    let entry = corner.get("a").await.expect("an empty value is there");
    assert!(entry.value.is_empty());
    assert_eq!(entry.mod_revision, revision);
    corner.delete("a").await;
    assert_eq!(corner.get("a").await, None);
}

async fn values_are_any_bytes(corner: Corner<'_>) {
    let all: Vec<u8> = (0..=255).collect();
    let large = vec![0xa5_u8; 1024 * 1024];
    for value in [all, large] {
        let write = Write::put(corner.key("a"), Expect::Any, value.clone());
        let outcome = corner.store.commit(write).await.expect("the value fits");
        committed(outcome);
        assert_eq!(corner.get("a").await.expect("just put").value, value);
    }
}

async fn many_writes_one_commit(corner: Corner<'_>) {
    let first = corner.put("b", "0").await;
    corner.put("c", "0").await;
    let writes = vec![
        Write::delete(corner.key("c"), Expect::Any),
        Write::put(corner.key("a"), Expect::Absent, "1"),
        Write::put(corner.key("b"), Expect::Exact(first), "1"),
    ];
    let revision = committed(corner.store.commit_all(writes).await.expect("a valid commit"));
    let expected = [format!("a=1@{revision}"), format!("b=1@{revision}")];
    assert_eq!(corner.list_at(None).await, expected);
    assert_eq!(corner.revision().await, revision);
}

async fn one_conflict_stops_all(corner: Corner<'_>) {
    let first = corner.put("b", "0").await;
    let writes = vec![
        Write::put(corner.key("a"), Expect::Absent, "1"),
        Write::put(corner.key("b"), Expect::Exact(first - 1), "1"),
    ];
    match corner.store.commit_all(writes).await.expect("a valid commit") {
        Outcome::Conflict(conflict) => {
            assert_eq!(&*conflict.key, corner.key("b").as_str());
            assert_eq!(conflict.current, corner.get("b").await);
            assert!(conflict.revision >= first);
        }
        Outcome::Committed(_) => panic!("committed in spite of a conflict"),
    }
    assert_eq!(corner.list_at(None).await, [format!("b=0@{first}")]);
    assert_eq!(corner.revision().await, first);
}

async fn senseless_commits(corner: Corner<'_>) {
    let before = corner.revision().await;
    let put = |name: &str| Write::put(corner.key(name), Expect::Any, "1");
    let twice = vec![put("a"), put("b"), put("a")];
    let empty_key = vec![Write::put("", Expect::Any, "1")];
    for writes in [Vec::new(), twice, empty_key] {
        let answer = corner.store.commit_all(writes).await;
        assert!(matches!(answer, Err(StoreError::Invalid(_))), "{answer:?}");
    }
    assert_eq!(corner.revision().await, before);
}
