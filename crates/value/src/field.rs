//! Where in an object something is wrong, and what.
//!
//! A [`Path`] is a linked list on the stack and becomes text only when an error is recorded. An
//! [`Error`] carries kind, path, bad value, detail and origin; text is rendered at the boundary by
//! its `Display`. The twelve kinds, their reasons and the rendering are those of Kubernetes'
//! `util/validation/field` package.

use std::borrow::Cow;
use std::fmt;

use crate::number::go_float;
use crate::{Value, go_quote, json};

/// A place in an object, by links to its parents.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a> {
    parent: Option<&'a Path<'a>>,
    segment: Segment<'a>,
}

#[derive(Clone, Copy, Debug)]
enum Segment<'a> {
    /// The object itself.
    Root,
    /// A field: `.name`, without the dot at the start.
    Field(&'a str),
    /// A list item: `[3]`.
    Index(usize),
    /// A map entry: `[key]`.
    Key(&'a str),
}

impl Path<'static> {
    /// The object itself; rendered as `<nil>`.
    pub const fn root() -> Self {
        Path { parent: None, segment: Segment::Root }
    }
}

impl<'a> Path<'a> {
    /// A path of one field.
    pub const fn new(name: &'a str) -> Self {
        Path { parent: None, segment: Segment::Field(name) }
    }

    /// The field `name` below this place. Names may hold several steps already joined by dots.
    pub const fn child<'b>(&'b self, name: &'b str) -> Path<'b> {
        Path { parent: Some(self), segment: Segment::Field(name) }
    }

    /// The list item `index` below this place.
    pub const fn index<'b>(&'b self, index: usize) -> Path<'b> {
        Path { parent: Some(self), segment: Segment::Index(index) }
    }

    /// The map entry `key` below this place, written `[key]`.
    pub const fn key<'b>(&'b self, key: &'b str) -> Path<'b> {
        Path { parent: Some(self), segment: Segment::Key(key) }
    }

    /// True for the object itself.
    pub fn is_root(&self) -> bool {
        matches!(self.segment, Segment::Root)
    }

    /// The place above this one.
    pub fn parent(&self) -> Option<&Path<'a>> {
        self.parent
    }

    /// Appends the text of this path without the `<nil>` of the root.
    fn write(&self, out: &mut String) {
        let mut chain = vec![self];
        while let Some(parent) = chain[chain.len() - 1].parent {
            chain.push(parent);
        }
        for step in chain.into_iter().rev() {
            match step.segment {
                Segment::Root => {}
                Segment::Field(name) => {
                    if !out.is_empty() {
                        out.push('.');
                    }
                    out.push_str(name);
                }
                Segment::Index(index) => {
                    out.push('[');
                    out.push_str(&index.to_string());
                    out.push(']');
                }
                Segment::Key(key) => {
                    out.push('[');
                    out.push_str(key);
                    out.push(']');
                }
            }
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.write(&mut text);
        f.write_str(if text.is_empty() { "<nil>" } else { &text })
    }
}

/// What sort of wrong it is; the wire reason comes from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// A referred value does not exist.
    NotFound,
    /// A value must be given.
    Required,
    /// A value that must be unique is there twice.
    Duplicate,
    /// A malformed value.
    Invalid,
    /// A value outside its enumeration.
    NotSupported,
    /// A value that may not be set here.
    Forbidden,
    /// Too long a value.
    TooLong,
    /// Too many items.
    TooMany,
    /// The machine failed.
    Internal,
    /// A value of the wrong type.
    TypeInvalid,
    /// Too short a value.
    TooShort,
    /// Too few items.
    TooFew,
}

impl Kind {
    /// The `reason` of a Status cause.
    pub const fn reason(self) -> &'static str {
        match self {
            Kind::NotFound => "FieldValueNotFound",
            Kind::Required => "FieldValueRequired",
            Kind::Duplicate => "FieldValueDuplicate",
            Kind::Invalid => "FieldValueInvalid",
            Kind::NotSupported => "FieldValueNotSupported",
            Kind::Forbidden => "FieldValueForbidden",
            Kind::TooLong => "FieldValueTooLong",
            Kind::TooMany => "FieldValueTooMany",
            Kind::Internal => "InternalError",
            Kind::TypeInvalid => "FieldValueTypeInvalid",
            Kind::TooShort => "FieldValueTooShort",
            Kind::TooFew => "FieldValueTooFew",
        }
    }

    /// The words a message starts with.
    pub const fn text(self) -> &'static str {
        match self {
            Kind::NotFound => "Not found",
            Kind::Required => "Required value",
            Kind::Duplicate => "Duplicate value",
            Kind::Invalid | Kind::TypeInvalid => "Invalid value",
            Kind::NotSupported => "Unsupported value",
            Kind::Forbidden => "Forbidden",
            Kind::TooLong => "Too long",
            Kind::TooMany => "Too many",
            Kind::Internal => "Internal error",
            Kind::TooShort => "Too short",
            Kind::TooFew => "Too few",
        }
    }

    /// Kinds whose message shows the bad value.
    const fn shows_value(self) -> bool {
        !matches!(
            self,
            Kind::Required | Kind::Forbidden | Kind::TooLong | Kind::TooShort | Kind::Internal
        )
    }
}

