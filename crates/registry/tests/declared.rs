//! Declared kinds, served: the defaults of KEP-5975, hooks, gates, native semantics.

mod world;

use std::sync::Arc;

use ordain_registry::declared::{Resource, build};
use ordain_registry::gates::Gates;
use ordain_registry::strategy::{Config, GracePeriod, StatusConfig};
use ordain_registry::{Caller, DeleteOptions, Deleted, Part};
use ordain_schema::declared::Api;
use ordain_schema::publish::Options;
use ordain_value::field::{Error, ErrorList, Path};
use ordain_value::{Value, value};
use world::{World, api, api_of, kind, object};

fn widgets() -> Api {
    let body = kind(
        "Widget",
        "\tSpec WidgetSpec `json:\"spec\"`\n\tStatus WidgetStatus `json:\"status,omitzero\"`",
    ) + r#"
type WidgetSpec struct {
	// +default="medium"
	// +optional
	Size string `json:"size,omitempty"`
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=10
	Replicas *int32 `json:"replicas,omitempty"`
	// +k8s:featureGate=WidgetPriority
	// +k8s:optional
	// +k8s:minimum=0
	// +k8s:maximum=1000
	Priority *int32 `json:"priority,omitempty"`
	// +k8s:warning="old, use size"
	// +optional
	Old string `json:"old,omitempty"`
	// +maxLength=5
	// +validationError(keyword: "maxLength", message: "five letters are enough", reason: "Forbidden")
	// +k8s:selectableField
	// +optional
	Color string `json:"color,omitempty"`
	// +optional
	Paused bool `json:"paused,omitempty"`
	// +format=dns1035label
	// +optional
	Label string `json:"label,omitempty"`
}

type WidgetStatus struct {
	// +optional
	Ready bool `json:"ready,omitempty"`
	// +optional
	Count int32 `json:"count,omitempty"`
}
"#;
    api(&body)
}

fn at<'a>(object: &'a Value, path: &str) -> Option<&'a Value> {
    object.get_path(&path.split('.').collect::<Vec<_>>())
}

#[tokio::test]
async fn a_kind_needs_only_its_declaration() {
    let world = World::with(&widgets(), "").await;
    let made = world.create("widgets", object("Widget", "a", value!({}))).await.expect("created");
    assert_eq!(at(&made, "spec.size"), Some(&value!("medium")));
    assert_eq!(at(&made, "metadata.generation"), Some(&Value::Int(1)));
    let read = world.get("widgets", "a").await.expect("read");
    assert_eq!(read, made);
}

#[tokio::test]
async fn status_is_cleared_on_create_and_kept_on_update() {
    let world = World::with(&widgets(), "").await;
    let mut body = object("Widget", "a", value!({}));
    body.set_path(&["status"], value!({"ready": true}));
    let made = world.create("widgets", body).await.expect("created");
    assert_eq!(at(&made, "status.ready"), None);
    let mut body = made.clone();
    body.set_path(&["status"], value!({"count": 3}));
    let written = world.update_part("widgets", Part::Status, body).await.expect("status");
    assert_eq!(at(&written, "status.count"), Some(&Value::Int(3)));
    let mut body = written.clone();
    body.set_path(&["status"], value!({"count": 9}));
    body.set_path(&["spec", "size"], value!("big"));
    let written = world.update("widgets", body).await.expect("updated");
    assert_eq!(at(&written, "status.count"), Some(&Value::Int(3)));
    assert_eq!(at(&written, "spec.size"), Some(&value!("big")));
}

