//! JSON of typed kinds: reads a value as a Go type would, names what it does not know, and gives
//! it back in the form in which that type writes itself.
//!
//! There are two readers: Go's JSON decoder, and the converter that takes the result of a
//! strategic merge patch. In the decoder a type with a reader of its own ends the reading with its
//! error, while a value of the wrong type is remembered, the first of them, and reading goes on.
//! The converter ends with its first error, and bends numbers to the type.

use ordain_schema::{Node, NodeId, Type, base64};
use ordain_value::go_format::{cannot_unmarshal, cannot_unmarshal_field, json_type};
use ordain_value::{Edit, List, Map, Text, Value};

use super::converter;
use super::form::{DEPTH_MAX, Edited, Form, Forms, Shape};
use super::layout::{self, Layout, Step};
use super::special::{self, Refusal, Special};
use crate::decode::DecodeError;

/// How many unknown fields of a body are reported, as upstream's decoder does.
const UNKNOWN_MAX: usize = 100;

/// What is not understood in one body.
#[derive(Debug, Default)]
pub struct Findings {
    /// `unknown field "…"`
    pub unknown: Vec<String>,
    /// Whether there is an empty list or map, which counts as a missing one when it is stored.
    pub has_empty: bool,
    /// At least the bytes of the fields as JSON, as [`ordain_value::json::fits`] counts them, if
    /// all of them were weighed, which floats and what has no type never are.
    pub weight: Option<usize>,
}

/// Where reading stands. Only refusals and unknown fields make texts of it.
#[derive(Clone, Copy)]
enum Place<'p> {
    Root,
    Field {
        outer: &'p Place<'p>,
        /// The structure that the field belongs to.
        holder: &'p Node,
        field: &'p Node,
        name: &'p str,
    },
    /// A value of a map.
    Value(&'p Place<'p>, &'p str),
    Item(&'p Place<'p>, usize),
}

impl Place<'_> {
    /// The structure that the field belongs to, without its package.
    fn structure(&self) -> &str {
        match self {
            Self::Root => "",
            Self::Field { holder, .. } => go_name(holder),
            Self::Value(outer, _) | Self::Item(outer, _) => outer.structure(),
        }
    }

    /// Names of the fields from the root, joined by dots, those of embedded structures included.
    fn field(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Field { outer, field, name, .. } => {
                let outer = embedded(field).iter().fold(outer.field(), |at, it| join(at, it));
                join(outer, name)
            }
            Self::Value(outer, _) | Self::Item(outer, _) => outer.field(),
        }
    }

    /// The path of the value, as errors name it.
    fn location(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Field { outer, name, .. } => join(outer.location(), name),
            Self::Value(outer, key) => format!("{}[{key}]", outer.location()),
            Self::Item(outer, at) => format!("{}[{at}]", outer.location()),
        }
    }

    /// With the indices of lists, for unknown fields.
    fn path(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Field { outer, name, .. } => join(outer.path(), name),
            Self::Value(outer, key) => join(outer.path(), key),
            Self::Item(outer, at) => format!("{}[{at}]", outer.path()),
        }
    }
}

/// Who reads.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Decoder,
    Converter,
}

struct Reader<'a> {
    mode: Mode,
    forms: &'a Forms,
    /// Whether defaults are filled in on the way.
    fills: bool,
    findings: Findings,
    /// At least the bytes of what was read so far.
    weight: usize,
    /// Whether something was read that was not weighed.
    is_unweighed: bool,
    /// The first value of the wrong type.
    mismatch: Option<DecodeError>,
}

/// Reads all fields of an object but those that are read elsewhere (`apiVersion`, `kind`,
/// `metadata`).
///
/// # Errors
/// In the words of Go's decoder.
pub fn decode(forms: &Forms, body: &Map, known: &[&str]) -> Result<(Map, Findings), DecodeError> {
    Reader::new(Mode::Decoder, forms, false).read(body, known)
}

/// The same, with the defaults of the declaration in place of what is absent: a Go zero value
/// counts as absent (KEP-1929).
///
/// # Errors
/// In the words of Go's decoder.
pub fn decode_filled(
    forms: &Forms,
    body: &Map,
    known: &[&str],
) -> Result<(Map, Findings), DecodeError> {
    Reader::new(Mode::Decoder, forms, true).read(body, known)
}

