//! Lists and watches agree with each other, whatever is written meanwhile.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

mod support;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ordain_meta::selector::LabelSelector;
use ordain_registry::{EventType, ListOptions, Registry, WatchEvent, Watcher, object};
use ordain_storage::{MemoryStore, Store};
use ordain_value::{Value, json, value};
use support::{create, delete, fresh, patch, start, target};

const MAPS: &str = "configmaps";

fn map(name: &str, labels: Value) -> Value {
    value!({"apiVersion": "v1", "kind": "ConfigMap",
        "metadata": {"namespace": "default", "name": name, "labels": labels}})
}

async fn watch(registry: &Arc<Registry>, options: ListOptions) -> Watcher {
    let all = target(registry, MAPS, "default", "");
    registry.watch(&all, &ListOptions { watch: true, ..options }).await.unwrap()
}

fn from(version: u64) -> ListOptions {
    ListOptions { resource_version: version.to_string().into(), ..ListOptions::default() }
}

async fn next(watcher: &mut Watcher) -> Option<(EventType, Value)> {
    let event: WatchEvent =
        tokio::time::timeout(Duration::from_secs(10), watcher.next()).await.unwrap()?;
    let object = watcher.object(&event).unwrap();
    let line = json::decode(&watcher.line(&event).unwrap()).unwrap();
    assert_eq!(line.get("object"), Some(&object), "the line shows the object");
    Some((event.ty, object))
}

fn version(object: &Value) -> u64 {
    object::resource_version(object).parse().unwrap()
}

#[tokio::test]
async fn selectors_turn_changes_into_arrivals_and_departures() {
    let registry = fresh(false).await;
    let labels = LabelSelector::decode("app=x").unwrap();
    let mut watcher = watch(&registry, ListOptions { labels, ..ListOptions::default() }).await;
    let place = target(&registry, MAPS, "default", "a");
    create(&registry, MAPS, &map("a", value!({}))).await.unwrap();
    let label = value!({"metadata": {"labels": {"app": "x"}}});
    let labelled = patch(&registry, &place, &label).await.unwrap();
    let changed = patch(&registry, &place, &value!({"data": {"k": "v"}})).await.unwrap();
    let left = patch(&registry, &place, &value!({"metadata": {"labels": null}})).await.unwrap();
    assert_eq!(next(&mut watcher).await.unwrap(), (EventType::Added, labelled));
    assert_eq!(next(&mut watcher).await.unwrap(), (EventType::Modified, changed.clone()));
    let (ty, gone) = next(&mut watcher).await.unwrap();
    assert_eq!((ty, version(&gone)), (EventType::Deleted, version(&left)));
    assert_eq!(gone.get("data"), changed.get("data"), "a departure shows the last selected state");
}