#[tokio::test]
async fn a_status_write_changes_neither_spec_nor_metadata() {
    let world = World::with(&widgets(), "").await;
    let made = world.create("widgets", object("Widget", "a", value!({}))).await.expect("created");
    let mut body = made.clone();
    body.set_path(&["metadata", "labels"], value!({"a": "b"}));
    body.set_path(&["metadata", "annotations"], value!({"a": "b"}));
    body.set_path(&["metadata", "finalizers"], value!(["example.com/x"]));
    body.set_path(&["metadata", "generateName"], value!("new-"));
    body.set_path(&["spec", "size"], value!("big"));
    body.set_path(&["status"], value!({"count": 1}));
    let written = world.update_part("widgets", Part::Status, body).await.expect("status");
    for path in
        ["metadata.labels", "metadata.annotations", "metadata.finalizers", "metadata.generateName"]
    {
        assert_eq!(at(&written, path), None, "{path}");
    }
    assert_eq!(at(&written, "spec.size"), Some(&value!("medium")));
    assert_eq!(at(&written, "status.count"), Some(&Value::Int(1)));
    assert_eq!(at(&written, "metadata.generation"), Some(&Value::Int(1)));
}

#[tokio::test]
async fn generation_is_bumped_exactly_when_spec_changes() {
    let world = World::with(&widgets(), "").await;
    let made = world.create("widgets", object("Widget", "a", value!({}))).await.expect("created");
    let mut body = made.clone();
    body.set_path(&["metadata", "labels"], value!({"a": "b"}));
    let written = world.update("widgets", body).await.expect("updated");
    assert_eq!(at(&written, "metadata.generation"), Some(&Value::Int(1)), "a label is no spec");
    let mut body = written.clone();
    body.set_path(&["spec", "size"], value!("big"));
    body.set_path(&["metadata", "generation"], Value::Int(7));
    let written = world.update("widgets", body).await.expect("updated");
    assert_eq!(at(&written, "metadata.generation"), Some(&Value::Int(2)));
}

#[tokio::test]
async fn updates_are_unconditional_and_never_create() {
    let world = World::with(&widgets(), "").await;
    let absent = world.update("widgets", object("Widget", "none", value!({}))).await;
    assert_eq!(absent.expect_err("not found").code, Some(404));
    world.create("widgets", object("Widget", "a", value!({}))).await.expect("created");
    let written = world.update("widgets", object("Widget", "a", value!({"size": "big"}))).await;
    assert_eq!(at(&written.expect("updated"), "spec.size"), Some(&value!("big")));
}

#[tokio::test]
async fn managed_fields_are_reset_to_match_what_is_wiped() {
    let world = World::with(&widgets(), "").await;
    let made = world.create("widgets", object("Widget", "a", value!({}))).await.expect("created");
    let mut body = made.clone();
    body.set_path(&["metadata", "labels"], value!({"a": "b"}));
    body.set_path(&["status"], value!({"count": 1}));
    let written = world.update_part("widgets", Part::Status, body).await.expect("status");
    let entries = at(&written, "metadata.managedFields").and_then(Value::as_list).expect("owners");
    let of_status = entries
        .iter()
        .find(|it| it.get("subresource").and_then(Value::as_str) == Some("status"))
        .expect("an entry of the status");
    let fields = of_status.get("fieldsV1").expect("fields");
    assert!(fields.get("f:status").is_some());
    assert!(fields.get("f:metadata").is_none() && fields.get("f:spec").is_none(), "{fields:?}");
}

#[tokio::test]
async fn gated_fields_are_dropped_unless_the_stored_object_uses_them() {
    let api = widgets();
    let off = World::with(&api, "").await;
    let body = object("Widget", "a", value!({"priority": 5, "size": "big"}));
    let made = off.create("widgets", body).await.expect("created");
    assert_eq!(at(&made, "spec.priority"), None);
    assert_eq!(at(&made, "spec.size"), Some(&value!("big")), "fields without a gate are kept");
    let owners =
        ordain_value::json::encode_string(at(&made, "metadata.managedFields").expect("owners"));
    assert!(!owners.contains("f:priority"), "a dropped field has no owner: {owners}");
    let on = World::with(&api, "WidgetPriority=true").await;
    let body = object("Widget", "a", value!({"priority": 5}));
    let made = on.create("widgets", body).await.expect("created");
    assert_eq!(at(&made, "spec.priority"), Some(&Value::Int(5)));
    let refused = on.create("widgets", object("Widget", "b", value!({"priority": 5000}))).await;
    assert_eq!(refused.expect_err("too much").code, Some(422));
}

