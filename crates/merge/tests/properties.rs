//! What must hold for any input.

use std::collections::BTreeMap;
use std::sync::Arc;

use ordain_merge::patch::json::JsonPatch;
use ordain_merge::patch::{Strictness, json_merge, strategic};
use ordain_merge::typed::{Duplicates, compare, field_set, merge, validate};
use ordain_merge::types::Types;
use ordain_merge::{FieldManager, FieldManagerConfig, Managed, UnknownVersion};
use ordain_meta::GroupVersionKind;
use ordain_meta::time::Time;
use ordain_schema::Raw;
use ordain_value::{Map, Text, Value, json, value};
use proptest::prelude::*;

fn schema() -> Value {
    value!({
        "type": "object",
        "properties": {
            "spec": {
                "type": "object",
                "x-kubernetes-preserve-unknown-fields": true,
                "properties": {
                    "a": {"type": "string"},
                    "m": {"type": "object", "additionalProperties": {"type": "string"}},
                    "at": {"type": "object", "x-kubernetes-map-type": "atomic", "x-kubernetes-preserve-unknown-fields": true},
                    "s": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string"}},
                    "lm": {
                        "type": "array",
                        "x-kubernetes-list-type": "map",
                        "x-kubernetes-list-map-keys": ["k"],
                        "items": {
                            "type": "object",
                            "required": ["k"],
                            "properties": {"k": {"type": "string"}, "v": {"type": "string"}}
                        }
                    }
                }
            }
        }
    })
}

fn types() -> Types {
    let (raw, _) = Raw::decode(&schema()).expect("a schema");
    Types::compile(&ordain_schema::resolve(&raw).expect("a structural schema"))
}

fn manager() -> FieldManager {
    FieldManager::new(FieldManagerConfig {
        gvk: GroupVersionKind::new("g.test", "v1", "K"),
        subresource: Text::default(),
        versions: BTreeMap::from([(Text::new("g.test/v1"), Arc::new(types()))]).into(),
        reset_fields: Arc::default(),
        unknown_version: UnknownVersion::Refused,
    })
}

fn object(spec: Value) -> Value {
    value!({"apiVersion": "g.test/v1", "kind": "K", "metadata": {"name": "o"}, "spec": spec})
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-3i64..3).prop_map(Value::Int),
        (-2.0f64..2.0).prop_map(Value::Float),
        "[a-c~/]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key(), inner, 0..4)
                .prop_map(|it| Value::Map(it.into_iter().collect::<Map>())),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-c]{1,2}",
        Just("$patch".to_owned()),
        Just("$retainKeys".to_owned()),
        Just("metadata".to_owned()),
        Just("finalizers".to_owned()),
        Just("ownerReferences".to_owned()),
        Just("$setElementOrder/finalizers".to_owned()),
        Just("$deleteFromPrimitiveList/finalizers".to_owned()),
    ]
}

/// Specs that fit the schema.
fn fitting_spec() -> impl Strategy<Value = Value> {
    let text = || "[a-c]{1}".prop_map(Value::from);
    let map = prop::collection::btree_map("[a-c]{1}", text(), 0..3)
        .prop_map(|it| Value::Map(it.into_iter().collect::<Map>()));
    let set = prop::collection::btree_set("[a-d]{1}", 0..4)
        .prop_map(|it| it.into_iter().map(Value::from).collect::<Value>());
    let items = prop::collection::btree_map("[a-d]{1}", prop::option::of("[x-z]{1}"), 0..4)
        .prop_map(|it| {
            let item = |(key, value): (String, Option<String>)| match value {
                Some(value) => value!({"k": key, "v": value}),
                None => value!({"k": key}),
            };
            it.into_iter().rev().map(item).collect::<Value>()
        });
    let fields = (
        prop::option::of(text()),
        prop::option::of(map),
        prop::option::of(set),
        prop::option::of(items),
        prop::option::of(any_value()),
        prop::option::of(any_value()),
    );
    fields.prop_map(|(a, m, s, lm, any, at)| {
        let mut spec = Map::new();
        let at = at.filter(|it| matches!(it, Value::Map(_)));
        let fields = [("a", a), ("m", m), ("s", s), ("lm", lm), ("zz", any), ("at", at)];
        for (key, value) in fields {
            if let Some(value) = value {
                spec.insert(key, value);
            }
        }
        Value::Map(spec)
    })
}

fn without_times(object: &Value) -> Value {
    let mut object = object.clone();
    let entries = object.get_path(&["metadata", "managedFields"]).and_then(Value::as_list).cloned();
    if let Some(entries) = entries {
        let entries: Value = entries
            .iter()
            .map(|it| {
                let mut it = it.clone();
                it.remove_path(&["time"]);
                it
            })
            .collect();
        object.set_path(&["metadata", "managedFields"], entries);
    }
    object
}

