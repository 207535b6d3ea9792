//! Unions (KEP-1027) over the dimensions of its text: which fields change, discriminated or not,
//! client aware or not, server aware or not, optional or required; by create, update, patch and
//! apply, from declared kinds and from definitions.

mod world;

use ordain_schema::declared::Api;
use ordain_value::{Value, json, value};
use world::{World, api, kind, object};

/// A union of up to three members; the last one is new.
fn declaration(members: &[&str], optional: bool) -> Api {
    let mut text = kind("Widget", "\tSpec Spec `json:\"spec\"`");
    text.push_str("// +enum\ntype Which string\n\nconst (\n");
    for member in members {
        text.push_str(&format!("\tWhich{member} Which = \"Field{member}\"\n"));
    }
    if optional {
        text.push_str("\tWhichNone Which = \"\"\n");
    }
    text.push_str("\tWhichEmpty Which = \"Empty\"\n)\n\n");
    text.push_str(
        "type Spec struct {\n\t// +optional\n\tOther string `json:\"other,omitempty\"`\n",
    );
    text.push_str("\t// +unionDiscriminator\n");
    let tag = if optional { "optional" } else { "required" };
    text.push_str(&format!("\t// +{tag}\n\tType Which `json:\"type,omitempty\"`\n"));
    for member in members {
        let tag = if *member == "B" { "unionMember,optional" } else { "unionMember" };
        text.push_str(&format!(
            "\t// +{tag}\n\t// +optional\n\tField{member} *int32 `json:\"field{member},omitempty\"`\n"
        ));
    }
    text.push_str("}\n");
    api(&text)
}

/// `FieldA a=1` as a spec.
fn state(text: &str) -> Value {
    let mut spec = value!({});
    for word in text.split_whitespace() {
        match word.split_once('=') {
            Some((name, "null")) => spec.set_path(&[&long(name)], Value::Null),
            Some(("type", value)) => spec.set_path(&["type"], Value::from(value)),
            Some(("other", value)) => spec.set_path(&["other"], Value::from(value)),
            Some((name, value)) => {
                spec.set_path(&[&long(name)], Value::Int(value.parse().expect("a number")));
            }
            None => spec.set_path(&["type"], Value::from(word)),
        };
    }
    spec
}

fn long(name: &str) -> String {
    if name.len() == 1 { format!("field{}", name.to_uppercase()) } else { name.to_owned() }
}

/// What a spec says of its union, in the words of [`state`].
fn shown(spec: &Value) -> String {
    let mut words = Vec::new();
    if let Some(text) = spec.get("type").and_then(Value::as_str).filter(|it| !it.is_empty()) {
        words.push(text.to_owned());
    }
    for member in ["A", "B", "C"] {
        if let Some(number) = spec.get(&format!("field{member}")).and_then(Value::as_int) {
            words.push(format!("{}={number}", member.to_lowercase()));
        }
    }
    words.join(" ")
}

/// One row: dimensions, what is stored, what the client means to change, and what comes out.
/// A result that starts with `!` is a refusal with these words in it.
struct Row {
    /// `optional` or `required`
    union: &'static str,
    /// Whether the server knows the third member.
    server: &'static str,
    /// `new`, `old-typed` (drops what it does not know) or `old-raw` (keeps it).
    client: &'static str,
    verb: &'static str,
    stored: &'static str,
    means: &'static str,
    comes: &'static str,
}

macro_rules! rows {
    ($($union:literal $server:literal $client:literal $verb:literal: $stored:literal + $means:literal => $comes:literal;)*) => {
        vec![$(Row {
            union: $union, server: $server, client: $client, verb: $verb,
            stored: $stored, means: $means, comes: $comes,
        }),*]
    };
}