#[tokio::test]
async fn gated_fields_in_use_stay_when_the_gate_goes_off() {
    let api = widgets();
    let world = World::with(&api, "WidgetPriority=true").await;
    let body = object("Widget", "a", value!({"priority": 5}));
    world.create("widgets", body).await.expect("created");
    // The same store under a server whose gate is off.
    let mut gates = Gates::default();
    gates.register_declared(&api);
    world.registry.serve_declared(build(&api, &Arc::new(gates)).expect("builds"));
    let written = world.patch("widgets", "a", value!({"spec": {"priority": 6}})).await;
    assert_eq!(at(&written.expect("patched"), "spec.priority"), Some(&Value::Int(6)));
    let written = world.patch("widgets", "a", value!({"spec": {"priority": null}})).await;
    assert_eq!(at(&written.expect("patched"), "spec.priority"), None);
    let written = world.patch("widgets", "a", value!({"spec": {"priority": 7}})).await;
    assert_eq!(at(&written.expect("patched"), "spec.priority"), None, "no longer in use");
}

#[tokio::test]
async fn zero_values_are_stripped_before_defaulting() {
    let world = World::with(&widgets(), "").await;
    let body = object("Widget", "a", value!({"size": "", "paused": false, "replicas": 0}));
    let made = world.create("widgets", body).await.expect("created");
    assert_eq!(at(&made, "spec.size"), Some(&value!("medium")), "an empty string is none");
    assert_eq!(at(&made, "spec.paused"), None);
    assert_eq!(at(&made, "spec.replicas"), Some(&Value::Int(0)), "a pointer holds its zero");
}

#[tokio::test]
async fn declarative_defaults_can_be_switched_off() {
    let world = World::with(&widgets(), "DeclarativeDefaults=false").await;
    let made = world.create("widgets", object("Widget", "a", value!({}))).await.expect("created");
    assert_eq!(at(&made, "spec.size"), None);
}

#[tokio::test]
async fn declared_rules_refuse_with_their_own_words() {
    let world = World::with(&widgets(), "").await;
    let refused = world.create("widgets", object("Widget", "a", value!({"replicas": 11}))).await;
    let status = refused.expect_err("too many");
    assert_eq!(status.code, Some(422));
    assert!(status.message.contains("must be less than or equal to 10"), "{}", status.message);
}

#[tokio::test]
async fn custom_error_texts_take_the_place_of_the_usual_ones() {
    let world = World::with(&widgets(), "").await;
    let body = object("Widget", "a", value!({"color": "turquoise"}));
    let status = world.create("widgets", body).await.expect_err("too long");
    assert!(
        status.message.contains("spec.color: Forbidden: five letters are enough"),
        "{}",
        status.message
    );
}

#[tokio::test]
async fn the_formats_of_the_proposal_are_checked() {
    let world = World::with(&widgets(), "").await;
    let body = object("Widget", "a", value!({"label": "1up"}));
    let status = world.create("widgets", body).await.expect_err("no label");
    assert!(status.message.contains("spec.label: Invalid value"), "{}", status.message);
    let body = object("Widget", "a", value!({"label": "up"}));
    world.create("widgets", body).await.expect("a label");
}

#[tokio::test]
async fn declared_warnings_are_given_to_those_who_set_the_field() {
    let world = World::with(&widgets(), "").await;
    let (made, warnings) =
        world.create_warned("widgets", object("Widget", "a", value!({"old": "x"}))).await;
    made.expect("created");
    assert_eq!(warnings, ["spec.old: old, use size"]);
    let (made, warnings) = world.create_warned("widgets", object("Widget", "b", value!({}))).await;
    made.expect("created");
    assert!(warnings.is_empty(), "{warnings:?}");
}

