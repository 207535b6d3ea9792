//! What unions and gates cost an object that has nothing to normalize and nothing to drop: at most
//! a twentieth of its validation.
//!
//! `cargo bench -p ordain-passes --bench declared`; `-- --fail` makes a missed bar an error.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ordain_passes::Plan;
use ordain_passes::declared::{DeclaredPlan, settle};
use ordain_schema::{ListType, Node, NodeId, Schema, Type, Union, UnionMember};
use ordain_value::{Value, value};

const BAR: f64 = 0.05;
const FIELDS: usize = 40;
const ITEMS: usize = 20;

/// A spec of many checked fields with one union and one gated field.
fn schema() -> Schema {
    let mut nodes = vec![Node { ty: Type::Object, ..Node::default() }];
    let mut add = |node: Node| {
        nodes.push(node);
        NodeId(u32::try_from(nodes.len() - 1).expect("few nodes"))
    };
    let mut spec = Node { ty: Type::Object, ..Node::default() };
    for at in 0..FIELDS {
        let mut node = Node { ty: Type::String, ..Node::default() };
        let validation = node.validation_mut();
        (validation.min_length, validation.max_length) = (Some(1), Some(63));
        validation.pattern = "^[a-z]([-a-z0-9]*[a-z0-9])?$".into();
        let id = add(node);
        spec.set_property(format!("field{at:02}").into(), id);
    }
    for name in ["memberA", "memberB", "type"] {
        let ty = if name == "type" { Type::String } else { Type::Integer };
        let id = add(Node { ty, ..Node::default() });
        spec.set_property(name.into(), id);
    }
    let mut gated = Node { ty: Type::Integer, ..Node::default() };
    gated.declared_mut().gates.push("Young".into());
    let id = add(gated);
    spec.set_property("young".into(), id);
    let member = |field: &str, value: &str| UnionMember {
        field: field.into(),
        value: value.into(),
        optional: false,
    };
    spec.declared_mut().unions.push(Union {
        discriminator: Some("type".into()),
        members: vec![member("memberA", "MemberA"), member("memberB", "MemberB")],
        ..Union::default()
    });
    let spec = add(spec);
    nodes[0].set_property("spec".into(), spec);
    Schema::new(nodes, NodeId(0)).expect("a schema")
}

fn object() -> Value {
    let mut object = value!({"spec": {"type": "MemberA", "memberA": 1}});
    for at in 0..FIELDS {
        let text = format!("some-value-of-field-{at}");
        object.set_path(&["spec", &format!("field{at:02}")], text.into());
    }
    object
}

fn best(mut run: impl FnMut()) -> Duration {
    let mut best = Duration::MAX;
    for _ in 0..60 {
        let begin = Instant::now();
        for _ in 0..200 {
            run();
        }
        best = best.min(begin.elapsed() / 200);
    }
    best
}

/// A list of such specs, correlated by name.
fn list_schema() -> Schema {
    let inner = schema();
    let mut nodes: Vec<Node> = inner.nodes().to_vec();
    let spec = inner.root_node().property("spec").expect("a spec");
    let mut add = |node: Node| {
        nodes.push(node);
        NodeId(u32::try_from(nodes.len() - 1).expect("few nodes"))
    };
    let list = add(Node {
        ty: Type::Array,
        items: Some(spec),
        list_type: Some(ListType::Map),
        list_map_keys: vec!["field00".into()],
        ..Node::default()
    });
    let mut root = Node { ty: Type::Object, ..Node::default() };
    root.set_property("parts".into(), list);
    let root = add(root);
    Schema::new(nodes, root).expect("a schema")
}

fn list_object() -> Value {
    let items = (0..ITEMS).map(|at| {
        let mut spec = object().get("spec").cloned().expect("a spec");
        spec.set_path(&["field00"], format!("item-{at}").into());
        spec
    });
    value!({"parts": (items.collect::<Vec<_>>())})
}

/// The share of normalization and dropping in validation.
fn share(name: &str, schema: Schema, object: fn() -> Value) -> f64 {
    let schema = Arc::new(schema);
    let plan = Plan::compile(&schema).expect("a plan");
    let declared = DeclaredPlan::compile(&schema).with_gates(&|_| false);
    let (new, old) = (object(), object());
    assert!(plan.validate_schema(&new, None).is_empty(), "the object is valid");
    let validate = best(|| {
        black_box(plan.validate_schema(black_box(&new), None));
    });
    let mut changed = new.clone();
    let settle = best(|| {
        black_box(settle::settle(&declared, true, &|_| false, &mut changed, Some(&old)));
    });
    assert_eq!(changed, new, "nothing was to do");
    let share = settle.as_secs_f64() / validate.as_secs_f64();
    println!(
        "{name}: validate {validate:?}, normalize and drop {settle:?}: {:.1} % (bar {:.0} %)",
        share * 100.0,
        BAR * 100.0
    );
    share
}

fn main() {
    let shares = [
        share("one object", schema(), object),
        share("a list of objects", list_schema(), list_object),
    ];
    if shares.iter().any(|it| *it > BAR) && std::env::args().any(|it| it == "--fail") {
        std::process::exit(1);
    }
}
