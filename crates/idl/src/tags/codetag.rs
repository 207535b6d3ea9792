//! The tag grammar of gengo: `name(arg, name: arg)=value`, where a value may be a tag again.
//!
//! Upstream: `k8s.io/gengo/v2/codetags`. Errors carry its texts.

mod parser;

use crate::go::comment::DocLine;
use parser::TagParser;

/// A tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag {
    /// Its name without arguments.
    pub name: String,
    /// Its arguments.
    pub args: Vec<Arg>,
    /// What stands behind `=`.
    pub value: TagValue,
    /// Byte offset of the name in the parsed text.
    pub offset: usize,
}

/// What stands behind a tag's `=`. Numbers stay text: they may be decimal, hex, octal or binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TagValue {
    /// No value.
    None,
    /// A quoted text or a word.
    Str(String),
    /// An integer as written.
    Int(String),
    /// `true` or `false`.
    Bool(bool),
    /// Another tag.
    Tag(Box<Tag>),
    /// The rest of the line, when values are not to be parsed.
    Raw(String),
}

/// An argument of a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arg {
    /// Its name; empty for a positional one.
    pub name: String,
    /// Its text.
    pub value: String,
    /// Its kind.
    pub kind: ArgKind,
}

/// The kinds of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgKind {
    /// A quoted text or a word.
    String,
    /// An integer as written.
    Int,
    /// `true` or `false`.
    Bool,
}

impl ArgKind {
    /// Upstream's word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Int => "int",
            Self::Bool => "bool",
        }
    }
}

/// A tag that does not parse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagError {
    /// Upstream's text.
    pub message: String,
    /// Byte offset in the text where it was noticed.
    pub offset: usize,
}

/// Whether values are parsed or taken as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Parsed: text, integer, boolean or tag; comments behind `#` are passed over.
    Parsed,
    /// The rest of the line.
    Raw,
}

/// A line that may hold a tag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extracted<'a> {
    /// The tag's name.
    pub name: &'a str,
    /// The line from behind the prefix on.
    pub text: &'a str,
    /// Byte offset of `text` in the file.
    pub offset: u32,
}

/// The lines that start with a prefix such as `+`, in order, with the names of their tags.
#[must_use]
pub fn extract<'a>(prefix: &str, lines: &[DocLine<'a>]) -> Vec<Extracted<'a>> {
    let mut out = Vec::new();
    for line in lines {
        let trimmed = line.text.trim_start_matches([' ', '\t']);
        let Some(text) = trimmed.strip_prefix(prefix) else { continue };
        let skipped = line.text.len() - text.len();
        let name = text.get(..name_end(text)).unwrap_or("");
        out.push(Extracted { name, text, offset: line.offset + skipped as u32 });
    }
    out
}

fn name_end(text: &str) -> usize {
    if !text.starts_with(is_ident_begin) {
        return 0;
    }
    text.find(|letter| !is_name_interior(letter)).unwrap_or(text.len())
}

fn is_ident_begin(letter: char) -> bool {
    letter.is_alphabetic() || letter == '_'
}

fn is_ident_interior(letter: char) -> bool {
    letter.is_alphabetic() || letter.is_numeric() || matches!(letter, '_' | '.' | '-')
}

fn is_name_interior(letter: char) -> bool {
    is_ident_interior(letter) || letter == ':'
}

fn is_digit(letter: char) -> bool {
    letter.is_numeric()
}

/// Parses one tag, without its prefix.
///
/// ```
/// use ordain_idl::tags::codetag::{parse, TagValue, Values};
/// let tag = parse("k8s:eachVal=+k8s:minimum=3", Values::Parsed).unwrap();
/// assert_eq!(tag.name, "k8s:eachVal");
/// assert_eq!(tag.to_string(), "k8s:eachVal=+k8s:minimum=3");
/// ```
///
/// # Errors
/// Upstream's text for what is wrong.
pub fn parse(text: &str, values: Values) -> Result<Tag, TagError> {
    let trimmed = text.trim();
    let skipped = text.len() - text.trim_start().len();
    let mut parser = TagParser::new(trimmed, values);
    let out = parser.tag();
    out.map_err(|error| TagError { offset: error.offset + skipped, ..error })
        .map(|tag| tag.shifted(skipped))
}

impl Tag {
    fn shifted(mut self, by: usize) -> Self {
        let mut at = &mut self;
        loop {
            at.offset += by;
            match &mut at.value {
                TagValue::Tag(inner) => at = inner,
                _ => break,
            }
        }
        self
    }

    /// The positional argument, if the first one is.
    #[must_use]
    pub fn positional(&self) -> Option<&Arg> {
        self.args.first().filter(|arg| arg.name.is_empty())
    }

    /// A named argument.
    #[must_use]
    pub fn named(&self, name: &str) -> Option<&Arg> {
        self.args.iter().find(|arg| !name.is_empty() && arg.name == name)
    }
}