#[tokio::test]
async fn hooks_add_to_what_is_declared() {
    let api = widgets();
    let kind = api.kinds[0].clone();
    let config = Config {
        default: Some(Arc::new(|object: &mut Value| {
            if object.get_path(&["spec", "label"]).is_none() {
                object.set_path(&["spec", "label"], value!("hooked"));
            }
        })),
        validate: Some(Arc::new(|object: &Value, _: &Caller<'_>| {
            let mut errors = ErrorList::new();
            if object.get_path(&["spec", "size"]).and_then(Value::as_str) == Some("odd") {
                errors.push(Error::forbidden(&Path::new("spec.size"), "no odd sizes"));
            }
            errors.into()
        })),
        warnings_on_create: Some(Arc::new(|_: &Value, _: &Caller<'_>| vec!["welcome".to_owned()])),
        prepare_for_create: Some(Arc::new(|object: &mut Value, _: &Caller<'_>| {
            object.set_path(&["metadata", "labels"], value!({"made": "here"}));
        })),
        prepare_for_update: Some(Arc::new(|object: &mut Value, old: &Value, _: &Caller<'_>| {
            if let Some(size) = old.get_path(&["spec", "size"]).cloned() {
                object.set_path(&["metadata", "annotations"], value!({"was": (size)}));
            }
        })),
        status: StatusConfig {
            validate_update: Some(Arc::new(|object: &Value, _: &Value, _: &Caller<'_>| {
                let count = object.get_path(&["status", "count"]).and_then(Value::as_int);
                let mut errors = ErrorList::new();
                if count == Some(13) {
                    errors.push(Error::forbidden(&Path::new("status.count"), "unlucky"));
                }
                errors.into()
            })),
            ..StatusConfig::default()
        },
        name_generator: Some(Arc::new(|_, base: &str| format!("{base}made").into())),
        ..Config::default()
    };
    let world = World::with_resource(&api, "", Resource::new(kind).config(config)).await;
    let mut body = object("Widget", "", value!({}));
    body.set_path(&["metadata"], value!({"generateName": "w-", "namespace": "default"}));
    let (made, warnings) = world.create_warned("widgets", body).await;
    let made = made.expect("created");
    assert_eq!(warnings, ["welcome"]);
    assert_eq!(at(&made, "metadata.name"), Some(&value!("w-made")));
    assert_eq!(at(&made, "spec.label"), Some(&value!("hooked")));
    assert_eq!(at(&made, "metadata.labels.made"), Some(&value!("here")));
    let status = world
        .create("widgets", object("Widget", "x", value!({"size": "odd"})))
        .await
        .expect_err("odd");
    assert!(status.message.contains("no odd sizes"), "{}", status.message);
    let written = world.patch("widgets", "w-made", value!({"spec": {"size": "big"}})).await;
    let written = written.expect("patched");
    assert_eq!(at(&written, "metadata.annotations.was"), Some(&value!("medium")));
    let mut body = written;
    body.set_path(&["status"], value!({"count": 13}));
    let status = world.update_part("widgets", Part::Status, body).await.expect_err("unlucky");
    assert!(status.message.contains("unlucky"), "{}", status.message);
}

#[tokio::test]
async fn a_delete_strategy_grants_time() {
    let api = widgets();
    let resource = Resource::new(api.kinds[0].clone()).delete_strategy(Arc::new(GracePeriod(30)));
    let world = World::with_resource(&api, "", resource).await;
    world.create("widgets", object("Widget", "a", value!({}))).await.expect("created");
    let deleted = world.delete("widgets", "a", &DeleteOptions::default()).await.expect("deleted");
    let Deleted::Marked(marked) = deleted else { panic!("it waits: {deleted:?}") };
    assert_eq!(at(&marked, "metadata.deletionGracePeriodSeconds"), Some(&Value::Int(30)));
    assert_eq!(at(&marked, "metadata.generation"), Some(&Value::Int(2)));
    let longer = DeleteOptions { grace_period_seconds: Some(60), ..DeleteOptions::default() };
    let deleted = world.delete("widgets", "a", &longer).await.expect("deleted");
    let Deleted::Marked(marked) = deleted else { panic!("it waits: {deleted:?}") };
    assert_eq!(at(&marked, "metadata.deletionGracePeriodSeconds"), Some(&Value::Int(30)));
    let now = DeleteOptions { grace_period_seconds: Some(0), ..DeleteOptions::default() };
    let deleted = world.delete("widgets", "a", &now).await.expect("deleted");
    assert!(matches!(deleted, Deleted::Gone(_)), "{deleted:?}");
}

