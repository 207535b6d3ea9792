//! Brings `metadata` into the shape of ObjectMeta: unknown fields go, empty ones are left out, times become UTC.
//!
//! Upstream passes metadata through its Go type and back. The tables below describe that type, so that the
//! result, the paths of unknown fields and the words about a wrong type are the same. Metadata that already has
//! the shape (nearly all of it) is recognised without an allocation and shared as it is.

use ordain_value::go_format::{cannot_unmarshal, cannot_unmarshal_field, json_type, type_name};
use ordain_value::{List, Map, Text, Value, json};

use crate::time::Time;

/// At most this many unknown fields are reported, as upstream.
const UNKNOWN_MAX: usize = 100;

/// Metadata in shape, and what was dropped on the way.
#[derive(Clone, Debug, PartialEq)]
pub struct Coerced {
    /// The metadata; always a map.
    pub metadata: Value,
    /// Paths of unknown fields, relative to `metadata`.
    pub unknown: Vec<String>,
}

/// For requests: a value of the wrong type is an error, reported in the words of the API.
pub fn coerce(metadata: &Value) -> Result<Coerced, String> {
    match metadata {
        Value::Map(map) if is_shaped(map, &OBJECT_META) => {
            Ok(Coerced { metadata: metadata.clone(), unknown: Vec::new() })
        }
        _ => decode_whole(metadata),
    }
}

/// For stored objects: a field of the wrong type is dropped, the rest is kept.
pub fn coerce_dropping_invalid(metadata: &Value) -> Result<Coerced, String> {
    if let Ok(coerced) = coerce(metadata) {
        return Ok(coerced);
    }
    let Value::Map(map) = metadata else {
        return Err(format!("invalid metadata: expected object, got {}", type_name(metadata)));
    };
    let mut kept = Coerced { metadata: Value::Map(Map::new()), unknown: Vec::new() };
    let mut entries = Vec::new();
    for (key, value) in map.iter() {
        let single: Map = [(key.clone(), value.clone())].into_iter().collect();
        if let Ok(field) = decode_whole(&Value::Map(single)) {
            kept.unknown.extend(field.unknown);
            if let Value::Map(field) = field.metadata {
                entries.extend(field.iter().map(|(key, value)| (key.clone(), value.clone())));
            }
        }
    }
    kept.metadata = Value::Map(entries.into_iter().collect());
    Ok(kept)
}

fn decode_whole(metadata: &Value) -> Result<Coerced, String> {
    let mut decoder = Decoder::default();
    let decoded = match metadata {
        Value::Null => Map::new(),
        Value::Map(map) => decoder.object(map, &OBJECT_META)?,
        other => {
            decoder.wrong_kind::<Value>(other, OBJECT_META.go_type);
            Map::new()
        }
    };
    match decoder.error {
        Some(error) => Err(error),
        None => Ok(Coerced { metadata: Value::Map(decoded), unknown: decoder.unknown }),
    }
}

/// The type of a field. Sorted tables, so that a field is found by binary search.
enum Shape {
    /// A string, with the name of its Go type.
    Str(&'static str),
    /// A whole number; `true` for a pointer, which keeps zero.
    Int { optional: bool },
    /// An optional boolean.
    Bool,
    /// A time; `true` for a pointer.
    Time { optional: bool },
    /// String to string.
    StrMap,
    /// A list of strings.
    StrList,
    /// A list of objects.
    Objects(&'static ObjectShape),
    /// Kept as it is.
    Raw,
}

struct ObjectShape {
    go_name: &'static str,
    go_type: &'static str,
    go_list_type: &'static str,
    fields: &'static [Field],
}

struct Field {
    name: &'static str,
    shape: Shape,
    omit_empty: bool,
}

const fn field(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, omit_empty: true }
}

const fn always(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, omit_empty: false }
}

