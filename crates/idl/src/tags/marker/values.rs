//! Values of markers, read by the type that an argument has or that they look like.

use std::collections::BTreeMap;

use ordain_value::{Value, json};

use super::scanner::{Scanner, Token};
use super::table::{ArgType, MarkerDef};
use crate::go::literal;
use crate::tags::codetag::go_quote;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum MarkerValue {
    /// An integer.
    Int(i64),
    /// A number.
    Number(f64),
    /// A text.
    Str(String),
    /// true or false
    Bool(bool),
    /// Several values.
    List(Vec<MarkerValue>),
    /// Values by key.
    Map(BTreeMap<String, MarkerValue>),
    /// JSON, of `+default`; null when it is a reference, which controller-gen leaves out.
    Json(Value),
}

impl MarkerValue {
    /// The value as JSON.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Int(value) => Value::Int(*value),
            Self::Number(value) => Value::Float(*value),
            Self::Str(text) => Value::from(text.as_str()),
            Self::Bool(value) => Value::Bool(*value),
            Self::List(items) => Value::from(items.iter().map(Self::to_json).collect::<Vec<_>>()),
            Self::Map(entries) => Value::Map(
                entries
                    .iter()
                    .map(|(key, value)| (smol_str::SmolStr::new(key), value.to_json()))
                    .collect(),
            ),
            Self::Json(value) => value.clone(),
        }
    }

    /// The text, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The integer, if it is one.
    #[must_use]
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Self::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// The number, if it is one.
    #[must_use]
    pub fn as_number(&self) -> Option<f64> {
        match self {
            Self::Number(value) => Some(*value),
            #[expect(clippy::cast_precision_loss, reason = "numbers of markers are float64")]
            Self::Int(value) => Some(*value as f64),
            _ => None,
        }
    }

    /// The boolean, if it is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The texts of a list.
    #[must_use]
    pub fn as_strings(&self) -> Vec<&str> {
        match self {
            Self::List(items) => items.iter().filter_map(Self::as_str).collect(),
            _ => Vec::new(),
        }
    }
}

type Args = BTreeMap<&'static str, MarkerValue>;

/// `+default=<JSON>`, or a reference that is passed over.
pub(super) fn json_default(rest: &str) -> (Args, Vec<String>) {
    if rest.trim().starts_with("ref(") {
        return (BTreeMap::from([("", MarkerValue::Json(Value::Null))]), Vec::new());
    }
    match json::decode(rest.as_bytes()) {
        Ok(value) => (BTreeMap::from([("", MarkerValue::Json(value))]), Vec::new()),
        Err(error) => (Args::new(), vec![error.to_string()]),
    }
}

/// The type a value seems to have.
#[derive(Clone, Debug, PartialEq)]
enum Guess {
    Invalid,
    Int,
    Number,
    Str,
    Bool,
    List(Box<Guess>),
    Map,
}

/// Values in values.
const DEPTH_MAX: u32 = 32;

pub(super) struct Reader<'a> {
    scanner: Scanner<'a>,
    depth: u32,
}

impl<'a> Reader<'a> {
    pub(super) fn new(fields: &'a str) -> Self {
        Self { scanner: Scanner::new(fields), depth: 0 }
    }

    /// Reads all arguments of a marker.
    pub(super) fn arguments(mut self, def: &'static MarkerDef) -> (Args, Vec<String>) {
        let mut out = Args::new();
        let mut seen: Vec<&'static str> = Vec::new();
        if def.is_anonymous() && self.scanner.peek().is_some() {
            if let Some(arg) = def.args.first()
                && let Some(value) = self.typed(arg.ty)
            {
                out.insert("", value);
            }
            seen.push("");
        } else if !def.args.is_empty() && self.scanner.peek().is_some() {
            self.named(def, &mut out, &mut seen);
        }
        if self.scanner.scan() != Token::Eof {
            let rest = self.scanner.text.get(self.scanner.token.0..).unwrap_or("");
            let message = format!("extra arguments provided: {}", go_quote(rest));
            self.scanner.error(&message);
        }
        let mut missing: Vec<&str> = def
            .args
            .iter()
            .filter(|arg| !arg.optional && !seen.contains(&arg.name))
            .map(|arg| arg.name)
            .collect();
        missing.sort_unstable();
        for name in missing {
            self.scanner.error(&format!("missing argument {}", go_quote(name)));
        }
        (out, self.scanner.errors)
    }