#[tokio::test]
async fn versions_of_a_kind_share_their_objects() {
    let fields = "\tSpec Spec `json:\"spec\"`";
    let spec = "type Spec struct {\n\t// +optional\n\tSize string `json:\"size,omitempty\"`\n}\n";
    let v1 = format!("{}{spec}", kind("Widget", fields));
    let v2 = format!("// +kubebuilder:storageversion\n{}{spec}", kind("Widget", fields));
    let world = World::with(&api_of(&[("v1", &v1), ("v2", &v2)]), "").await;
    let body = object("Widget", "a", value!({"size": "big"}));
    let made = world.create("widgets", body).await.expect("created");
    assert_eq!(at(&made, "apiVersion"), Some(&value!("shop.example.com/v1")));
    let target = world.target_in("widgets", "v2", "a");
    let read = world.registry.get(&target, "").await.expect("read");
    assert_eq!(at(&read, "apiVersion"), Some(&value!("shop.example.com/v2")));
    assert_eq!(at(&read, "spec.size"), Some(&value!("big")));
}

#[tokio::test]
async fn name_formats_count_on_create() {
    let body = "type Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\t// +nameFormat='dns1035label'\n\tmetav1.ObjectMeta `json:\"metadata,omitempty,omitzero\"`\n}\n";
    let world = World::with(&api(body), "").await;
    let mut widget = object("Widget", "1up", value!({}));
    widget.remove_path(&["spec"]);
    let status = world.create("widgets", widget.clone()).await.expect_err("no label");
    assert!(status.message.contains("metadata.name: Invalid value"), "{}", status.message);
    widget.set_path(&["metadata", "name"], value!("up"));
    world.create("widgets", widget).await.expect("a label");
}

#[test]
fn a_kind_whose_validator_cannot_be_built_is_named_with_the_reason() {
    let gates = Arc::new(Gates::default());
    let body = kind("Widget", "\tSpec Spec `json:\"spec\"`")
        + "// +validationRule=\"self.nothing > 1\"\ntype Spec struct {\n\t// +optional\n\tSize int32 `json:\"size,omitempty\"`\n}\n";
    let error = build(&api(&body), &gates).expect_err("the rule does not compile");
    assert_eq!(error.kind, "Widget.shop.example.com/v1");
    assert!(error.reason.contains("types.go:") && error.reason.contains("self.nothing"), "{error}");
    let body = kind(
        "Widget",
        "\t// +pattern=\"(\"\n\t// +optional\n\tName string `json:\"name,omitempty\"`",
    );
    let error = build(&api(&body), &gates).expect_err("the pattern does not compile");
    assert!(error.reason.contains("pattern"), "{error}");
}

#[test]
fn extensions_are_stripped_from_what_is_published_when_the_gate_is_off() {
    let api = widgets();
    let shown = |gates: &str| {
        let mut known = Gates::default();
        known.register_declared(&api);
        known.set_from(gates).expect("gates");
        let configs = build(&api, &Arc::new(known)).expect("builds");
        let published = configs[0].strategy.published("v1", Options::V3).expect("published");
        let definitions: ordain_value::Map = published.definitions.into_iter().collect();
        ordain_value::json::encode_string(&Value::Map(definitions))
    };
    let on = shown("");
    assert!(
        on.contains("x-kubernetes-strip-zero") && on.contains("x-kubernetes-validation-errors")
    );
    let off = shown("DeclarativeValidationExtensionsInOpenAPI=false");
    assert!(!off.contains("x-kubernetes-strip-zero") && !off.contains("validation-errors"));
}