/// Reads all fields of a patched object but `apiVersion` and `kind`, as Go's converter from
/// unstructured content does.
///
/// # Errors
/// In the words of the converter.
pub fn convert(forms: &Forms, body: &Map, known: &[&str]) -> Result<(Map, Findings), DecodeError> {
    Reader::new(Mode::Converter, forms, false).read(body, known)
}

/// What became of a value: nothing if it stays as it is.
type Changed<T> = Result<Option<T>, DecodeError>;

impl<'a> Reader<'a> {
    fn new(mode: Mode, forms: &'a Forms, fills: bool) -> Self {
        let findings = Findings::default();
        Self { mode, forms, fills, findings, weight: 0, is_unweighed: false, mismatch: None }
    }

    fn read(mut self, body: &Map, known: &[&str]) -> Result<(Map, Findings), DecodeError> {
        let root = self.forms.schema().root();
        let map = self.structure(root, body, &Place::Root, known, 0)?;
        match self.mismatch {
            Some(why) => Err(why),
            None => {
                self.findings.weight = (!self.is_unweighed).then_some(self.weight);
                Ok((map.unwrap_or_else(|| body.clone()), self.findings))
            }
        }
    }

    fn structure(
        &mut self,
        id: NodeId,
        given: &Map,
        place: &Place<'_>,
        skip: &[&str],
        depth: usize,
    ) -> Changed<Map> {
        if depth > DEPTH_MAX {
            return Err(unread(place, "json: exceeded max depth".to_owned()));
        }
        let forms = self.forms;
        let (node, form, fills) = (forms.schema().node(id), forms.form(id), self.fills);
        let known = form.layouts(fills);
        layout::with(known, (node, form, fills), given, skip, |layout| {
            self.laid_out(node, layout, given, place, depth)
        })
    }

    /// Reads the entries of a structure as their keys have them.
    fn laid_out(
        &mut self,
        holder: &Node,
        layout: &Layout,
        given: &Map,
        place: &Place<'_>,
        depth: usize,
    ) -> Changed<Map> {
        let forms = self.forms;
        let entries = given.entries();
        // Defaults in code add a field to many structures.
        let mut out = Edited::new(entries, layout.added + 1);
        self.weight = self.weight.saturating_add(layout.weight);
        // Unknown fields of a structure are reported before those inside of its fields.
        let mut unknown_at = self.findings.unknown.len();
        for step in &layout.steps {
            match step {
                Step::Sent(at, id) => {
                    let ((key, value), form) = (&entries[*at], forms.form(*id));
                    if form.is_kept(value) {
                        self.weigh(value);
                        out.keep(*at);
                        continue;
                    }
                    let field = forms.schema().node(*id);
                    let inner = Place::Field { outer: place, holder, field, name: key };
                    let read = self.field(*id, value, &inner, depth)?;
                    self.put(form, &mut out, *at, value, read);
                }
                Step::Absent(at, name, zero) => out.insert(*at, name.clone(), zero.clone()),
                Step::Unset(at, zero) => {
                    self.is_unweighed = true;
                    out.replace(*at, zero.clone());
                }
                Step::Gone(at) => out.drop(*at),
                Step::Unknown(at) => {
                    if self.findings.unknown.len() < UNKNOWN_MAX {
                        let path = join(place.path(), &entries[*at].0);
                        self.findings
                            .unknown
                            .insert(unknown_at, format!("unknown field \"{path}\""));
                        unknown_at += 1;
                    }
                    out.drop(*at);
                }
            }
        }
        Ok(out.finish())
    }

    /// Writes a field that was sent.
    fn put(
        &mut self,
        form: &Form,
        out: &mut Edited<'_>,
        at: usize,
        sent: &Value,
        read: Option<Value>,
    ) {
        let value = read.as_ref().unwrap_or(sent);
        if self.fills
            && let Some(default) = form.default_for(value)
        {
            self.is_unweighed = true;
            out.replace(at, default.clone());
            return;
        }
        // Rules and defaults tell an empty list that was sent from a missing one; it is left out when
        // the object is written (`stored`).
        if form.is_forgotten(value) {
            self.findings.has_empty = true;
        } else if form.leaves_out(value) {
            out.drop(at);
            return;
        }
        match read {
            Some(value) => out.replace(at, value),
            None => out.keep(at),
        }
    }