proptest! {
    #[test]
    fn applying_twice_changes_nothing(
        first in fitting_spec(),
        second in fitting_spec(),
        force in any::<bool>(),
    ) {
        let manager = manager();
        let now = Time::from_unix(1, 0);
        let one = manager.apply(&manager.empty_object(), &object(first), "m1", false, now)
            .expect("the first apply has nobody to conflict with");
        let config = object(second);
        if let Ok(two) = manager.apply(&one, &config, "m2", force, now) {
            let three = manager.apply(&two, &config, "m2", force, Time::from_unix(2, 0))
                .expect("what was applied can be applied again");
            prop_assert_eq!(without_times(&two), without_times(&three));
        }
    }

    #[test]
    fn nothing_differs_from_itself(spec in fitting_spec()) {
        let types = types();
        let object = object(spec);
        prop_assert!(validate(&types, &object, Duplicates::Refused).is_ok());
        prop_assert!(compare(&types, &object, &object).is_same());
        // Also when nothing is shared.
        let copy = json::decode(&json::encode(&object)).expect("objects survive their encoding");
        prop_assert!(compare(&types, &object, &copy).is_same());
    }

    #[test]
    fn a_merge_holds_what_was_applied(live in fitting_spec(), applied in fitting_spec()) {
        let types = types();
        let (live, applied) = (object(live), object(applied));
        let merged = merge(&types, &live, &applied);
        let missing = field_set(&types, &applied).difference(&field_set(&types, &merged));
        // Nulls and empty containers lose against what is there.
        for path in missing.paths() {
            let text = ordain_merge::path::display_path(&path);
            let at = text.trim_start_matches('.').split('.').collect::<Vec<_>>();
            let said = applied.get_path(&at).cloned().unwrap_or_default();
            prop_assert!(
                said.is_null() || said.as_map().is_some_and(Map::is_empty),
                "{} is missing", text
            );
        }
    }

    #[test]
    fn owners_survive_their_encoding(spec in fitting_spec()) {
        let manager = manager();
        let object = manager.update(&manager.empty_object(), object(spec), "m", Time::from_unix(1, 0));
        let entries = object.get_path(&["metadata", "managedFields"]).cloned();
        if let Some(Value::List(entries)) = entries {
            let managed = Managed::decode(&entries, false).expect("owners decode");
            prop_assert_eq!(managed.encode(), Some(Value::List(entries)));
        }
    }

    #[test]
    fn managers_take_any_objects(live in any_value(), new in any_value()) {
        let manager = manager();
        let now = Time::from_unix(1, 0);
        let _ = manager.update(&live, new.clone(), "m", now);
        let _ = manager.update(&object(live.clone()), object(new.clone()), "m", now);
        let _ = manager.apply(&live, &new, "m", true, now);
        let _ = manager.apply(&object(live), &object(new), "m", true, now);
    }

    #[test]
    fn patches_take_any_documents(doc in any_value(), patch in any_value()) {
        let bytes = json::encode(&patch);
        for strictness in [Strictness::Report, Strictness::Ignore] {
            if let Ok((patch, _)) = JsonPatch::decode(&bytes, strictness) {
                let _ = patch.apply(&doc);
            }
            if let Ok((patch, _)) = json_merge::decode(&bytes, strictness) {
                let _ = json_merge::apply(&doc, &patch);
            }
            if let Ok((patch, _)) = strategic::decode(&bytes, strictness) {
                let _ = strategic::apply(&types(), &doc, &patch);
            }
        }
    }

    #[test]
    fn json_patches_take_any_operations(
        doc in any_value(),
        ops in prop::collection::vec((0usize..6, "(/[a-c0-2-]{0,2}){0,3}", "(/[a-c0-2-]{0,2}){0,3}", any_value()), 0..6),
    ) {
        let names = ["add", "remove", "replace", "move", "copy", "test"];
        let ops: Value = ops
            .into_iter()
            .map(|(op, path, from, value)| {
                value!({"op": names[op], "path": path, "from": from, "value": value})
            })
            .collect();
        let (patch, _) = JsonPatch::decode(&json::encode(&ops), Strictness::Report)
            .expect("well-formed operations decode");
        let _ = patch.apply(&doc);
    }

    #[test]
    fn patches_take_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
        let _ = JsonPatch::decode(&bytes, Strictness::Report);
        let _ = json_merge::decode(&bytes, Strictness::Report);
        let _ = strategic::decode(&bytes, Strictness::Report);
        let _ = ordain_merge::patch::apply::decode(&bytes);
    }
}

/// Objects nested to the decoder's limit.
#[test]
fn deep_objects_overflow_nothing() {
    let deep = |open: &str, close: &str| {
        let text = format!("{}1{}", open.repeat(9_000), close.repeat(9_000));
        json::decode(text.as_bytes()).expect("within the limit")
    };
    let (maps, lists) = (deep("{\"a\":", "}"), deep("[", "]"));
    let manager = manager();
    let now = Time::from_unix(1, 0);
    for value in [maps, lists] {
        let spec = value!({"zz": value.clone()});
        let one = manager
            .apply(&manager.empty_object(), &object(spec.clone()), "m", false, now)
            .expect("deep objects apply");
        let _ =
            manager.update(&one, object(value!({"zz": value!({"b": value.clone()})})), "n", now);
        let _ = manager.apply(&one, &object(value!({"zz": value!({"b": 1})})), "m", true, now);
        let patched = json_merge::apply(&one, &object(spec));
        let _ = strategic::apply(&types(), &patched, &patched);
        let mut fields = one.clone();
        let entry = value!([{"manager": "m", "operation": "Update", "apiVersion": "g.test/v1", "fieldsType": "FieldsV1", "fieldsV1": value.clone()}]);
        fields.set_path(&["metadata", "managedFields"], entry);
        let _ = manager.update(&fields, one, "m", now);
    }
}

/// Keys whose stored order is far from their own.
#[test]
fn many_numbered_owners_decode_in_time() {
    let fields: Map =
        (0..60_000i64).map(|it| (format!("v:{it}"), Value::Map(Map::new()))).collect();
    let entry = value!({
        "manager": "m",
        "operation": "Update",
        "apiVersion": "g.test/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": {"f:spec": {"f:s": Value::Map(fields)}}
    });
    let started = std::time::Instant::now();
    let managed = Managed::decode(std::slice::from_ref(&entry), false).expect("owners decode");
    assert_eq!(managed.encode(), Some(Value::from(vec![entry])));
    assert!(started.elapsed().as_secs() < 10, "decoding is not quadratic");
}
