//! Unions (KEP-1027) over the dimensions of its text: which fields change, discriminated or not,
//! client aware or not, server aware or not, optional or required; by create, update, patch and
//! apply, from declared kinds and from definitions.

mod matrix;
mod world;

use matrix::{Row, declaration, definition_of, shown, state, table};
use ordain_registry::PatchType;
use ordain_schema::declared::Api;
use ordain_value::{Value, json, value};
use world::{World, api, kind, object};

/// A union of three members.
fn widgets(optional: bool) -> Api {
    let need = if optional { "optional" } else { "required" };
    let words = ["discriminated", need, "new", "new", "create", "", "", ""].map(str::to_owned);
    let [union, need, server, client, verb, stored, means, comes] = words;
    api(&declaration(&Row { union, need, server, client, verb, stored, means, comes }))
}

/// Plays a row against a world that serves the union.
async fn play(world: &World, row: &Row) -> String {
    let means = state(&row.means);
    let outcome = if row.verb == "create" {
        world.create("widgets", object("Widget", "w", means)).await
    } else {
        let stored = object("Widget", "w", state(&row.stored));
        let before = world.create("widgets", stored).await.expect("stored");
        match row.verb.as_str() {
            "update" => world.update("widgets", row.replacement(&before)).await,
            "patch" => world.patch("widgets", "w", value!({"spec": (means)})).await,
            "json" => {
                let patch = row.json_patch(&before);
                world.patch_with("widgets", "w", PatchType::Json, &patch).await
            }
            "apply" => world.apply("widgets", "w", "applier", object("Widget", "w", means)).await,
            other => panic!("no verb {other}"),
        }
    };
    match outcome {
        Ok(object) => {
            let read = world.get("widgets", "w").await.expect("reading works");
            assert_eq!(read.get("spec"), object.get("spec"));
            shown(&object)
        }
        Err(status) => format!("!{}", status.message),
    }
}