fn table() -> Vec<Row> {
    rows! {
        // Creates: nothing is cleared; the discriminator and its member must agree.
        "optional" "new" "new" "create": "" + "FieldA a=1" => "FieldA a=1";
        "optional" "new" "new" "create": "" + "FieldC c=1" => "FieldC c=1";
        "optional" "new" "new" "create": "" + "" => "";
        "optional" "new" "new" "create": "" + "type=" => "";
        "optional" "new" "new" "create": "" + "Empty" => "Empty";
        "optional" "new" "new" "create": "" + "FieldB" => "FieldB";
        "optional" "new" "new" "create": "" + "FieldA" => "!must be specified when `type` is \"FieldA\"";
        "optional" "new" "new" "create": "" + "FieldA a=1 b=2" => "!must specify at most one of";
        "optional" "new" "new" "create": "" + "a=1" => "!may only be specified when `type` is \"FieldA\"";
        "optional" "new" "new" "create": "" + "Empty a=1" => "!may only be specified when `type` is \"FieldA\"";
        "optional" "new" "new" "create": "" + "FieldZ" => "!Unsupported value: \"FieldZ\"";
        "required" "new" "new" "create": "" + "" => "!spec.type: Required value";
        "required" "new" "new" "create": "" + "FieldA a=1" => "FieldA a=1";
        "optional" "old" "old-typed" "create": "" + "FieldA a=1" => "FieldA a=1";
        // A member that the server does not know (cases 34 and 39): it fails loudly.
        "optional" "old" "new" "create": "" + "FieldC c=1" => "!Unsupported value: \"FieldC\"";
        "required" "old" "new" "create": "" + "FieldC c=1" => "!Unsupported value: \"FieldC\"";
        "optional" "old" "new" "update": "FieldA a=1" + "FieldC c=1 a=null" => "!Unsupported value: \"FieldC\"";
        "optional" "old" "new" "patch": "FieldA a=1" + "FieldC c=1 a=null" => "!Unsupported value: \"FieldC\"";
        "required" "old" "new" "patch": "FieldA a=1" + "FieldC c=1 a=null" => "!Unsupported value: \"FieldC\"";
        // Nothing of the union changes.
        "optional" "new" "new" "update": "FieldA a=1" + "other=x" => "FieldA a=1";
        "optional" "new" "new" "patch": "FieldC c=1" + "other=x" => "FieldC c=1";
        "optional" "new" "new" "apply": "FieldC c=1" + "other=x" => "FieldC c=1";
        "required" "new" "new" "update": "FieldA a=1" + "other=x" => "FieldA a=1";
        "optional" "old" "old-typed" "update": "FieldA a=1" + "other=x" => "FieldA a=1";
        // A client that does not know the member that is set echoes the object (cases 12 and 16).
        // What it does not know it cannot send; the unchanged discriminator tells on it.
        "optional" "new" "old-typed" "update": "FieldC c=1" + "other=x" => "!must be specified when `type` is \"FieldC\"";
        "required" "new" "old-typed" "update": "FieldC c=1" + "other=x" => "!must be specified when `type` is \"FieldC\"";
        "optional" "new" "old-raw" "update": "FieldC c=1" + "other=x" => "FieldC c=1";
        "optional" "new" "old-typed" "patch": "FieldC c=1" + "other=x" => "FieldC c=1";
        "optional" "new" "old-typed" "apply": "FieldC c=1" + "other=x" => "FieldC c=1";
        // An existing member changes its value.
        "optional" "new" "new" "update": "FieldA a=1" + "a=2" => "FieldA a=2";
        "optional" "new" "old-typed" "patch": "FieldA a=1" + "a=2" => "FieldA a=2";
        "required" "new" "new" "apply": "FieldA a=1" + "FieldA a=2" => "FieldA a=2";
        // Another member is set: the changed discriminator clears the others.
        "optional" "new" "new" "update": "FieldA a=1" + "FieldC c=1" => "FieldC c=1";
        "optional" "new" "new" "patch": "FieldA a=1" + "FieldC c=1" => "FieldC c=1";
        "optional" "new" "new" "apply": "FieldA a=1" + "FieldC c=1" => "FieldC c=1";
        "required" "new" "new" "patch": "FieldA a=1" + "FieldB b=2" => "FieldB b=2";
        "optional" "new" "new" "patch": "FieldA a=1" + "Empty" => "Empty";
        "optional" "new" "new" "patch": "FieldA a=1" + "FieldB" => "FieldB";
        "optional" "new" "new" "patch": "FieldA a=1" + "FieldC" => "!must be specified when `type` is \"FieldC\"";
        // A client sets a member it knows while one it does not know is set (cases 23 and 28).
        "optional" "new" "old-typed" "update": "FieldC c=1" + "FieldA a=1" => "FieldA a=1";
        "optional" "new" "old-raw" "update": "FieldC c=1" + "FieldA a=1" => "FieldA a=1";
        "optional" "new" "old-typed" "patch": "FieldC c=1" + "FieldA a=1" => "FieldA a=1";
        "optional" "new" "old-typed" "apply": "FieldC c=1" + "FieldA a=1" => "FieldA a=1";
        "required" "new" "old-raw" "update": "FieldC c=1" + "FieldA a=1" => "FieldA a=1";
        "required" "new" "old-raw" "patch": "FieldC c=1" + "FieldA a=1" => "FieldA a=1";
        // Members change and the discriminator does not: an error that says what to do.
        "optional" "new" "new" "update": "FieldA a=1" + "c=1" => "!change `type` as well";
        "optional" "new" "new" "patch": "FieldA a=1" + "b=1" => "!change `type` as well";
        "optional" "new" "new" "apply": "FieldA a=1" + "b=1" => "!change `type` as well";
        "optional" "new" "old-typed" "patch": "FieldC c=1" + "a=1" => "!change `type` as well";
        "required" "new" "new" "update": "FieldA a=1" + "c=1" => "!change `type` as well";
        "optional" "new" "new" "patch": "FieldA a=1" + "a=null" => "!must be specified when `type` is \"FieldA\"";
        "optional" "new" "new" "patch": "FieldB b=1" + "b=null" => "FieldB";
        // The union is cleared as a whole (cases 22 and 27), also by a client that does not know
        // the member that is set.
        "optional" "new" "new" "update": "FieldA a=1" + "type=" => "";
        "optional" "new" "old-raw" "update": "FieldC c=1" + "type=" => "";
        "optional" "new" "old-raw" "patch": "FieldC c=1" + "type=" => "";
        "optional" "new" "old-typed" "patch": "FieldC c=1" + "type=null" => "";
        "optional" "new" "old-typed" "update": "FieldC c=1" + "type=" => "";
        "required" "new" "old-raw" "patch": "FieldC c=1" + "type=" => "!spec.type: Required value";
        // A discriminator that nobody knows clears nothing and is refused.
        "optional" "new" "new" "patch": "FieldA a=1" + "FieldZ" => "!Unsupported value: \"FieldZ\"";
        // A union that was not set is set later.
        "optional" "new" "new" "patch": "" + "FieldA a=1" => "FieldA a=1";
        "optional" "new" "old-typed" "apply": "" + "FieldA a=1" => "FieldA a=1";
        "optional" "new" "new" "update": "Empty" + "FieldC c=3" => "FieldC c=3";
    }
}

