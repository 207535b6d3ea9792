//! JSON as Go values.
//!
//! Rules walk the JSON itself ([`read`], [`field`]): what was not sent is the zero value of its type,
//! and nil pointers, lists and maps are null. Only values that have to be compared or shown as a
//! whole are turned into Go's form ([`decode`]): there every field of a struct is present, under its
//! Go name.

use std::borrow::Cow;

use ordain_cel::library::encoders;
use ordain_go::time as go_time;
use ordain_meta::quantity::Quantity;
use ordain_meta::time::Time;
use ordain_schema::native::{Equality, GoField, GoKind, Program, Special, TypeId};
use ordain_value::{List, Map, Text, Value, json};

/// Values nest at most this deep; deeper ones are taken as they are.
const DEPTH_MAX: usize = 500;

pub(super) static NULL: Value = Value::Null;
static FALSE: Value = Value::Bool(false);
static ZERO: Value = Value::Int(0);
static ZERO_FLOAT: Value = Value::Float(0.0);
static NO_TEXT: Value = Value::Str(Text::new_static(""));
static NO_QUANTITY: Value = Value::Str(Text::new_static("0"));
static NO_DURATION: Value = Value::Str(Text::new_static("0s"));
static NO_FIELDS: Value = Value::Map(Map::new());

/// A JSON value as Go has it on the outside; what is inside of it is read when it is asked for.
pub(super) fn read<'v>(program: &Program, ty: TypeId, json: Option<&'v Value>) -> Cow<'v, Value> {
    match (&program.ty(ty).kind, json.filter(|it| !it.is_null())) {
        (GoKind::Pointer(to), Some(_)) => read(program, *to, json),
        (GoKind::Float | GoKind::Special(Special::Duration), Some(json)) => {
            Cow::Owned(decode(program, ty, json))
        }
        (_, Some(json)) => Cow::Borrowed(json),
        (kind, None) => Cow::Borrowed(match kind {
            GoKind::Bool => &FALSE,
            GoKind::Int | GoKind::Special(Special::IntOrString) => &ZERO,
            GoKind::Float => &ZERO_FLOAT,
            GoKind::String => &NO_TEXT,
            GoKind::Special(Special::Quantity) => &NO_QUANTITY,
            GoKind::Special(Special::Duration) => &NO_DURATION,
            GoKind::Struct(_) => &NO_FIELDS,
            _ => &NULL,
        }),
    }
}

/// A field of a struct; null where there is no struct.
pub(super) fn field<'v>(
    program: &Program,
    ty: TypeId,
    json: &str,
    holder: &'v Value,
) -> Cow<'v, Value> {
    match holder {
        Value::Map(map) => read(program, ty, map.get(json)),
        _ => Cow::Borrowed(&NULL),
    }
}

/// The type and the value of a struct's field by its Go name; nothing for what is no struct, or has
/// no such field.
pub(super) fn field_named<'v>(
    program: &Program,
    ty: TypeId,
    go: &str,
    holder: &'v Value,
) -> Option<(TypeId, Cow<'v, Value>)> {
    let found = struct_field(program, ty, go)?;
    // A null among the items of a list of structs is a struct without fields.
    let is_struct = matches!(program.ty(ty).kind, GoKind::Struct(_));
    let holder = if holder.is_null() && is_struct { &NO_FIELDS } else { holder };
    match holder {
        Value::Map(_) if found.inline => Some((found.ty, embedded(program, found, holder))),
        Value::Map(map) => Some((found.ty, read(program, found.ty, map.get(&found.json)))),
        _ => None,
    }
}

