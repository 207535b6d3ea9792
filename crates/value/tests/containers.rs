//! Maps and lists behave as the plain containers do, and a copy never sees what is done to another.

use std::collections::BTreeMap;

use ordain_value::{Edit, List, Map, Value, json, value};
use proptest::prelude::*;

/// One thing that is done to a map.
#[derive(Clone, Debug)]
enum Deed {
    Insert(String, i64),
    Remove(String),
    Write(String, i64),
    Fill(String),
    KeepBelow(i64),
    AddToAll(i64),
    Change(Vec<(String, Option<i64>)>),
}

fn deeds() -> impl Strategy<Value = Vec<Deed>> {
    let key = || "[a-e]{1,2}";
    let one = prop_oneof![
        (key(), 0_i64..9).prop_map(|(key, it)| Deed::Insert(key, it)),
        key().prop_map(Deed::Remove),
        (key(), 0_i64..9).prop_map(|(key, it)| Deed::Write(key, it)),
        key().prop_map(Deed::Fill),
        (0_i64..9).prop_map(Deed::KeepBelow),
        (0_i64..3).prop_map(Deed::AddToAll),
        prop::collection::btree_map(key(), prop::option::of(0_i64..9), 0..4)
            .prop_map(|it| Deed::Change(it.into_iter().collect())),
    ];
    prop::collection::vec(one, 0..30)
}

fn number(value: &Value) -> i64 {
    value.as_int().unwrap_or(-1)
}

impl Deed {
    fn to_map(&self, map: &mut Map) {
        match self {
            Deed::Insert(key, it) => drop(map.insert(key.as_str(), Value::Int(*it))),
            Deed::Remove(key) => drop(map.remove(key)),
            Deed::Write(key, it) => {
                if let Some(value) = map.get_mut(key) {
                    *value = Value::Int(*it);
                }
            }
            Deed::Fill(key) => {
                let value = map.get_or_insert_null(key);
                if value.is_null() {
                    *value = Value::Int(-1);
                }
            }
            Deed::KeepBelow(limit) => map.retain(|_, value| number(value) < *limit),
            Deed::AddToAll(more) => map.iter_mut().for_each(|(_, value)| {
                *value = Value::Int(number(value) + more);
            }),
            Deed::Change(changes) => {
                let changes = changes.iter();
                map.change(
                    changes.map(|(key, it)| (key.as_str().into(), it.map(Value::Int))).collect(),
                );
            }
        }
    }

    fn to_model(&self, model: &mut BTreeMap<String, i64>) {
        match self {
            Deed::Insert(key, it) => drop(model.insert(key.clone(), *it)),
            Deed::Remove(key) => drop(model.remove(key)),
            Deed::Write(key, it) => {
                if let Some(value) = model.get_mut(key) {
                    *value = *it;
                }
            }
            Deed::Fill(key) => drop(model.entry(key.clone()).or_insert(-1)),
            Deed::KeepBelow(limit) => model.retain(|_, it| *it < *limit),
            Deed::AddToAll(more) => model.values_mut().for_each(|it| *it += more),
            Deed::Change(changes) => {
                for (key, it) in changes {
                    match it {
                        Some(it) => drop(model.insert(key.clone(), *it)),
                        None => drop(model.remove(key)),
                    }
                }
            }
        }
    }
}

fn entries(map: &Map) -> Vec<(String, i64)> {
    map.iter().map(|(key, value)| (key.to_string(), number(value))).collect()
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        (-1e300_f64..1e300).prop_map(Value::Float),
        (-9_i32..9).prop_map(|it| Value::Float(f64::from(it))),
        ".{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map("[a-d]{0,2}", inner, 0..5)
                .prop_map(|it| Value::Map(it.into_iter().collect())),
        ]
    })
}

