//! What holds for every schema and every object: passes settle at once, share what they leave alone, and survive
//! any depth.

use ordain_passes::{Plan, Unknown};
use ordain_schema::{Raw, resolve};
use ordain_value::{Map, Value, value};
use proptest::prelude::*;

fn plan(schema: &Value) -> Plan {
    let (raw, _) = Raw::decode(schema).expect("a schema");
    Plan::compile(&resolve(&raw).expect("a structural schema")).expect("a plan")
}

/// Keys that schemas and objects share, so that they meet.
fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("a"),
        Just("b"),
        Just("c"),
        Just("metadata"),
        Just("kind"),
        Just("apiVersion"),
        Just("status"),
        Just("a-rather-long-property-name")
    ]
    .prop_map(str::to_owned)
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-3_i64..4).prop_map(Value::Int),
        prop_oneof![Just(0.5), Just(1.0), Just(1e18), Just(-0.0)].prop_map(Value::Float),
        "[a-c1é]{0,3}".prop_map(Value::from),
    ]
}

fn object() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(5, 64, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key(), inner, 0..5)
                .prop_map(|it| Value::Map(it.into_iter().collect::<Map>())),
        ]
    })
}

fn leaf_schema() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(value!({"type": "string", "maxLength": 2, "pattern": "^[a-c]*$"})),
        Just(value!({"type": "string", "default": "d", "enum": ["d", "a"]})),
        Just(value!({"type": "string", "format": "date", "nullable": true})),
        Just(value!({"type": "integer", "minimum": -1, "maximum": 2.5, "multipleOf": 2})),
        Just(value!({"type": "integer", "format": "int32", "default": 1})),
        Just(value!({"type": "number", "exclusiveMinimum": true, "minimum": 0})),
        Just(value!({"type": "boolean", "nullable": true, "default": true})),
        Just(value!({"x-kubernetes-int-or-string": true})),
        Just(value!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})),
        Just(value!({"type": "object", "x-kubernetes-embedded-resource": true,
            "x-kubernetes-preserve-unknown-fields": true})),
        Just(value!({"type": "string", "anyOf": [{"minLength": 2}, {"enum": ["a"]}],
            "not": {"pattern": "b"}})),
    ]
}

fn schema() -> impl Strategy<Value = Value> {
    let tree = leaf_schema().prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            (prop::collection::btree_map(key(), inner.clone(), 0..4), any::<bool>(), any::<bool>())
                .prop_map(|(properties, preserve, required)| {
                    let first = properties.keys().next().cloned();
                    let properties: Map = properties.into_iter().collect();
                    let mut schema = value!({"type": "object"});
                    schema.set_path(&["properties"], Value::Map(properties));
                    if preserve {
                        schema.set_path(&["x-kubernetes-preserve-unknown-fields"], true.into());
                    }
                    if let (true, Some(first)) = (required, first) {
                        schema.set_path(&["required"], vec![Value::from(first)].into());
                    }
                    schema
                }),
            inner.clone().prop_map(|it| value!({"type": "object", "additionalProperties": it})),
            (inner, prop_oneof![Just("atomic"), Just("set"), Just("map")]).prop_map(
                |(it, kind)| {
                    let mut schema = value!({"type": "array", "items": it, "maxItems": 2});
                    schema.set_path(&["x-kubernetes-list-type"], kind.into());
                    if kind == "map" {
                        schema.set_path(&["x-kubernetes-list-map-keys"], value!(["a"]));
                    }
                    schema
                }
            ),
        ]
    });
    let root = (prop::collection::btree_map(key(), tree, 0..4), any::<bool>());
    root.prop_map(|(mut properties, required)| {
        let mut schema = value!({"type": "object"});
        properties.retain(|key, _| !matches!(key.as_str(), "metadata" | "kind" | "apiVersion"));
        if let (true, Some(last)) = (required, properties.keys().next_back()) {
            schema.set_path(&["required"], vec![Value::from(last.as_str())].into());
        }
        schema.set_path(&["properties"], Value::Map(properties.into_iter().collect::<Map>()));
        schema
    })
}