/// An embedded struct shares the object of its parent; behind a pointer it exists if one of its
/// fields is there.
pub(super) fn embedded<'v>(
    program: &Program,
    field: &GoField,
    holder: &'v Value,
) -> Cow<'v, Value> {
    let Value::Map(map) = holder else { return Cow::Borrowed(&NULL) };
    let mut whole = Cow::Borrowed(holder);
    if field.hidden.iter().any(|name| map.contains_key(name)) {
        let mut own = map.clone();
        own.retain(|name, _| !field.hidden.contains(name));
        whole = Cow::Owned(Value::Map(own));
    }
    let GoKind::Pointer(to) = &program.ty(field.ty).kind else { return whole };
    let GoKind::Struct(fields) = &program.ty(*to).kind else { return Cow::Borrowed(&NULL) };
    let is_there =
        whole.as_map().is_some_and(|map| fields.iter().any(|it| map.contains_key(&it.json)));
    if is_there { whole } else { Cow::Borrowed(&NULL) }
}

/// Reads JSON as a value of the type, with all that is inside of it.
pub(super) fn decode(program: &Program, ty: TypeId, json: &Value) -> Value {
    decode_within(program, ty, json, 0)
}

fn decode_within(program: &Program, ty: TypeId, json: &Value, depth: usize) -> Value {
    if depth > DEPTH_MAX {
        return json.clone();
    }
    let below = |ty, json: &Value| decode_within(program, ty, json, depth + 1);
    match (&program.ty(ty).kind, json) {
        (GoKind::Bool, Value::Null) => Value::Bool(false),
        (GoKind::Int, Value::Null) => Value::Int(0),
        (GoKind::Float, Value::Null) => Value::Float(0.0),
        (GoKind::Float, number) => number.as_float().map_or_else(|| number.clone(), Value::Float),
        (GoKind::String, Value::Null) => Value::str(""),
        (GoKind::Special(Special::Quantity), Value::Null) => Value::str("0"),
        (GoKind::Special(Special::Duration), Value::Null) => Value::str("0s"),
        (GoKind::Special(Special::IntOrString), Value::Null) => Value::Int(0),
        // Durations are compared with `==`, the others by what they mean.
        (GoKind::Special(Special::Duration), it) => canonical(Special::Duration, it),
        (GoKind::Pointer(to), it) if !it.is_null() => below(*to, it),
        (GoKind::List(of), Value::List(items)) => {
            Value::List(items.iter().map(|it| below(*of, it)).collect())
        }
        (GoKind::Map(of), Value::Map(map)) => {
            let entries = map.iter().map(|(key, it)| (key.clone(), below(*of, it)));
            Value::Map(entries.collect())
        }
        // Anything else is no struct at all: the schema has said so.
        (GoKind::Struct(fields), Value::Null | Value::Map(_)) => {
            let empty = Map::new();
            let map = json.as_map().unwrap_or(&empty);
            let whole = if json.is_null() { &NO_FIELDS } else { json };
            let entry = |field: &GoField| {
                let value = if field.inline {
                    match embedded(program, field, whole).as_ref() {
                        Value::Null => Value::Null,
                        inner => below(field.ty, inner),
                    }
                } else {
                    below(field.ty, map.get(&field.json).unwrap_or(&Value::Null))
                };
                (field.go.clone(), value)
            };
            Value::Map(fields.iter().map(entry).collect())
        }
        (_, it) => it.clone(),
    }
}

/// A JSON value as Go encodes it after reading it.
pub(super) fn encode(program: &Program, ty: TypeId, json: &Value) -> Value {
    encode_within(program, ty, &decode(program, ty, json), 0)
}

fn encode_within(program: &Program, ty: TypeId, value: &Value, depth: usize) -> Value {
    if depth > DEPTH_MAX {
        return value.clone();
    }
    let below = |ty, it: &Value| encode_within(program, ty, it, depth + 1);
    match (&program.ty(ty).kind, value) {
        (GoKind::Pointer(to), it) if !it.is_null() => below(*to, it),
        (GoKind::List(of), Value::List(items)) => {
            Value::List(items.iter().map(|it| below(*of, it)).collect())
        }
        (GoKind::Map(of), Value::Map(map)) => {
            Value::Map(map.iter().map(|(key, it)| (key.clone(), below(*of, it))).collect())
        }
        (GoKind::Struct(fields), Value::Map(map)) => {
            let mut out: Vec<(Text, Value)> = Vec::new();
            for field in fields {
                let it = map.get(&field.go).unwrap_or(&Value::Null);
                let encoded = below(field.ty, it);
                if field.inline {
                    if let Value::Map(inner) = encoded {
                        let seen = inner.entries().iter();
                        out.extend(seen.filter(|it| !field.hidden.contains(&it.0)).cloned());
                    }
                } else if !(field.omit_empty && is_empty(program, field.ty, it)) {
                    out.push((field.json.clone(), encoded));
                }
            }
            Value::Map(Map::from_entries(out))
        }
        (GoKind::Special(special), it) => canonical(*special, it),
        (_, it) => it.clone(),
    }
}

