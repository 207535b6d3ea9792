//! Extensions of KEP-4153 in definitions: each behind a gate of its own, and while that is off an
//! unknown field as in kube-apiserver.

mod matrix;
mod world;

use ordain_meta::KubeVersion;
use ordain_registry::DeleteOptions;
use ordain_schema::declared::Api;
use ordain_value::{Value, json, value};
use world::{World, api, kind, object};

/// A definition whose spec has one property.
fn definition(property: Value) -> Value {
    matrix::definition(value!({"type": "object", "properties": {"size": (property)}}))
}

async fn create(world: &World, size: Value) -> Result<Value, String> {
    let made = world.create("widgets", object("Widget", "w", value!({"size": (size)}))).await;
    made.map(|it| it.get_path(&["spec", "size"]).cloned().unwrap_or_default())
        .map_err(|status| status.message)
}

#[tokio::test]
async fn zero_values_of_custom_resources_are_stripped_behind_the_gate() {
    let property = value!({"type": "string", "default": "medium", "x-kubernetes-strip-zero": true});
    let off = World::new("").await;
    let made = off.define(&definition(property.clone())).await.expect("defined");
    assert!(!json::encode_string(&made).contains("strip-zero"), "an unknown field is dropped");
    assert_eq!(create(&off, value!("")).await, Ok(value!("")), "kube-apiserver keeps it");
    let on = World::new("CRDStripZero=true").await;
    let made = on.define(&definition(property)).await.expect("defined");
    assert!(json::encode_string(&made).contains("x-kubernetes-strip-zero"));
    assert_eq!(create(&on, value!("")).await, Ok(value!("medium")));
    let wrong = definition(value!({"type": "string", "x-kubernetes-strip-zero": "yes"}));
    let status = World::new("CRDStripZero=true").await.define(&wrong).await.expect_err("no bool");
    assert!(status.message.contains("must be true or false"), "{}", status.message);
}

#[tokio::test]
async fn custom_error_texts_of_custom_resources_stand_behind_the_gate() {
    let errors =
        value!({"maxLength": {"message": "four letters are enough", "reason": "Forbidden"}});
    let property =
        value!({"type": "string", "maxLength": 4, "x-kubernetes-validation-errors": (errors)});
    let off = World::new("").await;
    off.define(&definition(property.clone())).await.expect("defined");
    let words = create(&off, value!("large")).await.expect_err("too long");
    assert!(words.contains("spec.size: Too long: may not be more than 4 bytes"), "{words}");
    let on = World::new("CRDValidationErrors=true").await;
    on.define(&definition(property)).await.expect("defined");
    let words = create(&on, value!("large")).await.expect_err("too long");
    assert!(words.contains("spec.size: Forbidden: four letters are enough"), "{words}");
    for (errors, words) in [
        (value!({"maxLenght": {"message": "x"}}), "is no keyword of schemas"),
        (value!({"maxLength": {}}), "the text of the error"),
        (value!({"maxLength": {"message": "x", "reason": "Because"}}), "Unsupported value"),
        (value!("text"), "must be a map of keywords to texts"),
    ] {
        let wrong =
            definition(value!({"type": "string", "x-kubernetes-validation-errors": (errors)}));
        let world = World::new("CRDValidationErrors=true").await;
        let status = world.define(&wrong).await.expect_err("wrong");
        assert!(status.message.contains(words), "{words}: {}", status.message);
    }
}

#[tokio::test]
async fn rules_under_quantifiers_of_custom_resources_stand_behind_the_gate() {
    let rule = |text: &str| value!({"x-kubernetes-validations": [{"rule": (text)}]});
    let branches = vec![rule("self > 10"), rule("self < 0")];
    let property = value!({"type": "integer", "anyOf": (branches)});
    let off = World::new("").await;
    let status = off.define(&definition(property.clone())).await.expect_err("refused");
    assert!(
        status.message.contains("anyOf[0].x-kubernetes-validations: Forbidden"),
        "{}",
        status.message
    );
    let on = World::new("CRDRulesInQuantifiers=true").await;
    on.define(&definition(property)).await.expect("defined");
    assert_eq!(create(&on, value!(11)).await, Ok(value!(11)));
    let words = create(&on, value!(5)).await.expect_err("neither branch");
    assert!(words.contains("spec.size"), "{words}");
}