/// What a client that knows only some members keeps of an object it read.
fn as_seen_by(client: &str, spec: &Value) -> Value {
    let mut seen = spec.clone();
    if client == "old-typed" {
        seen.remove_path(&["fieldC"]);
    }
    seen
}

fn merged(base: &Value, change: &Value) -> Value {
    let mut out = base.clone();
    for (key, value) in change.as_map().into_iter().flat_map(|it| it.iter()) {
        if value.is_null() {
            out.remove_path(&[key.as_str()]);
        } else {
            out.set_path(&[key.as_str()], value.clone());
        }
    }
    out
}

async fn play(row: &Row) -> String {
    let members: &[&str] = if row.server == "new" { &["A", "B", "C"] } else { &["A", "B"] };
    let world = World::with(&declaration(members, row.union == "optional"), "").await;
    let means = state(row.means);
    let outcome = if row.verb == "create" {
        world.create("widgets", object("Widget", "w", means)).await
    } else {
        let stored = object("Widget", "w", state(row.stored));
        let before = world.create("widgets", stored).await.expect("stored");
        match row.verb {
            "update" => {
                let mut body = before.clone();
                let spec = as_seen_by(row.client, before.get("spec").expect("spec"));
                body.set_path(&["spec"], merged(&spec, &means));
                world.update("widgets", body).await
            }
            "patch" => world.patch("widgets", "w", value!({"spec": (means)})).await,
            "apply" => world.apply("widgets", "w", "applier", object("Widget", "w", means)).await,
            other => panic!("no verb {other}"),
        }
    };
    match outcome {
        Ok(object) => {
            let read = world.get("widgets", "w").await.expect("reading works");
            assert_eq!(read.get("spec"), object.get("spec"));
            shown(object.get("spec").expect("spec"))
        }
        Err(status) => format!("!{}", status.message),
    }
}

#[tokio::test]
async fn the_matrix_of_the_proposal_comes_out_as_it_says() {
    let mut wrong = Vec::new();
    let rows = table();
    assert!(rows.len() >= 60, "{}", rows.len());
    for row in &rows {
        let came = play(row).await;
        let right = match row.comes.strip_prefix('!') {
            Some(words) => came.starts_with('!') && came.contains(words),
            None => came == row.comes,
        };
        if !right {
            wrong.push(format!(
                "{} {} {} {}: {} + {} => {}, not {}",
                row.union, row.server, row.client, row.verb, row.stored, row.means, came, row.comes
            ));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn cleared_members_lose_their_owners() {
    for verb in ["update", "patch", "apply"] {
        let world = World::with(&declaration(&["A", "B", "C"], true), "").await;
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
        assert_eq!(shown(written.get("spec").expect("spec")), "FieldB b=2", "{verb}");
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
    let api = declaration(&["A", "B", "C"], true);
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
    assert_eq!(shown(fixed.expect("fixed").get("spec").expect("spec")), "FieldB b=2");
}

#[tokio::test]
async fn markers_stay_published_when_the_gate_is_off() {
    let api = declaration(&["A", "B"], true);
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
    value!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.shop.example.com"},
        "spec": {
            "group": "shop.example.com",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": {
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
                }}}}
            }]
        }
    })
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
    assert_eq!(shown(written.get("spec").expect("spec")), "FieldB b=2");
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
