//! Typed structs from values and back.

use std::collections::BTreeMap;

use ordain_value::serde::{DEPTH_MAX, from_value, to_value};
use ordain_value::{Value, value};
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Widget {
    name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    replicas: Option<i32>,
    ratio: f64,
    #[serde(default)]
    labels: BTreeMap<String, String>,
    size: Size,
    parts: Vec<Part>,
    extra: Value,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
enum Size {
    Small,
    Custom(u32),
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Part {
    id: u8,
}

#[test]
fn a_typed_struct_reads_and_writes_the_same_value() {
    let object = value!({
        "name": "a",
        "replicas": 3,
        "ratio": 1.5,
        "labels": {"x": "y"},
        "size": {"Custom": 7},
        "parts": [{"id": 1}, {"id": 2}],
        "extra": [1, 1.5, null, {"deep": true}],
        "unknown": {"kept": [1]}
    });
    let widget: Widget = from_value(&object).unwrap();
    assert_eq!(widget.replicas, Some(3));
    assert_eq!(widget.size, Size::Custom(7));
    assert_eq!(widget.rest["unknown"], value!({"kept": [1]}));
    assert_eq!(to_value(&widget).unwrap(), object);
}

#[test]
fn absent_and_null_are_none_and_integers_are_floats_where_wanted() {
    let object = value!({"name": "a", "ratio": 2, "size": "Small", "parts": [], "extra": null, "replicas": null});
    let widget: Widget = from_value(&object).unwrap();
    assert_eq!((widget.replicas, widget.ratio, widget.size), (None, 2.0, Size::Small));
}

#[test]
fn what_does_not_fit_is_told() {
    let reported = |object: Value| from_value::<Part>(&object).unwrap_err().to_string();
    assert!(reported(value!({"id": 300})).contains("300"));
    assert!(reported(value!({"id": "x"})).contains("invalid type: string"));
    assert!(reported(value!({})).contains("missing field `id`"));
    assert!(reported(value!([])).contains("invalid length 0"));
    assert!(to_value(&u64::MAX).is_err());
    assert!(to_value(&f64::NAN).is_err());
    assert!(to_value(&BTreeMap::from([(vec![1], 1)])).is_err());
    assert_eq!(to_value(&BTreeMap::from([(1, 1)])).unwrap(), value!({"1": 1}));
}

#[test]
fn deep_values_are_refused_not_followed() {
    let mut deep = value!([]);
    for _ in 0..DEPTH_MAX * 50 {
        deep = Value::from(vec![deep]);
    }
    assert!(from_value::<Value>(&deep).unwrap_err().to_string().contains("levels deep"));
    assert!(to_value(&deep).unwrap_err().to_string().contains("levels deep"));
}