#[test]
fn rules_of_k8s_tags_are_published_as_keywords_while_the_gate_is_on() {
    let body = kind("Widget", "\tSpec Spec `json:\"spec\"`")
        + "type Spec struct {\n\t// +k8s:optional\n\t// +k8s:maximum=7\n\tSize *int32 `json:\"size,omitempty\"`\n\t// +k8s:optional\n\t// +k8s:eachVal=+k8s:maxLength=5\n\tWords []string `json:\"words,omitempty\"`\n\t// +k8s:optional\n\tOthers []string `json:\"others,omitempty\"`\n\t// +k8s:optional\n\t// +k8s:unionMember\n\tA *string `json:\"a,omitempty\"`\n\t// +k8s:optional\n\t// +k8s:unionMember\n\tB *string `json:\"b,omitempty\"`\n}\n";
    let api = api(&body);
    let spec = |gates: &str, options: Options| {
        let mut known = Gates::default();
        known.register_declared(&api);
        known.set_from(gates).expect("gates");
        let configs = build(&api, &Arc::new(known)).expect("builds");
        let published = configs[0].strategy.published("v1", options).expect("published");
        let found = published.definitions.iter().find(|(name, _)| name.ends_with(".Spec"));
        found.expect("the spec").1.clone()
    };
    let on = spec("", Options::V3);
    let at = |path: &[&str]| on.get_path(path).cloned();
    assert_eq!(at(&["properties", "size", "maximum"]), Some(Value::Int(7)));
    assert_eq!(at(&["properties", "words", "items", "maxLength"]), Some(Value::Int(5)));
    assert_eq!(at(&["properties", "others", "items", "maxLength"]), None);
    let required = |name: &str| value!({"required": [(name)]});
    assert_eq!(at(&["oneOf"]), Some(value!([(required("a")), (required("b"))])));
    assert_eq!(spec("", Options::V2).get("oneOf"), None, "version 2 has no such word");
    let off = spec("DeclarativeValidationExtensionsInOpenAPI=false", Options::V3);
    assert_eq!(off.get_path(&["properties", "size", "maximum"]), None);
    assert_eq!(off.get("oneOf"), None);
}

#[tokio::test]
async fn a_changed_declaration_is_refused_when_it_would_break_stored_objects() {
    let old = widgets();
    let world = World::with(&old, "").await;
    let body = object("Widget", "a", value!({"color": "red", "replicas": 9}));
    world.create("widgets", body).await.expect("created");
    let text = |limit: &str, color: &str| {
        kind(
            "Widget",
            "\tSpec WidgetSpec `json:\"spec\"`\n\tStatus WidgetStatus `json:\"status,omitzero\"`",
        ) + &format!(
            "type WidgetSpec struct {{\n\t// +default=\"medium\"\n\t// +optional\n\tSize string `json:\"size,omitempty\"`\n\t// +k8s:optional\n\t// +k8s:maximum={limit}\n\tReplicas *int32 `json:\"replicas,omitempty\"`\n{color}}}\n\ntype WidgetStatus struct {{\n\t// +optional\n\tCount int32 `json:\"count,omitempty\"`\n}}\n"
        )
    };
    let color = "\t// +optional\n\tColor string `json:\"color,omitempty\"`\n";
    let tighter = api(&text("5", color));
    let reload = world.registry.reload_types(&old, &tighter, false).await.expect("reload");
    assert!(!reload.applied && reload.broken[0].contains("default/a"), "{reload:?}");
    let without = api(&text("10", ""));
    let reload = world.registry.reload_types(&old, &without, false).await.expect("reload");
    assert!(!reload.applied && reload.broken[0].contains("spec.color"), "{reload:?}");
    let fine = api(&text("20", color));
    let reload = world.registry.reload_types(&old, &fine, false).await.expect("reload");
    assert!(reload.applied, "{reload:?}");
    let said: Vec<String> = reload.changes.iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|it| it.contains("spec.priority: field is gone")), "{said:?}");
    let body = object("Widget", "b", value!({"replicas": 15}));
    world.create("widgets", body).await.expect("the new limit is in force");
    let reload = world.registry.reload_types(&fine, &Api::default(), false).await.expect("reload");
    assert!(!reload.applied && reload.broken[0].contains("its kind is gone"), "{reload:?}");
    let reload = world.registry.reload_types(&fine, &Api::default(), true).await.expect("reload");
    assert!(reload.applied);
    assert!(world.registry.catalog().get("shop.example.com", "widgets").is_none());
}