#[tokio::test]
async fn the_matrix_of_the_proposal_comes_out_as_it_says() {
    let mut wrong = Vec::new();
    let rows = table();
    assert!(rows.len() >= 100, "{}", rows.len());
    for row in &rows {
        let world = World::with(&api(&declaration(row)), "").await;
        wrong.extend(row.differs(&play(&world, row).await));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn the_matrix_comes_out_the_same_for_definitions() {
    let mut wrong = Vec::new();
    for row in table().iter().filter(|it| it.union != "plain") {
        let world = World::new("APIUnions=true").await;
        world.define(&definition_of(row)).await.expect("defined");
        wrong.extend(row.differs(&play(&world, row).await));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn cleared_members_lose_their_owners() {
    for verb in ["update", "patch", "apply"] {
        let world = World::with(&widgets(true), "").await;
        let stored = object("Widget", "w", state("FieldA a=1"));
        world.apply("widgets", "w", "first", stored).await.expect("applied");
        let made = world.get("widgets", "w").await.expect("read");
        let written = match verb {
            "update" => {
                let mut body = made.clone();
                body.set_path(&["spec"], state("FieldB a=1 b=2"));
                world.update("widgets", body).await
            }
            "patch" => world.patch("widgets", "w", value!({"spec": (state("FieldB b=2"))})).await,
            _ => {
                let second = object("Widget", "w", state("FieldB b=2"));
                world.apply("widgets", "w", "second", second).await
            }
        }
        .unwrap_or_else(|status| panic!("{verb}: {}", status.message));
        assert_eq!(shown(&written), "FieldB b=2", "{verb}");
        let owners = written.get_path(&["metadata", "managedFields"]).expect("owners");
        let owners = json::encode_string(owners);
        assert!(!owners.contains("f:fieldA"), "{verb}: {owners}");
        assert!(owners.contains("f:fieldB"), "{verb}: {owners}");
    }
}

#[tokio::test]
async fn unions_in_lists_are_correlated_by_their_keys() {
    let text = kind("Widget", "\tSpec Spec `json:\"spec\"`")
        + "// +enum\ntype Which string\n\nconst (\n\tA Which = \"FieldA\"\n\tB Which = \"FieldB\"\n)\n\ntype Spec struct {\n\t// +listType=map\n\t// +listMapKey=name\n\t// +optional\n\tParts []Part `json:\"parts,omitempty\"`\n}\n\ntype Part struct {\n\tName string `json:\"name\"`\n\t// +unionDiscriminator\n\t// +required\n\tType Which `json:\"type\"`\n\t// +unionMember\n\t// +optional\n\tFieldA *int32 `json:\"fieldA,omitempty\"`\n\t// +unionMember\n\t// +optional\n\tFieldB *int32 `json:\"fieldB,omitempty\"`\n}\n";
    let world = World::with(&api(&text), "").await;
    let parts = value!({"parts": [
        {"name": "x", "type": "FieldA", "fieldA": 1},
        {"name": "y", "type": "FieldB", "fieldB": 2}
    ]});
    let made = world.create("widgets", object("Widget", "w", parts)).await.expect("created");
    let mut body = made.clone();
    // The items change places; only `x` changes its discriminator, and only it is normalized.
    body.set_path(
        &["spec", "parts"],
        value!([
            {"name": "y", "type": "FieldB", "fieldB": 2},
            {"name": "x", "type": "FieldB", "fieldA": 1, "fieldB": 3}
        ]),
    );
    let written = world.update("widgets", body).await.expect("updated");
    let expected = value!([
        {"name": "y", "type": "FieldB", "fieldB": 2},
        {"name": "x", "type": "FieldB", "fieldB": 3}
    ]);
    assert_eq!(written.get_path(&["spec", "parts"]), Some(&expected));
}

#[tokio::test]
async fn several_unions_in_a_struct_do_not_disturb_each_other() {
    let text = kind("Widget", "\tSpec Spec `json:\"spec\"`")
        + "// +enum\ntype Left string\n\nconst (\n\tLeftA Left = \"FieldA\"\n\tLeftB Left = \"FieldB\"\n)\n\n// +enum\ntype Right string\n\nconst (\n\tRightC Right = \"FieldC\"\n\tRightD Right = \"FieldD\"\n)\n\ntype Spec struct {\n\t// +unionDiscriminator\n\t// +required\n\tLeft Left `json:\"left\"`\n\t// +unionDiscriminator\n\t// +required\n\tRight Right `json:\"right\"`\n\t// +unionMember\n\t// +unionDiscriminatedBy=Left\n\t// +optional\n\tFieldA *int32 `json:\"fieldA,omitempty\"`\n\t// +unionMember\n\t// +unionDiscriminatedBy=Left\n\t// +optional\n\tFieldB *int32 `json:\"fieldB,omitempty\"`\n\t// +unionMember\n\t// +unionDiscriminatedBy=Right\n\t// +optional\n\tFieldC *int32 `json:\"fieldC,omitempty\"`\n\t// +unionMember\n\t// +unionDiscriminatedBy=Right\n\t// +optional\n\tFieldD *int32 `json:\"fieldD,omitempty\"`\n}\n";
    let world = World::with(&api(&text), "").await;
    let spec = value!({"left": "FieldA", "fieldA": 1, "right": "FieldC", "fieldC": 2});
    world.create("widgets", object("Widget", "w", spec)).await.expect("created");
    let patch = value!({"spec": {"left": "FieldB", "fieldB": 3}});
    let written = world.patch("widgets", "w", patch).await.expect("patched");
    let expected = value!({"left": "FieldB", "fieldB": 3, "right": "FieldC", "fieldC": 2});
    assert_eq!(written.get("spec"), Some(&expected));
}

#[tokio::test]
async fn unions_without_a_discriminator_are_never_normalized() {
    let text = kind("Widget", "\tSpec Spec `json:\"spec\"`")
        + "type Spec struct {\n\t// +k8s:optional\n\t// +k8s:unionMember\n\tFieldA *int32 `json:\"fieldA,omitempty\"`\n\t// +k8s:optional\n\t// +k8s:unionMember\n\tFieldB *int32 `json:\"fieldB,omitempty\"`\n}\n";
    let world = World::with(&api(&text), "").await;
    let spec = value!({"fieldA": 1});
    world.create("widgets", object("Widget", "w", spec)).await.expect("created");
    let both = world.patch("widgets", "w", value!({"spec": {"fieldB": 2}})).await;
    let status = both.expect_err("two members");
    assert!(status.message.contains("must specify exactly one of"), "{}", status.message);
    let other = value!({"spec": {"fieldA": null, "fieldB": 2}});
    world.patch("widgets", "w", other).await.expect("one member");
}

#[tokio::test]
async fn an_object_that_has_become_invalid_can_be_read_and_is_ratcheted() {
    // Stored while the gate was off, so that nothing was checked.
    let api = widgets(true);
    let world = World::with(&api, "APIUnions=false").await;
    let wrong = object("Widget", "w", state("FieldA a=1 b=2"));
    world.create("widgets", wrong).await.expect("markers do nothing when the gate is off");
    let mut gates = ordain_registry::gates::Gates::default();
    gates.register_declared(&api);
    let configs = ordain_registry::declared::build(&api, &std::sync::Arc::new(gates));
    world.registry.serve_declared(configs.expect("builds"));
    world.get("widgets", "w").await.expect("reading always works");
    let written = world.patch("widgets", "w", value!({"spec": {"other": "x"}})).await;
    written.expect("what was wrong in the same way before is let pass");
    let worse = world.patch("widgets", "w", value!({"spec": {"fieldC": 3}})).await;
    assert!(worse.is_err(), "what is wrong in another way is not");
    let fixed = world.patch("widgets", "w", value!({"spec": {"type": "FieldB"}})).await;
    assert_eq!(shown(&fixed.expect("fixed")), "FieldB b=2");
}

#[tokio::test]
async fn markers_stay_published_when_the_gate_is_off() {
    let api = widgets(true);
    for gates in ["", "APIUnions=false"] {
        let world = World::with(&api, gates).await;
        let target = world.target("widgets", "");
        let options = ordain_schema::publish::Options::V3;
        let published = target.resource.strategy.published("v1", options).expect("published");
        let text: String = published.definitions.values().map(json::encode_string).collect();
        assert!(text.contains("x-kubernetes-unions"), "{gates}: {text}");
    }
}

fn definition() -> Value {
    matrix::definition(value!({
        "type": "object",
        "properties": {
            "type": {
                "type": "string",
                "enum": ["FieldA", "FieldB", "Empty"],
                "x-kubernetes-unions": {"fieldMembers": {
                    "FieldA": {"name": "fieldA"},
                    "FieldB": {"name": "fieldB", "optional": true},
                    "Empty": null
                }}
            },
            "fieldA": {"type": "integer"},
            "fieldB": {"type": "integer"}
        }
    }))
}

#[tokio::test]
async fn definitions_declare_unions_behind_the_gate() {
    let off = World::new("").await;
    let made = off.define(&definition()).await.expect("defined");
    assert!(!json::encode_string(&made).contains("x-kubernetes-unions"), "an unknown field");
    let both = object("Widget", "w", state("FieldA a=1 b=2"));
    off.create("widgets", both.clone()).await.expect("nothing is checked");
    let on = World::new("APIUnions=true").await;
    let made = on.define(&definition()).await.expect("defined");
    assert!(json::encode_string(&made).contains("x-kubernetes-unions"));
    let status = on.create("widgets", both).await.expect_err("two members");
    assert!(status.message.contains("must specify at most one of"), "{}", status.message);
    let one = object("Widget", "w", state("FieldA a=1"));
    on.create("widgets", one).await.expect("created");
    let patch = value!({"spec": (state("FieldB b=2"))});
    let written = on.patch("widgets", "w", patch).await.expect("patched");
    assert_eq!(shown(&written), "FieldB b=2");
}

#[tokio::test]
async fn a_definition_with_a_wrong_union_is_refused() {
    let world = World::new("APIUnions=true").await;
    let mut crd = definition();
    let text = json::encode_string(&crd).replace("\"name\":\"fieldA\"", "\"name\":\"nothing\"");
    crd = json::decode(text.as_bytes()).expect("JSON");
    let status = world.define(&crd).await.expect_err("no such member");
    assert!(status.message.contains("must be a property of the same object"), "{}", status.message);
}

/// A definition whose object has these properties, one of them a discriminator.
fn union_of(properties: Value, required: Value) -> Value {
    value!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.shop.example.com"},
        "spec": {
            "group": "shop.example.com",
            "scope": "Namespaced",
            "names": {"plural": "things", "kind": "Thing"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {
                    "type": "object",
                    "properties": {"spec": {
                        "type": "object", "required": (required), "properties": (properties)
                    }}
                }}
            }]
        }
    })
}

