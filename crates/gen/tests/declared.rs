//! Tags that controller-gen does not read reach definitions: as keywords, as CEL, or as an error.

use ordain_gen::crd::{self, Options};
use ordain_gen::openapi;
use ordain_idl::{Loader, MemorySource, Universe};
use ordain_value::{Value, json};

fn universe(body: &str) -> Universe {
    let text = format!(
        "// +groupName=shop.example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n{body}"
    );
    let source = MemorySource::new().with("v1/types.go", text);
    Loader::new(&source).package_as("v1", "example.com/v1").load()
}

/// A kind whose spec has these fields.
fn kind(spec: &str) -> String {
    format!(
        "// +kubebuilder:object:root=true\ntype Widget struct {{\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\tSpec Spec `json:\"spec\"`\n}}\n\ntype Spec struct {{\n{spec}}}\n"
    )
}

fn spec(body: &str) -> Value {
    let universe = universe(body);
    let made = crd::generate(&universe, &Options::default());
    let reported: Vec<String> =
        made.diagnostics.iter().map(|it| universe.locate(it).to_string()).collect();
    assert!(!made.has_errors(), "{reported:#?}");
    let crd = &made.files.first().expect("a definition").crd;
    let version = crd.get_path(&["spec", "versions"]).and_then(Value::as_list).expect("versions");
    let path = ["schema", "openAPIV3Schema", "properties", "spec"];
    version[0].get_path(&path).expect("spec").clone()
}

fn field(spec: &Value, name: &str) -> String {
    json::encode_string(spec.get_path(&["properties", name]).expect("field"))
}

