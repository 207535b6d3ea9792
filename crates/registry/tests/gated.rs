//! Gated fields that are defaulted or required, and declared warnings.

mod world;

use std::sync::Arc;

use ordain_registry::declared::build;
use ordain_registry::gates::Gates;
use ordain_schema::declared::Api;
use ordain_schema::publish::Options;
use ordain_value::{Value, value};
use world::{World, api, kind, object};

fn at<'a>(object: &'a Value, path: &str) -> Option<&'a Value> {
    object.get_path(&path.split('.').collect::<Vec<_>>())
}

fn gated() -> Api {
    let spec = r#"
type WidgetSpec struct {
	// +k8s:featureGate=WidgetTier
	// +default="gold"
	// +optional
	Tier string `json:"tier,omitempty"`
	// +k8s:featureGate=WidgetTier
	// +required
	Owner string `json:"owner"`
	// +k8s:featureGate=WidgetTier
	// +k8s:required
	// +k8s:minLength=2
	Code string `json:"code"`
	// +k8s:featureGate=WidgetTier
	Limits Limits `json:"limits"`
}

type Limits struct {
	// +default=3
	// +optional
	Most int32 `json:"most,omitempty"`
}
"#;
    api(&(kind("Widget", "\tSpec WidgetSpec `json:\"spec\"`") + spec))
}

/// The same store under a server with other gates.
fn switch(world: &World, api: &Api, text: &str) {
    let mut gates = Gates::default();
    gates.register_declared(api);
    gates.set_from(text).expect("set");
    world.registry.serve_declared(build(api, &Arc::new(gates)).expect("builds"));
}

#[tokio::test]
async fn a_gated_field_is_neither_defaulted_nor_required_while_its_gate_is_off() {
    let api = gated();
    let world = World::with(&api, "").await;
    let made = world.create("widgets", object("Widget", "a", value!({}))).await.expect("created");
    assert_eq!(at(&made, "spec"), Some(&value!({})));
    assert_eq!(world.get("widgets", "a").await.expect("read"), made, "no default on reading");
    let written = world.patch("widgets", "a", value!({"spec": {"tier": "iron"}})).await;
    assert_eq!(at(&written.expect("patched"), "spec.tier"), None, "the stored object has none");
    let target = world.target("widgets", "a");
    let published = target.resource.strategy.published("v1", Options::V3).expect("shown");
    let spec = published.definitions.values().find_map(|it| it.get_path(&["properties", "tier"]));
    let tier = spec.expect("the field is published");
    assert_eq!(tier.get("default"), None);
}

#[tokio::test]
async fn a_gated_field_is_defaulted_and_required_while_its_gate_is_on() {
    let api = gated();
    let world = World::with(&api, "WidgetTier=true").await;
    let refused = world.create("widgets", object("Widget", "a", value!({}))).await;
    let message = refused.expect_err("required").message;
    assert!(message.contains("spec.owner") && message.contains("spec.code"), "{message}");
    let body = object("Widget", "a", value!({"owner": "me", "code": "xy"}));
    let made = world.create("widgets", body).await.expect("created");
    assert_eq!(at(&made, "spec.tier"), Some(&value!("gold")));
    assert_eq!(at(&made, "spec.limits.most"), Some(&Value::Int(3)));
    // What is stored stays in use when the gate goes off, and rules hold for it.
    switch(&world, &api, "WidgetTier=false");
    let written = world.patch("widgets", "a", value!({"spec": {"tier": "iron"}})).await;
    assert_eq!(at(&written.expect("patched"), "spec.tier"), Some(&value!("iron")));
    let refused = world.patch("widgets", "a", value!({"spec": {"code": "x"}})).await;
    assert!(refused.expect_err("too short").message.contains("spec.code"));
}

#[tokio::test]
async fn structs_are_there_even_while_declared_defaults_are_off() {
    let world = World::with(&gated(), "WidgetTier=true,DeclarativeDefaults=false").await;
    let body = object("Widget", "a", value!({"owner": "me", "code": "xy"}));
    let made = world.create("widgets", body).await.expect("created");
    assert_eq!(at(&made, "spec.limits"), Some(&value!({})), "a struct is never absent in Go");
    assert_eq!(at(&made, "spec.tier"), None);
}

fn warned() -> Api {
    let spec = r#"
type WidgetSpec struct {
	// +optional
	// +listType=atomic
	Points []Point `json:"points,omitempty"`
	// +optional
	// +k8s:warning="lists are going away"
	// +listType=atomic
	Names []Name `json:"names,omitempty"`
	// +optional
	Named map[string]Name `json:"named,omitempty"`
	// +k8s:optional
	// +k8s:warning(message: "long names are cut")=+k8s:maxLength=3
	Short *string `json:"short,omitempty"`
	// +k8s:optional
	// +k8s:warning=+k8s:maximum=5
	Size *int32 `json:"size,omitempty"`
}

// +k8s:warning="points are young"
type Point struct {
	// +optional
	X int32 `json:"x,omitempty"`
}

// +k8s:warning="names will need a prefix"
type Name string
"#;
    let kind = kind("Widget", "\tSpec WidgetSpec `json:\"spec\"`");
    let kind = kind
        .replace("type Widget struct", "// +k8s:warning=\"widgets retire\"\ntype Widget struct");
    api(&(kind + spec))
}

#[tokio::test]
async fn warnings_of_types_lists_and_kinds_take_effect() {
    let world = World::with(&warned(), "").await;
    let (_, warnings) = world.create_warned("widgets", object("Widget", "a", value!({}))).await;
    assert_eq!(warnings, ["widgets retire"]);
    let spec = value!({"points": [{"x": 1}, {}], "names": ["a"], "named": {"b": "c"}});
    let (_, warnings) = world.create_warned("widgets", object("Widget", "b", spec)).await;
    assert_eq!(
        warnings,
        [
            "widgets retire",
            "spec.named[b]: names will need a prefix",
            "spec.names: lists are going away",
            "spec.names[0]: names will need a prefix",
            "spec.points[0]: points are young",
            "spec.points[1]: points are young",
        ]
    );
}

#[tokio::test]
async fn a_warning_around_a_rule_is_given_where_the_rule_would_refuse() {
    let world = World::with(&warned(), "").await;
    let good = object("Widget", "a", value!({"short": "abc", "size": 5}));
    let (made, warnings) = world.create_warned("widgets", good).await;
    made.expect("created");
    assert_eq!(warnings, ["widgets retire"]);
    let bad = object("Widget", "b", value!({"short": "abcd", "size": 6}));
    let (made, warnings) = world.create_warned("widgets", bad).await;
    made.expect("a warning refuses nothing");
    assert_eq!(
        warnings,
        [
            "widgets retire",
            "spec.short: long names are cut",
            "spec.size: Invalid value: 6: must be less than or equal to 5",
        ]
    );
}
