//! Pages of a list that are asked for again and again: written once, shared while nothing changes.

#![expect(clippy::unwrap_used, reason = "a test fails loudly")]

mod support;

use std::sync::Arc;

use bytes::Bytes;
use ordain_registry::{ListOptions, Records, Registry};
use ordain_value::{Map, Value, json, value};
use support::{create, delete, fresh, names, patch, target};

const MAPS: &str = "configmaps";
/// Small, so that a page has several pieces.
const PIECE: usize = 200;

fn map(name: &str) -> Value {
    value!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"k": "v"},
        "metadata": {"namespace": "default", "name": name}})
}

async fn page(registry: &Registry, limit: i64) -> (Records, Vec<Bytes>) {
    let all = target(registry, MAPS, "default", "");
    let options = ListOptions { limit, ..ListOptions::default() };
    let page = registry.list_records(&all, &options).await.unwrap();
    assert!(registry.is_written_as_stored(&all, &page).await.unwrap());
    let pieces = registry.shared_items(&all, &page, PIECE).await.unwrap().unwrap();
    // What is shared is what the list shows.
    let shown = json::decode(format!("[{}]", text(&pieces)).as_bytes()).unwrap();
    let listed = registry.list(&all, &options).await.unwrap();
    let items: Vec<Value> = listed.items.into_iter().map(untyped).collect();
    assert_eq!(shown, Value::from(items));
    (page, pieces)
}

fn text(pieces: &[Bytes]) -> String {
    String::from_utf8(pieces.concat()).unwrap()
}

/// Items of a typed list do not say their type.
fn untyped(mut item: Value) -> Value {
    let map: &mut Map = item.as_map_mut().unwrap();
    map.remove("apiVersion");
    map.remove("kind");
    item
}

fn shares(left: &[Bytes], right: &[Bytes]) -> bool {
    left.len() == right.len()
        && left.iter().zip(right).all(|(left, right)| left.as_ptr() == right.as_ptr())
}

#[tokio::test]
async fn a_page_is_written_once_until_something_changes() {
    let registry = fresh(false).await;
    for name in ["a", "b", "c"] {
        create(&registry, MAPS, &map(name)).await.unwrap();
    }
    // Whoever wants all of it waits until the collection is in memory.
    assert_eq!(names(&registry, MAPS, "default").await, ["a", "b", "c"]);
    let (first, pieces) = page(&registry, 2).await;
    assert!(pieces.len() > 1);
    let (again, same) = page(&registry, 2).await;
    assert!(Arc::ptr_eq(&first.records, &again.records) && shares(&pieces, &same));
    // What happens elsewhere changes the version of the list and none of its items.
    create(
        &registry,
        "secrets",
        &value!({"apiVersion": "v1", "kind": "Secret",
        "metadata": {"namespace": "default", "name": "s"}}),
    )
    .await
    .unwrap();
    let (later, same) = page(&registry, 2).await;
    assert!(later.resource_version > first.resource_version && shares(&pieces, &same));
    assert_eq!(later.remaining, Some(1));
    // Another page is another page.
    let (longer, _) = page(&registry, 0).await;
    assert_eq!((longer.records.len(), longer.remaining), (3, None));

    let place = target(&registry, MAPS, "default", "b");
    patch(&registry, &place, &value!({"data": {"k": "w"}})).await.unwrap();
    let (_, changed) = page(&registry, 2).await;
    assert!(text(&changed).contains(r#""k":"w""#));
    delete(&registry, &target(&registry, MAPS, "default", "a"), "Background").await.unwrap();
    create(&registry, MAPS, &map("bb")).await.unwrap();
    let (last, pieces) = page(&registry, 2).await;
    assert_eq!((last.records.len(), last.remaining), (2, Some(1)));
    assert!(text(&pieces).contains(r#""name":"bb""#) && !text(&pieces).contains(r#""name":"a""#));
}

#[tokio::test]
async fn pages_are_forgotten_when_there_are_too_many_bytes() {
    let registry = fresh(false).await;
    let large = |name: &str, namespace: &str| {
        value!({"apiVersion": "v1", "kind": "ConfigMap", "data": {"k": ("v".repeat(900_000))},
            "metadata": {"namespace": namespace, "name": name}})
    };
    let kinds = ["configmaps", "secrets"];
    let list = async |resource: &str| {
        let all = target(&registry, resource, "default", "");
        let page = registry.list_records(&all, &ListOptions::default()).await.unwrap();
        registry.shared_items(&all, &page, PIECE).await.unwrap().map(|pieces| pieces.concat().len())
    };
    create(&registry, MAPS, &large("a", "default")).await.unwrap();
    assert!(list(kinds[0]).await.unwrap() > 900_000);
    // Too large to be kept: it is written for each who asks.
    create(&registry, MAPS, &large("b", "default")).await.unwrap();
    assert_eq!(list(kinds[0]).await, None);
    assert_eq!(list(kinds[1]).await, Some(0));
}

#[tokio::test]
async fn large_objects_of_a_page_are_not_copied() {
    let registry = fresh(false).await;
    for (name, len) in [("a", 1), ("b", 2 * PIECE), ("c", 3 * PIECE), ("d", 1)] {
        let mut object = map(name);
        let data = value!({"k": ("v".repeat(len))});
        object.as_map_mut().unwrap().insert("data", data);
        create(&registry, MAPS, &object).await.unwrap();
    }
    let all = target(&registry, MAPS, "default", "");
    let page = registry.list_records(&all, &ListOptions::default()).await.unwrap();
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < page.records.len() {
        let large = registry.large_item(&all, &page, at, 2 * PIECE).unwrap();
        if let Some(large) = large {
            let again = registry.large_item(&all, &page, at, 2 * PIECE).unwrap().unwrap();
            // Only the version is new.
            let version = large.iter().position(|it| it.starts_with(b"\"resourceVersion")).unwrap();
            assert!(shares(&large[..version], &again[..version]));
            assert!(shares(&large[version + 1..], &again[version + 1..]));
            let comma = Bytes::from_static(if at > 0 { b"," } else { b"" });
            pieces.extend([comma].into_iter().chain(large));
            at += 1;
        } else {
            let mut out = Vec::new();
            at = registry.write_items(&all, &page, None, at, 2 * PIECE, &mut out).unwrap();
            pieces.push(out.into());
        }
    }
    let mut whole = Vec::new();
    registry.write_items(&all, &page, None, 0, usize::MAX, &mut whole).unwrap();
    assert_eq!(text(&pieces), String::from_utf8(whole).unwrap());
}
