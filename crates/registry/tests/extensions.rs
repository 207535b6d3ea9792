//! Extensions of KEP-4153 in definitions: each behind a gate of its own, and while that is off an
//! unknown field as in kube-apiserver.

mod matrix;
mod world;

use ordain_value::{Value, json, value};
use world::{World, object};

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
}
