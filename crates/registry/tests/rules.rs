//! Rules of declared kinds as the text of KEP-4153 writes them: over several lines, with every
//! reason, with messages of formats, and on metadata.

mod world;

use std::sync::Arc;

use ordain_registry::declared::build;
use ordain_registry::gates::Gates;
use ordain_schema::publish::Options;
use ordain_value::{Value, value};
use world::{World, api, object};

/// A kind with tags on its metadata and a spec with these fields.
fn kind(metadata: &str, spec: &str) -> String {
    format!(
        "type Widget struct {{\n\tmetav1.TypeMeta `json:\",inline\"`\n{metadata}\tmetav1.ObjectMeta `json:\"metadata,omitempty,omitzero\"`\n\n\tSpec Spec `json:\"spec\"`\n}}\n\ntype Spec struct {{\n{spec}}}\n"
    )
}

async fn refusal(world: &World, name: &str, spec: Value) -> String {
    match world.create("widgets", object("Widget", name, spec)).await {
        Ok(_) => String::new(),
        Err(status) => status.message,
    }
}

/// The text's own rules on ObjectMeta, as printed.
const ON_METADATA: &str = "\t// +validationRule=\"!has(self.name) || self.name.isFormat('dns1035label')\",field=\"name\"\n\t// +validationRule=\"!has(self.generateName) || self.generateName.replace('-$', 'a').isFormat('dns1123subdomain')\",field=\"generateName\"\n";

#[tokio::test]
async fn rules_on_the_metadata_of_a_kind_hold_and_are_published() {
    let api = api(&kind(ON_METADATA, ""));
    let world = World::with(&api, "").await;
    assert_eq!(refusal(&world, "abc", value!({})).await, "");
    let words = refusal(&world, "1abc", value!({})).await;
    assert!(words.contains("metadata.name") && words.contains("isFormat"), "{words}");
    let target = world.target("widgets", "");
    let published = target.resource.strategy.published("v1", Options::V3).expect("published");
    let root = published.definitions.get(&published.root).expect("root");
    let rules = root.get("x-kubernetes-validations").and_then(Value::as_list).expect("rules");
    assert_eq!(rules.len(), 2);
}

#[tokio::test]
async fn a_format_of_names_is_published() {
    let api = api(&kind("\t// +nameFormat=dns1035label\n", ""));
    let world = World::with(&api, "").await;
    assert!(refusal(&world, "1abc", value!({})).await.contains("metadata.name"));
    let target = world.target("widgets", "");
    let published = target.resource.strategy.published("v1", Options::V3).expect("published");
    let root = published.definitions.get(&published.root).expect("root");
    let rules = root.get("x-kubernetes-validations").and_then(Value::as_list).expect("rules");
    let first = rules[0].get("rule").and_then(Value::as_str);
    assert_eq!(
        first,
        Some("!has(self.metadata.name) || self.metadata.name.isFormat('dns1035label')")
    );
}

#[tokio::test]
async fn rules_go_over_several_lines_and_take_every_reason() {
    let spec = "\t// A size.\n\t// +validationRule=\"\"\"self < 10\n\t//   || self == 100\"\"\",\n\t//   message=\"below ten\",\n\t//   reason=Duplicate\n\tSize int32 `json:\"size\"`\n\
        \t// +validationRule=\"self.size() < 3\",reason=RequestEntityTooLarge,message=\"long\"\n\t// +optional\n\tLong string `json:\"long,omitempty\"`\n\
        \t// +validationRule=\"self == 'a'\",reason=NotSupported,message=\"other\"\n\t// +optional\n\tWord string `json:\"word,omitempty\"`\n";
    let api = api(&kind("", spec));
    let root = api.kinds[0].versions[0].schema.root_node();
    let schema = &api.kinds[0].versions[0].schema;
    let spec = schema.node(root.property("spec").expect("spec"));
    let size = schema.node(spec.property("size").expect("size"));
    assert_eq!(size.docs.as_ref().map(|it| it.description.as_str()), Some("A size."));
    let world = World::with(&api, "").await;
    assert_eq!(refusal(&world, "a", value!({"size": 100})).await, "");
    let words = refusal(&world, "b", value!({"size": 11, "long": "abc", "word": "b"})).await;
    assert!(words.contains("spec.size: Duplicate value"), "{words}");
    assert!(words.contains("spec.long: Too long"), "{words}");
    assert!(words.contains("spec.word: Unsupported value"), "{words}");
}

