//! Versions of a declared kind: what conversion does, and what it refuses to do.

mod world;

use std::sync::Arc;

use ordain_registry::declared::{BuildError, Resource, build};
use ordain_registry::gates::Gates;
use ordain_registry::strategy::Config;
use ordain_registry::{PatchType, Target, Warnings, WriteOptions};
use ordain_schema::declared::Api;
use ordain_value::{Value, json, value};
use world::{World, api_of, kind, object, options};

/// Two versions of a kind; the second is stored.
fn versions(v1: &str, v2: &str) -> Api {
    let widget = kind(
        "Widget",
        "\tSpec Spec `json:\"spec\"`\n\t// +optional\n\tStatus Status `json:\"status,omitzero\"`",
    );
    let status =
        "type Status struct {\n\t// +optional\n\tCount int32 `json:\"count,omitempty\"`\n}\n";
    let v1 = format!("{widget}{status}\n{v1}");
    let v2 = format!("// +kubebuilder:storageversion\n{widget}{status}\n{v2}");
    api_of(&[("v1", &v1), ("v2", &v2)])
}

/// `size` became `capacity`, also in the items of a list and in a type that holds itself.
fn renamed() -> Api {
    let spec = |name: &str, tag: &str| {
        let field = format!(
            "\t// +optional\n{tag}\t{} *int32 `json:\"{name},omitempty\"`\n",
            if name == "size" { "Size" } else { "Capacity" }
        );
        format!(
            "type Spec struct {{\n{field}\t// +listType=map\n\t// +listMapKey=name\n\t// +optional\n\tParts []Part `json:\"parts,omitempty\"`\n\t// +optional\n\tInner *Spec `json:\"inner,omitempty\"`\n\t// +optional\n\tNote string `json:\"note,omitempty\"`\n}}\n\ntype Part struct {{\n\tName string `json:\"name\"`\n{field}}}\n"
        )
    };
    versions(&spec("size", ""), &spec("capacity", "\t// +conversionName=size\n"))
}

fn refused(api: &Api) -> BuildError {
    build(api, &Arc::new(Gates::default())).expect_err("it is not served")
}

async fn get(world: &World, version: &str, name: &str) -> Value {
    world.registry.get(&world.target_in("widgets", version, name), "").await.expect("read")
}

async fn apply(world: &World, version: &str, manager: &str, spec: Value) -> Value {
    let target: Target = world.target_in("widgets", version, "a");
    let mut body = object("Widget", "a", spec);
    body.set_path(&["apiVersion"], format!("shop.example.com/{version}").into());
    let (bytes, mut warnings) = (json::encode(&body), Warnings::default());
    let options = WriteOptions { force: Some(true), ..options(manager) };
    let part = ordain_registry::Part::Main;
    let written =
        world.registry.patch(&target, part, PatchType::Apply, &bytes, &options, &mut warnings);
    written.await.unwrap_or_else(|status| panic!("{}", status.message)).object
}

#[tokio::test]
async fn renamed_fields_keep_their_values_in_every_version() {
    let world = World::with(&renamed(), "").await;
    let spec = value!({
        "size": 1, "note": "n", "parts": [{"name": "x", "size": 2}, {"name": "y"}],
        "inner": {"size": 3, "inner": {"parts": [{"name": "z", "size": 4}]}}
    });
    world.create("widgets", object("Widget", "a", spec.clone())).await.expect("created");
    let in_v2 = get(&world, "v2", "a").await;
    assert_eq!(
        in_v2.get("spec"),
        Some(&value!({
            "capacity": 1, "note": "n", "parts": [{"name": "x", "capacity": 2}, {"name": "y"}],
            "inner": {"capacity": 3, "inner": {"parts": [{"name": "z", "capacity": 4}]}}
        }))
    );
    assert_eq!(get(&world, "v1", "a").await.get("spec"), Some(&spec), "and back");
    let written = world.patch("widgets", "a", value!({"spec": {"size": 7}})).await;
    assert_eq!(written.expect("patched").get_path(&["spec", "size"]), Some(&Value::Int(7)));
    let in_v2 = get(&world, "v2", "a").await;
    assert_eq!(in_v2.get_path(&["spec", "capacity"]), Some(&Value::Int(7)));
    assert_eq!(in_v2.get_path(&["metadata", "generation"]), Some(&Value::Int(2)));
}