#[tokio::test]
async fn definitions_with_ambiguous_unions_are_refused_with_the_place() {
    let member = |name: &str| value!({"name": (name), "optional": false});
    let kind = |members: Value| {
        value!({
            "type": "string", "enum": ["A", "B", "None"],
            "x-kubernetes-unions": {"fieldMembers": (members)}
        })
    };
    let field = value!({"type": "string"});
    let good = kind(value!({"A": (member("a")), "B": (member("b")), "None": null}));
    let mut open = good.clone();
    if let Value::Map(map) = &mut open {
        map.remove("enum");
    }
    let fields = |ty: Value| value!({"type": (ty), "a": (field.clone()), "b": (field.clone())});
    let none = value!([]);
    let cases = [
        ("right", fields(good.clone()), none.clone(), ""),
        ("no enum", fields(open), none.clone(), "must list its values in enum"),
        (
            "a member twice",
            fields(kind(value!({"A": (member("a")), "B": (member("a")), "None": null}))),
            none.clone(),
            "Duplicate value: \"a\"",
        ),
        (
            "the discriminator as a member",
            fields(kind(value!({"A": (member("type")), "None": null}))),
            none.clone(),
            "must not be the discriminator itself",
        ),
        (
            "a member of two unions",
            value!({
                "type": (good.clone()), "zone": (good.clone()),
                "a": (field.clone()), "b": (field.clone())
            }),
            none.clone(),
            "must not be a member of the union of `type` as well",
        ),
        (
            "absence without a meaning",
            fields(kind(value!({"A": (member("a")), "B": (member("b"))}))),
            none,
            "must be required, or have a default or a value without a member",
        ),
        (
            "the same, required",
            fields(kind(value!({"A": (member("a")), "B": (member("b"))}))),
            value!(["type"]),
            "",
        ),
    ];
    for (name, properties, required, words) in cases {
        let world = World::new("APIUnions=true").await;
        let outcome = world.define(&union_of(properties, required)).await;
        match (outcome, words) {
            (Ok(_), "") => {}
            (Ok(_), _) => panic!("{name} is taken"),
            (Err(status), "") => panic!("{name} is refused: {}", status.message),
            (Err(status), words) => {
                let place = "openAPIV3Schema.properties[spec].properties[";
                let reported = status.message.contains(words) && status.message.contains(place);
                assert!(reported, "{name}: {}", status.message);
            }
        }
    }
}

#[tokio::test]
async fn a_kept_member_is_told_with_what_would_clear_it() {
    let world = World::with(&widgets(true), "").await;
    let stored = object("Widget", "w", value!({"type": "FieldB", "fieldB": 2}));
    let before = world.create("widgets", stored).await.expect("stored");
    let mut echo = before.clone();
    echo.set_path(&["spec"], value!({"type": "FieldB"}));
    let (written, warnings) = world.update_warned("widgets", echo).await;
    assert_eq!(written.expect("written").get("spec"), before.get("spec"));
    assert_eq!(
        warnings,
        ["spec.fieldB: kept, since the discriminator of its union still selects it; a patch or \
             another value of the discriminator clears it"]
    );
}