static OBJECT_META: ObjectShape = ObjectShape {
    go_name: "ObjectMeta",
    go_type: "v1.ObjectMeta",
    go_list_type: "[]v1.ObjectMeta",
    fields: &[
        field("annotations", Shape::StrMap),
        field("creationTimestamp", Shape::Time { optional: false }),
        field("deletionGracePeriodSeconds", Shape::Int { optional: true }),
        field("deletionTimestamp", Shape::Time { optional: true }),
        field("finalizers", Shape::StrList),
        field("generateName", Shape::Str("string")),
        field("generation", Shape::Int { optional: false }),
        field("labels", Shape::StrMap),
        field("managedFields", Shape::Objects(&MANAGED_FIELDS_ENTRY)),
        field("name", Shape::Str("string")),
        field("namespace", Shape::Str("string")),
        field("ownerReferences", Shape::Objects(&OWNER_REFERENCE)),
        field("resourceVersion", Shape::Str("string")),
        field("selfLink", Shape::Str("string")),
        field("uid", Shape::Str("types.UID")),
    ],
};

static OWNER_REFERENCE: ObjectShape = ObjectShape {
    go_name: "OwnerReference",
    go_type: "v1.OwnerReference",
    go_list_type: "[]v1.OwnerReference",
    fields: &[
        always("apiVersion", Shape::Str("string")),
        field("blockOwnerDeletion", Shape::Bool),
        field("controller", Shape::Bool),
        always("kind", Shape::Str("string")),
        always("name", Shape::Str("string")),
        always("uid", Shape::Str("types.UID")),
    ],
};

static MANAGED_FIELDS_ENTRY: ObjectShape = ObjectShape {
    go_name: "ManagedFieldsEntry",
    go_type: "v1.ManagedFieldsEntry",
    go_list_type: "[]v1.ManagedFieldsEntry",
    fields: &[
        field("apiVersion", Shape::Str("string")),
        field("fieldsType", Shape::Str("string")),
        field("fieldsV1", Shape::Raw),
        field("manager", Shape::Str("string")),
        field("operation", Shape::Str("v1.ManagedFieldsOperationType")),
        field("subresource", Shape::Str("string")),
        field("time", Shape::Time { optional: true }),
    ],
};

impl ObjectShape {
    fn field(&self, name: &str) -> Option<&'static Field> {
        let at = self.fields.binary_search_by(|it| it.name.cmp(name)).ok()?;
        self.fields.get(at)
    }
}

/// Whether decoding would give the very same map.
fn is_shaped(map: &Map, shape: &ObjectShape) -> bool {
    map.iter()
        .all(|(key, value)| shape.field(key).is_some_and(|field| is_field_shaped(value, field)))
        && shape.fields.iter().all(|field| field.omit_empty || map.contains_key(field.name))
}

fn is_field_shaped(value: &Value, field: &Field) -> bool {
    match (&field.shape, value) {
        (Shape::Str(_), Value::Str(text)) => !(field.omit_empty && text.is_empty()),
        (Shape::Int { optional }, Value::Int(int)) => *optional || *int != 0,
        (Shape::Bool, Value::Bool(_)) => true,
        (Shape::Time { .. }, Value::Str(text)) => is_canonical_time(text),
        (Shape::StrMap, Value::Map(map)) => {
            !map.is_empty() && map.values().all(|it| matches!(it, Value::Str(_)))
        }
        (Shape::StrList, Value::List(list)) => {
            !list.is_empty() && list.iter().all(|it| matches!(it, Value::Str(_)))
        }
        (Shape::Objects(shape), Value::List(list)) => {
            !list.is_empty()
                && list.iter().all(|it| it.as_map().is_some_and(|map| is_shaped(map, shape)))
        }
        (Shape::Raw, value) => !value.is_null(),
        _ => false,
    }
}

fn is_canonical_time(text: &Text) -> bool {
    text.len() == 20
        && text.ends_with('Z')
        && text.as_bytes().get(13) == Some(&b':')
        && Time::decode(text).is_ok_and(|it| !is_zero(it))
}

/// The first second of year one counts as "not set".
fn is_zero(time: Time) -> bool {
    time == Time::from_unix(-62_135_596_800, 0)
}

#[derive(Default)]
struct Decoder {
    /// The first value of a wrong type; decoding goes on, as upstream.
    error: Option<String>,
    unknown: Vec<String>,
    /// Go's name of the struct whose field is being read.
    go_struct: &'static str,
    fields: Vec<&'static str>,
    /// The same place with indices, for unknown fields.
    place: String,
}