proptest! {
    // Few objects are as they should be.
    #![proptest_config(ProptestConfig { cases: 6_000, ..ProptestConfig::default() })]

    #[test]
    fn a_new_object_is_shaped_and_judged_in_one_walk_as_in_many(
        schema in schema(), object in object(), tidy in any::<bool>()
    ) {
        let plan = plan(&schema);
        let mut object = object;
        if tidy {
            plan.prune(&mut object);
            plan.drop_nulls(&mut object);
        }
        plan.default(&mut object);
        let Some(known) = plan.recognize(&object, true) else { return Ok(()) };
        let mut many = object.clone();
        let told = plan.shape_request(&mut many, Unknown::Tell);
        prop_assert_eq!(told, Ok(Vec::new()));
        prop_assert_eq!(&object, &many);
        if known.schema {
            prop_assert!(plan.validate_schema(&many, None).is_empty());
            many.set_path(&["metadata", "namespace"], "default".into());
            prop_assert!(plan.validate_schema(&many, None).is_empty());
            if let Value::Map(map) = &mut many {
                map.remove("status");
            }
            prop_assert!(plan.validate_schema(&many, None).is_empty());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn pruning_twice_is_pruning_once(schema in schema(), object in object()) {
        let plan = plan(&schema);
        let mut once = object.clone();
        let first = plan.prune(&mut once);
        let mut twice = once.clone();
        prop_assert!(plan.prune(&mut twice).is_empty());
        prop_assert!(once.same(&twice), "a pruned object is left alone");
        prop_assert_eq!(first.is_empty(), once == object);
    }

    #[test]
    fn defaulting_twice_is_defaulting_once(schema in schema(), object in object()) {
        let plan = plan(&schema);
        let mut once = object;
        plan.prune(&mut once);
        plan.drop_nulls(&mut once);
        plan.default(&mut once);
        let mut twice = once.clone();
        plan.default(&mut twice);
        prop_assert!(once.same(&twice), "a completed object is left alone");
    }

    #[test]
    fn a_shaped_request_keeps_its_shape(schema in schema(), object in object()) {
        let plan = plan(&schema);
        let mut once = object;
        if plan.shape_request(&mut once, Unknown::Tell).is_ok() {
            let mut twice = once.clone();
            prop_assert_eq!(plan.shape_request(&mut twice, Unknown::Tell), Ok(Vec::new()));
            prop_assert_eq!(once, twice);
        }
    }

    #[test]
    fn validation_takes_any_object(schema in schema(), object in object(), old in object()) {
        let plan = plan(&schema);
        let alone = plan.validate_schema(&object, None);
        let ratcheted = plan.validate_schema(&object, Some(&old));
        prop_assert!(ratcheted.len() <= alone.len(), "ratcheting only forgives");
        prop_assert!(ratcheted.iter().all(|it| alone.iter().any(|other| other == it)));
        let _ = plan.validate_status_schema(&object, Some(&old));
        let _ = plan.validate_embedded(&object);
        let _ = plan.validate_list_types(&object);
    }

    #[test]
    fn an_object_without_errors_is_sound_by_parts(schema in schema(), object in object()) {
        // The fast verdict on a value and the one that explains itself are the same.
        let plan = plan(&schema);
        let errors = plan.validate_schema(&object, None);
        let inside_not = value!({"type": "object", "not": schema});
        let negated = self::plan(&inside_not).validate_schema(&object, None);
        if object.as_map().is_some() {
            prop_assert_eq!(errors.is_empty(), !negated.is_empty());
        }
    }
}

fn nested_lists(depth: usize, mut inner: Value) -> Value {
    for _ in 0..depth {
        inner = Value::from(vec![inner]);
    }
    inner
}

fn nested_maps(depth: usize, mut inner: Value) -> Value {
    for _ in 0..depth {
        inner = Value::Map([("a", inner)].into_iter().collect());
    }
    inner
}

#[test]
fn values_nested_to_the_limit_survive_on_a_small_stack() {
    let work = || {
        let plan = plan(&value!({"type": "object", "properties": {
            "free": {"x-kubernetes-preserve-unknown-fields": true},
            "any": {"type": "object", "additionalProperties": true},
            "list": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}
        }}));
        for deep in [nested_lists(10_000, value!({"x": 1})), nested_maps(10_000, value!(1))] {
            let mut object = value!({"metadata": {"name": "a"}});
            for field in ["free", "any", "list", "unknown"] {
                object.set_path(&[field], deep.clone());
            }
            object.set_path(&["any"], value!({"k": (deep.clone())}));
            plan.shape_request(&mut object, Unknown::Tell).expect("metadata");
            plan.default(&mut object);
            let _ = plan.validate_schema(&object, Some(&object.clone()));
            let _ = plan.validate_list_types(&object);
            assert_eq!(object.get("free"), Some(&deep));
            assert!(object.get("unknown").is_none());
        }
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(work).expect("a thread");
    thread.join().expect("no overflow");
}

#[test]
fn schemas_nested_to_the_limit_survive_on_a_small_stack() {
    let work = || {
        let mut schema = value!({"type": "string", "default": "x"});
        let mut object = value!(null);
        for _ in 0..150 {
            schema = value!({"type": "object", "properties": {"a": schema}});
            object = value!({"a": object});
        }
        let plan = plan(&schema);
        plan.shape_request(&mut object, Unknown::Tell).expect("no metadata");
        plan.default(&mut object);
        assert!(plan.validate_schema(&object, None).is_empty());
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(work).expect("a thread");
    thread.join().expect("no overflow");
}

#[test]
fn only_what_passes_is_known_to_pass() {
    let schema = value!({"type": "object", "properties": {
        "short": {"type": "array", "maxItems": 1, "items": {"type": "string"}},
        "set": {"type": "array", "uniqueItems": true, "items": {"type": "string"}},
        "small": {"type": "object", "maxProperties": 1,
            "additionalProperties": {"type": "integer", "minimum": 1}},
        "one": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "oneOf": [{"required": ["a"]}, {"required": ["b"]}]},
    }});
    let plan = plan(&schema);
    let known = |mut spec: Value| {
        spec.set_path(&["metadata", "name"], "a".into());
        plan.recognize(&spec, true).is_some_and(|it| it.schema)
    };
    assert!(known(value!({"short": ["a"], "small": {"a": 1}, "metadata": {"name": "a"}})));
    for wrong in [
        value!({"short": ["a", "b"]}),
        value!({"short": [1]}),
        value!({"set": ["a", "a"]}),
        value!({"small": {"a": 1, "b": 1}}),
        value!({"small": {"a": 0}}),
        value!({"one": {}}),
        value!({"one": {"a": "x", "b": "x"}}),
        value!({"other": 1}),
    ] {
        assert!(!known(wrong.clone()), "{wrong:?}");
    }
}
