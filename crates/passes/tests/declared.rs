//! Unions, gates and zero values of declared kinds: the rules of KEP-1027, KEP-5975 and KEP-4153.

use std::sync::Arc;

use ordain_passes::declared::{DeclaredPlan, gate, settle, strip_zero, union};
use ordain_schema::{
    Additional, ListType, Node, NodeId, Presence, Schema, Type, Union, UnionMember,
};
use ordain_value::{Value, value};
use proptest::prelude::*;

/// A schema arena under construction.
#[derive(Default)]
struct Arena(Vec<Node>);

impl Arena {
    fn add(&mut self, node: Node) -> NodeId {
        self.0.push(node);
        NodeId(u32::try_from(self.0.len() - 1).unwrap())
    }

    fn of(&mut self, ty: Type) -> NodeId {
        self.add(Node { ty, ..Node::default() })
    }

    fn object(&mut self, properties: &[(&str, NodeId)]) -> NodeId {
        let mut node = Node { ty: Type::Object, ..Node::default() };
        for (name, id) in properties {
            node.set_property((*name).into(), *id);
        }
        self.add(node)
    }

    fn plan(self, root: NodeId) -> DeclaredPlan {
        DeclaredPlan::compile(&Arc::new(Schema::new(self.0, root).unwrap()))
    }
}

fn member(field: &str, value: &str, optional: bool) -> UnionMember {
    UnionMember { field: field.into(), value: value.into(), optional }
}

/// `{strategy: {type: Rolling|Canary|Recreate|"", rolling, canary?}, steps: [by name]{name, type, a, b}}`
fn plan() -> DeclaredPlan {
    let mut arena = Arena::default();
    let string = arena.of(Type::String);
    let any = arena.add(Node { preserve_unknown: true, ..Node::default() });
    let strategy = arena.object(&[("type", string), ("rolling", any), ("canary", any)]);
    arena.0[strategy.index()].declared_mut().unions.push(Union {
        discriminator: Some("type".into()),
        members: vec![member("rolling", "Rolling", false), member("canary", "Canary", true)],
        empty_values: vec!["Recreate".into(), "".into()],
        ..Union::default()
    });
    let step = arena.object(&[("name", string), ("type", string), ("a", any), ("b", any)]);
    arena.0[step.index()].declared_mut().unions.push(Union {
        discriminator: Some("type".into()),
        members: vec![member("a", "A", false), member("b", "B", false)],
        ..Union::default()
    });
    let steps = arena.add(Node {
        ty: Type::Array,
        items: Some(step),
        list_type: Some(ListType::Map),
        list_map_keys: vec!["name".into()],
        ..Node::default()
    });
    let map = arena.add(Node {
        ty: Type::Object,
        additional: Additional::Node(strategy),
        ..Node::default()
    });
    let root = arena.object(&[("strategy", strategy), ("steps", steps), ("map", map)]);
    arena.plan(root)
}

/// Normalizes as an update and validates; gives the object and the errors.
fn update(old: &Value, new: &Value) -> (Value, Vec<String>) {
    let plan = plan();
    let mut object = new.clone();
    union::normalize(&plan, &mut object, old);
    let errors = union::validate(&plan, &object, Some(old));
    (object, errors.iter().map(ToString::to_string).collect())
}

fn create(new: &Value) -> Vec<String> {
    union::validate(&plan(), new, None).iter().map(ToString::to_string).collect()
}