    /// The value of a field other than null.
    fn field(
        &mut self,
        id: NodeId,
        value: &Value,
        place: &Place<'_>,
        depth: usize,
    ) -> Changed<Value> {
        let form = self.forms.form(id);
        if !self.fills || !form.is_judged_empty() {
            return self.value(id, value, place, depth + 1);
        }
        self.is_unweighed = true;
        self.fills = false;
        let plain = self.value(id, value, place, depth + 1);
        self.fills = true;
        let plain = plain?.unwrap_or_else(|| value.clone());
        if form.default_for(&plain).is_some() {
            return Ok(Some(plain));
        }
        Ok(Some(self.forms.filled(id, &plain)))
    }

    /// Counts a scalar.
    #[inline]
    fn weigh(&mut self, scalar: &Value) {
        let bytes = match scalar {
            Value::Str(text) => text.len() + 2,
            Value::Null | Value::Bool(_) | Value::Int(_) => 4,
            Value::Float(_) | Value::List(_) | Value::Map(_) => {
                self.is_unweighed = true;
                0
            }
        };
        self.weight = self.weight.saturating_add(bytes);
    }

    fn value(
        &mut self,
        id: NodeId,
        value: &Value,
        place: &Place<'_>,
        depth: usize,
    ) -> Changed<Value> {
        match (self.forms.form(id).shape, value) {
            (Shape::Special(special), _) => self.special(special, value, place),
            (Shape::Structure, Value::Map(map)) => {
                Ok(self.structure(id, map, place, &[], depth)?.map(Value::Map))
            }
            (Shape::Map(of), Value::Map(map)) => match of {
                Some(of) => self.map(of, map, place, depth),
                None => {
                    self.is_unweighed = true;
                    Ok(None)
                }
            },
            (Shape::List(of), Value::List(list)) => match of {
                Some(of) => self.list(of, list, place, depth),
                None => {
                    self.is_unweighed = true;
                    Ok(None)
                }
            },
            (Shape::Bytes, _) => self.bytes(value, place),
            (Shape::Integer(least, most), Value::Int(number))
                if (least..=most).contains(number) =>
            {
                self.weigh(value);
                Ok(None)
            }
            (Shape::Text, Value::Str(_))
            | (Shape::Boolean, Value::Bool(_))
            | (Shape::Number, Value::Int(_) | Value::Float(_))
            | (Shape::Any, _) => {
                self.weigh(value);
                Ok(None)
            }
            _ => self.unfit(id, value, place),
        }
    }

    /// A value that is not of the type of its place.
    fn unfit(&mut self, id: NodeId, value: &Value, place: &Place<'_>) -> Changed<Value> {
        self.is_unweighed = true;
        let node = self.forms.schema().node(id);
        if self.mode == Mode::Converter {
            return converter::converted(node, value).map(Some).map_err(|why| unread(place, why));
        }
        let found = match value {
            Value::Int(_) | Value::Float(_) if node.ty == Type::Integer => {
                format!("number {}", special::number_text(value))
            }
            other => json_type(other).to_owned(),
        };
        self.wrong_type(&found, place, go_type(node));
        Ok(Some(self.forms.zero(id, self.fills)))
    }

    fn special(&mut self, special: Special, value: &Value, place: &Place<'_>) -> Changed<Value> {
        let read = special.read(value).map_err(|refusal| match refusal {
            Refusal::Type { found, expected } if self.mode == Mode::Decoder => {
                in_field(&found, place, expected)
            }
            other => unread(place, other.to_string()),
        })?;
        self.weigh(&read);
        Ok((read != *value).then_some(read))
    }

    fn map(&mut self, of: NodeId, map: &Map, place: &Place<'_>, depth: usize) -> Changed<Value> {
        self.weight = self.weight.saturating_add(2);
        let edited = map.try_edited(|key, value| {
            self.weight = self.weight.saturating_add(key.len() + 4);
            self.element(of, value, &Place::Value(place, key), depth).map(Edit::from)
        })?;
        Ok(edited.map(Value::Map))
    }

    fn list(&mut self, of: NodeId, list: &List, place: &Place<'_>, depth: usize) -> Changed<Value> {
        self.weight = self.weight.saturating_add(list.len() + 2);
        let edited =
            list.try_edited(|at, value| self.element(of, value, &Place::Item(place, at), depth))?;
        Ok(edited.map(Value::List))
    }