#[test]
fn limits_formats_and_rules_of_all_families_hold_together() {
    let spec = spec(&kind(
        "\t// +kubebuilder:validation:Maximum=50\n\t// +maximum=9\n\t// +k8s:minimum=2\n\tA int32 `json:\"a\"`\n\
         \t// +maxLength=5\n\t// +pattern=^a\n\tB string `json:\"b\"`\n\
         \t// +format=dns1035label\n\tC string `json:\"c\"`\n\
         \t// +k8s:maxItems=3\n\t// +k8s:eachVal=+k8s:maxLength=4\n\t// +listType=atomic\n\tD []string `json:\"d\"`\n\
         \t// +k8s:format=k8s-short-name\n\tE string `json:\"e\"`\n\
         \t// +k8s:neq=\"x\"\n\tF string `json:\"f\"`\n\
         \t// +validationRule=\"self > 1\",message=\"more\",reason=Forbidden\n\tG int32 `json:\"g\"`\n",
    ));
    assert_eq!(field(&spec, "a"), r#"{"format":"int32","maximum":9,"minimum":2,"type":"integer"}"#);
    assert_eq!(field(&spec, "b"), r#"{"maxLength":5,"pattern":"^a","type":"string"}"#);
    assert_eq!(
        field(&spec, "c"),
        r#"{"type":"string","x-kubernetes-validations":[{"message":"must have the format dns1035label","rule":"!format.dns1035Label().validate(self).hasValue()"}]}"#
    );
    assert_eq!(
        field(&spec, "d"),
        r#"{"items":{"maxLength":4,"type":"string"},"maxItems":3,"type":"array","x-kubernetes-list-type":"atomic"}"#
    );
    assert_eq!(field(&spec, "e"), r#"{"format":"k8s-short-name","type":"string"}"#);
    assert_eq!(
        field(&spec, "f"),
        r#"{"type":"string","x-kubernetes-validations":[{"rule":"self != \"x\""}]}"#
    );
    assert_eq!(
        field(&spec, "g"),
        r#"{"format":"int32","type":"integer","x-kubernetes-validations":[{"message":"more","reason":"FieldValueForbidden","rule":"self \u003e 1"}]}"#
    );
}

#[test]
fn rules_between_fields_and_unions_become_cel_on_their_struct() {
    let spec = spec(
        &(kind(
            "\t// +immutable\n\tA string `json:\"a,omitempty\"`\n\
             \t// +k8s:optional\n\t// +k8s:update=NoUnset\n\tB *string `json:\"b,omitempty\"`\n\
             \t// +unionDiscriminator\n\t// +required\n\tType Type `json:\"type\"`\n\
             \t// +unionMember\n\t// +optional\n\tFast *string `json:\"fast,omitempty\"`\n\
             \t// +unionMember,optional\n\t// +optional\n\tSlow *string `json:\"slow,omitempty\"`\n",
        ) + "\n// +enum\ntype Type string\n\nconst (\n\tFast Type = \"Fast\"\n\tSlow Type = \"Slow\"\n)\n"),
    );
    let rules = spec.get("x-kubernetes-validations").and_then(Value::as_list).expect("rules");
    let texts: Vec<&str> =
        rules.iter().filter_map(|it| it.get("rule").and_then(Value::as_str)).collect();
    assert_eq!(
        texts,
        [
            "has(self.a) == has(oldSelf.a) && (!has(self.a) || self.a == oldSelf.a)",
            "has(self.fast) == (has(self.type) && self.type == \"Fast\")",
            "!has(self.slow) || (has(self.type) && self.type == \"Slow\")",
            "!has(oldSelf.b) || has(self.b)",
        ]
    );
}

#[test]
fn what_a_definition_cannot_say_is_an_error_with_the_way_out_or_a_warning() {
    let body = kind(
        "\t// +k8s:featureGate=Young\n\t// +optional\n\tA string `json:\"a,omitempty\"`\n\
         \t// +k8s:ifEnabled(Young)=+k8s:maxLength=3\n\tB string `json:\"b\"`\n\
         \t// +k8s:alpha=+k8s:maxLength=3\n\tC string `json:\"c\"`\n",
    );
    let universe = universe(&body);
    let reported = |options: &Options| -> Vec<String> {
        let made = crd::generate(&universe, options);
        made.diagnostics.iter().map(|it| universe.locate(it).to_string()).collect()
    };
    assert_eq!(
        reported(&Options::default()),
        [
            "v1/types.go:14:6: error: tag `+k8s:featureGate` cannot be expressed in a CustomResourceDefinition (help: schemas have no gates: serve the types themselves; --allow-loss leaves the tag out)",
            "v1/types.go:17:28: error: tag `+k8s:ifEnabled` cannot be expressed in a CustomResourceDefinition (help: serve the types themselves, or write a `+validationRule`; --allow-loss leaves the tag out)",
        ]
    );
    let allowed = reported(&Options { allow_loss: true, ..Options::default() });
    assert!(allowed.len() == 2 && allowed.iter().all(|it| it.contains("warning:")), "{allowed:?}");
}

#[test]
fn one_of_markers_are_written_as_the_named_release_writes_them() {
    let body = kind("\tA *string `json:\"a,omitempty\"`\n\tB *string `json:\"b,omitempty\"`\n")
        .replace("type Spec", "// +kubebuilder:validation:ExactlyOneOf=a;b\ntype Spec");
    let universe = universe(&body);
    let text = |version: Option<&str>| {
        let controller_gen_version = version.map(Into::into);
        let made =
            crd::generate(&universe, &Options { controller_gen_version, ..Options::default() });
        json::encode_string(&made.files.first().expect("a definition").crd)
    };
    let old = "[has(self.a),has(self.b)].filter(x,x==true).size() == 1";
    let new = "(has(self.a)?1:0)+(has(self.b)?1:0) == 1";
    let earlier = text(Some("v0.20.1"));
    assert!(earlier.contains(old) && !earlier.contains(new), "{earlier}");
    assert_eq!(earlier.matches("exactly one of the fields").count(), 1, "{earlier}");
    assert!(text(Some("v0.22.0")).contains(new));
    assert!(text(None).contains(new));
}

#[test]
fn enums_of_a_type_and_of_a_field_are_written_as_the_named_release_writes_them() {
    let body = kind("\t// +kubebuilder:validation:Enum=A;B\n\tMode Mode `json:\"mode\"`\n")
        + "\n// +kubebuilder:validation:Enum=A;B\ntype Mode string\n";
    let universe = universe(&body);
    let mode = |version: &str| {
        let controller_gen_version = Some(version.into());
        let made =
            crd::generate(&universe, &Options { controller_gen_version, ..Options::default() });
        let crd = &made.files.first().expect("a definition").crd;
        let path = ["schema", "openAPIV3Schema", "properties", "spec", "properties", "mode"];
        let versions = crd.get_path(&["spec", "versions"]).and_then(Value::as_list);
        json::encode_string(versions.expect("versions")[0].get_path(&path).expect("mode"))
    };
    let both = r#"{"allOf":[{"enum":["A","B"]},{"enum":["A","B"]}],"type":"string"}"#;
    assert_eq!(mode("v0.19.0"), both);
    assert_eq!(mode("v0.21.0"), r#"{"enum":["A","B"],"type":"string"}"#);
}

#[test]
fn one_tag_about_changes_does_not_make_a_package_another_style() {
    let spec = "\t// +immutable\n\tName string `json:\"name\"`\n\t// +kubebuilder:default=a\n\t// +kubebuilder:validation:MaxLength=9\n\tMode string `json:\"mode\"`\n";
    let made = self::spec(&kind(spec));
    // As controller-gen has it: a default does not make a field optional.
    assert_eq!(made.get("required"), Some(&Value::from(vec!["mode".into(), "name".into()])));
}

#[test]
fn defaults_that_upstream_sets_in_code_are_not_written() {
    let body = kind(
        "\t// +default=1\n\tA *int32 `json:\"a,omitempty\"`\n\t// +default=2\n\t// +unpublishedDefault\n\tB *int32 `json:\"b,omitempty\"`\n",
    );
    let made = crd::generate(&universe(&body), &Options::default());
    let text = json::encode_string(&made.files.first().expect("a definition").crd);
    assert!(text.contains("\"default\":1") && !text.contains("\"default\":2"), "{text}");
}

/// The definition of a spec in an OpenAPI document.
fn published(body: &str, options: openapi::Options) -> Value {
    let universe = universe(body);
    let made = openapi::generate(&universe, options);
    let reported: Vec<String> =
        made.diagnostics.iter().map(|it| universe.locate(it).to_string()).collect();
    assert!(!made.has_errors(), "{reported:#?}");
    let found = made.definitions.iter().find(|(name, _)| name.ends_with(".Spec"));
    Value::Map(found.expect("a definition").1.schema.clone())
}

#[test]
fn documents_have_the_limits_and_rules_of_tags_unless_they_are_to_be_as_openapi_gens() {
    let body = kind(
        "\t// +maximum=9\n\t// +k8s:minimum=2\n\tA int32 `json:\"a\"`\n\
         \t// +format=dns1035label\n\tC string `json:\"c\"`\n\
         \t// +k8s:maxItems=3\n\t// +k8s:eachVal=+k8s:maxLength=4\n\t// +listType=atomic\n\tD []string `json:\"d\"`\n\
         \t// +immutable\n\t// +optional\n\tE string `json:\"e,omitempty\"`\n",
    );
    let all = openapi::Options { untagged: true, ..openapi::Options::default() };
    let spec = published(&body, openapi::Options { declared: true, ..all });
    assert_eq!(
        field(&spec, "a"),
        r#"{"default":0,"format":"int32","maximum":9,"minimum":2,"type":"integer"}"#
    );
    assert_eq!(field(&spec, "c"), r#"{"default":"","format":"dns1035label","type":"string"}"#);
    assert_eq!(
        field(&spec, "d"),
        r#"{"items":{"default":"","maxLength":4,"type":"string"},"maxItems":3,"type":"array","x-kubernetes-list-type":"atomic"}"#
    );
    let rules = spec.get("x-kubernetes-validations").and_then(Value::as_list).expect("rules");
    assert_eq!(rules.len(), 1);
    let plain = published(&body, all);
    assert_eq!(field(&plain, "a"), r#"{"default":0,"format":"int32","type":"integer"}"#);
    assert_eq!(plain.get("x-kubernetes-validations"), None);
}

#[test]
fn values_of_a_discriminator_that_ask_for_nothing_leave_a_rule_that_compiles() {
    let spec = spec(
        &(kind(
            "\t// +k8s:discriminator\n\tType string `json:\"type\"`\n\
             \t// +k8s:optional\n\t// +k8s:member(\"Queue\")=+k8s:optional\n\
             \t// +k8s:member(\"Reject\")=+k8s:required\n\tLimit *string `json:\"limit,omitempty\"`\n",
        )),
    );
    let rules = json::encode_string(spec.get("x-kubernetes-validations").expect("rules"));
    let asked = r#"(has(self.type) \u0026\u0026 self.type == \"Queue\") ? (true) : (has(self.type) \u0026\u0026 self.type == \"Reject\") ? (has(self.limit)) : !has(self.limit)"#;
    assert!(rules.contains(asked), "{rules}");
}

#[test]
fn a_key_that_two_families_of_tags_name_is_one_key() {
    let spec = spec(
        &(kind(
            "\t// +listType=map\n\t// +listMapKey=name\n\t// +k8s:listType=map\n\t// +k8s:listMapKey=name\n\
             \t// +optional\n\tItems []Item `json:\"items,omitempty\"`\n",
        ) + "\ntype Item struct {\n\tName string `json:\"name\"`\n}\n"),
    );
    let keys = spec.get_path(&["properties", "items", "x-kubernetes-list-map-keys"]);
    assert_eq!(keys.map(json::encode_string).as_deref(), Some(r#"["name"]"#));
}

#[test]
fn documents_say_in_words_what_no_keyword_says() {
    let body = kind(
        "\t// A name.\n\t// +k8s:ifEnabled(Young)=+k8s:maxLength=3\n\tB string `json:\"b\"`\n\
         \t// +k8s:opaqueType\n\t// +k8s:optional\n\tC *Other `json:\"c,omitempty\"`\n",
    ) + "\ntype Other struct {\n\t// +k8s:maxLength=3\n\t// +k8s:optional\n\tD string `json:\"d,omitempty\"`\n}\n";
    let all = openapi::Options { untagged: true, declared: true, ..openapi::Options::default() };
    let spec = published(&body, all);
    let reported = spec.get_path(&["properties", "b", "description"]).and_then(Value::as_str);
    let words = "A name. While the feature `Young` is on, must have at most 3 characters.";
    assert_eq!(reported, Some(words));
}

#[test]
fn kinds_of_the_core_group_have_no_definition() {
    let text = "package v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\nconst GroupName = \"\"\n\n\
                type Widget struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n";
    let source = MemorySource::new().with("v1/types.go", text);
    let universe = Loader::new(&source).package_as("v1", "example.com/v1").load();
    let made = crd::generate(&universe, &Options::default());
    let reported: Vec<String> =
        made.diagnostics.iter().map(|it| universe.locate(it).to_string()).collect();
    assert!(!made.has_errors() && made.files.is_empty(), "{reported:?}");
    assert!(
        reported.iter().any(|it| it.contains("core group has no CustomResourceDefinitions")),
        "{reported:?}"
    );
    // Who compares schemas gets them all the same.
    let made = crd::generate(&universe, &Options { core_group: true, ..Options::default() });
    let names: Vec<Option<&Value>> =
        made.files.iter().map(|it| it.crd.get_path(&["spec", "names", "kind"])).collect();
    assert_eq!(names, [Some(&Value::from("Widget"))]);
}

#[test]
fn a_list_type_without_a_list_is_a_warning_in_packages_that_kubernetes_publishes() {
    let text = |doc: &str| {
        format!(
            "// +groupName=shop.example.com\n{doc}package v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n{}",
            kind(
                "\t// +listType=atomic\n\t// +optional\n\tName string `json:\"name,omitempty\"`\n"
            )
        )
    };
    let severity = |doc: &str| {
        let source = MemorySource::new().with("v1/types.go", text(doc));
        let universe = Loader::new(&source).package_as("v1", "example.com/v1").load();
        let made = crd::generate(&universe, &Options::default());
        let found = made.diagnostics.iter().find(|it| it.message.contains("must apply listType"));
        (made.has_errors(), found.is_some())
    };
    assert_eq!(severity(""), (true, true));
    assert_eq!(severity("// +k8s:openapi-gen=true\n"), (false, true));
}

#[test]
fn a_discriminator_that_servers_infer_may_be_absent_in_definitions() {
    let spec = spec(
        &(kind(
            "\t// +unionDiscriminator\n\t// +unionInferred\n\t// +optional\n\tType Type `json:\"type,omitempty\"`\n\
             \t// +unionMember\n\t// +optional\n\tA *int32 `json:\"a,omitempty\"`\n\
             \t// +unionMember,optional\n\t// +optional\n\tB *int32 `json:\"b,omitempty\"`\n",
        ) + "// +enum\ntype Type string\n\nconst (\n\tTypeA Type = \"A\"\n\tTypeB Type = \"B\"\n\tTypeNone Type = \"\"\n)\n"),
    );
    let rules = spec.get("x-kubernetes-validations").and_then(Value::as_list).expect("rules");
    let rules: Vec<&str> =
        rules.iter().filter_map(|it| it.get("rule").and_then(Value::as_str)).collect();
    assert_eq!(
        rules,
        [
            "[has(self.a), has(self.b)].filter(set, set).size() <= 1",
            "!has(self.a) || !has(self.type) || self.type in [\"\", \"A\"]",
            "has(self.a) || !has(self.type) || self.type != \"A\"",
            "!has(self.b) || !has(self.type) || self.type in [\"\", \"B\"]",
        ]
    );
}