#[tokio::test]
async fn owners_of_renamed_fields_are_known_in_every_version() {
    let world = World::with(&renamed(), "").await;
    apply(&world, "v1", "old", value!({"size": 1, "note": "n"})).await;
    // Another client applies the same field under its new name and takes it over.
    let taken = apply(&world, "v2", "new", value!({"capacity": 5})).await;
    assert_eq!(taken.get("spec"), Some(&value!({"capacity": 5, "note": "n"})));
    // The first one, which applies less now, no longer owns the field and does not remove it.
    let after = apply(&world, "v1", "old", value!({"note": "m"})).await;
    assert_eq!(after.get("spec"), Some(&value!({"size": 5, "note": "m"})));
    // The second one owns it still, and removes it by leaving it out.
    let after = apply(&world, "v2", "new", value!({})).await;
    assert_eq!(after.get("spec"), Some(&value!({"note": "m"})));
}

#[test]
fn versions_that_would_lose_data_are_refused_at_start() {
    let spec = |fields: &str| format!("type Spec struct {{\n{fields}}}\n");
    let text = |name: &str, json: &str| {
        format!("\t// +optional\n\t{name} string `json:\"{json},omitempty\"`\n")
    };
    let number = "\t// +optional\n\tSize int32 `json:\"size,omitempty\"`\n";
    let pointer = "\t// +optional\n\tSize *int32 `json:\"size,omitempty\"`\n";
    let a = text("A", "a");
    let table = [
        (spec(&(a.clone() + number)), spec(&a), "from v1 to v2: spec.size has no field"),
        (spec(&a), spec(&(a.clone() + number)), "from v2 to v1: spec.size has no field"),
        (spec(&text("Size", "size")), spec(number), "spec.size is string in one and integer"),
        (spec(pointer), spec(number), "the zero value of spec.size counts as absent"),
        (
            spec("\t// +optional\n\tM map[string]string `json:\"m,omitempty\"`\n"),
            spec("\t// +optional\n\tM *In `json:\"m,omitempty\"`\n") + "type In struct {}\n",
            "spec.m has any keys in one and not in the other",
        ),
        (
            spec("\t// +optional\n\tL []string `json:\"l,omitempty\"`\n"),
            spec("\t// +optional\n\tL []int32 `json:\"l,omitempty\"`\n"),
            "spec.l[] is string in one and integer",
        ),
    ];
    for (v1, v2, words) in table {
        let error = refused(&versions(&v1, &v2));
        assert_eq!(error.kind, "Widget.shop.example.com/v1");
        assert!(error.reason.contains(words), "{words}: {error}");
        assert!(error.reason.contains("+conversionName"), "it says what to do: {error}");
    }
}

#[test]
fn a_field_that_its_version_has_alone_is_declared_so() {
    let v1 = "type Spec struct {\n\t// +optional\n\tA string `json:\"a,omitempty\"`\n}\n";
    let v2 = "type Spec struct {\n\t// +optional\n\tA string `json:\"a,omitempty\"`\n\t// +conversionName=-\n\t// +optional\n\tB string `json:\"b,omitempty\"`\n}\n";
    build(&versions(v1, v2), &Arc::new(Gates::default())).expect("the author said so");
}

#[tokio::test]
async fn a_conversion_function_takes_the_place_of_the_declared_names() {
    let v1 = "type Spec struct {\n\tHost string `json:\"host\"`\n\tPort int32 `json:\"port\"`\n}\n";
    let v2 = "type Spec struct {\n\tAddress string `json:\"address\"`\n}\n";
    let api = versions(v1, v2);
    assert!(refused(&api).reason.contains("spec.host has no field"));
    let config = Config {
        convert: Some(Arc::new(|object: &Value, version: &str| {
            let mut out = object.clone();
            let text = |name: &str| {
                let value = object.get_path(&["spec", name]);
                value.and_then(Value::as_str).unwrap_or_default().to_owned()
            };
            if version == "v2" {
                let port = object.get_path(&["spec", "port"]).and_then(Value::as_int).unwrap_or(0);
                out.set_path(&["spec"], value!({"address": (format!("{}:{port}", text("host")))}));
            } else {
                let address = text("address");
                let (host, port) = address.split_once(':').unwrap_or((&address, "0"));
                let port: i64 = port.parse().unwrap_or(0);
                out.set_path(&["spec"], value!({"host": (host), "port": (port)}));
            }
            out.set_path(&["metadata", "name"], "a function cannot rename objects".into());
            out
        })),
        ..Config::default()
    };
    let resource = Resource::new(api.kinds[0].clone()).config(config);
    let world = World::with_resource(&api, "", resource).await;
    let body = object("Widget", "a", value!({"host": "h", "port": 80}));
    let made = world.create("widgets", body).await.expect("created");
    assert_eq!(made.get("spec"), Some(&value!({"host": "h", "port": 80})));
    let in_v2 = get(&world, "v2", "a").await;
    assert_eq!(in_v2.get("spec"), Some(&value!({"address": "h:80"})));
    assert_eq!(in_v2.get_path(&["metadata", "name"]), Some(&value!("a")));
    assert_eq!(in_v2.get("apiVersion"), Some(&value!("shop.example.com/v2")));
}