    fn named(&mut self, def: &'static MarkerDef, out: &mut Args, seen: &mut Vec<&'static str>) {
        while self.expect(Token::Ident, "argument name") {
            let name = self.scanner.token_text();
            if !self.expect(Token::Char('='), "equals") {
                return;
            }
            let Some(arg) = def.args.iter().find(|arg| arg.name == name) else {
                self.scanner.error(&format!("unknown argument {}", go_quote(name)));
                return;
            };
            let again = seen.contains(&arg.name);
            seen.push(arg.name);
            if let Some(value) = self.typed(arg.ty) {
                let before = out.insert(arg.name, value);
                // controller-gen takes the last of them in silence.
                if again && before.as_ref() != out.get(arg.name) {
                    let message = format!("argument {} is given twice", go_quote(arg.name));
                    self.scanner.error(&message);
                }
            }
            if !self.scanner.errors.is_empty()
                || self.scanner.peek().is_none()
                || !self.expect(Token::Char(','), "comma")
            {
                return;
            }
        }
    }

    fn expect(&mut self, token: Token, what: &str) -> bool {
        let found = self.scanner.scan() == token;
        if !found {
            let text = go_quote(self.scanner.token_text());
            self.scanner.error(&format!("expected {what}, got {text}"));
        }
        found
    }

    fn typed(&mut self, ty: ArgType) -> Option<MarkerValue> {
        match ty {
            ArgType::Int => self.int(),
            ArgType::Number => self.number(),
            ArgType::Str => self.string(false),
            ArgType::Bool => self.bool(),
            ArgType::Any => self.any(true),
            ArgType::Strings => self.list(&mut |reader| reader.string(false)),
            ArgType::Anys => self.list(&mut |reader| reader.any(false)),
        }
    }

    fn sign(&mut self) -> &'static str {
        if self.scanner.peek() == Some('-') {
            self.scanner.scan();
            return "-";
        }
        ""
    }

    fn int(&mut self) -> Option<MarkerValue> {
        let sign = self.sign();
        if !self.expect(Token::Int, "integer") {
            return None;
        }
        let text = format!("{sign}{}", self.scanner.token_text());
        match text.parse() {
            Ok(value) => Some(MarkerValue::Int(value)),
            Err(_) => {
                let all_digits =
                    text.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit());
                let why = if all_digits { "value out of range" } else { "invalid syntax" };
                let message = format!(
                    "unable to parse integer: strconv.Atoi: parsing {}: {why}",
                    go_quote(&text)
                );
                self.scanner.error(&message);
                None
            }
        }
    }

    fn number(&mut self) -> Option<MarkerValue> {
        let sign = self.sign();
        let token = self.scanner.scan();
        if !matches!(token, Token::Int | Token::Float) {
            let text = go_quote(self.scanner.token_text());
            self.scanner.error(&format!("expected integer or float, got {text}"));
            return None;
        }
        let text = format!("{sign}{}", self.scanner.token_text());
        let value = match text.strip_prefix('-') {
            Some(digits) => literal_number(digits).map(|value| -value),
            None => literal_number(&text),
        };
        if value.is_none() {
            let message = format!(
                "unable to parse number: strconv.ParseFloat: parsing {}: invalid syntax",
                go_quote(&text)
            );
            self.scanner.error(&message);
        }
        value.map(MarkerValue::Number)
    }

    fn bool(&mut self) -> Option<MarkerValue> {
        if !self.expect(Token::Ident, "true or false") {
            return None;
        }
        match self.scanner.token_text() {
            "true" => Some(MarkerValue::Bool(true)),
            "false" => Some(MarkerValue::Bool(false)),
            other => {
                let message = format!("expected true or false, got {}", go_quote(other));
                self.scanner.error(&message);
                None
            }
        }
    }

    /// A text: quoted, or everything up to a delimiter.
    fn string(&mut self, in_map: bool) -> Option<MarkerValue> {
        self.scanner.numbers = false;
        let token = self.scanner.scan();
        let out = if matches!(token, Token::Str | Token::RawStr) {
            match literal::unquote(self.scanner.token_text()) {
                Some(text) => Some(MarkerValue::Str(text)),
                None => {
                    self.scanner.error("unable to parse string: invalid syntax");
                    None
                }
            }
        } else {
            let start = self.scanner.token.0;
            loop {
                match self.scanner.peek_no_space() {
                    None | Some(',' | ';' | '}') => break,
                    Some(':') if in_map => break,
                    Some(_) => {
                        self.scanner.scan();
                    }
                }
            }
            let text = self.scanner.text.get(start..self.scanner.token.1).unwrap_or("");
            Some(MarkerValue::Str(text.to_string()))
        };
        self.scanner.numbers = true;
        out
    }

    fn list(
        &mut self,
        item: &mut dyn FnMut(&mut Self) -> Option<MarkerValue>,
    ) -> Option<MarkerValue> {
        let mut items = Vec::new();
        if self.scanner.peek_no_space() == Some('{') {
            self.scanner.scan();
            while !matches!(self.scanner.peek_no_space(), Some('}') | None) {
                items.push(item(self)?);
                if self.scanner.peek_no_space() == Some('}') {
                    break;
                }
                if !self.expect(Token::Char(','), "comma") {
                    return None;
                }
            }
            return self
                .expect(Token::Char('}'), "close curly brace")
                .then_some(MarkerValue::List(items));
        }
        while !matches!(self.scanner.peek_no_space(), Some(',' | '}') | None) {
            items.push(item(self)?);
            match self.scanner.peek_no_space() {
                Some(',' | '}') | None => break,
                Some(next) => {
                    self.scanner.scan();
                    if next != ';' {
                        let text = go_quote(self.scanner.token_text());
                        self.scanner.error(&format!("expected comma, got {text}"));
                        return None;
                    }
                }
            }
        }
        Some(MarkerValue::List(items))
    }

    fn map(&mut self) -> Option<MarkerValue> {
        if !self.expect(Token::Char('{'), "open curly brace") {
            return None;
        }
        let mut entries = BTreeMap::new();
        while !matches!(self.scanner.peek_no_space(), Some('}') | None) {
            let MarkerValue::Str(key) = self.string(true)? else { return None };
            if !self.expect(Token::Char(':'), "colon") {
                return None;
            }
            entries.insert(key, self.any(true)?);
            if self.scanner.peek_no_space() == Some('}') {
                break;
            }
            if !self.expect(Token::Char(','), "comma") {
                return None;
            }
        }
        self.expect(Token::Char('}'), "close curly brace").then_some(MarkerValue::Map(entries))
    }

    /// Whatever the text looks like.
    fn any(&mut self, allow_list: bool) -> Option<MarkerValue> {
        if self.depth >= DEPTH_MAX {
            self.scanner.error("values nested too deeply");
            return None;
        }
        self.depth += 1;
        let rest = self.scanner.text.get(self.scanner.offset()..).unwrap_or("");
        let guess = guess(rest, allow_list, self.depth);
        let out = self.guessed(&guess);
        self.depth -= 1;
        out
    }

    fn guessed(&mut self, guess: &Guess) -> Option<MarkerValue> {
        match guess {
            Guess::Invalid => {
                self.scanner.error("cannot parse invalid type");
                None
            }
            Guess::Int => self.int(),
            Guess::Number => self.number(),
            Guess::Str => self.string(false),
            Guess::Bool => self.bool(),
            Guess::Map => self.map(),
            Guess::List(item) => self.list(&mut |reader| reader.guessed(item)),
        }
    }
}