#[test]
fn normalization_clears_the_other_members_when_the_discriminator_was_modified() {
    let old = value!({"strategy": {"type": "Rolling", "rolling": {"max": 1}}});
    let new = value!({"strategy": {"type": "Canary", "rolling": {"max": 1}, "canary": {"w": 5}}});
    let (object, errors) = update(&old, &new);
    assert_eq!(object, value!({"strategy": {"type": "Canary", "canary": {"w": 5}}}));
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn normalization_leaves_everything_when_the_discriminator_was_not_modified() {
    let old = value!({"strategy": {"type": "Rolling", "rolling": {}}});
    let new = value!({"strategy": {"type": "Rolling", "rolling": {}, "canary": {}}});
    let (object, errors) = update(&old, &new);
    assert_eq!(object, new);
    assert_eq!(
        errors,
        [
            "strategy: Invalid value: \"{rolling, canary}\": must specify at most one of: `rolling`, \
          `canary`; to change the member, change `type` as well, and the other members are cleared"
        ]
    );
}

#[test]
fn a_client_that_does_not_know_a_member_clears_it_by_the_discriminator_alone() {
    // The client knows neither `canary` nor how to remove it; it empties the union.
    let old = value!({"strategy": {"type": "Canary", "canary": {"w": 5}}});
    for cleared in [value!({"type": "", "canary": {"w": 5}}), value!({"canary": {"w": 5}})] {
        let (object, errors) = update(&old, &value!({"strategy": cleared}));
        assert_eq!(object.get_path(&["strategy", "canary"]), None);
        assert!(errors.is_empty(), "{errors:?}");
    }
}

#[test]
fn a_client_that_echoes_the_union_changes_nothing() {
    let old = value!({"strategy": {"type": "Canary", "canary": {"w": 5}}});
    let (object, errors) = update(&old, &old.clone());
    assert!(object.same(&old));
    assert!(errors.is_empty());
}

#[test]
fn a_value_without_a_member_clears_all_members() {
    let old = value!({"strategy": {"type": "Rolling", "rolling": {}}});
    let (object, errors) = update(&old, &value!({"strategy": {"type": "Recreate", "rolling": {}}}));
    assert_eq!(object, value!({"strategy": {"type": "Recreate"}}));
    assert!(errors.is_empty());
}

#[test]
fn an_unknown_discriminator_value_fails_loudly_and_clears_nothing() {
    let old = value!({"strategy": {"type": "Rolling", "rolling": {}}});
    let new = value!({"strategy": {"type": "BlueGreen", "rolling": {}}});
    let (object, errors) = update(&old, &new);
    assert_eq!(object, new);
    assert_eq!(
        errors,
        ["strategy.type: Unsupported value: \"BlueGreen\": supported values: \"\", \"Canary\", \
          \"Recreate\", \"Rolling\""]
    );
}

#[test]
fn a_selected_member_must_be_set_unless_it_is_optional() {
    assert_eq!(
        create(&value!({"strategy": {"type": "Rolling"}})),
        ["strategy.rolling: Invalid value: \"\": must be specified when `type` is \"Rolling\""]
    );
    assert!(create(&value!({"strategy": {"type": "Canary"}})).is_empty());
    assert!(create(&value!({"strategy": {"type": "Recreate"}})).is_empty());
}

#[test]
fn create_clears_nothing_and_refuses_several_members() {
    assert_eq!(
        create(&value!({"strategy": {"type": "Rolling", "rolling": {}, "canary": {}}})),
        [
            "strategy: Invalid value: \"{rolling, canary}\": must specify at most one of: `rolling`, \
          `canary`; `type` names the one"
        ]
    );
    assert_eq!(
        create(&value!({"strategy": {"type": "Recreate", "rolling": {}}})),
        ["strategy.rolling: Invalid value: \"\": may only be specified when `type` is \"Rolling\""]
    );
}

#[test]
fn faults_that_the_old_object_had_ratchet() {
    let old = value!({"strategy": {"type": "Rolling", "rolling": {}, "canary": {}}, "x": 1});
    let new = value!({"strategy": {"type": "Rolling", "rolling": {"n": 2}, "canary": {}}, "x": 2});
    assert!(update(&old, &new).1.is_empty());
    let worse = value!({"strategy": {"type": "Rolling", "canary": {}}});
    assert_eq!(update(&old, &worse).1.len(), 2);
}

#[test]
fn unions_in_lists_are_correlated_by_the_keys_of_the_list() {
    let old = value!({"steps": [{"name": "x", "type": "A", "a": {}}, {"name": "y", "type": "B", "b": {}}]});
    let new = value!({"steps": [
        {"name": "y", "type": "A", "a": {}, "b": {}},
        {"name": "x", "type": "A", "a": {}},
        {"name": "new", "type": "A", "a": {}, "b": {}}
    ]});
    let (object, errors) = update(&old, &new);
    let expected = value!({"steps": [
        {"name": "y", "type": "A", "a": {}},
        {"name": "x", "type": "A", "a": {}},
        {"name": "new", "type": "A", "a": {}, "b": {}}
    ]});
    assert_eq!(object, expected);
    assert_eq!(errors.len(), 1);
    assert!(errors[0].starts_with("steps[2]: Invalid value"), "{errors:?}");
}

#[test]
fn unions_in_maps_are_correlated_by_key() {
    let old = value!({"map": {"k": {"type": "Rolling", "rolling": {}}}});
    let new = value!({"map": {"k": {"type": "Canary", "rolling": {}}}});
    assert_eq!(update(&old, &new).0, value!({"map": {"k": {"type": "Canary"}}}));
    assert!(create(&value!({"map": {"k": {"type": "Rolling"}}}))[0].starts_with("map[k].rolling"));
}

/// The dimensions of KEP-1027's test plan: what changes, awareness of the client (it drops what it
/// does not know when it is typed), optional or required member.
#[test]
fn the_matrix_of_changes_and_awareness() {
    let old = value!({"strategy": {"type": "Rolling", "rolling": {"n": 1}}});
    let rows: &[(&str, Value, Option<Value>)] = &[
        ("nothing changes, client aware", old.clone(), Some(old.clone())),
        (
            "the member in force changes",
            value!({"strategy": {"type": "Rolling", "rolling": {"n": 2}}}),
            Some(value!({"strategy": {"type": "Rolling", "rolling": {"n": 2}}})),
        ),
        (
            "switch by an aware client",
            value!({"strategy": {"type": "Canary", "canary": {}}}),
            Some(value!({"strategy": {"type": "Canary", "canary": {}}})),
        ),
        (
            "switch by a client that cannot remove the other member",
            value!({"strategy": {"type": "Canary", "canary": {}, "rolling": {"n": 1}}}),
            Some(value!({"strategy": {"type": "Canary", "canary": {}}})),
        ),
        (
            "another member set, discriminator forgotten",
            value!({"strategy": {"type": "Rolling", "rolling": {"n": 1}, "canary": {}}}),
            None,
        ),
        (
            "a typed client that does not know `rolling` drops it but keeps the discriminator",
            value!({"strategy": {"type": "Rolling"}}),
            None,
        ),
        (
            "switch to an optional member that is left empty",
            value!({"strategy": {"type": "Canary", "rolling": {"n": 1}}}),
            Some(value!({"strategy": {"type": "Canary"}})),
        ),
        ("a member the server does not know", value!({"strategy": {"type": "BlueGreen"}}), None),
        (
            "the union is emptied",
            value!({"strategy": {"rolling": {"n": 1}}}),
            Some(value!({"strategy": {}})),
        ),
        ("the whole object of the union goes", value!({}), Some(value!({}))),
    ];
    for (name, new, expected) in rows {
        let (object, errors) = update(&old, new);
        match expected {
            Some(expected) => {
                assert!(errors.is_empty(), "{name}: {errors:?}");
                assert_eq!(&object, expected, "{name}");
            }
            None => assert!(!errors.is_empty(), "{name}"),
        }
    }
}

fn gated() -> DeclaredPlan {
    let mut arena = Arena::default();
    let mut gated = |ty, gates: &[&str], pointer| {
        let id = arena.of(ty);
        let declared = arena.0[id.index()].declared_mut();
        declared.gates = gates.iter().map(|it| (*it).into()).collect();
        declared.pointer = pointer;
        id
    };
    let shiny = gated(Type::String, &["Shiny"], false);
    let both = gated(Type::Integer, &["Shiny", "Other"], true);
    let plain = arena.of(Type::String);
    let item = arena.object(&[("shiny", shiny), ("both", both), ("plain", plain)]);
    let items = arena.add(Node { ty: Type::Array, items: Some(item), ..Node::default() });
    let root = arena.object(&[("items", items)]);
    arena.plan(root)
}

#[test]
fn gated_fields_are_dropped_when_the_gate_is_off_and_ungated_ones_never() {
    let object = value!({"items": [{"shiny": "x", "both": 0, "plain": "y"}, {"plain": ""}]});
    let mut new = object.clone();
    let dropped = gate::drop_disabled(&gated(), &|it| it == "Other", &mut new, None);
    assert_eq!(new, value!({"items": [{"plain": "y"}, {"plain": ""}]}));
    let shown: Vec<String> = dropped.iter().map(ToString::to_string).collect();
    assert_eq!(shown, ["items[0].both", "items[0].shiny"]);
    let mut new = object.clone();
    assert!(gate::drop_disabled(&gated(), &|_| true, &mut new, None).is_empty());
    assert!(new.same(&object));
}

#[test]
fn a_gated_field_that_the_stored_object_uses_stays() {
    let old = value!({"items": [{"shiny": "in use"}]});
    let mut new = value!({"items": [{"shiny": "changed"}, {"shiny": "more", "both": 1}]});
    gate::drop_disabled(&gated(), &|_| false, &mut new, Some(&old));
    assert_eq!(new, value!({"items": [{"shiny": "changed"}, {"shiny": "more"}]}));
}

#[test]
fn zero_values_of_fields_that_strip_them_are_removed_before_defaulting() {
    let mut arena = Arena::default();
    let mut stripped = |ty| {
        let id = arena.of(ty);
        let declared = arena.0[id.index()].declared_mut();
        declared.strip_zero = true;
        declared.presence = Presence::GoZero;
        id
    };
    let ids = [Type::String, Type::Integer, Type::Number, Type::Boolean, Type::Array, Type::Object]
        .map(&mut stripped);
    let kept = arena.of(Type::String);
    let root = arena.object(&[
        ("s", ids[0]),
        ("i", ids[1]),
        ("f", ids[2]),
        ("b", ids[3]),
        ("l", ids[4]),
        ("m", ids[5]),
        ("kept", kept),
    ]);
    let plan = arena.plan(root);
    let mut object =
        value!({"s": "", "i": 0, "f": 0.0, "b": false, "l": [], "m": {}, "kept": "", "other": ""});
    strip_zero::strip_zero(&plan, &mut object);
    assert_eq!(object, value!({"kept": "", "other": ""}));
    let full = value!({"s": "x", "i": 1, "f": 0.5, "b": true, "l": [0], "m": {"a": 0}});
    let mut object = full.clone();
    strip_zero::strip_zero(&plan, &mut object);
    assert!(object.same(&full));
}

/// The plan of [`plan`] with gated fields beside the unions, in the items of the list as well.
fn gated_unions() -> DeclaredPlan {
    let mut nodes = plan().schema().nodes().to_vec();
    let root = plan().schema().root();
    let mut gated = |pointer: bool| {
        let mut node = Node { ty: Type::Integer, ..Node::default() };
        node.declared_mut().gates.push("Young".into());
        node.declared_mut().pointer = pointer;
        nodes.push(node);
        NodeId(u32::try_from(nodes.len() - 1).unwrap())
    };
    let (plain, pointer) = (gated(false), gated(true));
    let step = nodes[root.index()].property("steps").and_then(|it| nodes[it.index()].items);
    nodes[step.unwrap().index()].set_property("young".into(), plain);
    nodes[root.index()].set_property("young".into(), pointer);
    DeclaredPlan::compile(&Arc::new(Schema::new(nodes, root).unwrap()))
}

fn union_of(names: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let member = || proptest::option::of(0..2_i64);
    let name = proptest::sample::select(vec!["x", "y", "z"]);
    (name, proptest::sample::select(names.to_vec()), member(), member(), member()).prop_map(
        |(name, ty, first, second, young)| {
            let mut out = value!({"name": (name), "type": (ty)});
            let fields = [("rolling", first), ("canary", second), ("a", first), ("b", second)];
            for (field, value) in fields.into_iter().chain([("young", young)]) {
                if let Some(number) = value {
                    out.set_path(&[field], Value::Int(number));
                }
            }
            out
        },
    )
}

fn some_object() -> impl Strategy<Value = Value> {
    let strategy = union_of(&["Rolling", "Canary", "Recreate", "", "Odd"]);
    let steps = proptest::collection::vec(union_of(&["A", "B"]), 0..4);
    (strategy, steps, proptest::option::of(0..2_i64)).prop_map(|(strategy, steps, young)| {
        let map = value!({"one": (strategy.clone())});
        let mut out = value!({"strategy": (strategy), "steps": (steps), "map": (map)});
        if let Some(young) = young {
            out.set_path(&["young"], Value::Int(young));
        }
        out
    })
}

/// A key that stands twice: the second item is judged by what the first one was.
#[test]
fn an_item_with_the_key_of_another_is_settled_by_its_old_self() {
    let new = value!({"steps": [{"name": "x", "type": "B"}, {"name": "x", "type": "A", "b": 0}]});
    let old = value!({"steps": [{"name": "x", "type": "B"}]});
    let (plan, mut settled) = (gated_unions(), new);
    assert!(!settle::settle(&plan, true, &|_| true, &mut settled, Some(&old)).is_empty());
    let first = value!({"name": "x", "type": "B"});
    assert_eq!(settled, value!({"steps": [first, {"name": "x", "type": "A"}]}));
}

proptest! {
    /// The look before the passes sees everything that they would do.
    #[test]
    fn settling_is_normalizing_and_dropping(new in some_object(), old in some_object(), on: bool) {
        let (plan, is_on) = (gated_unions(), |_: &str| on);
        for plan in [plan.clone(), plan.with_gates(&is_on)] {
            for old in [None, Some(&old), Some(&new)] {
                let mut expected = new.clone();
                if let Some(old) = old {
                    union::normalize(&plan, &mut expected, old);
                }
                gate::drop_disabled(&plan, &is_on, &mut expected, old);
                let mut settled = new.clone();
                let removed = settle::settle(&plan, true, &is_on, &mut settled, old);
                prop_assert_eq!(&settled, &expected);
                prop_assert_eq!(!removed.is_empty(), settled != new);
            }
        }
    }
}