    fn element(
        &mut self,
        id: NodeId,
        value: &Value,
        place: &Place<'_>,
        depth: usize,
    ) -> Changed<Value> {
        match value {
            Value::Null => {
                self.is_unweighed = true;
                Ok(Some(self.forms.zero(id, self.fills)))
            }
            value => self.value(id, value, place, depth + 1),
        }
    }

    /// `[]byte`: base64 text, or a list of numbers.
    fn bytes(&mut self, value: &Value, place: &Place<'_>) -> Changed<Value> {
        let bytes: Vec<u8> = match value {
            Value::Str(text) => match base64::decode(text) {
                Ok(bytes) => bytes,
                Err(at) => {
                    let why = format!("illegal base64 data at input byte {at}");
                    if self.mode == Mode::Converter {
                        return Err(unread(place, format!("error decoding from json: {why}")));
                    }
                    self.mismatch.get_or_insert_with(|| unread(place, why));
                    return Ok(Some(Value::Null));
                }
            },
            Value::List(list) => list.iter().filter_map(|item| self.byte(item, place)).collect(),
            other if self.mode == Mode::Converter => {
                return Err(unread(place, converter::no_slice(other)));
            }
            other => {
                self.wrong_type(json_type(other), place, "[]uint8");
                return Ok(Some(Value::Null));
            }
        };
        let read = Value::from(base64::encode(&bytes));
        self.weigh(&read);
        Ok((read != *value).then_some(read))
    }

    fn byte(&mut self, value: &Value, place: &Place<'_>) -> Option<u8> {
        let found = match value {
            Value::Null => return Some(0),
            Value::Int(number) => match u8::try_from(*number) {
                Ok(byte) => return Some(byte),
                Err(_) => format!("number {number}"),
            },
            Value::Float(_) => format!("number {}", special::number_text(value)),
            other => json_type(other).to_owned(),
        };
        self.wrong_type(&found, place, "uint8");
        None
    }

    fn wrong_type(&mut self, found: &str, place: &Place<'_>, expected: &str) {
        self.mismatch.get_or_insert_with(|| in_field(found, place, expected));
    }
}

/// Go's words for a value of the wrong type in a field.
fn in_field(found: &str, place: &Place<'_>, expected: &str) -> DecodeError {
    let (structure, field) = (place.structure(), place.field());
    let why = match structure {
        "" => cannot_unmarshal(found, expected),
        _ => cannot_unmarshal_field(found, &format!("{structure}.{field}"), expected),
    };
    unread(place, why)
}

fn unread(place: &Place<'_>, why: String) -> DecodeError {
    DecodeError { why, field: Some(place.location()) }
}

fn join(mut path: String, name: &str) -> String {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
    path
}

pub(super) fn go_type(node: &Node) -> &str {
    let declared = node.declared.as_ref();
    declared.and_then(|declared| declared.go_type.as_deref()).unwrap_or("interface {}")
}

/// The Go type without its package.
fn go_name(node: &Node) -> &str {
    let name = go_type(node);
    name.rsplit_once('.').map_or(name, |(_, name)| name)
}

/// The structures that hold the field and that its JSON does not show.
fn embedded(field: &Node) -> &[Text] {
    field.declared.as_ref().map_or(&[], |declared| &declared.embedded)
}

/// Whether the node is a struct.
pub fn is_structure(node: &Node) -> bool {
    node.ty == Type::Object && !node.properties.is_empty()
}

/// Whether the node is a time of either precision.
pub fn is_time(node: &Node) -> bool {
    matches!(Special::of(node), Some(Special::Time | Special::MicroTime))
}

/// Whether the node holds bytes, written in base64.
pub fn is_bytes(node: &Node) -> bool {
    go_type(node) == "[]uint8"
}

/// The declared fields of an object with nothing set.
pub fn empty(forms: &Forms, skip: &[&str]) -> Map {
    decode(forms, &Map::new(), skip).map(|(map, _)| map).unwrap_or_default()
}

/// The text at a path; empty when there is none.
pub fn text_at<'a>(object: &'a Value, path: &[&str]) -> &'a str {
    object.get_path(path).and_then(Value::as_str).unwrap_or("")
}

/// A copy of the text at a path; empty when there is none.
pub fn to_text(object: &Value, path: &[&str]) -> Text {
    Text::from(text_at(object, path))
}
