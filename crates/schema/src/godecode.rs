//! Reads a value the way Go's JSON decoder fills a typed struct: the first wrong type is the
//! error, with Go's wording and field trail; unknown fields are collected with their paths.

use ordain_value::go_format::{cannot_unmarshal, cannot_unmarshal_field, json_type, within};
use ordain_value::{Map, Text, Value};

/// Deepest nesting of schemas within schemas that is read. Upstream has no limit of its own; this
/// one keeps every later recursive walk within a small thread's stack.
pub const MAX_SCHEMA_DEPTH: usize = 160;

/// What a typed read found besides the object itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// Paths of fields that the type does not have, in document order of sorted keys.
    pub unknown_fields: Vec<String>,
}

/// Why a value is not of the type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DecodeError(pub String);

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DecodeError {}

enum Step {
    Field(Text),
    Index(usize),
}

/// The state of one typed read.
#[derive(Default)]
pub(crate) struct Decoder {
    path: Vec<Step>,
    /// Names of the struct fields passed through; map keys and indices are no part of it.
    trail: Vec<Text>,
    in_struct: &'static str,
    /// Inside a type with its own unmarshaler, which reads its content without strictness: the
    /// struct that holds the outermost of them. Errors from inside name that struct.
    opaque_in: Option<&'static str>,
    schema_depth: usize,
    /// The value was accepted before: schemas are left for later.
    pub(crate) is_accepted: bool,
    unknown: Vec<String>,
    error: Option<DecodeError>,
}

impl Decoder {
    /// Reads what was accepted before.
    pub(crate) fn of_accepted() -> Decoder {
        Decoder { is_accepted: true, ..Decoder::default() }
    }

    pub(crate) fn finish<T>(self, value: T) -> Result<(T, Findings), DecodeError> {
        match self.error {
            Some(error) => Err(error),
            None => Ok((value, Findings { unknown_fields: self.unknown })),
        }
    }

    /// Records an error unless one came earlier.
    pub(crate) fn fail(&mut self, message: String) {
        self.error.get_or_insert(DecodeError(message));
    }

    fn mismatch(&mut self, value: &Value, go_type: &str) {
        self.mismatch_as(json_type(value), go_type);
    }

    fn mismatch_as(&mut self, what: &str, go_type: &str) {
        let message = if self.trail.is_empty() {
            cannot_unmarshal(what, go_type)
        } else {
            let structure = self.opaque_in.unwrap_or(self.in_struct);
            let field = format!("{structure}.{}", self.trail.join("."));
            cannot_unmarshal_field(what, &field, go_type)
        };
        self.fail(message);
    }