#[tokio::test]
async fn what_a_format_has_against_a_value_may_be_the_message() {
    let spec = "\t// +validationRule=\"self.isFormat('ipv6')\",messageExpression=\"self.validateFormat('ipv6')\"\n\tAddress string `json:\"address\"`\n";
    let world = World::with(&api(&kind("", spec)), "").await;
    assert_eq!(refusal(&world, "a", value!({"address": "::1"})).await, "");
    let words = refusal(&world, "b", value!({"address": "1.2.3.4"})).await;
    assert!(words.contains("does not match the ipv6 format"), "{words}");
}

#[tokio::test]
async fn an_override_may_loosen_what_a_shared_type_says() {
    let spec = "\t// +override(name)=+maxLength=5\n\tA Shared `json:\"a\"`\n\t// +optional\n\tB *Shared `json:\"b,omitempty\"`\n}\n\ntype Shared struct {\n\t// +maxLength=3\n\tName string `json:\"name\"`\n";
    let world = World::with(&api(&kind("", spec)), "").await;
    assert_eq!(refusal(&world, "a", value!({"a": {"name": "abcde"}})).await, "");
    let words = refusal(&world, "b", value!({"a": {"name": "a"}, "b": {"name": "abcde"}})).await;
    assert!(words.contains("spec.b.name") && !words.contains("spec.a"), "{words}");
}

#[test]
fn a_rule_that_may_cost_too_much_is_refused_at_its_place_with_the_bound_to_add() {
    let types = |bounds: &str| {
        let rule = "\t// +validationRule=\"self.all(a, self.exists(b, a == b))\"\n";
        let names = "\t// +optional\n\tNames []string `json:\"names,omitempty\"`\n";
        api(&kind("", &format!("{bounds}{rule}{names}")))
    };
    let gates = Arc::new(Gates::default());
    let error = build(&types(""), &gates).expect_err("an unbounded list in itself").to_string();
    assert!(
        error.contains("types.go:") && error.contains("may cost more than is granted"),
        "{error}"
    );
    assert!(error.contains("maxItems: ") && error.contains(" to spec.names"), "{error}");
    for bounds in ["\t// +maxItems=16\n", "\t// +listType=atomic\n\t// +k8s:maxItems=16\n"] {
        let bounds = bounds.to_owned() + "\t// +k8s:eachVal=+k8s:maxLength=64\n";
        build(&types(&bounds), &gates).expect("bounds of both families count");
    }
}

#[test]
fn a_default_that_its_own_field_refuses_stops_the_server() {
    let types = |tags: &str, ty: &str| {
        api(&kind("", &format!("{tags}\t// +optional\n\tA {ty} `json:\"a,omitempty\"`\n")))
    };
    let gates = Arc::new(Gates::default());
    for (tags, ty) in [
        ("\t// +default=\"b\"\n\t// +pattern=^a\n", "string"),
        ("\t// +default=5\n\t// +k8s:maximum=3\n", "*int32"),
        (
            "\t// +default=[\"long\"]\n\t// +k8s:listType=atomic\n\t// +k8s:eachVal=+k8s:maxLength=3\n",
            "[]string",
        ),
    ] {
        let error = build(&types(tags, ty), &gates).expect_err(tags).to_string();
        assert!(error.contains("the default ") && error.contains(" of `spec.a`"), "{error}");
        let right = tags.replace("\"b\"", "\"a\"").replace("=5", "=2").replace("long", "one");
        build(&types(&right, ty), &gates).expect("a default within its limits");
    }
}