/// The offending value as a message shows it.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum BadValue {
    /// Nothing is shown, not even an empty value.
    #[default]
    Omitted,
    /// A value, rendered by its type.
    Value(Value),
    /// JSON text that is shown as it is (values whose keys are not sorted).
    Json(String),
}

impl BadValue {
    /// A text of a named Go type, which messages show as Go's JSON encoder writes it; plain texts are
    /// shown in Go's quotes.
    #[must_use]
    pub fn named(text: &str) -> Self {
        let plain = |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'<' | b'>' | b'&');
        if text.bytes().all(plain) {
            return text.into();
        }
        BadValue::Json(json::escape_html(&json::encode_string(&Value::from(text))))
    }
}

impl<T: Into<Value>> From<T> for BadValue {
    fn from(it: T) -> Self {
        BadValue::Value(it.into())
    }
}

/// One thing that is wrong with an object.
#[derive(Clone, Debug)]
pub struct Error {
    /// What sort of wrong it is.
    pub kind: Kind,
    /// Where, as text (`<nil>` for the whole object).
    pub path: String,
    /// The offending value.
    pub bad_value: BadValue,
    /// Why.
    detail: Detail,
    /// The keyword, tag or rule that fired; never shown, used to match errors.
    pub origin: &'static str,
}

/// Why something is wrong: in words, or what the words are made of. Objects with many errors are refused as fast
/// as others, and most of their messages are never shown.
#[derive(Clone, Debug)]
enum Detail {
    Text(String),
    /// `<path> in body <words><limit><words>`
    InBody {
        words: &'static [&'static str; 2],
        limit: i64,
    },
}

impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
            && self.path == other.path
            && self.bad_value == other.bad_value
            && self.detail() == other.detail()
            && self.origin == other.origin
    }
}

impl Error {
    /// An error of any kind; the constructors below are shorter.
    pub fn new(
        kind: Kind,
        path: &Path<'_>,
        bad_value: impl Into<BadValue>,
        detail: impl Into<String>,
    ) -> Self {
        Error::at(kind, path.to_string(), bad_value.into(), detail)
    }

    /// An error at a place that is text already.
    pub fn at(
        kind: Kind,
        path: impl Into<String>,
        bad_value: BadValue,
        detail: impl Into<String>,
    ) -> Self {
        let detail = Detail::Text(detail.into());
        Error { kind, path: path.into(), bad_value, detail, origin: "" }
    }