    /// Reads the fields of a struct, given its name and its full Go type. `read` returns false for
    /// a name that the struct lacks.
    pub(crate) fn fields(
        &mut self,
        value: &Value,
        (name, go_type): (&'static str, &str),
        read: &mut dyn FnMut(&mut Decoder, &str, &Value) -> bool,
    ) {
        let map = match value {
            Value::Null => return,
            Value::Map(map) => map,
            other => return self.mismatch(other, go_type),
        };
        let outer = std::mem::replace(&mut self.in_struct, name);
        for (key, value) in map.iter() {
            self.path.push(Step::Field(key.clone()));
            self.trail.push(key.clone());
            if !read(self, key, value) && self.opaque_in.is_none() {
                let path = self.path_text();
                self.unknown.push(path);
            }
            self.trail.pop();
            self.path.pop();
        }
        self.in_struct = outer;
    }

    fn path_text(&self) -> String {
        let mut out = String::new();
        for step in &self.path {
            match step {
                Step::Field(name) => {
                    if !out.is_empty() {
                        out.push('.');
                    }
                    out.push_str(name);
                }
                Step::Index(at) => out.push_str(&format!("[{at}]")),
            }
        }
        out
    }

    pub(crate) fn text(&mut self, value: &Value) -> Text {
        self.text_as(value, "string")
    }

    /// Reads a text whose Go type has a name of its own.
    pub(crate) fn text_as(&mut self, value: &Value, go_type: &str) -> Text {
        match value {
            Value::Null => Text::default(),
            Value::Str(text) => text.clone(),
            other => {
                self.mismatch(other, go_type);
                Text::default()
            }
        }
    }

    /// Reads ObjectMeta by its own rules.
    pub(crate) fn metadata(&mut self, value: &Value) -> Map {
        if !matches!(value, Value::Map(_) | Value::Null) {
            self.mismatch(value, "v1.ObjectMeta");
            return Map::new();
        }
        match ordain_meta::object_meta::coerce(value) {
            Ok(coerced) => {
                let prefix = self.path_text();
                self.unknown.extend(coerced.unknown.iter().map(|path| format!("{prefix}.{path}")));
                coerced.metadata.as_map().cloned().unwrap_or_default()
            }
            Err(error) => {
                let structure = self.opaque_in.unwrap_or(self.in_struct);
                self.fail(within(&error, structure, &self.trail.join("."), "v1.ObjectMeta"));
                Map::new()
            }
        }
    }

    /// Reads bytes that JSON carries as base64; the text is kept.
    pub(crate) fn base64(&mut self, value: &Value) -> Text {
        let text = self.text_as(value, "[]uint8");
        if let Err(at) = crate::base64::decode(&text) {
            self.fail(format!("illegal base64 data at input byte {at}"));
        }
        text
    }

    /// Reads a time; the text is kept.
    pub(crate) fn time(&mut self, value: &Value) -> Option<Text> {
        if value.is_null() {
            return None;
        }
        let Value::Str(text) = value else {
            // Times read themselves, so the error knows nothing of the field.
            let what = json_type(value);
            self.fail(cannot_unmarshal(what, "string"));
            return None;
        };
        if let Err(error) = ordain_meta::time::Time::decode(text) {
            self.fail(error.to_string());
        }
        Some(text.clone())
    }

    pub(crate) fn opt_text(&mut self, value: &Value) -> Option<Text> {
        (!value.is_null()).then(|| self.text(value))
    }

    pub(crate) fn flag(&mut self, value: &Value) -> bool {
        match value {
            Value::Null => false,
            Value::Bool(flag) => *flag,
            other => {
                self.mismatch(other, "bool");
                false
            }
        }
    }

    pub(crate) fn opt_flag(&mut self, value: &Value) -> Option<bool> {
        (!value.is_null()).then(|| self.flag(value))
    }

    pub(crate) fn opt_int(&mut self, value: &Value) -> Option<i64> {
        self.sized_int(value, i64::MIN, i64::MAX, "int64")
    }

    pub(crate) fn opt_int32(&mut self, value: &Value) -> Option<i64> {
        self.sized_int(value, i64::from(i32::MIN), i64::from(i32::MAX), "int32")
    }

    fn sized_int(&mut self, value: &Value, low: i64, high: i64, go_type: &str) -> Option<i64> {
        match value {
            Value::Null => None,
            Value::Int(int) if (low..=high).contains(int) => Some(*int),
            Value::Int(_) | Value::Float(_) => {
                let literal = ordain_value::json::encode(value);
                let literal = String::from_utf8_lossy(&literal);
                self.mismatch_as(&format!("number {literal}"), go_type);
                None
            }
            other => {
                self.mismatch(other, go_type);
                None
            }
        }
    }

    pub(crate) fn opt_number(&mut self, value: &Value) -> Option<f64> {
        match value {
            Value::Null => None,
            #[expect(clippy::cast_precision_loss, reason = "the field is a float64 in Go too")]
            Value::Int(int) => Some(*int as f64),
            Value::Float(float) => Some(*float),
            other => {
                self.mismatch(other, "float64");
                None
            }
        }
    }

    pub(crate) fn opt_texts(&mut self, value: &Value) -> Option<Vec<Text>> {
        self.opt_list(value, "[]string", &mut |d, item| d.text(item))
    }

    pub(crate) fn opt_list<T>(
        &mut self,
        value: &Value,
        go_type: &str,
        read: &mut dyn FnMut(&mut Decoder, &Value) -> T,
    ) -> Option<Vec<T>> {
        match value {
            Value::Null => None,
            Value::List(list) => {
                let mut out = Vec::with_capacity(list.len());
                for (at, item) in list.iter().enumerate() {
                    self.path.push(Step::Index(at));
                    out.push(read(self, item));
                    self.path.pop();
                }
                Some(out)
            }
            other => {
                self.mismatch(other, go_type);
                None
            }
        }
    }

    pub(crate) fn opt_map<T>(
        &mut self,
        value: &Value,
        go_type: &str,
        read: &mut dyn FnMut(&mut Decoder, &Value) -> T,
    ) -> Option<std::collections::BTreeMap<Text, T>> {
        match value {
            Value::Null => None,
            Value::Map(map) => {
                let mut out = std::collections::BTreeMap::new();
                for (key, item) in map.iter() {
                    self.path.push(Step::Field(key.clone()));
                    out.insert(key.clone(), read(self, item));
                    self.path.pop();
                }
                Some(out)
            }
            other => {
                self.mismatch(other, go_type);
                None
            }
        }
    }

    /// Reads content that the Go type reads by itself, where unknown fields go unreported.
    pub(crate) fn leniently<T>(&mut self, read: impl FnOnce(&mut Decoder) -> T) -> T {
        let outer = self.opaque_in;
        self.opaque_in = Some(outer.unwrap_or(self.in_struct));
        let out = read(self);
        self.opaque_in = outer;
        out
    }

    /// Reads one schema deeper, or refuses when the nesting is too deep.
    pub(crate) fn deeper<T: Default>(&mut self, read: impl FnOnce(&mut Decoder) -> T) -> T {
        if self.schema_depth >= MAX_SCHEMA_DEPTH {
            self.fail(format!("schema is nested deeper than {MAX_SCHEMA_DEPTH} levels"));
            return T::default();
        }
        self.schema_depth += 1;
        let out = read(self);
        self.schema_depth -= 1;
        out
    }
}
