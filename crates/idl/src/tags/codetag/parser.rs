//! The state machine that reads one tag.

use super::{
    Arg, ArgKind, Tag, TagError, TagValue, Values, go_quote, go_quote_rune, is_digit,
    is_ident_begin, is_ident_interior, is_name_interior, parse_int,
};

/// Tags inside tags nest at most this deep; upstream has no limit, real ones stay below five.
const CHAIN_MAX: usize = 32;

pub(super) struct TagParser {
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
    pub(super) fn new(text: &str, values: Values) -> Self {
        Self {
            runes: text.char_indices().collect(),
            len: text.len(),
            pos: 0,
            values,
            tags: Vec::new(),
            name: String::new(),
            name_offset: 0,
            args: Vec::new(),
            value: TagValue::None,
        }
    }

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
    pub(super) fn tag(&mut self) -> Result<Tag, TagError> {
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