    /// A malformed value whose detail repeats the path and has words on both sides of a limit:
    /// `<path> in body <words><limit><words>`.
    pub fn in_body(
        path: String,
        bad_value: BadValue,
        words: &'static [&'static str; 2],
        limit: i64,
    ) -> Self {
        let detail = Detail::InBody { words, limit };
        Error { kind: Kind::Invalid, path, bad_value, detail, origin: "" }
    }

    /// Why, in words.
    pub fn detail(&self) -> Cow<'_, str> {
        match &self.detail {
            Detail::Text(text) => Cow::Borrowed(text),
            Detail::InBody { words: [before, after], limit } => {
                Cow::Owned(format!("{} in body {before}{limit}{after}", self.path))
            }
        }
    }

    /// How long the words are, about.
    pub fn detail_len(&self) -> usize {
        match &self.detail {
            Detail::Text(text) => text.len(),
            Detail::InBody { words: [before, after], .. } => {
                self.path.len() + before.len() + after.len()
            }
        }
    }

    /// A referred value does not exist.
    pub fn not_found(path: &Path<'_>, value: impl Into<BadValue>) -> Self {
        Error::new(Kind::NotFound, path, value, "")
    }

    /// A value must be given.
    pub fn required(path: &Path<'_>, detail: impl Into<String>) -> Self {
        Error::new(Kind::Required, path, "", detail)
    }

    /// A value is there twice.
    pub fn duplicate(path: &Path<'_>, value: impl Into<BadValue>) -> Self {
        Error::new(Kind::Duplicate, path, value, "")
    }

    /// A malformed value.
    pub fn invalid(path: &Path<'_>, value: impl Into<BadValue>, detail: impl Into<String>) -> Self {
        Error::new(Kind::Invalid, path, value, detail)
    }

    /// A value outside its enumeration; the supported values are shown in the given order.
    pub fn not_supported<S: AsRef<str>>(
        path: &Path<'_>,
        value: impl Into<BadValue>,
        supported: &[S],
    ) -> Self {
        let detail = if supported.is_empty() {
            String::new()
        } else {
            let quoted: Vec<String> = supported.iter().map(|it| go_quote(it.as_ref())).collect();
            format!("supported values: {}", quoted.join(", "))
        };
        Error::new(Kind::NotSupported, path, value, detail)
    }

    /// A value that may not be set here.
    pub fn forbidden(path: &Path<'_>, detail: impl Into<String>) -> Self {
        Error::new(Kind::Forbidden, path, "", detail)
    }

    /// More bytes than allowed (the words say bytes whatever was counted).
    pub fn too_long(path: &Path<'_>, max: i64) -> Self {
        Error::new(
            Kind::TooLong,
            path,
            "<value omitted>",
            limit("may not be more than", max, "byte"),
        )
    }

    /// More characters than allowed.
    pub fn too_long_characters(path: &Path<'_>, max: i64) -> Self {
        let detail = limit("may not be more than", max, "character");
        Error::new(Kind::TooLong, path, "<value omitted>", detail)
    }

    /// More items than allowed.
    pub fn too_many(path: &Path<'_>, actual: i64, max: i64) -> Self {
        Error::new(Kind::TooMany, path, actual, limit("must have at most", max, "item"))
    }

    /// Fewer items than needed.
    pub fn too_few(path: &Path<'_>, actual: i64, min: i64) -> Self {
        Error::new(Kind::TooFew, path, actual, limit("must have at least", min, "item"))
    }

    /// Fewer characters than needed.
    pub fn too_short(path: &Path<'_>, value: impl Into<BadValue>, min: i64) -> Self {
        Error::new(Kind::TooShort, path, value, limit("must be at least", min, "character"))
    }

    /// The machine failed. The value is never shown; upstream's is an empty object.
    pub fn internal(path: &Path<'_>, detail: impl Into<String>) -> Self {
        Error::new(Kind::Internal, path, crate::Map::new(), detail)
    }

    /// Names the keyword, tag or rule that fired.
    #[must_use]
    pub fn with_origin(mut self, origin: &'static str) -> Self {
        self.origin = origin;
        self
    }

    /// The message without the path: what a Status cause carries.
    pub fn body(&self) -> String {
        let mut text = self.kind.text().to_owned();
        if self.kind.shows_value() {
            match &self.bad_value {
                BadValue::Omitted => {}
                BadValue::Value(value) => {
                    text.push_str(": ");
                    text.push_str(&show(value));
                }
                BadValue::Json(json) => {
                    text.push_str(": ");
                    text.push_str(json);
                }
            }
        }
        let detail = self.detail();
        if !detail.is_empty() {
            text.push_str(": ");
            text.push_str(&detail);
        }
        text
    }
}

/// "may not be more than 1 byte", "… 2 bytes".
fn limit(words: &str, limit: i64, unit: &str) -> String {
    format!("{words} {limit} {unit}{}", if limit == 1 { "" } else { "s" })
}

/// A value as error messages show it: Go-quoted strings, `%v` numbers, JSON for the rest.
fn show(value: &Value) -> String {
    match value {
        Value::Str(text) => go_quote(text),
        Value::Float(float) => go_float(*float),
        other => json::encode_string(other),
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.body())
    }
}

/// Everything that is wrong with an object, in a stable order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ErrorList(Vec<Error>);

impl ErrorList {
    /// Nothing wrong yet.
    pub const fn new() -> Self {
        ErrorList(Vec::new())
    }

    /// Records an error.
    pub fn push(&mut self, error: Error) {
        self.0.push(error);
    }

    /// Nothing wrong?
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Number of errors.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The errors in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Error> {
        self.0.iter()
    }

    /// The errors as a slice.
    pub fn as_slice(&self) -> &[Error] {
        &self.0
    }

    /// Keeps the errors that `keep` wants.
    pub fn retain(&mut self, keep: impl FnMut(&Error) -> bool) {
        self.0.retain(keep);
    }

    /// Keeps the first `len` errors.
    pub fn truncate(&mut self, len: usize) {
        self.0.truncate(len);
    }
}

impl Extend<Error> for ErrorList {
    fn extend<I: IntoIterator<Item = Error>>(&mut self, iter: I) {
        self.0.extend(iter);
    }
}

impl FromIterator<Error> for ErrorList {
    fn from_iter<I: IntoIterator<Item = Error>>(iter: I) -> Self {
        ErrorList(iter.into_iter().collect())
    }
}

impl From<Error> for ErrorList {
    fn from(error: Error) -> Self {
        ErrorList(vec![error])
    }
}

impl From<Vec<Error>> for ErrorList {
    fn from(errors: Vec<Error>) -> Self {
        ErrorList(errors)
    }
}

impl IntoIterator for ErrorList {
    type Item = Error;
    type IntoIter = std::vec::IntoIter<Error>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a ErrorList {
    type Item = &'a Error;
    type IntoIter = std::slice::Iter<'a, Error>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
