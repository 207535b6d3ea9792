//! Every kind that a server brings, and the example kinds, keep the conventions; deviations are in
//! one reviewed file.

#[path = "../../registry/tests/world/mod.rs"]
mod world;

use ordain_conventions::{
    BUILT_IN_EXCEPTIONS, Verdict, exceptions, is_granted, review, run, run_with,
};
use ordain_registry::Caller;
use ordain_registry::declared::Resource;
use ordain_registry::strategy::Config;
use ordain_value::{Value, value};
use std::sync::Arc;
use world::{World, api, api_of, kind, object};

fn widgets() -> ordain_schema::declared::Api {
    api(&(kind(
        "Widget",
        "\tSpec Spec `json:\"spec\"`\n\tStatus Status `json:\"status,omitzero\"`",
    ) + "type Spec struct {\n\t// +optional\n\t// +default=\"red\"\n\tColor string `json:\"color,omitempty\"`\n\t// +k8s:featureGate=WidgetPriority\n\t// +k8s:optional\n\t// +k8s:minimum=1\n\tPriority *int32 `json:\"priority,omitempty\"`\n\t// +optional\n\t// +pattern=\"^[a-z]+-[a-z]+$\"\n\tLabel string `json:\"label,omitempty\"`\n}\n\ntype Status struct {\n\t// +optional\n\tCount int32 `json:\"count,omitempty\"`\n}\n"))
}

#[tokio::test]
async fn every_kind_of_the_server_keeps_the_conventions_or_has_an_exception() {
    let world = World::with(&widgets(), "").await;
    let known = exceptions(BUILT_IN_EXCEPTIONS).expect("the reviewed file can be read");
    let report = run(&world.registry, &known).await;
    assert!(report.is_clean(), "{report}");
    let kinds: std::collections::BTreeSet<&str> =
        report.outcomes.iter().map(|it| it.kind.as_str()).collect();
    for wanted in ["ConfigMap", "Namespace", "Lease.coordination.k8s.io", "Widget.shop.example.com"]
    {
        assert!(kinds.contains(wanted), "{wanted} was looked at: {kinds:?}");
    }
    let widget: Vec<_> =
        report.outcomes.iter().filter(|it| it.kind == "Widget.shop.example.com").collect();
    assert!(widget.len() >= 12, "{widget:?}");
    let kept = widget.iter().filter(|it| it.verdict == Verdict::Kept).count();
    assert_eq!(kept, widget.len() - 1, "all but that of several versions: {report}");
}

#[tokio::test]
async fn a_kind_that_breaks_a_convention_is_found() {
    let api = widgets();
    let config = Config {
        // Hand-written preparation that undoes what the conventions do.
        prepare_for_update: Some(Arc::new(|object: &mut Value, _: &Value, _: &Caller<'_>| {
            object.set_path(&["metadata", "generation"], Value::Int(9));
        })),
        prepare_for_create: Some(Arc::new(|object: &mut Value, _: &Caller<'_>| {
            object.set_path(&["status"], value!({"count": 1}));
        })),
        drop_disabled_fields: Some(Arc::new(|object: &mut Value, _, _| {
            object.remove_path(&["spec", "label"]);
        })),
        ..Config::default()
    };
    let resource = Resource::new(api.kinds[0].clone()).config(config);
    let world = World::with_resource(&api, "", resource).await;
    let known = exceptions(BUILT_IN_EXCEPTIONS).expect("the reviewed file can be read");
    let report = run(&world.registry, &known).await;
    let broken: Vec<&str> = report
        .broken()
        .filter(|(it, _)| it.kind == "Widget.shop.example.com")
        .map(|(it, _)| it.rule)
        .collect();
    for rule in ["generation-on-spec", "status-cleared", "gated-fields"] {
        assert!(broken.contains(&rule), "{rule} is broken: {report}");
    }
}

#[tokio::test]
async fn exceptions_need_an_owner_and_a_reason_and_must_be_used() {
    assert!(exceptions("Widget.shop.example.com gated-fields sam").is_err());
    assert!(exceptions("Widget.shop.example.com no-such-rule sam because").is_err());
    let world = World::with(&widgets(), "").await;
    let text =
        BUILT_IN_EXCEPTIONS.to_owned() + "\nWidget.shop.example.com gated-fields sam because\n";
    let known = exceptions(&text).expect("readable");
    let report = run(&world.registry, &known).await;
    assert_eq!(report.unused.len(), 1, "{report}");
    assert!(!report.is_clean());
}

