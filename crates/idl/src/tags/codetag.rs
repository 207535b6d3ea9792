//! The tag grammar of gengo: `name(arg, name: arg)=value`, where a value may be a tag again.
//!
//! Upstream: `k8s.io/gengo/v2/codetags`. Errors carry its texts.

use crate::go::comment::DocLine;

/// Tags inside tags nest at most this deep; upstream has no limit, real ones stay below five.
const CHAIN_MAX: usize = 32;

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
    let mut parser = TagParser {
        runes: trimmed.char_indices().collect(),
        len: trimmed.len(),
        pos: 0,
        values,
        tags: Vec::new(),
        name: String::new(),
        name_offset: 0,
        args: Vec::new(),
        value: TagValue::None,
    };
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

struct TagParser {
    runes: Vec<(usize, char)>,
    len: usize,
    pos: usize,
    values: Values,
    tags: Vec<Tag>,
    name: String,
    name_offset: usize,
    args: Vec<Arg>,
    value: TagValue,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Tag,
    MaybeArgs,
    Arg,
    ArgEnd,
    MaybeValue,
    Value,
    MaybeComment,
}

impl TagParser {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.runes.get(self.pos + ahead).map(|rune| rune.1)
    }

    fn next(&mut self) -> Option<char> {
        let rune = self.peek(0);
        self.pos += usize::from(rune.is_some());
        rune
    }

    fn offset(&self) -> usize {
        self.runes.get(self.pos).map_or(self.len, |rune| rune.0)
    }

    fn error<T>(&self, message: String) -> Result<T, TagError> {
        Err(TagError { message, offset: self.offset() })
    }

    fn skip_blanks(&mut self) {
        while self.peek(0).is_some_and(char::is_whitespace) {
            self.pos += 1;
        }
    }

    /// The state machine of upstream, with its quirks: `name(x)=` has no value and is accepted,
    /// `name=` is not.
    fn tag(&mut self) -> Result<Tag, TagError> {
        let mut state = State::Tag;
        let mut incomplete = false;
        let mut arg_name = String::new();
        while let Some(rune) = self.peek(0) {
            let next = match state {
                State::Tag => self.state_tag(rune),
                State::MaybeArgs => Some(self.state_maybe_args(rune, &mut incomplete)),
                State::Arg => self.state_arg(rune, &mut incomplete, &mut arg_name)?,
                State::ArgEnd => self.state_arg_end(rune, &mut incomplete),
                State::MaybeValue => Some(self.state_maybe_value(rune)),
                State::Value => self.state_value(rune, &mut incomplete)?,
                State::MaybeComment => {
                    if self.at_trailing_comment() {
                        self.pos = self.runes.len();
                        Some(State::MaybeComment)
                    } else {
                        None
                    }
                }
            };
            match next {
                Some(next) => state = next,
                None => break,
            }
        }
        if let Some(rune) = self.peek(0) {
            let message = format!(
                "unexpected character {} at position {}",
                go_quote_rune(rune),
                self.pos + 1
            );
            return self.error(message);
        }
        if incomplete {
            return self.error("unexpected end of input".into());
        }
        self.save_tag()?;
        self.finish()
    }

    fn finish(&mut self) -> Result<Tag, TagError> {
        let mut tags = std::mem::take(&mut self.tags);
        let Some(mut out) = tags.pop() else {
            return self.error("unexpected internal parser error: no tags parsed".into());
        };
        out.value = std::mem::replace(&mut self.value, TagValue::None);
        while let Some(mut outer) = tags.pop() {
            outer.value = TagValue::Tag(Box::new(out));
            out = outer;
        }
        Ok(out)
    }

    fn save_tag(&mut self) -> Result<(), TagError> {
        let args = std::mem::take(&mut self.args);
        let mut named = false;
        for (at, arg) in args.iter().enumerate() {
            if (named && arg.name.is_empty()) || (!named && !arg.name.is_empty() && at > 0) {
                return self.error("can't mix named and positional arguments".into());
            }
            named |= !arg.name.is_empty();
        }
        if !named && args.len() > 1 {
            return self.error("multiple arguments must use 'name: value' syntax".into());
        }
        if self.tags.len() >= CHAIN_MAX {
            return self.error(format!("tags nested deeper than {CHAIN_MAX}"));
        }
        let name = std::mem::take(&mut self.name);
        self.tags.push(Tag { name, args, value: TagValue::None, offset: self.name_offset });
        Ok(())
    }

    fn state_tag(&mut self, rune: char) -> Option<State> {
        if !is_ident_begin(rune) {
            return None;
        }
        self.name_offset = self.offset();
        self.name = self.word(is_name_interior);
        Some(State::MaybeArgs)
    }

    fn state_maybe_args(&mut self, rune: char, incomplete: &mut bool) -> State {
        match rune {
            '(' => {
                self.pos += 1;
                *incomplete = true;
                State::Arg
            }
            '=' => {
                self.pos += 1;
                if self.values == Values::Raw {
                    self.value = TagValue::Raw(String::new());
                } else {
                    *incomplete = true;
                }
                State::Value
            }
            _ => State::MaybeComment,
        }
    }

    fn state_arg(
        &mut self,
        rune: char,
        incomplete: &mut bool,
        arg_name: &mut String,
    ) -> Result<Option<State>, TagError> {
        let (value, kind) = match rune {
            ')' => {
                self.pos += 1;
                *incomplete = false;
                return Ok(Some(State::MaybeValue));
            }
            '-' | '+' => (self.number()?, ArgKind::Int),
            rune if is_digit(rune) => (self.number()?, ArgKind::Int),
            '"' | '`' => (self.string()?, ArgKind::String),
            rune if is_ident_begin(rune) => {
                let word = self.word(is_ident_interior);
                match self.peek(0) {
                    Some(',' | ')') => {
                        let bool = word == "true" || word == "false";
                        (word, if bool { ArgKind::Bool } else { ArgKind::String })
                    }
                    Some(':') => {
                        self.pos += 1;
                        self.skip_blanks();
                        *arg_name = word;
                        return Ok(Some(State::Arg));
                    }
                    _ => return Ok(None),
                }
            }
            _ => return Ok(None),
        };
        self.args.push(Arg { name: std::mem::take(arg_name), value, kind });
        Ok(Some(State::ArgEnd))
    }

    fn state_arg_end(&mut self, rune: char, incomplete: &mut bool) -> Option<State> {
        match rune {
            ',' => {
                self.pos += 1;
                self.skip_blanks();
                Some(State::Arg)
            }
            ')' => {
                self.pos += 1;
                *incomplete = false;
                Some(State::MaybeValue)
            }
            _ => None,
        }
    }

    fn state_maybe_value(&mut self, rune: char) -> State {
        if rune != '=' {
            return State::MaybeComment;
        }
        self.pos += 1;
        if self.values == Values::Raw {
            self.value = TagValue::Raw(String::new());
        }
        State::Value
    }

    fn state_value(
        &mut self,
        rune: char,
        incomplete: &mut bool,
    ) -> Result<Option<State>, TagError> {
        if self.values == Values::Raw {
            *incomplete = false;
            let rest = self.runes.get(self.pos..).unwrap_or(&[]);
            self.value = TagValue::Raw(rest.iter().map(|rune| rune.1).collect());
            self.pos = self.runes.len();
            return Ok(None);
        }
        if rune == '+' && self.peek(1).is_some_and(is_ident_begin) {
            *incomplete = false;
            self.pos += 1;
            self.save_tag()?;
            return Ok(Some(State::Tag));
        }
        self.value = match rune {
            '-' | '+' => TagValue::Int(self.number()?),
            rune if is_digit(rune) => TagValue::Int(self.number()?),
            '"' | '`' => TagValue::Str(self.string()?),
            rune if is_ident_begin(rune) => {
                let word = self.word(is_ident_interior);
                match word.as_str() {
                    "true" => TagValue::Bool(true),
                    "false" => TagValue::Bool(false),
                    _ => TagValue::Str(word),
                }
            }
            _ => return Ok(None),
        };
        *incomplete = false;
        Ok(Some(State::MaybeComment))
    }

    fn at_trailing_comment(&self) -> bool {
        let mut ahead = 0;
        while self.peek(ahead).is_some_and(char::is_whitespace) {
            ahead += 1;
        }
        self.peek(ahead) == Some('#')
    }

    fn word(&mut self, interior: fn(char) -> bool) -> String {
        let mut out = String::new();
        out.extend(self.next());
        while self.peek(0).is_some_and(interior) {
            out.extend(self.next());
        }
        out
    }

    fn number(&mut self) -> Result<String, TagError> {
        let mut out = String::new();
        if matches!(self.peek(0), Some('+' | '-')) {
            out.extend(self.next());
        }
        if self.peek(0) == Some('0') {
            out.extend(self.next());
            match self.peek(0) {
                Some(rune) if is_digit(rune) || matches!(rune, 'x' | 'o' | 'b') => {
                    out.extend(self.next());
                    self.digits(&mut out);
                }
                _ => {}
            }
        } else if self.peek(0).is_some_and(is_digit) {
            self.digits(&mut out);
        }
        if parse_int(&out).is_none() {
            let message = format!("invalid number {} at position {}", go_quote(&out), self.pos);
            return self.error(message);
        }
        Ok(out)
    }

    fn digits(&mut self, out: &mut String) {
        while self.peek(0).is_some_and(|rune| is_digit(rune) || rune.is_ascii_hexdigit()) {
            out.extend(self.next());
        }
    }

    fn string(&mut self) -> Result<String, TagError> {
        let quote = self.next().unwrap_or('"');
        let mut out = String::new();
        while let Some(rune) = self.next() {
            if rune == quote {
                return Ok(out);
            }
            if rune != '\\' {
                out.push(rune);
                continue;
            }
            match self.peek(0) {
                Some(rune) if rune == quote || rune == '\\' => {
                    out.push(rune);
                    self.pos += 1;
                }
                Some(rune) => {
                    let message = format!("unhandled escaped character {}", go_quote_rune(rune));
                    return self.error(message);
                }
                None => break,
            }
        }
        self.error(format!("unterminated string at position {}", self.pos))
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