#[tokio::test(flavor = "multi_thread")]
async fn resumed_watches_miss_and_repeat_nothing_while_writers_go_on() {
    let registry = fresh(false).await;
    let writers = (0..4).map(|writer| {
        let registry = Arc::clone(&registry);
        tokio::spawn(async move {
            for round in 0..600 {
                let name = format!("w{writer}-{}", round % 5);
                let place = target(&registry, MAPS, "default", &name);
                if round % 5 == 4 && registry.get(&place, "").await.is_ok() {
                    delete(&registry, &place, "Background").await.unwrap();
                } else if registry.get(&place, "").await.is_ok() {
                    let data = value!({"data": {"round": (round.to_string())}});
                    patch(&registry, &place, &data).await.unwrap();
                } else {
                    create(&registry, MAPS, &map(&name, value!({}))).await.unwrap();
                }
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    let follower = {
        let registry = Arc::clone(&registry);
        tokio::spawn(async move {
            // State kept by a client that comes back again and again.
            let mut state: BTreeMap<String, u64> = BTreeMap::new();
            let mut seen = 1;
            let mut quiet = 0;
            while quiet < 3 {
                let mut watcher = watch(&registry, from(seen)).await;
                for _ in 0..97 {
                    let event =
                        tokio::time::timeout(Duration::from_millis(300), watcher.next()).await;
                    let Ok(Some(event)) = event else {
                        quiet += 1;
                        break;
                    };
                    quiet = 0;
                    let object = watcher.object(&event).unwrap();
                    assert!(version(&object) > seen, "a change came twice or out of order");
                    seen = version(&object);
                    let name = object::name(&object).to_owned();
                    match event.ty {
                        EventType::Added => assert!(state.insert(name, seen).is_none()),
                        EventType::Modified => assert!(state.insert(name, seen).is_some()),
                        EventType::Deleted => assert!(state.remove(&name).is_some()),
                        other => unreachable!("{other:?}"),
                    }
                }
            }
            state
        })
    };
    for writer in writers {
        writer.await.unwrap();
    }
    let state = follower.await.unwrap();
    let all = target(&registry, MAPS, "default", "");
    let listed = registry.list(&all, &ListOptions::default()).await.unwrap();
    let expected: BTreeMap<String, u64> =
        listed.items.iter().map(|item| (object::name(item).to_owned(), version(item))).collect();
    assert_eq!(state, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_show_one_moment_while_objects_come_and_go() {
    let registry = fresh(false).await;
    for number in 0..250 {
        create(&registry, MAPS, &map(&format!("n{number:03}"), value!({}))).await.unwrap();
    }
    let all = target(&registry, MAPS, "default", "");
    let mut options = ListOptions { limit: 40, ..ListOptions::default() };
    let mut names = Vec::new();
    let mut versions = std::collections::BTreeSet::new();
    for page in 0.. {
        let listed = registry.list(&all, &options).await.unwrap();
        versions.insert(listed.resource_version);
        names.extend(listed.items.iter().map(|item| object::name(item).to_owned()));
        let expected = 250 - names.len() as u64;
        assert_eq!(listed.remaining, (expected > 0).then_some(expected));
        if listed.continue_token.is_empty() {
            break;
        }
        options.continue_token = listed.continue_token.into();
        let gone = target(&registry, MAPS, "default", &format!("n{:03}", 249 - page));
        delete(&registry, &gone, "Background").await.unwrap();
        create(&registry, MAPS, &map(&format!("x{page}"), value!({}))).await.unwrap();
    }
    assert_eq!(names, (0..250).map(|number| format!("n{number:03}")).collect::<Vec<_>>());
    assert_eq!(versions.len(), 1, "all pages are of one version");
}

#[tokio::test]
async fn what_was_compacted_is_refused_and_never_skipped() {
    let store = Arc::new(MemoryStore::new());
    let registry = start(store.clone(), false).await;
    let first = create(&registry, MAPS, &map("a", value!({}))).await.unwrap();
    create(&registry, MAPS, &map("b", value!({}))).await.unwrap();
    let all = target(&registry, MAPS, "default", "");
    let options = ListOptions { limit: 1, ..ListOptions::default() };
    let token = registry.list(&all, &options).await.unwrap().continue_token;
    create(&registry, MAPS, &map("c", value!({}))).await.unwrap();
    store.compact(store.current_revision().await.unwrap()).await.unwrap();
    let options = ListOptions { continue_token: token.into(), ..options };
    let refused = registry.list(&all, &options).await.unwrap_err();
    assert_eq!((refused.http_code(), refused.reason.as_str()), (410, "Expired"));
    // It comes with a token that goes on with what is there now.
    let fresh = refused.continue_token.clone().unwrap();
    assert_eq!(refused.encode().get_path(&["metadata", "continue"]), Some(&fresh.clone().into()));
    let going_on = ListOptions { continue_token: fresh, limit: 0, ..options.clone() };
    let rest = registry.list(&all, &going_on).await.unwrap();
    let names: Vec<&str> = rest.items.iter().map(object::name).collect();
    assert_eq!(names, ["b", "c"]);
    // The cache of a new server knows nothing of the time before.
    let registry = start(store, false).await;
    let mut watcher = watch(&registry, from(version(&first))).await;
    let (ty, status) = next(&mut watcher).await.unwrap();
    assert_eq!(ty, EventType::Error);
    assert_eq!(status.get("code").and_then(Value::as_int), Some(410));
    assert!(next(&mut watcher).await.is_none());
}

#[tokio::test]
async fn a_watcher_that_does_not_read_is_closed() {
    let registry = fresh(false).await;
    let mut slow = watch(&registry, from(1)).await;
    let mut quick = watch(&registry, from(1)).await;
    create(&registry, MAPS, &map("a", value!({}))).await.unwrap();
    let place = target(&registry, MAPS, "default", "a");
    let mut heard = 0;
    for round in 0..4_200 {
        patch(&registry, &place, &value!({"data": {"r": (round.to_string())}})).await.unwrap();
        while let Ok(Some(_)) = tokio::time::timeout(Duration::ZERO, quick.next()).await {
            heard += 1;
        }
    }
    assert_eq!(heard, 4_201);
    assert!(next(&mut slow).await.is_none(), "nothing is delivered with a gap");
}

#[tokio::test]
async fn bookmarks_and_initial_events_tell_where_to_go_on() {
    let registry = fresh(false).await;
    create(&registry, MAPS, &map("a", value!({}))).await.unwrap();
    let options = ListOptions {
        send_initial_events: Some(true),
        resource_version_match: "NotOlderThan".into(),
        allow_watch_bookmarks: true,
        ..ListOptions::default()
    };
    let mut watcher = watch(&registry, options).await;
    assert_eq!(next(&mut watcher).await.unwrap().0, EventType::Added);
    let (ty, end) = next(&mut watcher).await.unwrap();
    assert_eq!(ty, EventType::Bookmark);
    let annotation = end.get_path(&["metadata", "annotations", "k8s.io/initial-events-end"]);
    assert_eq!(annotation.and_then(Value::as_str), Some("true"));
    // Writes elsewhere move the bookmark too.
    let other = value!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other"}});
    let other = create(&registry, "namespaces", &other).await.unwrap();
    let bookmark = watcher.bookmark();
    assert_eq!(version(&watcher.object(&bookmark).unwrap()), version(&other));
}

#[tokio::test]
async fn a_changed_definition_closes_its_watches_after_what_was_committed() {
    let registry = fresh(false).await;
    let definition = value!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.test.example"},
        "spec": {
            "group": "test.example", "scope": "Cluster",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": [{"name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object"}}}]
        }
    });
    let definitions = "apiextensions.k8s.io/customresourcedefinitions";
    create(&registry, definitions, &definition).await.unwrap();
    let all = target(&registry, "test.example/things", "", "");
    let options = ListOptions { watch: true, ..ListOptions::default() };
    let mut watcher = registry.watch(&all, &options).await.unwrap();
    let thing =
        value!({"apiVersion": "test.example/v1", "kind": "Thing", "metadata": {"name": "a"}});
    create(&registry, "test.example/things", &thing).await.unwrap();
    let place = target(&registry, definitions, "", "things.test.example");
    let column = value!({"spec": {"names": {"shortNames": ["th"]}}});
    patch(&registry, &place, &column).await.unwrap();
    assert_eq!(next(&mut watcher).await.unwrap().0, EventType::Added);
    assert!(next(&mut watcher).await.is_none());
}
