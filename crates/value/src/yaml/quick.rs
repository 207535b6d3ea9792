//! The usual form of manifests in one pass: block maps and lists, scalars of one line, literal text, comments.
//!
//! The scanner and the parser read everything and say what is wrong with it; that costs three times as much as
//! manifests need. What this reader does not know for certain it leaves to them: it gives nothing then, never an error,
//! and never another answer than theirs.

use super::build::Document;
use super::marks::{Mark, Marks, Span, Step};
use super::quick_scalar::{Scalar, Token, key_of, value_of};
use crate::{List, Map, Text, Value};

/// Nesting beyond this is left to the reader that keeps its depth on the heap.
const DEPTH_MAX: usize = 60;

/// A key and its colon are on one line and not too far apart; the exact limit is the scanner's.
const KEY_BYTES_MAX: usize = 1000;

/// The documents of a text, when all of it has the usual form. With positions, when asked for.
pub(super) fn documents(text: &str, keep_marks: bool) -> Option<Vec<Document>> {
    // Columns count characters.
    if keep_marks && !text.is_ascii() {
        return None;
    }
    let mut reader = Quick::new(text, keep_marks)?;
    let mut documents = Vec::with_capacity(1);
    while reader.next_document()? {
        documents.push(reader.document()?);
    }
    Some(documents)
}

/// The objects of a text alone, when all of it has the usual form.
pub(super) fn objects(text: &str) -> Option<Vec<Value>> {
    let mut reader = Quick::new(text, false)?;
    let mut objects = Vec::with_capacity(1);
    while reader.next_document()? {
        objects.push(reader.object()?);
    }
    Some(objects)
}

/// Printable characters and line feeds; tabs, carriage returns and the rarer line breaks have rules of their own.
fn is_usual(text: &str) -> bool {
    // Whole pieces without an early end: those are compared many bytes at a time.
    let is_ascii = |it: &u8| (b' '..=b'~').contains(it) | (*it == b'\n');
    if text.as_bytes().chunks(64).all(|it| it.iter().fold(true, |all, it| all & is_ascii(it))) {
        return true;
    }
    text.chars().all(|it| {
        matches!(it, ' '..='~' | '\n' | '\u{a0}'..='\u{2027}' | '\u{202a}'..='\u{d7ff}' | '\u{e000}'..='\u{fefe}' | '\u{10000}'..)
    })
}

/// The column of no line: the text is at its end.
const END: isize = -2;
/// The column of a line that starts a document.
const MARK: isize = -1;

pub(super) struct Quick<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) text: &'a str,
    /// The first character of what comes next, which is never a space, a comment or a line's end.
    pub(super) at: usize,
    /// Its column.
    column: isize,
    pub(super) line: usize,
    line_start: usize,
    depth: usize,
    pub(super) marks: Option<Marks>,
    /// The mark of the node that was read last.
    pub(super) last: usize,
}

/// What a line starts with.
enum Head<'a> {
    Key(Key),
    /// A scalar alone.
    Scalar(Scalar<'a>),
}

struct Key {
    text: Text,
    /// Where it stands, quotes included.
    span: Span,
    /// Where its value may start.
    behind: usize,
}

/// Entries that stand once each; repeated keys are reported, which needs their places.
fn map_of(mut entries: Vec<(Text, Value)>) -> Option<Value> {
    if !entries.is_sorted_by(|a, b| a.0 < b.0) {
        entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        if entries.windows(2).any(|it| it[0].0 == it[1].0) {
            return None;
        }
    }
    Some(Value::Map(Map::from_sorted(entries)))
}

impl<'a> Quick<'a> {
    /// A reader of a text that is made of usual characters.
    fn new(text: &'a str, keep_marks: bool) -> Option<Self> {
        if !is_usual(text) {
            return None;
        }
        let mut reader = Quick {
            bytes: text.as_bytes(),
            text,
            at: 0,
            column: 0,
            line: 0,
            line_start: 0,
            depth: 0,
            marks: keep_marks.then(Marks::default),
            last: 0,
        };
        reader.find_line(0);
        Some(reader)
    }

