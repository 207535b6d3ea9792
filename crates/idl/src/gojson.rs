//! JSON through the eyes of Go types: what `encoding/json` reads into them and writes from them.
//!
//! Absent and null leave the zero value, unknown keys are dropped, `omitempty` and `omitzero` leave
//! out, embedded structs are flattened. Types with JSON methods of their own keep the value as is.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use ordain_value::go_format::{cannot_unmarshal, json_type};
use ordain_value::{List, Map, Text, Value};

use crate::graph::{Basic, Type, TypeId, Universe};

/// A Go value. Which type it has is known to whoever holds it.
#[derive(Clone, Debug, PartialEq)]
pub enum GoValue {
    /// A nil pointer, list, map or interface.
    Nil,
    /// A boolean.
    Bool(bool),
    /// An integer of any width.
    Int(i128),
    /// A floating-point number.
    Float(f64),
    /// A string.
    Str(Text),
    /// A list or array.
    List(Vec<GoValue>),
    /// A map with keys as JSON shows them.
    Map(BTreeMap<Text, GoValue>),
    /// A struct: one value per field, in order, unexported ones included.
    Struct(Vec<GoValue>),
    /// A pointer that is not nil.
    Pointer(Box<GoValue>),
    /// JSON as it came: bytes, interfaces, and types that read JSON themselves. Null is zero.
    Raw(Value),
}

/// Nesting of values; deeper ones are an error.
const DEPTH_MAX: u32 = 500;

/// Values made from one document beside those it holds, and for each of those: structs that hold
/// structs by value could double without end.
const VALUES_MAX: u64 = 1 << 16;
const VALUES_EACH_MAX: u64 = 256;

/// How many values a document holds.
fn count_of(value: &Value) -> u64 {
    let (mut count, mut waiting) = (0, vec![value]);
    while let Some(value) = waiting.pop() {
        count += 1;
        match value {
            Value::List(list) => waiting.extend(list.iter()),
            Value::Map(map) => waiting.extend(map.values()),
            _ => {}
        }
    }
    count
}

/// How a struct's fields stand in JSON.
#[derive(Debug)]
struct Layout {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    key: Text,
    /// Field positions from the outer struct to the field.
    path: Vec<usize>,
    /// Types of the structs on the way, the outer one not included.
    through: Vec<TypeId>,
    ty: TypeId,
    omitempty: bool,
    omitzero: bool,
    /// `json:",string"`: numbers, booleans and strings stand in quotes.
    quoted: bool,
}

/// Decodes and encodes values of the types of a universe.
#[derive(Debug)]
pub struct Codec<'u> {
    universe: &'u Universe,
    layouts: RefCell<HashMap<TypeId, Arc<Layout>>>,
    /// Whether a type is kept as it came, once it was asked.
    raw: RefCell<HashMap<TypeId, bool>>,
    /// Values that may still be made.
    left: Cell<u64>,
}

impl<'u> Codec<'u> {
    /// A codec; it remembers layouts, so keep it.
    #[must_use]
    pub fn new(universe: &'u Universe) -> Self {
        Self { universe, layouts: RefCell::default(), raw: RefCell::default(), left: Cell::new(0) }
    }

    /// Reads JSON into a type.
    ///
    /// # Errors
    /// What does not fit, in the manner of `encoding/json`.
    pub fn decode(&self, value: &Value, ty: TypeId) -> Result<GoValue, String> {
        self.left.set(VALUES_MAX + VALUES_EACH_MAX.saturating_mul(count_of(value)));
        self.read(value, ty, 0)
    }

    /// The zero value of a type.
    ///
    /// # Errors
    /// When the type has no finite size.
    pub fn zero(&self, ty: TypeId) -> Result<GoValue, String> {
        self.left.set(VALUES_MAX);
        self.zero_at(ty, 0)
    }

    /// Writes a value of a type as JSON.
    #[must_use]
    pub fn encode(&self, value: &GoValue, ty: TypeId) -> Value {
        self.write(value, ty, false)
    }

    fn count(&self, depth: u32) -> Result<(), String> {
        let left = self.left.get().checked_sub(1).filter(|_| depth <= DEPTH_MAX);
        self.left.set(left.ok_or("value is too large or nested too deeply")?);
        Ok(())
    }

    /// Whether JSON is kept as it came.
    fn is_raw(&self, ty: TypeId) -> bool {
        if let Some(known) = self.raw.borrow().get(&ty) {
            return *known;
        }
        let raw = self.reads_itself(ty);
        self.raw.borrow_mut().insert(ty, raw);
        raw
    }