/// Go reads these as what they mean, and writes them in their canonical form.
fn canonical(special: Special, value: &Value) -> Value {
    let text = match (special, value) {
        (Special::Quantity, it) => quantity(it).map(|it| it.to_string()),
        (Special::Time, Value::Str(text)) => Time::decode(text).map(|it| it.encode()).ok(),
        (Special::MicroTime, Value::Str(text)) => {
            Time::decode_micro(text).map(|it| it.encode_micro()).ok()
        }
        (Special::Duration, Value::Str(text)) => {
            go_time::parse_duration(text).map(go_time::duration_text)
        }
        _ => None,
    };
    text.map_or_else(|| value.clone(), Value::str)
}

/// The elements of a list, which bytes are too.
pub(super) fn list_of<'v>(
    program: &Program,
    ty: TypeId,
    value: &'v Value,
) -> Option<Cow<'v, List>> {
    match (value, &program.ty(pointee(program, ty)).kind) {
        (Value::List(items), _) => Some(Cow::Borrowed(items)),
        (Value::Str(text), GoKind::Bytes) => {
            let bytes = encoders::decode(text, true).ok()?;
            Some(Cow::Owned(bytes.into_iter().map(|it| Value::Int(it.into())).collect()))
        }
        _ => None,
    }
}

/// What `omitempty` leaves out: structs never.
fn is_empty(program: &Program, ty: TypeId, value: &Value) -> bool {
    match program.ty(ty).kind {
        GoKind::Struct(_) | GoKind::Special(_) => false,
        GoKind::Pointer(_) => value.is_null(),
        _ => is_zero(value),
    }
}

/// The zero value of a scalar, or nothing in a list or map.
pub(super) fn is_zero(value: &Value) -> bool {
    super::super::strip_zero::is_zero(value)
}

/// Whether a Go value of a type is as nobody set it: nil, zero, or a struct of such fields. Structs
/// hold each other by value, so this ends with the declaration.
pub(super) fn is_unset(program: &Program, ty: TypeId, value: &Value) -> bool {
    match (&program.ty(ty).kind, value) {
        (_, Value::Null) => true,
        (GoKind::Pointer(_), _) => false,
        (GoKind::Struct(fields), Value::Map(map)) => fields.iter().all(|it| {
            if it.inline {
                return is_unset(program, it.ty, &embedded(program, it, value));
            }
            is_unset(program, it.ty, &read(program, it.ty, map.get(&it.json)))
        }),
        _ => is_zero(value),
    }
}

/// Whether a value stands where a struct should and is none, which its schema refuses. Null is a nil
/// pointer, and rules of its type hold for it.
pub(super) fn is_no_struct(program: &Program, ty: TypeId, value: &Value) -> bool {
    matches!(program.ty(pointee(program, ty)).kind, GoKind::Struct(_))
        && !matches!(value, Value::Map(_) | Value::Null)
}

/// What a pointer points to; the type itself otherwise.
pub(super) fn pointee(program: &Program, ty: TypeId) -> TypeId {
    match program.ty(ty).kind {
        GoKind::Pointer(to) => to,
        _ => ty,
    }
}

/// A field of a struct type by its Go name.
pub(super) fn struct_field<'p>(program: &'p Program, ty: TypeId, go: &str) -> Option<&'p GoField> {
    let GoKind::Struct(fields) = &program.ty(pointee(program, ty)).kind else { return None };
    fields.iter().find(|it| it.go == go)
}