#[test]
fn a_new_field_without_a_gate_is_told() {
    let spec = |more: &str| {
        kind("Widget", "\tSpec Spec `json:\"spec\"`")
            + &format!(
                "type Spec struct {{\n\t// +optional\n\tA string `json:\"a,omitempty\"`\n{more}}}\n"
            )
    };
    let old = api(&spec(""));
    let plain = api(&spec("\t// +optional\n\tB string `json:\"b,omitempty\"`\n"));
    let gated = api(&spec(
        "\t// +k8s:featureGate=WidgetB\n\t// +optional\n\tB string `json:\"b,omitempty\"`\n",
    ));
    let reported = |new: &Api| {
        let changes = ordain_schema::changes::changes(&old, new);
        let found = ordain_schema::changes::ungated_fields(&changes);
        found.iter().map(|it| it.path.clone()).collect::<Vec<_>>()
    };
    assert_eq!(reported(&plain), ["spec.b"]);
    assert!(reported(&gated).is_empty());
}

#[tokio::test]
async fn types_that_contain_themselves_are_served() {
    let body = kind("Widget", "\tSpec Node `json:\"spec\"`")
        + "// +validationRule=\"!has(self.left) || self.left.weight <= self.weight\",message=\"the left one is lighter\"\ntype Node struct {\n\t// +default=1\n\t// +maximum=100\n\tWeight *int32 `json:\"weight,omitempty\"`\n\t// +optional\n\tLeft *Node `json:\"left,omitempty\"`\n\t// +listType=map\n\t// +listMapKey=name\n\t// +optional\n\tMany []Named `json:\"many,omitempty\"`\n}\n\ntype Named struct {\n\tName string `json:\"name\"`\n\tInner Inner `json:\"inner\"`\n}\n\ntype Inner struct {\n\t// +optional\n\tNode *Node `json:\"node,omitempty\"`\n}\n";
    let world = World::with(&api(&body), "").await;
    let spec = value!({"weight": 9, "left": {"weight": 8, "left": {}}, "many": [{"name": "a"}]});
    let made = world.create("widgets", object("Widget", "a", spec)).await.expect("created");
    assert_eq!(at(&made, "spec.left.left.weight"), Some(&Value::Int(1)), "defaults go down");
    let spec = value!({"left": {"left": {"weight": 101}}});
    let status = world.create("widgets", object("Widget", "b", spec)).await.expect_err("too much");
    assert!(status.message.contains("spec.left.left.weight"), "{}", status.message);
    let spec = value!({"weight": 2, "left": {"weight": 1, "left": {"weight": 7}}});
    let status = world.create("widgets", object("Widget", "b", spec)).await.expect_err("heavier");
    assert!(status.message.contains("the left one is lighter"), "{}", status.message);
    let applied = object("Widget", "a", value!({"left": {"left": {"weight": 5}}}));
    let applied = world.apply("widgets", "a", "applier", applied).await.expect("applied");
    assert_eq!(at(&applied, "spec.left.left.weight"), Some(&Value::Int(5)));
}