    fn reads_itself(&self, ty: TypeId) -> bool {
        if matches!(self.universe.ty(self.universe.underlying(ty)), Type::Interface(_) | Type::Any)
        {
            return true;
        }
        if let Type::Slice(elem) = self.universe.ty(self.universe.underlying(ty)) {
            let byte = self.universe.basic(*elem);
            if matches!(byte, Some(Basic::Byte | Basic::Uint8)) {
                return true;
            }
        }
        let value = !matches!(self.universe.ty(self.universe.underlying(ty)), Type::Pointer(_));
        value
            && ["UnmarshalJSON", "MarshalJSON", "UnmarshalText"]
                .iter()
                .any(|method| self.universe.has_method(ty, method))
    }

    fn zero_at(&self, ty: TypeId, depth: u32) -> Result<GoValue, String> {
        self.count(depth)?;
        if self.is_raw(ty) {
            return Ok(GoValue::Raw(Value::Null));
        }
        Ok(match self.universe.ty(self.universe.underlying(ty)) {
            Type::Basic(Basic::Bool) => GoValue::Bool(false),
            Type::Basic(Basic::String) => GoValue::Str(Text::default()),
            Type::Basic(basic) if basic.is_integer() => GoValue::Int(0),
            Type::Basic(basic) if basic.is_float() => GoValue::Float(0.0),
            Type::Array(len, elem) => {
                let mut items = Vec::new();
                for _ in 0..counted(*len) {
                    items.push(self.zero_at(*elem, depth + 1)?);
                }
                GoValue::List(items)
            }
            Type::Struct(id) => {
                let mut fields = Vec::new();
                for field in &self.universe.struct_type(*id).fields {
                    fields.push(self.zero_at(field.ty, depth + 1)?);
                }
                GoValue::Struct(fields)
            }
            _ => GoValue::Nil,
        })
    }

    fn mismatch(&self, value: &Value, ty: TypeId) -> String {
        cannot_unmarshal(json_type(value), &self.universe.go_display(ty))
    }

    fn read(&self, value: &Value, ty: TypeId, depth: u32) -> Result<GoValue, String> {
        self.count(depth)?;
        if self.is_raw(ty) {
            return Ok(GoValue::Raw(value.clone()));
        }
        if value.is_null() {
            return self.zero_at(ty, depth);
        }
        let under = self.universe.underlying(ty);
        match (self.universe.ty(under), value) {
            (Type::Pointer(elem), _) => {
                Ok(GoValue::Pointer(Box::new(self.read(value, *elem, depth + 1)?)))
            }
            (Type::Basic(basic), _) => {
                scalar(*basic, value).ok_or_else(|| self.mismatch(value, ty))
            }
            (Type::Slice(elem), Value::List(list)) => {
                let mut items = Vec::with_capacity(list.len());
                for item in list.iter() {
                    items.push(self.read(item, *elem, depth + 1)?);
                }
                Ok(GoValue::List(items))
            }
            (Type::Array(len, elem), Value::List(list)) => {
                let mut items = Vec::new();
                for at in 0..counted(*len) {
                    let item = usize::try_from(at).ok().and_then(|at| list.get(at));
                    items.push(match item {
                        Some(item) => self.read(item, *elem, depth + 1)?,
                        None => self.zero_at(*elem, depth + 1)?,
                    });
                }
                Ok(GoValue::List(items))
            }
            (Type::Map(_, elem), Value::Map(map)) => {
                let mut entries = BTreeMap::new();
                for (key, item) in map.iter() {
                    entries.insert(key.clone(), self.read(item, *elem, depth + 1)?);
                }
                Ok(GoValue::Map(entries))
            }
            (Type::Struct(_), Value::Map(map)) => self.read_struct(map, under, depth),
            _ => Err(self.mismatch(value, ty)),
        }
    }

    fn read_struct(&self, map: &Map, ty: TypeId, depth: u32) -> Result<GoValue, String> {
        let mut out = self.zero_at(ty, depth)?;
        let layout = self.layout(ty);
        for entry in &layout.entries {
            let Some(value) = map.get(&entry.key) else { continue };
            // Null changes nothing, but embedded pointers on the way to it come to life.
            if value.is_null() && !self.is_raw(entry.ty) && entry.path.len() == 1 {
                continue;
            }
            let read = match value {
                Value::Str(text) if entry.quoted => unquote(text),
                other => other.clone(),
            };
            let read = self.read(&read, entry.ty, depth + 1)?;
            let mut at = &mut out;
            for (step, position) in entry.path.iter().enumerate() {
                if step > 0 && matches!(at, GoValue::Nil) {
                    // An embedded pointer comes to life with its first field.
                    let inner = entry.through.get(step - 1).copied().unwrap_or(ty);
                    let made = self.zero_at(self.universe.deref(inner), depth)?;
                    *at = GoValue::Pointer(Box::new(made));
                }
                at = match field_mut(at, *position) {
                    Some(field) => field,
                    None => return Err("struct and layout do not fit".into()),
                };
            }
            *at = read;
        }
        Ok(out)
    }