proptest! {
    #[test]
    fn a_map_is_a_sorted_map(deeds in deeds()) {
        let (mut map, mut model) = (Map::new(), BTreeMap::new());
        for deed in &deeds {
            let (copy, before) = (map.clone(), entries(&map));
            deed.to_map(&mut map);
            deed.to_model(&mut model);
            let wanted: Vec<(String, i64)> = model.clone().into_iter().collect();
            prop_assert_eq!(entries(&map), wanted, "after {:?}", deed);
            prop_assert_eq!(entries(&copy), before, "a copy was changed by {:?}", deed);
            prop_assert!(model.keys().all(|it| map.contains_key(it)) && map.len() == model.len());
        }
    }

    #[test]
    fn entries_in_any_order_make_a_map_and_the_last_of_a_key_wins(
        given in prop::collection::vec(("[a-d]{1,2}", 0_i64..99), 0..20)
    ) {
        let model: BTreeMap<String, i64> = given.iter().cloned().collect();
        let made = given.iter().map(|(key, it)| (key.as_str().into(), Value::Int(*it))).collect();
        prop_assert_eq!(entries(&Map::from_entries(made)), model.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn an_edit_that_changes_nothing_copies_nothing(value in any_value()) {
        if let Value::Map(map) = &value {
            prop_assert_eq!(map.edited(|_, _| Edit::Keep), None);
            let kept: Vec<_> = map.keys().skip(1).cloned().collect();
            let first = map.keys().next().cloned();
            let cut = map.edited(|key, _| if Some(key) == first.as_ref() { Edit::Drop } else { Edit::Keep });
            prop_assert_eq!(cut.is_some(), !map.is_empty());
            prop_assert!(cut.is_none_or(|it| it.keys().cloned().collect::<Vec<_>>() == kept));
        }
        if let Value::List(list) = &value {
            prop_assert_eq!(list.edited(|_, _| None), None);
            let nulls = list.edited(|_, _| Some(Value::Null));
            prop_assert!(nulls.is_none_or(|it| it.len() == list.len() && it.iter().all(Value::is_null)));
        }
    }

    #[test]
    fn reading_back_is_decoding_what_was_encoded(value in any_value()) {
        let decoded = json::decode(&json::encode(&value)).unwrap();
        prop_assert_eq!(json::reread(&value), Some(decoded));
    }
}

#[test]
fn a_list_shares_until_it_is_written_to() {
    let mut list: List = vec![value!(1), value!({"a": 2})].into();
    let copy = list.clone();
    assert!(list.ptr_eq(&copy));
    list.push(Value::Null);
    list.to_mut().swap(0, 2);
    assert_eq!(list.as_slice(), [Value::Null, value!({"a": 2}), value!(1)]);
    assert_eq!(copy.as_slice(), [value!(1), value!({"a": 2})]);
    assert!(!list.ptr_eq(&copy));
}

#[test]
fn an_edit_that_fails_leaves_everything_as_it_was() {
    let Value::Map(map) = value!({"a": 1, "b": 2, "c": 3}) else { unreachable!("a map") };
    let edited = map.try_edited(|key, _| match key.as_str() {
        "c" => Err("no"),
        _ => Ok(Edit::Put(Value::Null)),
    });
    assert_eq!(edited, Err("no"));
    assert_eq!(entries(&map), [("a".into(), 1), ("b".into(), 2), ("c".into(), 3)]);
}

#[test]
fn paths_read_and_write_through_missing_parents() {
    let mut value = value!({"a": {"b": 1}});
    assert_eq!(value.get_path(&["a", "b"]).and_then(Value::as_int), Some(1));
    assert_eq!(value.get_path(&["a", "b", "c"]), None);
    value.set_path(&["x", "y"], Value::Bool(true));
    assert_eq!(value, value!({"a": {"b": 1}, "x": {"y": true}}));
    value.remove_path(&["a", "b"]);
    value.remove_path(&["nowhere", "b"]);
    assert_eq!(value, value!({"a": {}, "x": {"y": true}}));
}

#[test]
fn absent_parts_read_as_empty() {
    let value = value!({"name": "a", "list": ["x", 1, "y"], "map": {"k": 1}, "on": true});
    assert_eq!((value.text("name"), value.text("list"), value.text("none")), ("a", "", ""));
    assert_eq!((value.text_at(&["name"]), value.text_at(&["map", "k"])), ("a", ""));
    assert_eq!((value.is_set("on"), value.is_set("name")), (true, false));
    assert_eq!(value.texts("list").collect::<Vec<_>>(), ["x", "y"]);
    assert_eq!((value.items("list").len(), value.items_at(&["map"]).len()), (3, 0));
    assert_eq!((value.entries("map").count(), value.entries("name").count()), (1, 0));
    assert_eq!((Value::count(3_usize), Value::count(u64::MAX)), (3.into(), i64::MAX.into()));
}

#[test]
fn empty_entries_of_a_literal_are_left_out() {
    let (text, list): (&str, Vec<Value>) = ("", Vec::new());
    let value = value!({
        "text"?: text, "list"?: list, "map"?: (Map::new()), "off"?: false,
        "none"?: (None::<&str>), "some"?: (Some("")), "on"?: true, "plain": text
    });
    assert_eq!(value, value!({"some": "", "on": true, "plain": ""}));
}
