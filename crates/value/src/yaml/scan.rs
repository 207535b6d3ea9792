//! Text to tokens: the scanner of YAML 1.1, accepting and refusing what go-yaml does, in its words.
//!
//! Keys need no mark of their own, so a token that may turn out to be a key is held back until the colon after it
//! is seen or can no longer come.

use std::borrow::Cow;
use std::collections::{HashMap, VecDeque};

use super::input::{At, Fault, Input};
use crate::DEPTH_MAX;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind<'a> {
    StreamEnd,
    Version(u8, u8),
    TagDirective { handle: &'a str, prefix: String },
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias(&'a str),
    Anchor(&'a str),
    Tag { handle: &'a str, suffix: String },
    Scalar { text: Cow<'a, str>, plain: bool },
}

#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    pub(super) kind: Kind<'a>,
    pub(super) start: At,
    pub(super) end: At,
}

/// A token that may be a key.
#[derive(Clone, Copy, Debug, Default)]
struct SimpleKey {
    possible: bool,
    /// It stands where only a key can stand.
    required: bool,
    number: usize,
    at: At,
}

/// A key and its colon are at most this many characters apart.
const KEY_CHARACTERS_MAX: usize = 1024;

pub(super) struct Scanner<'a> {
    pub(super) input: Input<'a>,
    tokens: VecDeque<Token<'a>>,
    /// Tokens handed out so far.
    taken: usize,
    /// One for each level of flow, and one for the blocks.
    keys: Vec<SimpleKey>,
    keys_by_token: HashMap<usize, usize>,
    pub(super) key_allowed: bool,
    pub(super) flow_level: usize,
    /// The column of the innermost block; −1 outside all.
    pub(super) indent: isize,
    indents: Vec<isize>,
}

pub(super) type Scanned<T> = Result<T, Fault>;

impl<'a> Scanner<'a> {
    pub(super) fn new(input: Input<'a>) -> Self {
        Scanner {
            input,
            tokens: VecDeque::new(),
            taken: 0,
            keys: vec![SimpleKey::default()],
            keys_by_token: HashMap::new(),
            key_allowed: true,
            flow_level: 0,
            indent: -1,
            indents: Vec::new(),
        }
    }

    /// An error of the scanner: it counts lines from 1 but names the first only when something began before it.
    pub(super) fn fault(&self, began: At, problem: impl Into<Cow<'static, str>>) -> Fault {
        let at = self.input.at;
        let line = match (at.line, began.line) {
            (0, 0) => None,
            (0, began) => Some(began),
            (line, _) => Some(line + 1),
        };
        Fault { problem: problem.into(), line, at }
    }

    /// The next token, which stays.
    pub(super) fn peek(&mut self) -> Scanned<&Token<'a>> {
        while self.needs_more()? {
            let fetched = self.fetch();
            if let Some(fault) = self.input.fault() {
                return Err(fault);
            }
            fetched?;
        }
        self.tokens.front().ok_or_else(|| Fault {
            problem: "unknown problem parsing YAML content".into(),
            line: None,
            at: self.input.at,
        })
    }

    /// Takes the token that was looked at.
    pub(super) fn take(&mut self) -> Option<Token<'a>> {
        self.taken += 1;
        self.tokens.pop_front()
    }

    fn needs_more(&mut self) -> Scanned<bool> {
        if self.tokens.is_empty() {
            return Ok(true);
        }
        match self.keys_by_token.get(&self.taken) {
            Some(key) => self.is_possible(*key),
            None => Ok(false),
        }
    }

    fn number(&self) -> usize {
        self.taken + self.tokens.len()
    }

    /// Whether a colon may still make it a key.
    fn is_possible(&mut self, key: usize) -> Scanned<bool> {
        let at = self.input.at;
        let Some(it) = self.keys.get_mut(key).filter(|it| it.possible) else {
            return Ok(false);
        };
        if it.at.line < at.line || it.at.index + KEY_CHARACTERS_MAX < at.index {
            let it = *it;
            if it.required {
                return Err(self.fault(it.at, "could not find expected ':'"));
            }
            self.keys[key].possible = false;
            return Ok(false);
        }
        Ok(true)
    }

    fn save_key(&mut self) -> Scanned<()> {
        if self.key_allowed {
            let required = self.flow_level == 0 && self.indent == column(self.input.at);
            let number = self.number();
            self.drop_key()?;
            let level = self.keys.len() - 1;
            self.keys[level] = SimpleKey { possible: true, required, number, at: self.input.at };
            self.keys_by_token.insert(number, level);
        }
        Ok(())
    }

    fn drop_key(&mut self) -> Scanned<()> {
        let level = self.keys.len() - 1;
        let key = self.keys[level];
        if key.possible {
            if key.required {
                return Err(self.fault(key.at, "could not find expected ':'"));
            }
            self.keys[level].possible = false;
            self.keys_by_token.remove(&key.number);
        }
        Ok(())
    }

    fn push(&mut self, kind: Kind<'a>, start: At, end: At) {
        self.tokens.push_back(Token { kind, start, end });
    }

    /// Puts a token before one that waits; behind all when that one is gone.
    fn insert(&mut self, number: usize, kind: Kind<'a>, at: At) {
        let token = Token { kind, start: at, end: at };
        match number.checked_sub(self.taken).filter(|it| *it <= self.tokens.len()) {
            Some(place) => self.tokens.insert(place, token),
            None => self.tokens.push_back(token),
        }
    }

    /// Opens a block when its column is beyond that of the block around it.
    fn roll(&mut self, at: At, number: Option<usize>, kind: Kind<'a>) -> Scanned<()> {
        if self.flow_level > 0 || self.indent >= column(at) {
            return Ok(());
        }
        self.indents.push(self.indent);
        self.indent = column(at);
        if self.indents.len() > DEPTH_MAX {
            let began = self.keys.last().map_or(at, |it| it.at);
            return Err(self.fault(began, format!("exceeded max depth of {DEPTH_MAX}")));
        }
        match number {
            Some(number) => self.insert(number, kind, at),
            None => self.push(kind, at, at),
        }
        Ok(())
    }

    /// Closes the blocks that this column ends.
    fn unroll(&mut self, column: isize) {
        while self.flow_level == 0 && self.indent > column {
            self.push(Kind::BlockEnd, self.input.at, self.input.at);
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    fn fetch(&mut self) -> Scanned<()> {
        self.skip_to_token();
        self.unroll(column(self.input.at));
        let input = &self.input;
        match input.byte(0) {
            0 => self.fetch_end(),
            b'%' if input.at.column == 0 => self.fetch_directive(),
            b'-' if input.is_document_mark(b'-') => self.fetch_document_mark(Kind::DocumentStart),
            b'.' if input.is_document_mark(b'.') => self.fetch_document_mark(Kind::DocumentEnd),
            b'[' => self.fetch_flow_start(Kind::FlowSequenceStart),
            b'{' => self.fetch_flow_start(Kind::FlowMappingStart),
            b']' => self.fetch_flow_end(Kind::FlowSequenceEnd),
            b'}' => self.fetch_flow_end(Kind::FlowMappingEnd),
            b',' => {
                self.drop_key()?;
                self.key_allowed = true;
                self.indicator(Kind::FlowEntry);
                Ok(())
            }
            b'-' if input.is_space(1) => self.fetch_block_entry(),
            b'?' if self.flow_level > 0 || input.is_space(1) => self.fetch_key(),
            b':' if self.flow_level > 0 || input.is_space(1) => self.fetch_value(),
            b'*' | b'&' => self.fetch_anchor(),
            b'!' => {
                self.save_key()?;
                self.key_allowed = false;
                self.scan_tag()
            }
            b'|' | b'>' if self.flow_level == 0 => {
                self.drop_key()?;
                self.key_allowed = true;
                self.scan_block_scalar()
            }
            b'\'' | b'"' => {
                self.save_key()?;
                self.key_allowed = false;
                self.scan_quoted()
            }
            // A dash at the end of the text comes no further than here: it is an entry.
            b' ' | b'\t' | b'?' | b':' | b'#' | b'|' | b'>' | b'%' | b'@' | b'`'
                if !(matches!(input.byte(0), b'?' | b':') && self.flow_level == 0) =>
            {
                Err(self.fault(input.at, "found character that cannot start any token"))
            }
            _ => {
                self.save_key()?;
                self.key_allowed = false;
                self.scan_plain()
            }
        }
    }

    fn skip_to_token(&mut self) {
        loop {
            let bom = [0xef, 0xbb, 0xbf];
            if self.input.at.column == 0 && (0..3).all(|it| self.input.byte(it) == bom[it]) {
                self.input.skip();
            }
            // A tab may separate tokens but not indent a key.
            let tab_allowed = self.flow_level > 0 || !self.key_allowed;
            while match self.input.byte(0) {
                b' ' => true,
                b'\t' => tab_allowed,
                _ => false,
            } {
                self.input.skip();
            }
            self.input.skip_comment();
            if !self.input.is_break(0) {
                return;
            }
            self.input.skip_line();
            if self.flow_level == 0 {
                self.key_allowed = true;
            }
        }
    }

    fn indicator(&mut self, kind: Kind<'a>) {
        let start = self.input.at;
        self.input.skip();
        self.push(kind, start, self.input.at);
    }

    fn fetch_end(&mut self) -> Scanned<()> {
        if self.input.at.column != 0 {
            self.input.at.column = 0;
            self.input.at.line += 1;
        }
        self.unroll(-1);
        self.drop_key()?;
        self.key_allowed = false;
        self.push(Kind::StreamEnd, self.input.at, self.input.at);
        Ok(())
    }

    fn fetch_document_mark(&mut self, kind: Kind<'a>) -> Scanned<()> {
        self.unroll(-1);
        self.drop_key()?;
        self.key_allowed = false;
        let start = self.input.at;
        for _ in 0..3 {
            self.input.skip();
        }
        self.push(kind, start, self.input.at);
        Ok(())
    }

    fn fetch_flow_start(&mut self, kind: Kind<'a>) -> Scanned<()> {
        self.save_key()?;
        let at = self.input.at;
        self.keys.push(SimpleKey { number: self.number(), at, ..SimpleKey::default() });
        self.flow_level += 1;
        if self.flow_level > DEPTH_MAX {
            return Err(self.fault(at, format!("exceeded max depth of {DEPTH_MAX}")));
        }
        self.key_allowed = true;
        self.indicator(kind);
        Ok(())
    }

    fn fetch_flow_end(&mut self, kind: Kind<'a>) -> Scanned<()> {
        self.drop_key()?;
        if self.flow_level > 0 {
            self.flow_level -= 1;
            if let Some(key) = self.keys.pop() {
                self.keys_by_token.remove(&key.number);
            }
        }
        self.key_allowed = false;
        self.indicator(kind);
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Scanned<()> {
        if self.flow_level == 0 {
            if !self.key_allowed {
                let problem = "block sequence entries are not allowed in this context";
                return Err(self.fault(self.input.at, problem));
            }
            self.roll(self.input.at, None, Kind::BlockSequenceStart)?;
        }
        self.drop_key()?;
        self.key_allowed = true;
        self.indicator(Kind::BlockEntry);
        Ok(())
    }

    fn fetch_key(&mut self) -> Scanned<()> {
        if self.flow_level == 0 {
            if !self.key_allowed {
                let problem = "mapping keys are not allowed in this context";
                return Err(self.fault(self.input.at, problem));
            }
            self.roll(self.input.at, None, Kind::BlockMappingStart)?;
        }
        self.drop_key()?;
        self.key_allowed = self.flow_level == 0;
        self.indicator(Kind::Key);
        Ok(())
    }

    fn fetch_value(&mut self) -> Scanned<()> {
        let level = self.keys.len() - 1;
        if self.is_possible(level)? {
            let key = self.keys[level];
            self.insert(key.number, Kind::Key, key.at);
            self.roll(key.at, Some(key.number), Kind::BlockMappingStart)?;
            self.keys[level].possible = false;
            self.keys_by_token.remove(&key.number);
            self.key_allowed = false;
        } else {
            if self.flow_level == 0 {
                if !self.key_allowed {
                    let problem = "mapping values are not allowed in this context";
                    return Err(self.fault(self.input.at, problem));
                }
                self.roll(self.input.at, None, Kind::BlockMappingStart)?;
            }
            self.key_allowed = self.flow_level == 0;
        }
        self.indicator(Kind::Value);
        Ok(())
    }

    fn fetch_anchor(&mut self) -> Scanned<()> {
        self.save_key()?;
        self.key_allowed = false;
        let start = self.input.at;
        let is_alias = self.input.byte(0) == b'*';
        self.input.skip();
        let named = self.input.at;
        while self.input.is_word() {
            self.input.skip();
        }
        let name = self.input.since(named);
        let ended = self.input.is_space(0)
            || matches!(self.input.byte(0), b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`');
        if name.is_empty() || !ended {
            let problem = "did not find expected alphabetic or numeric character";
            return Err(self.fault(start, problem));
        }
        let kind = if is_alias { Kind::Alias(name) } else { Kind::Anchor(name) };
        self.push(kind, start, self.input.at);
        Ok(())
    }

    pub(super) fn fetch_directive(&mut self) -> Scanned<()> {
        self.unroll(-1);
        self.drop_key()?;
        self.key_allowed = false;
        let start = self.input.at;
        let kind = self.scan_directive()?;
        self.push(kind, start, self.input.at);
        self.input.skip_blanks();
        self.input.skip_comment();
        if !self.input.is_line_end(0) {
            return Err(self.fault(start, "did not find expected comment or line break"));
        }
        self.input.skip_line();
        Ok(())
    }

    pub(super) fn scalar(&mut self, text: Cow<'a, str>, plain: bool, start: At, end: At) {
        self.push(Kind::Scalar { text, plain }, start, end);
    }

    pub(super) fn tag(&mut self, handle: &'a str, suffix: String, start: At) {
        self.push(Kind::Tag { handle, suffix }, start, self.input.at);
    }
}

fn column(at: At) -> isize {
    isize::try_from(at.column).unwrap_or(isize::MAX)
}