    fn layout(&self, ty: TypeId) -> Arc<Layout> {
        if let Some(known) = self.layouts.borrow().get(&ty) {
            return Arc::clone(known);
        }
        let mut entries = Vec::new();
        for found in self.universe.json_fields(ty) {
            let mut path = Vec::new();
            let mut through = Vec::new();
            let mut owner = ty;
            for field in found.through.iter().copied().chain([found.field]) {
                let position = self
                    .universe
                    .fields(owner)
                    .iter()
                    .position(|it| it.name == field.name)
                    .unwrap_or(0);
                path.push(position);
                through.push(field.ty);
                owner = self.universe.deref(field.ty);
            }
            entries.push(Entry {
                key: found.key.clone(),
                path,
                through,
                ty: found.field.ty,
                omitempty: found.field.json.omitempty,
                omitzero: found.field.json.omitzero,
                quoted: found.field.json.string
                    && self.universe.basic(self.universe.deref(found.field.ty)).is_some(),
            });
        }
        let layout = Arc::new(Layout { entries });
        self.layouts.borrow_mut().insert(ty, Arc::clone(&layout));
        layout
    }

    fn write(&self, value: &GoValue, ty: TypeId, quoted: bool) -> Value {
        let under = self.universe.underlying(ty);
        let elem = || match self.universe.ty(under) {
            Type::Pointer(elem) | Type::Slice(elem) | Type::Array(_, elem) | Type::Map(_, elem) => {
                *elem
            }
            _ => ty,
        };
        match value {
            GoValue::Nil => Value::Null,
            GoValue::Raw(Value::Null) => self.raw_zero(ty),
            GoValue::Raw(value) => self.raw_text(value, ty),
            GoValue::Pointer(inner) => self.write(inner, elem(), quoted),
            GoValue::List(items) => {
                let elem = elem();
                let items: Vec<Value> =
                    items.iter().map(|item| self.write(item, elem, false)).collect();
                Value::List(List::from(items))
            }
            GoValue::Map(entries) => {
                let elem = elem();
                let entries =
                    entries.iter().map(|(key, item)| (key.clone(), self.write(item, elem, false)));
                Value::Map(entries.collect())
            }
            GoValue::Struct(_) => self.write_struct(value, under),
            scalar => {
                let plain = write_scalar(scalar);
                if quoted { quote(&plain) } else { plain }
            }
        }
    }

    fn write_struct(&self, value: &GoValue, ty: TypeId) -> Value {
        let layout = self.layout(ty);
        let mut out = Vec::with_capacity(layout.entries.len());
        for entry in &layout.entries {
            let mut at = Some(value);
            for position in &entry.path {
                at = at.and_then(|at| field(at, *position));
            }
            let Some(found) = at else { continue };
            if (entry.omitempty && self.is_empty(found, entry.ty))
                || (entry.omitzero && is_zero(found))
            {
                continue;
            }
            out.push((entry.key.clone(), self.write(found, entry.ty, entry.quoted)));
        }
        Value::Map(Map::from_entries(out))
    }

    fn is_empty(&self, value: &GoValue, ty: TypeId) -> bool {
        match value {
            GoValue::Nil | GoValue::Bool(false) | GoValue::Int(0) => true,
            GoValue::Float(value) => *value == 0.0,
            GoValue::Str(text) => text.is_empty(),
            GoValue::List(items) => items.is_empty(),
            GoValue::Map(entries) => entries.is_empty(),
            GoValue::Raw(value) => {
                let is_struct = self.universe.as_struct(ty).is_some();
                let under = self.universe.ty(self.universe.underlying(ty));
                let is_any = matches!(under, Type::Interface(_) | Type::Any);
                let empty_bytes = !is_struct && !is_any && value.as_str() == Some("");
                (value.is_null() && !is_struct) || empty_bytes
            }
            GoValue::Bool(true) | GoValue::Int(_) | GoValue::Struct(_) | GoValue::Pointer(_) => {
                false
            }
        }
    }

    /// Quantities may be read as numbers, but are written as text.
    fn raw_text(&self, value: &Value, ty: TypeId) -> Value {
        let number = matches!(value, Value::Int(_) | Value::Float(_));
        let quantity = "k8s.io/apimachinery/pkg/api/resource.Quantity";
        let named = self.universe.as_named(ty).filter(|_| number);
        if named.is_some_and(|id| self.universe.qualified(id) == quantity) {
            return Value::str(ordain_value::json::encode_string(value));
        }
        value.clone()
    }