/// A field of a list's element by its JSON name.
pub(super) fn element_field<'v>(
    program: &Program,
    elem: TypeId,
    json: &str,
    item: &'v Value,
) -> Option<Cow<'v, Value>> {
    let GoKind::Struct(fields) = &program.ty(pointee(program, elem)).kind else { return None };
    let found = fields.iter().find(|it| it.json == json)?;
    item.as_map().map(|map| read(program, found.ty, map.get(&found.json)))
}

/// The type of the elements of a list or map.
pub(super) fn element_type(program: &Program, ty: TypeId) -> TypeId {
    match program.ty(pointee(program, ty)).kind {
        GoKind::List(of) | GoKind::Map(of) => of,
        _ => ty,
    }
}

/// Are two Go values equal? JSON of equal texts is; other JSON may still be, since what is absent
/// equals its zero value.
pub(super) fn equal(
    program: &Program,
    ty: TypeId,
    equality: Equality,
    a: &Value,
    b: &Value,
) -> bool {
    if a == b {
        return true;
    }
    let plain = matches!(program.ty(ty).kind, GoKind::Bool | GoKind::Int | GoKind::String);
    if plain {
        return false;
    }
    let (a, b) = (decode(program, ty, a), decode(program, ty, b));
    match equality {
        Equality::Direct => a == b,
        Equality::Semantic => {
            a == b || semantic(program, ty, &a, 0) == semantic(program, ty, &b, 0)
        }
    }
}

/// A form of a value that is the same for semantically equal ones: nil lists are empty, quantities
/// and times are told by what they mean.
pub(super) fn semantic(program: &Program, ty: TypeId, value: &Value, depth: usize) -> Value {
    if depth > DEPTH_MAX {
        return value.clone();
    }
    let below = |ty, it: &Value| semantic(program, ty, it, depth + 1);
    match (&program.ty(ty).kind, value) {
        (GoKind::List(_), Value::Null) => Value::List(List::new()),
        (GoKind::Map(_), Value::Null) => Value::Map(Map::new()),
        (GoKind::Bytes, Value::Null) => Value::str(""),
        (GoKind::Pointer(to), it) if !it.is_null() => below(*to, it),
        (GoKind::List(of), Value::List(items)) => {
            Value::List(items.iter().map(|it| below(*of, it)).collect())
        }
        (GoKind::Map(of), Value::Map(map)) => {
            Value::Map(map.iter().map(|(key, it)| (key.clone(), below(*of, it))).collect())
        }
        (GoKind::Struct(fields), Value::Map(map)) => {
            let entry = |field: &GoField| {
                let it = map.get(&field.go).unwrap_or(&Value::Null);
                (field.go.clone(), below(field.ty, it))
            };
            Value::Map(fields.iter().map(entry).collect())
        }
        (GoKind::Special(Special::Quantity), it) => canonical_quantity(it),
        (GoKind::Special(Special::Time | Special::MicroTime), Value::Str(text)) => {
            match Time::decode(text).or_else(|_| Time::decode_micro(text)) {
                Ok(time) => Value::str(time.encode_micro()),
                Err(_) => value.clone(),
            }
        }
        (_, it) => it.clone(),
    }
}

/// Quantities of equal value get one form: the whole number if it is one, else the canonical text.
fn canonical_quantity(value: &Value) -> Value {
    match quantity(value) {
        Some(quantity) => {
            let whole = quantity.value();
            if Quantity::from_i64(whole, quantity.format()) == quantity {
                Value::Int(whole)
            } else {
                Value::str(quantity.to_string())
            }
        }
        None => value.clone(),
    }
}

/// A quantity in text or as a number.
fn quantity(value: &Value) -> Option<Quantity> {
    match value {
        Value::Str(text) => Quantity::parse(text.trim()).ok(),
        Value::Int(_) | Value::Float(_) => Quantity::parse(&json::encode_string(value)).ok(),
        _ => None,
    }
}
