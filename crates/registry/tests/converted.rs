//! Versions of a custom kind that differ as its definition declares.

mod world;

use ordain_registry::{PatchType, Warnings, WriteOptions};
use ordain_value::{Value, json, value, yaml};
use world::{World, object, options};

fn definition() -> Value {
    let text = include_str!("../../../fixtures/check/convert/widgets.yaml");
    let read = yaml::decode_first(text.as_bytes(), yaml::Options::default());
    read.and_then(|it| it.value).expect("a definition")
}

async fn get(world: &World, version: &str) -> Value {
    let target = world.target_in("widgets", version, "a");
    let found = world.registry.get(&target, "").await.expect("read");
    found.get("spec").cloned().unwrap_or_default()
}

#[tokio::test]
async fn every_version_shows_what_was_written_in_another() {
    let world = World::new("CRDDeclarativeConversion=true").await;
    world.define(&definition()).await.expect("defined");
    let spec = value!({"size": 3, "color": "red", "ports": [{"num": 1}], "minutes": 2});
    let made = world.create("widgets", object("Widget", "a", spec.clone())).await.expect("made");
    assert_eq!(made.get("spec"), Some(&spec));
    let stored = value!({
        "dimensions": {"size": 3}, "paint": {"color": "red"}, "ports": [{"number": 1}],
        "seconds": 120
    });
    assert_eq!(get(&world, "v2").await, stored);
    assert_eq!(get(&world, "v1").await, spec);
    // Rules of the stored version judge what comes of it.
    let wrong = object("Widget", "b", value!({"address": "nowhere"}));
    assert!(world.create("widgets", wrong).await.is_err());
    // Owners of fields follow them.
    let target = world.target_in("widgets", "v2", "a");
    let body = value!({"apiVersion": "shop.example.com/v2", "kind": "Widget",
        "metadata": {"name": "a"}, "spec": {"dimensions": {"size": 4}}});
    let (bytes, mut warnings) = (json::encode(&body), Warnings::default());
    let forced = WriteOptions { force: Some(true), ..options("other") };
    let part = ordain_registry::Part::Main;
    let applied =
        world.registry.patch(&target, part, PatchType::Apply, &bytes, &forced, &mut warnings);
    applied.await.unwrap_or_else(|status| panic!("{}", status.message));
    assert_eq!(get(&world, "v1").await.get("size"), Some(&Value::Int(4)));
}

#[tokio::test]
async fn without_the_gate_versions_differ_in_their_name() {
    let world = World::new("").await;
    world.define(&definition()).await.expect("defined");
    let target = world.target_in("widgets", "v2", "a");
    let made = value!({"apiVersion": "shop.example.com/v2", "kind": "Widget",
        "metadata": {"name": "a"}, "spec": {"paint": {"color": "red"}, "dimensions": {"size": 3}}});
    let body = json::encode(&made);
    let body =
        ordain_registry::decode::Body { bytes: &body, media: ordain_registry::decode::Media::Json };
    let mut warnings = Warnings::default();
    world.registry.create(&target, &body, &options("m"), &mut warnings).await.expect("made");
    assert_eq!(get(&world, "v1").await, value!({}), "fields it does not know go");
}

#[tokio::test]
async fn a_declaration_that_leads_nowhere_is_refused() {
    let world = World::new("CRDDeclarativeConversion=true").await;
    let mut wrong = definition();
    let path = ["metadata", "annotations", "ordain.dev/conversion"];
    wrong.set_path(&path, "v1: [{from: spec.nowhere, to: spec.host}]".into());
    let status = world.define(&wrong).await.expect_err("no such field");
    assert!(status.message.contains("has no such field"), "{}", status.message);
}