    /// What the well-known types write for their zero value.
    fn raw_zero(&self, ty: TypeId) -> Value {
        let Some(id) = self.universe.as_named(ty) else { return Value::Null };
        match self.universe.qualified(id).as_str() {
            "k8s.io/apimachinery/pkg/api/resource.Quantity" => Value::from("0"),
            "k8s.io/apimachinery/pkg/util/intstr.IntOrString" => Value::Int(0),
            "k8s.io/apimachinery/pkg/apis/meta/v1.Duration" => Value::from("0s"),
            "time.Time" => Value::from("0001-01-01T00:00:00Z"),
            _ => Value::Null,
        }
    }
}

/// A field of a struct, through pointers.
#[must_use]
pub fn field(value: &GoValue, position: usize) -> Option<&GoValue> {
    let mut at = value;
    while let GoValue::Pointer(inner) = at {
        at = inner;
    }
    match at {
        GoValue::Struct(fields) => fields.get(position),
        _ => None,
    }
}

/// A field of a struct to change, through pointers.
pub fn field_mut(value: &mut GoValue, position: usize) -> Option<&mut GoValue> {
    let mut at = value;
    loop {
        match at {
            GoValue::Pointer(inner) => at = inner,
            GoValue::Struct(fields) => return fields.get_mut(position),
            _ => return None,
        }
    }
}

/// Whether a value is the zero value of its type.
#[must_use]
pub fn is_zero(value: &GoValue) -> bool {
    match value {
        GoValue::Nil | GoValue::Bool(false) | GoValue::Int(0) => true,
        GoValue::Float(value) => *value == 0.0,
        GoValue::Str(text) => text.is_empty(),
        GoValue::Raw(value) => value.is_null(),
        GoValue::Struct(fields) => fields.iter().all(is_zero),
        GoValue::Bool(true)
        | GoValue::Int(_)
        | GoValue::List(_)
        | GoValue::Map(_)
        | GoValue::Pointer(_) => false,
    }
}

/// A scalar of a language type, if the JSON fits it.
pub(crate) fn scalar(basic: Basic, value: &Value) -> Option<GoValue> {
    match (basic.canonical(), value) {
        (Basic::Bool, Value::Bool(value)) => Some(GoValue::Bool(*value)),
        (Basic::String, Value::Str(text)) => Some(GoValue::Str(text.clone())),
        (basic, Value::Int(value)) if basic.is_float() =>
        {
            #[expect(clippy::cast_precision_loss, reason = "Go converts the same way")]
            Some(GoValue::Float(*value as f64))
        }
        (Basic::Float32, Value::Float(value)) =>
        {
            #[expect(clippy::cast_possible_truncation, reason = "the type has 32 bits")]
            Some(GoValue::Float(f64::from(*value as f32)))
        }
        (Basic::Float64, Value::Float(value)) => Some(GoValue::Float(*value)),
        (basic, Value::Int(value)) => {
            let (min, max) = basic.integer_range()?;
            let value = i128::from(*value);
            (value >= min && value <= max).then_some(GoValue::Int(value))
        }
        // Numbers above int64 come as floats; those that are whole fit unsigned types.
        (basic, Value::Float(value)) if value.fract() == 0.0 && value.abs() < 1e20 => {
            let (min, max) = basic.integer_range()?;
            #[expect(clippy::cast_possible_truncation, reason = "checked to be whole and small")]
            let value = *value as i128;
            (value >= min && value <= max).then_some(GoValue::Int(value))
        }
        _ => None,
    }
}

fn write_scalar(value: &GoValue) -> Value {
    match value {
        GoValue::Bool(value) => Value::Bool(*value),
        GoValue::Int(value) => match i64::try_from(*value) {
            Ok(value) => Value::Int(value),
            #[expect(clippy::cast_precision_loss, reason = "JSON values hold no larger integers")]
            Err(_) => Value::Float(*value as f64),
        },
        GoValue::Float(value) => Value::Float(*value),
        GoValue::Str(text) => Value::Str(text.clone()),
        _ => Value::Null,
    }
}

fn quote(value: &Value) -> Value {
    Value::from(ordain_value::json::encode_string(value))
}

fn unquote(text: &str) -> Value {
    ordain_value::json::decode(text.as_bytes()).unwrap_or_else(|_| Value::from(text))
}
/// Arrays above this length, and those whose length is not known, have no items of their own.
const ARRAY_ITEMS_MAX: u64 = 1 << 16;

fn counted(len: u64) -> u64 {
    if len > ARRAY_ITEMS_MAX { 0 } else { len }
}