impl TagValue {
    /// Upstream's word for the kind of value.
    #[must_use]
    pub fn kind_name(&self) -> &'static str {
        match self {
            Self::None => "",
            Self::Str(_) => "string",
            Self::Int(_) => "int",
            Self::Bool(_) => "bool",
            Self::Tag(_) => "tag",
            Self::Raw(_) => "raw",
        }
    }

    /// The value's text; empty for none and for tags.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::None | Self::Tag(_) => "",
            Self::Str(text) | Self::Int(text) | Self::Raw(text) => text,
            Self::Bool(true) => "true",
            Self::Bool(false) => "false",
        }
    }
}

impl std::fmt::Display for Arg {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.name.is_empty() {
            write!(f, "{}: ", self.name)?;
        }
        match self.kind {
            ArgKind::String => f.write_str(&go_quote(&self.value)),
            ArgKind::Int | ArgKind::Bool => f.write_str(&self.value),
        }
    }
}

impl std::fmt::Display for Tag {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut at = self;
        loop {
            f.write_str(&at.name)?;
            if !at.args.is_empty() {
                let args: Vec<String> = at.args.iter().map(ToString::to_string).collect();
                write!(f, "({})", args.join(", "))?;
            }
            match &at.value {
                TagValue::None => return Ok(()),
                TagValue::Str(text) => return write!(f, "={}", go_quote(text)),
                TagValue::Int(text) | TagValue::Raw(text) => return write!(f, "={text}"),
                TagValue::Bool(value) => return write!(f, "={value}"),
                TagValue::Tag(inner) => {
                    f.write_str("=+")?;
                    at = inner;
                }
            }
        }
    }
}

/// A text in double quotes as `strconv.Quote` writes it.
#[must_use]
pub fn go_quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for letter in text.chars() {
        push_escaped(&mut out, letter, '"');
    }
    out.push('"');
    out
}

/// A letter in single quotes as Go's `%q` writes it.
fn go_quote_rune(letter: char) -> String {
    let mut out = String::from("'");
    push_escaped(&mut out, letter, '\'');
    out.push('\'');
    out
}

fn push_escaped(out: &mut String, letter: char, quote: char) {
    match letter {
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        '\u{7}' => out.push_str("\\a"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '\u{b}' => out.push_str("\\v"),
        letter if letter == quote => {
            out.push('\\');
            out.push(letter);
        }
        letter if letter.is_ascii_control() => {
            out.push_str(&format!("\\x{:02x}", u32::from(letter)));
        }
        letter if letter.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(letter))),
        letter => out.push(letter),
    }
}

/// An integer as `strconv.ParseInt(text, 0, 64)` reads it: sign, then decimal, or `0x`, `0o`,
/// `0b`, or octal behind a leading zero.
#[must_use]
pub fn parse_int(text: &str) -> Option<i64> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    if digits.is_empty() || digits.contains('_') {
        return None;
    }
    let value = crate::go::literal::parse_int(digits)?;
    i64::try_from(if negative { value.checked_neg()? } else { value }).ok()
}

#[cfg(test)]
mod tests {
    use super::{TagValue, Values, parse};

    #[test]
    fn tags_round_trip_in_canonical_form() {
        for (text, canonical) in [
            ("a", "a"),
            ("a()", "a"),
            ("a(b)", "a(\"b\")"),
            ("a(true)=x", "a(true)=\"x\""),
            ("a(n: 1, m:`q`) # why", "a(n: 1, m: \"q\")"),
            (
                "k8s:item(name: \"x\")=+k8s:eachVal=+k8s:minimum=-0x1f",
                "k8s:item(name: \"x\")=+k8s:eachVal=+k8s:minimum=-0x1f",
            ),
            ("a(x)=", "a(\"x\")"),
            ("a=\"q\\\"r\"", "a=\"q\\\"r\""),
        ] {
            let tag =
                parse(text, Values::Parsed).unwrap_or_else(|error| panic!("{text}: {error:?}"));
            assert_eq!(tag.to_string(), canonical, "{text}");
        }
    }

    #[test]
    fn errors_are_upstreams() {
        for (text, message) in [
            ("a=", "unexpected end of input"),
            ("a(", "unexpected end of input"),
            ("a= 5", "unexpected character ' ' at position 3"),
            ("a=\"b", "unterminated string at position 4"),
            ("a=\"\\n\"", "unhandled escaped character 'n'"),
            ("a(b, c: d)", "can't mix named and positional arguments"),
            ("a(b, c)", "multiple arguments must use 'name: value' syntax"),
            ("a=+", "invalid number \"+\" at position 3"),
            ("a=099", "invalid number \"099\" at position 5"),
            ("=x", "unexpected character '=' at position 1"),
        ] {
            let error = parse(text, Values::Parsed).expect_err(text);
            assert_eq!(error.message, message, "{text}");
        }
    }

    #[test]
    fn raw_values_take_the_rest_of_the_line() {
        let tag = parse("default={\"a\": 1} # kept", Values::Raw).expect("parses");
        assert_eq!(tag.value, TagValue::Raw("{\"a\": 1} # kept".into()));
        let tag = parse("default=", Values::Raw).expect("parses");
        assert_eq!(tag.value, TagValue::Raw(String::new()));
    }

    #[test]
    fn chains_are_bounded() {
        assert!(parse(&"a=+".repeat(100_000), Values::Parsed).is_err());
    }
}