/// The type a text seems to have; upstream's `guessType`.
fn guess(text: &str, allow_list: bool, depth: u32) -> Guess {
    if allow_list {
        let item = guess(text, false, depth);
        let mut scanner = Scanner::new(text);
        loop {
            match scanner.scan() {
                Token::Char(';') => return Guess::List(Box::new(item)),
                Token::Char(',') | Token::Eof => return item,
                _ => {}
            }
        }
    }
    if depth > DEPTH_MAX {
        return Guess::Invalid;
    }
    let mut scanner = Scanner::new(text);
    let hint = scanner.peek_no_space();
    match hint {
        Some('"' | '\'' | '`') => return Guess::Str,
        Some('{') => return guess_braces(scanner, depth),
        _ => {}
    }
    if matches!(hint, Some('t' | 'f')) {
        if scanner.scan() == Token::Ident && matches!(scanner.token_text(), "true" | "false") {
            return Guess::Bool;
        }
        return Guess::Str;
    }
    let mut token = scanner.scan();
    if token == Token::Char('-') {
        token = scanner.scan();
    }
    let ends = matches!(scanner.peek_no_space(), Some(',' | ';' | '}') | None);
    match token {
        Token::Int if scanner.errors.is_empty() && ends => Guess::Int,
        Token::Float if scanner.errors.is_empty() && ends => Guess::Number,
        _ => Guess::Str,
    }
}

/// `{…}`: a map when a text and a colon come first, or nothing at all; a list otherwise.
fn guess_braces(mut scanner: Scanner<'_>, depth: u32) -> Guess {
    scanner.scan();
    let hint = scanner.peek_no_space();
    let rest = scanner.text.get(scanner.offset()..).unwrap_or("");
    let first = guess(rest, false, depth + 1);
    if first == Guess::Str {
        let mut reader = Reader { scanner, depth };
        reader.string(true);
        let token = reader.scanner.scan();
        if token == Token::Char(':') || hint == Some('}') {
            return Guess::Map;
        }
    }
    Guess::List(Box::new(first))
}

fn literal_number(text: &str) -> Option<f64> {
    if text.contains(['x', 'X', 'o', 'O', 'b', 'B']) {
        #[expect(clippy::cast_precision_loss, reason = "numbers of markers are float64")]
        return literal::parse_int(text).map(|value| value as f64);
    }
    literal::parse_float(text)
}