    /// Goes to the next document; returns whether there is one.
    fn next_document(&mut self) -> Option<bool> {
        if self.column == END {
            return Some(false);
        }
        if self.column == MARK {
            self.pass_mark()?;
        }
        Some(true)
    }

    pub(super) fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(b'\n')
    }

    /// Whether nothing or a space stands here.
    pub(super) fn is_space(&self, at: usize) -> bool {
        matches!(self.byte(at), b' ' | b'\n')
    }

    pub(super) fn pass_spaces(&self, mut at: usize) -> usize {
        while self.bytes.get(at) == Some(&b' ') {
            at += 1;
        }
        at
    }

    /// Goes to the first line with content from the start of a line on.
    pub(super) fn find_line(&mut self, mut start: usize) {
        loop {
            let at = self.pass_spaces(start);
            match self.bytes.get(at) {
                None => {
                    self.column = END;
                    return;
                }
                Some(b'\n') => start = at + 1,
                Some(b'#') => start = self.line_end(at) + 1,
                Some(first) => {
                    self.at = at;
                    self.line_start = start;
                    self.column = isize::try_from(at - start).unwrap_or(isize::MAX);
                    let marks =
                        |it: u8| self.bytes[at..].starts_with(&[it; 3]) && self.is_space(at + 3);
                    if at == start && matches!(first, b'-' | b'.') && (marks(b'-') || marks(b'.')) {
                        self.column = MARK;
                    }
                    return;
                }
            }
            self.line += 1;
        }
    }

    pub(super) fn line_end(&self, at: usize) -> usize {
        memchr::memchr(b'\n', self.bytes.get(at..).unwrap_or_default())
            .map_or(self.bytes.len(), |it| at + it)
    }

    /// Goes on behind what was read of a line. Only a comment may follow it there.
    fn end_line(&mut self, at: usize) -> Option<()> {
        let rest = self.pass_spaces(at);
        let end = match self.bytes.get(rest) {
            None | Some(b'\n') => rest,
            Some(b'#') if rest > at => self.line_end(rest),
            Some(_) => return None,
        };
        self.line += 1;
        self.find_line(end + 1);
        Some(())
    }

    /// `---` alone in its line.
    fn pass_mark(&mut self) -> Option<()> {
        if self.byte(self.at) != b'-' {
            return None;
        }
        self.end_line(self.at + 3)
    }

    fn document(&mut self) -> Option<Document> {
        let start = self.span(self.at, self.at);
        let value = self.object()?;
        let mut marks = self.marks.as_mut().map(std::mem::take).unwrap_or_default();
        marks.set_root(self.last);
        Some(Document { value: Ok(value), duplicates: Vec::new(), marks, start, explicit: true })
    }

    /// Objects only; all else is rare.
    fn object(&mut self) -> Option<Value> {
        if self.column < 0 {
            return None;
        }
        let value = self.node(self.column)?;
        (self.column < 0 && matches!(value, Value::Map(_))).then_some(value)
    }

    /// A range of the line that is read.
    fn span(&self, from: usize, to: usize) -> Span {
        Span { bytes: from..to, line: self.line + 1, column: from - self.line_start + 1 }
    }

    /// Marks a node of this line.
    pub(super) fn mark(&mut self, from: usize, to: usize) -> usize {
        if self.marks.is_some() {
            let span = self.span(from, to);
            self.mark_at(span);
        }
        self.last
    }

    fn mark_at(&mut self, value: Span) {
        if let Some(marks) = &mut self.marks {
            self.last = marks.add(Mark { value, ..Mark::default() });
        }
    }

    /// Puts the node that was read last into a list or a map.
    fn link(&mut self, parent: usize, step: impl FnOnce() -> Step, key: Option<&Span>) {
        let Some(marks) = &mut self.marks else { return };
        if let Some(key) = key {
            marks.set_key(self.last, key.clone());
        }
        marks.link(parent, step(), self.last);
    }

    /// Ends a list or a map in front of what comes next.
    fn close(&mut self, own: usize) {
        let Some(marks) = &mut self.marks else { return };
        let next = if self.column == END { self.text.len() } else { self.at };
        marks.end_value(own, self.bytes[..next].trim_ascii_end().len());
        self.last = own;
    }

    /// What stands at a column of the line, and on the lines below it.
    fn node(&mut self, column: isize) -> Option<Value> {
        if self.depth >= DEPTH_MAX {
            return None;
        }
        self.depth += 1;
        let value = if self.byte(self.at) == b'-' && self.is_space(self.at + 1) {
            self.list(column)
        } else {
            match self.head()? {
                Head::Key(key) => self.map(column, key),
                Head::Scalar(scalar) => self.finish(scalar),
            }
        };
        self.depth -= 1;
        value
    }

    fn list(&mut self, column: isize) -> Option<Value> {
        let own = self.mark(self.at, self.at);
        let mut items = Vec::new();
        loop {
            let at = self.pass_spaces(self.at + 1);
            let item = if self.ends(at) {
                let empty = self.span(self.at + 1, self.at + 1);
                self.end_line(self.at + 1)?;
                if self.column > column {
                    self.node(self.column)?
                } else {
                    self.mark_at(empty);
                    Value::Null
                }
            } else {
                let inner = column + isize::try_from(at - self.at).ok()?;
                self.at = at;
                match self.byte(at) {
                    b'|' => self.literal(column)?,
                    b'[' | b'{' => self.flow_line(at)?,
                    _ => self.node(inner)?,
                }
            };
            self.link(own, || Step::Index(items.len()), None);
            items.push(item);
            let goes_on =
                self.column == column && self.byte(self.at) == b'-' && self.is_space(self.at + 1);
            if !goes_on {
                self.close(own);
                return (self.column <= column).then(|| Value::List(List::from(items)));
            }
        }
    }

    /// Whether a line has nothing more to say.
    fn ends(&self, at: usize) -> bool {
        matches!(self.byte(at), b'\n' | b'#')
    }

    fn map(&mut self, column: isize, first: Key) -> Option<Value> {
        let own = self.mark(self.at, self.at);
        let mut entries: Vec<(Text, Value)> = Vec::with_capacity(4);
        let mut key = first;
        loop {
            let value = self.value(column, key.behind)?;
            self.link(own, || Step::Key(key.text.clone()), Some(&key.span));
            entries.push((key.text, value));
            if self.column != column {
                break;
            }
            let Head::Key(next) = self.head()? else { return None };
            key = next;
        }
        if self.column > column {
            return None;
        }
        self.close(own);
        map_of(entries)
    }

    /// The value behind a colon.
    fn value(&mut self, column: isize, behind: usize) -> Option<Value> {
        let at = self.pass_spaces(behind);
        match self.byte(at) {
            b'\n' | b'#' => {
                let empty = self.span(behind, behind);
                self.end_line(behind)?;
                let is_entry = || self.byte(self.at) == b'-' && self.is_space(self.at + 1);
                if self.column > column {
                    self.node(self.column)
                } else if self.column == column && is_entry() {
                    self.depth += 1;
                    let list = if self.depth < DEPTH_MAX { self.list(column) } else { None };
                    self.depth -= 1;
                    list
                } else {
                    self.mark_at(empty);
                    Some(Value::Null)
                }
            }
            b'|' => {
                self.at = at;
                self.literal(column)
            }
            b'[' | b'{' => self.flow_line(at),
            _ => {
                if self.byte(at) == b'-' && self.is_space(at + 1) {
                    return None;
                }
                self.at = at;
                match self.scalar()? {
                    Scalar { colon: Some(_), .. } => None,
                    scalar => self.finish(scalar),
                }
            }
        }
    }

    /// A flow list or map that ends in its line.
    fn flow_line(&mut self, at: usize) -> Option<Value> {
        let (value, end) = self.flow(at)?;
        self.end_line(end)?;
        Some(value)
    }

    /// A node in flow style, and where it ends.
    fn flow(&mut self, at: usize) -> Option<(Value, usize)> {
        let open = self.byte(at);
        if !matches!(open, b'[' | b'{') {
            let (token, end) = self.flow_scalar(at)?;
            self.mark(at, end);
            return Some((value_of(token)?, end));
        }
        if self.depth >= DEPTH_MAX {
            return None;
        }
        self.depth += 1;
        let own = self.mark(at, at);
        let at = self.pass_spaces(at + 1);
        let found = if open == b'[' { self.flow_list(own, at) } else { self.flow_map(own, at) };
        self.depth -= 1;
        if let (Some((_, end)), Some(marks)) = (&found, &mut self.marks) {
            marks.end_value(own, *end);
            self.last = own;
        }
        found
    }

    fn flow_list(&mut self, own: usize, mut at: usize) -> Option<(Value, usize)> {
        let mut items = Vec::new();
        if self.byte(at) == b']' {
            return Some((Value::List(List::new()), at + 1));
        }
        loop {
            let (item, end) = self.flow(at)?;
            self.link(own, || Step::Index(items.len()), None);
            items.push(item);
            at = self.pass_spaces(end);
            match self.byte(at) {
                b',' => at = self.pass_spaces(at + 1),
                b']' => return Some((Value::List(List::from(items)), at + 1)),
                _ => return None,
            }
        }
    }

    fn flow_map(&mut self, own: usize, mut at: usize) -> Option<(Value, usize)> {
        let mut entries = Vec::new();
        if self.byte(at) == b'}' {
            return Some((Value::Map(Map::new()), at + 1));
        }
        loop {
            let (token, end) = self.flow_scalar(at)?;
            if self.byte(end) != b':' || self.byte(end + 1) != b' ' || end - at > KEY_BYTES_MAX {
                return None;
            }
            let span = self.span(at, end);
            let (value, end) = self.flow(self.pass_spaces(end + 1))?;
            let key = key_of(token)?;
            self.link(own, || Step::Key(key.clone()), Some(&span));
            entries.push((key, value));
            at = self.pass_spaces(end);
            match self.byte(at) {
                b',' => at = self.pass_spaces(at + 1),
                b'}' => return Some((map_of(entries)?, at + 1)),
                _ => return None,
            }
        }
    }

    /// A scalar of flow style that is quoted or a word without marks.
    fn flow_scalar(&self, at: usize) -> Option<(Token<'a>, usize)> {
        if let quote @ (b'"' | b'\'') = self.byte(at) {
            let quoted = self.quoted(quote, at).filter(|it| it.lines == 0)?;
            return Some((Token::Quoted(quoted.text), quoted.end));
        }
        let is_word =
            |it: &u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b'.' | b'/' | b'-');
        let rest = self.bytes.get(at..)?;
        let len = rest.iter().position(|it| !is_word(it))?;
        let word = self.text.get(at..at + len)?;
        // A lone dash would be a list's.
        (len > 0 && word != "-").then_some((Token::Plain(word), at + len))
    }

    fn head(&self) -> Option<Head<'a>> {
        let scalar = self.scalar()?;
        let Some(colon) = scalar.colon else { return Some(Head::Scalar(scalar)) };
        let Scalar { token, end, .. } = scalar;
        if colon - self.at > KEY_BYTES_MAX {
            return None;
        }
        let span = self.span(self.at, end);
        Some(Head::Key(Key { text: key_of(token)?, span, behind: colon + 1 }))
    }

    fn finish(&mut self, scalar: Scalar<'_>) -> Option<Value> {
        self.mark(self.at, scalar.end);
        self.line += scalar.lines;
        self.end_line(scalar.end)?;
        value_of(scalar.token)
    }
}