#[tokio::test]
async fn markers_that_were_stored_do_nothing_when_the_gate_goes_off() {
    let property = value!({"type": "string", "default": "medium", "x-kubernetes-strip-zero": true});
    let on = World::new("CRDStripZero=true").await;
    on.define(&definition(property)).await.expect("defined");
    let off = on.restarted("").await;
    assert_eq!(create(&off, value!("")).await, Ok(value!("")), "nothing is stripped");
    let target = off.definition_target("widgets.shop.example.com");
    let read = off.registry.get(&target, "").await.expect("read");
    assert!(json::encode_string(&read).contains("strip-zero"), "the marker stays");
    // Neither a replacement nor a patch that does not mean it takes the marker out.
    let mut echoed = read;
    echoed.set_path(&["metadata", "labels"], value!({"a": "b"}));
    let (written, warnings) = off.redefine(&echoed).await;
    let written = json::encode_string(&written.expect("replaced"));
    assert!(written.contains("strip-zero"), "kept where it was stored");
    assert!(warnings.is_empty(), "{warnings:?}");
    // Another marker is new, and unknown.
    let texts = r#""default":"medium","x-kubernetes-validation-errors":{"maxLength":{}}"#;
    let text = written.replace(r#""default":"medium""#, texts);
    let (written, warnings) = off.redefine(&json::decode(text.as_bytes()).expect("JSON")).await;
    let written = json::encode_string(&written.expect("replaced"));
    assert!(written.contains("strip-zero") && !written.contains("validation-errors"));
    assert!(warnings[0].starts_with("unknown field \"spec.versions[0]"), "{warnings:?}");
    let on = off.restarted("CRDStripZero=true").await;
    on.delete("widgets", "w", &DeleteOptions::default()).await.expect("deleted");
    assert_eq!(create(&on, value!("")).await, Ok(value!("medium")), "in force again");
}

#[tokio::test]
async fn functions_of_declared_kinds_stand_behind_a_gate_in_definitions() {
    let rules = [
        "self.name.isFormat('dns1123label')",
        "ip(self.address).is4() && !ip(self.address).is6()",
        "cidr(self.range).overlaps(cidr('10.0.0.0/8'))",
        "utf8.isValid(self.name) && utf8.isPrint(self.name) && !utf8.isControl(self.name)",
        "self.selector.matchesLabels(self.labels)",
    ];
    let property = |rule: &str, message: &str| {
        let text = value!({"type": "string", "maxLength": 20});
        let labels = value!({"type": "object", "maxProperties": 5,
            "additionalProperties": {"type": "string", "maxLength": 20}});
        let expression = value!({"type": "object", "required": ["key", "operator"], "properties": {
            "key": (text.clone()), "operator": (text.clone()),
            "values": {"type": "array", "maxItems": 5, "items": (text.clone())}}});
        let selector = value!({"type": "object", "properties": {
            "matchLabels": (labels.clone()),
            "matchExpressions": {"type": "array", "maxItems": 5, "items": (expression)}}});
        value!({"type": "object", "properties": {"name": (text.clone()), "address": (text.clone()),
            "range": (text), "labels": (labels), "selector": (selector)},
            "x-kubernetes-validations": [{"rule": (rule), "messageExpression": (message)}]})
    };
    let good = value!({"name": "a", "address": "1.2.3.4", "range": "10.1.0.0/16",
        "labels": {"app": "web"}, "selector": {"matchExpressions": [
            {"key": "app", "operator": "In", "values": ["web", "db"]}]}});
    let bad = value!({"name": "A\u{7}", "address": "::1", "range": "192.168.0.0/16",
        "labels": {"app": "cache"}, "selector": {"matchLabels": {"app": "web"}}});
    for rule in rules {
        let definition = definition(property(rule, "'no: ' + self.name"));
        let off = World::new("").await;
        let status = off.define(&definition).await.expect_err("kube-apiserver does not know it");
        assert!(status.message.contains("compilation failed"), "{rule}: {}", status.message);
        let on = World::new("CRDRuleFunctions=true").await;
        on.define(&definition).await.expect(rule);
        assert_eq!(create(&on, good.clone()).await.as_ref(), Ok(&good), "{rule}");
        let words = create(&on, bad.clone()).await.expect_err(rule);
        assert!(words.contains("no: A"), "{rule}: {words}");
        // What was stored while the gate was on goes on to hold.
        let off = on.restarted("").await;
        create(&off, bad.clone()).await.expect_err(rule);
    }
    let reported = definition(property(
        "self.name.isFormat('dns1123label')",
        "self.name.validateFormat('dns1123label')",
    ));
    let on = World::new("CRDRuleFunctions=true").await;
    on.define(&reported).await.expect("the text's example of a message");
    let words = create(&on, bad).await.expect_err("no label");
    assert!(words.contains("a lowercase RFC 1123 label must consist of"), "{words}");
}

const BEFORE: KubeVersion = KubeVersion::new(1, 35);
const NEXT: KubeVersion = KubeVersion::new(1, 37);

async fn put(world: &World, name: &str, size: &str, other: &str) -> Result<(), String> {
    let mut body = world.get("widgets", name).await.expect("stored");
    body.set_path(&["spec"], value!({"size": (size), "other": (other)}));
    world.update("widgets", body).await.map(|_| ()).map_err(|status| status.message)
}

#[tokio::test]
async fn a_new_format_is_stored_by_one_release_and_enforced_by_the_next() {
    let property = value!({"type": "string", "format": "dns1123label"});
    let properties = value!({"size": (property), "other": {"type": "string"}});
    let definition = matrix::definition(value!({"type": "object", "properties": (properties)}));
    let now = World::new("").await;
    let (made, warnings) = now.define_warned(&definition).await;
    let made = made.expect("defined");
    assert_eq!(warnings, ["unrecognized format \"dns1123label\""]);
    assert!(json::encode_string(&made).contains("dns1123label"), "it is kept");
    assert_eq!(create(&now, value!("Not A Label")).await, Ok(value!("Not A Label")));

    let next = now.emulating(&Api::default(), NEXT).await;
    let (again, warnings) = next.define_warned(&definition).await;
    again.expect_err("there already");
    assert!(warnings.is_empty(), "{warnings:?}");
    let words = world_create(&next, "x", "Not A Label").await.expect_err("enforced");
    assert!(words.contains("spec.size in body must be of type dns1123label"), "{words}");
    put(&next, "w", "Not A Label", "changed").await.expect("what was there may stay");
    put(&next, "w", "Not Either", "changed").await.expect_err("a new value is judged");

    let down = next.emulating(&Api::default(), KubeVersion::CURRENT).await;
    world_create(&down, "y", "Not A Label").await.expect("no longer enforced");
    let read = down.registry.get(&down.definition_target("widgets.shop.example.com"), "").await;
    assert!(json::encode_string(&read.expect("read")).contains("dns1123label"), "still kept");
}

async fn world_create(world: &World, name: &str, size: &str) -> Result<Value, String> {
    let made = world.create("widgets", object("Widget", name, value!({"size": (size)}))).await;
    made.map_err(|status| status.message)
}

#[tokio::test]
async fn declared_kinds_only_store_a_format_until_their_release_enforces_it() {
    let fields = "\tSpec WidgetSpec `json:\"spec\"`";
    let spec = "type WidgetSpec struct {\n\t// +format=dns1123label\n\t// +optional\n\tSize string `json:\"size,omitempty\"`\n\t// +optional\n\tOther string `json:\"other,omitempty\"`\n}\n";
    let api = api(&(kind("Widget", fields) + spec));
    let before = World::new("").await.emulating(&api, BEFORE).await;
    world_create(&before, "w", "Not A Label").await.expect("only stored");
    let now = before.emulating(&api, KubeVersion::CURRENT).await;
    world_create(&now, "x", "Not A Label").await.expect_err("enforced");
    put(&now, "w", "Not A Label", "changed").await.expect("what was there may stay");
    put(&now, "w", "Not Either", "changed").await.expect_err("a new value is judged");
    let down = now.emulating(&api, BEFORE).await;
    world_create(&down, "y", "Not A Label").await.expect("no longer enforced");
    put(&down, "w", "Nor This", "again").await.expect("nor on update");
}