#[tokio::test]
async fn an_example_stands_in_where_rules_refuse_what_the_schema_gives() {
    let spec = "// +validationRule=\"self.a + self.b == 10\"\ntype Spec struct {\n\tA int32 `json:\"a\"`\n\tB int32 `json:\"b\"`\n}\n";
    let api = api(&(kind("Widget", "\tSpec Spec `json:\"spec\"`") + spec));
    let known = exceptions(BUILT_IN_EXCEPTIONS).expect("readable");
    let verdict = |report: &ordain_conventions::Report, rule: &str| {
        let found = report
            .outcomes
            .iter()
            .find(|it| it.kind == "Widget.shop.example.com" && it.rule == rule);
        found.map(|it| it.verdict.clone())
    };
    let world = World::with(&api, "").await;
    let report = run(&world.registry, &known).await;
    let alone = verdict(&report, "stub-validates");
    assert!(matches!(alone, Some(Verdict::Broken(_))), "{report}");
    let world = World::with(&api, "").await;
    let examples = [
        object("Widget", "one", value!({"a": 4, "b": 6})),
        object("Widget", "two", value!({"a": 1, "b": 9})),
    ];
    let report = run_with(&world.registry, &known, &examples).await;
    assert_eq!(verdict(&report, "stub-validates"), Some(Verdict::Kept), "{report}");
    assert_eq!(verdict(&report, "generation-on-spec"), Some(Verdict::Kept), "{report}");
}

#[tokio::test]
async fn versions_that_lose_fields_are_found() {
    let spec = |more: &str| {
        kind("Widget", "\tSpec Spec `json:\"spec\"`")
            + &format!(
                "type Spec struct {{\n\t// +optional\n\tA string `json:\"a,omitempty\"`\n{more}}}\n"
            )
    };
    let known = exceptions(BUILT_IN_EXCEPTIONS).expect("readable");
    for (tag, keeps) in [("", true), ("\t// +conversionName=-\n", false)] {
        let field = |tag: &str| format!("\t// +optional\n{tag}\tB string `json:\"b,omitempty\"`\n");
        let v1 = if keeps { spec(&field("")) } else { spec("") };
        let v2 = format!("// +kubebuilder:storageversion\n{}", spec(&field(tag)));
        let world = World::with(&api_of(&[("v1", &v1), ("v2", &v2)]), "").await;
        let report = run(&world.registry, &known).await;
        let broken: Vec<_> = report.broken().map(|(it, why)| (it.rule, why.to_owned())).collect();
        let expected = [("versions-round-trip", "spec.b is lost by a write in v1".to_owned())];
        assert_eq!(broken, if keeps { &[][..] } else { &expected[..] }, "{report}");
    }
}

#[tokio::test]
async fn a_new_field_without_a_gate_is_told_when_the_store_is_served_again() {
    let types = |fields: &str| {
        let spec = format!("type WidgetSpec struct {{\n{fields}}}\n");
        api(&(kind("Widget", "\tSpec WidgetSpec `json:\"spec\"`") + &spec))
    };
    let field = |name: &str, tags: &str| {
        let json = name.to_lowercase();
        format!("{tags}\t// +optional\n\t{name} *int32 `json:\"{json},omitempty\"`\n")
    };
    let first = types(&field("Size", ""));
    let gated = field("Weight", "\t// +k8s:featureGate=WidgetWeight\n");
    let second = types(&(field("Size", "") + &gated + &field("Height", "")));
    let world = World::with(&first, "").await;
    let reported = |found: Vec<ordain_registry::declarations::UngatedField>| {
        found.iter().map(|it| format!("{} {} {}", it.kind, it.version, it.path)).collect::<Vec<_>>()
    };
    let note = |api: ordain_schema::declared::Api| {
        let registry = &world.registry;
        async move { review(registry, &api, None).await.expect("noted") }
    };
    assert!(note(first.clone()).await.is_empty(), "nothing is new in an empty store");
    assert!(note(first.clone()).await.is_empty(), "nor in the same declaration");
    let found = note(second.clone()).await;
    let granted = exceptions("Widget.shop.example.com new-field-gated shop reviewed in 2026");
    assert!(found.iter().all(|it| is_granted(it, granted.as_deref().expect("a rule"))));
    assert_eq!(reported(found), ["Widget.shop.example.com v1 spec.height"]);
    assert!(note(second).await.is_empty(), "told once");
}

#[tokio::test]
async fn where_deviations_are_reviewed_a_new_field_without_a_gate_is_refused() {
    let types = |fields: &str| {
        let spec = format!("type WidgetSpec struct {{\n{fields}}}\n");
        api(&(kind("Widget", "\tSpec WidgetSpec `json:\"spec\"`") + &spec))
    };
    let field = |name: &str| {
        let json = name.to_lowercase();
        format!("\t// +optional\n\t{name} *int32 `json:\"{json},omitempty\"`\n")
    };
    let (first, second) = (types(&field("Size")), types(&(field("Size") + &field("Height"))));
    let world = World::with(&first, "").await;
    let reviewed = |api: ordain_schema::declared::Api, granted: &'static str| {
        let registry = &world.registry;
        let granted = exceptions(granted).expect("exceptions");
        async move { review(registry, &api, Some(&granted)).await }
    };
    assert_eq!(reviewed(first, "").await, Ok(Vec::new()));
    for _ in 0..2 {
        let refusal = reviewed(second.clone(), "").await.expect_err("a field without a gate");
        assert!(
            refusal.starts_with("Widget.shop.example.com v1 spec.height: new field"),
            "nothing was kept by the refusal before: {refusal}"
        );
    }
    let granted = "Widget.shop.example.com new-field-gated shop reviewed in 2026";
    assert_eq!(reviewed(second, granted).await, Ok(Vec::new()));
}