impl Decoder {
    fn object(&mut self, map: &Map, shape: &'static ObjectShape) -> Result<Map, String> {
        let (outer_struct, place_len) = (self.go_struct, self.place.len());
        let mut entries: Vec<(Text, Value)> = Vec::with_capacity(map.len());
        for (key, value) in map.iter() {
            let Some(field) = shape.field(key) else {
                self.note_unknown(key);
                continue;
            };
            self.go_struct = shape.go_name;
            self.fields.push(field.name);
            if place_len > 0 {
                self.place.push('.');
            }
            self.place.push_str(field.name);
            let decoded = self.value(value, field)?;
            self.place.truncate(place_len);
            self.fields.pop();
            self.go_struct = outer_struct;
            if let Some(decoded) = decoded {
                entries.push((key.clone(), decoded));
            }
        }
        for field in shape.fields.iter().filter(|it| !it.omit_empty) {
            if !entries.iter().any(|(key, _)| key == field.name) {
                entries.push((field.name.into(), "".into()));
            }
        }
        Ok(entries.into_iter().collect())
    }

    /// The value in shape; `None` when it is left out.
    fn value(&mut self, value: &Value, field: &'static Field) -> Result<Option<Value>, String> {
        if value.is_null() {
            return Ok(None);
        }
        Ok(match &field.shape {
            Shape::Str(go_type) => self
                .string(value, go_type)
                .filter(|it| !(field.omit_empty && it.is_empty()))
                .map(Value::Str),
            Shape::Int { optional } => {
                self.int(value).filter(|it| *optional || *it != 0).map(Value::Int)
            }
            Shape::Bool => match value {
                Value::Bool(it) => Some(Value::Bool(*it)),
                other => self.wrong_kind(other, "bool"),
            },
            Shape::Time { optional } => self.time(value, *optional)?,
            Shape::StrMap => self.string_map(value),
            Shape::StrList => self.string_list(value),
            Shape::Objects(shape) => self.objects(value, shape)?,
            Shape::Raw => Some(value.clone()),
        })
    }

    fn string(&mut self, value: &Value, go_type: &str) -> Option<Text> {
        match value {
            Value::Str(text) => Some(text.clone()),
            other => self.wrong_kind(other, go_type),
        }
    }

    fn int(&mut self, value: &Value) -> Option<i64> {
        match value {
            Value::Int(int) => Some(*int),
            Value::Float(_) => {
                // Upstream reads the number's JSON text, in which 1.0 is `1`.
                let text = json::encode_string(value);
                if let Ok(int) = text.parse() {
                    return Some(int);
                }
                self.cannot_unmarshal(&format!("number {text}"), "int64");
                None
            }
            other => self.wrong_kind(other, "int64"),
        }
    }

    fn time(&mut self, value: &Value, optional: bool) -> Result<Option<Value>, String> {
        let Value::Str(text) = value else {
            // The time type reads itself, so its error ends the decoding at once.
            self.error = None;
            self.wrong_kind::<Value>(value, "string");
            return Err(self.error.take().unwrap_or_default());
        };
        let time = Time::decode(text).map_err(|it| it.to_string())?;
        Ok(match (is_zero(time), optional) {
            (true, true) => Some(Value::Null),
            (true, false) => None,
            _ => Some(time.encode().into()),
        })
    }

    fn string_map(&mut self, value: &Value) -> Option<Value> {
        let Value::Map(map) = value else {
            return self.wrong_kind(value, "map[string]string");
        };
        let entries: Map = map
            .iter()
            .map(|(key, value)| (key.clone(), Value::Str(self.nullable_string(value))))
            .collect();
        (!entries.is_empty()).then_some(Value::Map(entries))
    }

    fn string_list(&mut self, value: &Value) -> Option<Value> {
        let Value::List(list) = value else {
            return self.wrong_kind(value, "[]string");
        };
        let items: List = list.iter().map(|it| Value::Str(self.nullable_string(it))).collect();
        (!items.is_empty()).then_some(Value::List(items))
    }

    /// Inside maps and lists null is the empty string.
    fn nullable_string(&mut self, value: &Value) -> Text {
        match value {
            Value::Null => Text::default(),
            other => self.string(other, "string").unwrap_or_default(),
        }
    }

    fn objects(
        &mut self,
        value: &Value,
        shape: &'static ObjectShape,
    ) -> Result<Option<Value>, String> {
        let Value::List(list) = value else {
            return Ok(self.wrong_kind(value, shape.go_list_type));
        };
        let place_len = self.place.len();
        let mut items = Vec::with_capacity(list.len());
        for (i, item) in list.iter().enumerate() {
            self.place.push_str(&format!("[{i}]"));
            let decoded = match item {
                Value::Map(map) => self.object(map, shape)?,
                other => {
                    if !other.is_null() {
                        self.wrong_kind::<Value>(other, shape.go_type);
                    }
                    self.object(&Map::new(), shape)?
                }
            };
            items.push(Value::Map(decoded));
            self.place.truncate(place_len);
        }
        Ok((!items.is_empty()).then(|| items.into()))
    }

    fn note_unknown(&mut self, key: &str) {
        if self.unknown.len() >= UNKNOWN_MAX {
            return;
        }
        let path =
            if self.place.is_empty() { key.to_owned() } else { format!("{}.{key}", self.place) };
        self.unknown.push(path);
    }

    fn wrong_kind<T>(&mut self, value: &Value, go_type: &str) -> Option<T> {
        self.cannot_unmarshal(json_type(value), go_type);
        None
    }

    fn cannot_unmarshal(&mut self, kind: &str, go_type: &str) {
        if self.error.is_some() {
            return;
        }
        self.error = Some(if self.fields.is_empty() {
            cannot_unmarshal(kind, go_type)
        } else {
            let field = format!("{}.{}", self.go_struct, self.fields.join("."));
            cannot_unmarshal_field(kind, &field, go_type)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ordain_value::value;

    #[test]
    fn shaped_metadata_is_shared_as_it_is() {
        let metadata = value!({
            "name": "a", "labels": {"b": "c"}, "finalizers": ["x"], "creationTimestamp": "2020-01-01T00:00:00Z",
            "ownerReferences": [{"apiVersion": "v1", "kind": "K", "name": "n", "uid": "u"}]
        });
        let coerced = coerce(&metadata).expect("shaped metadata");
        assert!(coerced.metadata.same(&metadata));
        assert!(coerced.unknown.is_empty());
    }

    #[test]
    fn unknown_fields_go_and_are_told_with_their_path() {
        let coerced = coerce(&value!({
            "name": "a", "zz": 1, "labels": {}, "generation": 0,
            "ownerReferences": [null, {"q": 1, "controller": null}]
        }))
        .expect("only unknown fields");
        assert_eq!(coerced.unknown, ["ownerReferences[1].q", "zz"]);
        let empty = value!({"apiVersion": "", "kind": "", "name": "", "uid": ""});
        assert_eq!(
            coerced.metadata,
            value!({"name": "a", "ownerReferences": [(empty.clone()), (empty)]})
        );
    }

    #[test]
    fn wrong_types_are_told_in_the_words_of_the_api() {
        for (metadata, expected) in [
            (value!("x"), "json: cannot unmarshal string into Go value of type v1.ObjectMeta"),
            (
                value!({"labels": {"a": 1}}),
                "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string",
            ),
            (
                value!({"ownerReferences": [{"controller": "yes"}]}),
                "json: cannot unmarshal string into Go struct field OwnerReference.ownerReferences.controller of type bool",
            ),
            (
                value!({"generation": 1.5}),
                "json: cannot unmarshal number 1.5 into Go struct field ObjectMeta.generation of type int64",
            ),
        ] {
            assert_eq!(coerce(&metadata), Err(expected.to_owned()));
        }
    }

    #[test]
    fn stored_metadata_loses_only_its_wrong_fields() {
        let coerced = coerce_dropping_invalid(&value!({
            "name": "a", "labels": {"a": 1}, "creationTimestamp": "x", "generation": 1.0
        }))
        .expect("a map");
        assert_eq!(coerced.metadata, value!({"name": "a", "generation": 1}));
        assert!(coerce_dropping_invalid(&value!([1])).is_err());
    }
}
