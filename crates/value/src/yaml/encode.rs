//! Values to YAML text, in the form kubectl and the API server print.
//!
//! Styles, quotes, escapes and the folding of long lines are those of go-yaml's emitter, which prints YAML made
//! from JSON.

use super::flow::flow;
use super::order::sorted;
use super::resolve::{Resolved, is_timestamp, plain};
use crate::indent::is_hollow;
use crate::number::{go_float, write_float_json};
use crate::{Text, Value};

/// Lines are folded at the first space beyond this column.
const WIDTH: usize = 80;
/// Keys of more bytes than this get a mark of their own.
const KEY_BYTES_MAX: usize = 128;
const STEP: usize = 2;

/// The YAML text of a value, with a line break at the end. A value whose indents would be much
/// larger than all else, because it is both deep and wide, is written in flow style.
pub fn encode(value: &Value) -> String {
    write(value, Writer::default())
}

/// Like [`encode`], with every text on the line of its key, however long: no part of a text begins a
/// line, which a reader of logs might take for a command.
pub fn encode_unfolded(value: &Value) -> String {
    write(value, Writer { unfolded: true, ..Writer::default() })
}

fn write(value: &Value, mut out: Writer) -> String {
    let unfolded = out.unfolded;
    match children(value) {
        Some(children) => block(children, &mut out),
        None => {
            scalar(value, STEP, &mut out);
            out.line_break();
        }
    }
    if out.is_hollow {
        out = Writer { unfolded, ..Writer::default() };
        flow(value, &mut out);
        out.line_break();
    }
    out.text
}

/// An open block collection and its indent.
struct Open<'a> {
    children: Children<'a>,
    indent: usize,
    /// The first line continues a `- ` that is already written.
    first_inline: bool,
}

enum Children<'a> {
    Map(std::vec::IntoIter<&'a (Text, Value)>),
    List(std::slice::Iter<'a, Value>),
}

fn children(value: &Value) -> Option<Children<'_>> {
    match value {
        Value::Map(map) if !map.is_empty() => {
            Some(Children::Map(sorted(map.entries(), |it| it.0.as_str()).into_iter()))
        }
        Value::List(list) if !list.is_empty() => Some(Children::List(list.iter())),
        _ => None,
    }
}

fn block(first: Children<'_>, out: &mut Writer) {
    let mut open = vec![Open { children: first, indent: 0, first_inline: false }];
    while let Some(top) = open.last_mut().filter(|_| !out.is_hollow) {
        let indent = top.indent;
        let next = match &mut top.children {
            Children::Map(entries) => entries.next().map(|(key, value)| (Some(key), value)),
            Children::List(items) => items.next().map(|value| (None, value)),
        };
        let Some((key, value)) = next else {
            open.pop();
            continue;
        };
        if !std::mem::take(&mut top.first_inline) {
            out.spaces(indent);
        }
        let marked = match key {
            Some(key) => write_key(key, indent, out),
            None => {
                out.put('-');
                true
            }
        };
        match children(value) {
            // Lists stand at the indent of their key.
            Some(children @ Children::List(_)) if !marked => {
                out.line_break();
                open.push(Open { children, indent, first_inline: false });
            }
            Some(children) if !marked => {
                out.line_break();
                open.push(Open { children, indent: indent + STEP, first_inline: false });
            }
            Some(children) => {
                out.put(' ');
                open.push(Open { children, indent: indent + STEP, first_inline: true });
            }
            None => {
                out.put(' ');
                scalar(value, indent + STEP, out);
                out.line_break();
            }
        }
    }
}

/// Writes a key and its colon; true when the colon starts a line of its own.
fn write_key(key: &str, indent: usize, out: &mut Writer) -> bool {
    let traits = Traits::of(key);
    if traits.multiline || key.len() > KEY_BYTES_MAX {
        out.put('?');
        out.put(' ');
        string(key, Some(indent + STEP), out);
        out.line_break();
        out.spaces(indent);
        out.put(':');
        return true;
    }
    string(key, None, out);
    out.put(':');
    false
}

pub(super) fn scalar(value: &Value, indent: usize, out: &mut Writer) {
    match value {
        Value::Null => out.put_all("null"),
        Value::Bool(it) => out.put_all(if *it { "true" } else { "false" }),
        Value::Int(it) => out.put_all(&it.to_string()),
        Value::Float(it) => out.put_all(&float(*it)),
        Value::Str(text) => string(text, Some(indent), out),
        Value::List(_) => out.put_all("[]"),
        Value::Map(_) => out.put_all("{}"),
    }
}

/// A float whose JSON text is an integer is read as one on the way.
fn float(float: f64) -> String {
    let mut text = Vec::new();
    write_float_json(float, &mut text);
    let text = String::from_utf8_lossy(&text).into_owned();
    match (text.parse::<i64>(), text.parse::<u64>()) {
        (Ok(int), _) => int.to_string(),
        (_, Ok(int)) => int.to_string(),
        _ => go_float(float),
    }
}

/// The text so far and the column of the next character.
#[derive(Default)]
pub(super) struct Writer {
    text: String,
    column: usize,
    /// No text is written on several lines.
    unfolded: bool,
    /// Spaces of indents in the text.
    spaces: usize,
    /// There were too many of them: what is written is of no use.
    is_hollow: bool,
}

impl Writer {
    pub(super) fn put(&mut self, c: char) {
        self.text.push(c);
        self.column += 1;
    }

    pub(super) fn put_all(&mut self, text: &str) {
        self.text.push_str(text);
        self.column += text.chars().count();
    }

    fn line_break(&mut self) {
        // A literal block may have ended its last line already.
        if self.column > 0 || self.text.is_empty() {
            self.text.push('\n');
            self.column = 0;
        }
    }

    fn end_line(&mut self) {
        self.text.push('\n');
        self.column = 0;
    }

    fn spaces(&mut self, count: usize) {
        let missing = count.saturating_sub(self.column);
        self.is_hollow |= is_hollow(self.spaces + missing, self.text.len() - self.spaces);
        if !self.is_hollow {
            self.spaces += missing;
            self.text.extend(std::iter::repeat_n(' ', missing));
            self.column += missing;
        }
    }

    fn fold(&mut self, indent: usize) {
        self.end_line();
        self.spaces(indent);
    }
}

/// A string: plain where that reads back as itself, a literal block for lines, quotes otherwise. Without an
/// indent for further lines it stays on one.
fn string(text: &str, indent: Option<usize>, out: &mut Writer) {
    let indent = indent.filter(|_| !out.unfolded);
    let traits = Traits::of(text);
    if text.contains('\n') {
        return match indent.filter(|_| traits.block) {
            Some(indent) => literal(text, indent, out),
            None => double_quoted(text, indent, out),
        };
    }
    if !reads_as_string(text) {
        double_quoted(text, indent, out);
    } else if traits.plain {
        plain_text(text, indent, out);
    } else if traits.single {
        single_quoted(text, indent, out);
    } else {
        double_quoted(text, indent, out);
    }
}

fn reads_as_string(text: &str) -> bool {
    matches!(plain(text), Resolved::Value(Value::Str(_)))
        && text != "<<"
        && !is_timestamp(text)
        && !is_base_60(text)
}

/// `[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?`
fn is_base_60(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |it: &str| it.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    let mut parts = whole.split(':');
    let first = parts.next().unwrap_or_default();
    let mut sixties = 0;
    let good = parts.all(|part| {
        sixties += 1;
        match part.as_bytes() {
            [digit] => digit.is_ascii_digit(),
            [b'0'..=b'5', digit] => digit.is_ascii_digit(),
            _ => false,
        }
    });
    let starts = first.bytes().next().is_some_and(|it| it.is_ascii_digit());
    good && sixties > 0 && starts && digits(first) && digits(fraction)
}

/// In which styles a text can be written.
#[derive(Clone, Copy)]
struct Traits {
    multiline: bool,
    plain: bool,
    single: bool,
    block: bool,
}

impl Traits {
    fn of(text: &str) -> Traits {
        let plain = !is_marked(text);
        let mut it = Traits { multiline: false, plain, single: true, block: true };
        let (mut previous, mut chars) = (None, text.chars().peekable());
        while let Some(c) = chars.next() {
            let next = chars.peek().copied();
            let before_space = next.is_none_or(is_blank);
            let after_space = previous.is_none_or(|it| is_blank(it) || is_break(it));
            it.plain &= match c {
                ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%'
                | '@' | '`' => previous.is_some(),
                '#' => !after_space,
                '?' | '-' => previous.is_some() || !before_space,
                ':' => !before_space,
                _ => true,
            };
            let ends = previous.is_none() || next.is_none();
            if !is_printable(c) {
                (it.plain, it.single, it.block) = (false, false, false);
            }
            if c == ' ' {
                it.plain &= !ends;
                it.block &= next.is_some();
                if previous.is_some_and(is_break) {
                    (it.plain, it.single) = (false, false);
                }
            } else if is_break(c) {
                it.multiline = true;
                it.plain = false;
                if previous == Some(' ') {
                    (it.single, it.block) = (false, false);
                }
            }
            previous = Some(c);
        }
        // A mark of documents behind a break would end the document, also in quotes.
        it.single &= !(it.multiline && text.split(is_break).any(is_marked));
        it
    }
}

/// Whether a line begins with a mark of documents.
fn is_marked(line: &str) -> bool {
    line.starts_with("---") || line.starts_with("...")
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

fn is_break(c: char) -> bool {
    matches!(c, '\r' | '\n' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Characters beyond the first plane are not printable to upstream's emitter.
fn is_printable(c: char) -> bool {
    matches!(c, '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
        && c != '\u{feff}'
}

/// Whether a line is folded at this space, which stands between `previous` and `next`.
fn folds(out: &Writer, previous: Option<char>, next: Option<char>) -> bool {
    out.column > WIDTH && previous != Some(' ') && next.is_some_and(|it| it != ' ')
}

fn plain_text(text: &str, indent: Option<usize>, out: &mut Writer) {
    let (mut previous, mut chars) = (None, text.chars().peekable());
    while let Some(c) = chars.next() {
        match indent {
            Some(indent) if c == ' ' && folds(out, previous, chars.peek().copied()) => {
                out.fold(indent);
            }
            _ => out.put(c),
        }
        previous = Some(c);
    }
}

fn single_quoted(text: &str, indent: Option<usize>, out: &mut Writer) {
    out.put('\'');
    let (mut previous, mut chars) = (None, text.chars().peekable());
    while let Some(c) = chars.next() {
        match indent {
            Some(indent)
                if c == ' '
                    && previous.is_some()
                    && folds(out, previous, chars.peek().copied()) =>
            {
                out.fold(indent);
            }
            _ => {
                if c == '\'' {
                    out.put('\'');
                }
                out.put(c);
            }
        }
        previous = Some(c);
    }
    out.put('\'');
}

pub(super) fn double_quoted(text: &str, indent: Option<usize>, out: &mut Writer) {
    out.put('"');
    // A byte order mark at the start makes upstream's emitter escape all of the text.
    let escape_all = text.starts_with('\u{feff}');
    let mut spaced = false;
    let (mut first, mut chars) = (true, text.chars().peekable());
    while let Some(c) = chars.next() {
        if escape_all || !is_printable(c) || is_break(c) || matches!(c, '"' | '\\') {
            escape(c, out);
            spaced = false;
        } else if c == ' ' {
            let next = chars.peek().copied();
            match indent {
                Some(indent) if out.column > WIDTH && !spaced && !first && next.is_some() => {
                    out.fold(indent);
                    if next == Some(' ') {
                        out.put('\\');
                    }
                }
                _ => out.put(' '),
            }
            spaced = true;
        } else {
            out.put(c);
            spaced = false;
        }
        first = false;
    }
    out.put('"');
}

fn escape(c: char, out: &mut Writer) {
    out.put('\\');
    match c {
        '\0' => out.put('0'),
        '\x07' => out.put('a'),
        '\x08' => out.put('b'),
        '\t' => out.put('t'),
        '\n' => out.put('n'),
        '\x0b' => out.put('v'),
        '\x0c' => out.put('f'),
        '\r' => out.put('r'),
        '\x1b' => out.put('e'),
        '"' | '\\' => out.put(c),
        '\u{85}' => out.put('N'),
        '\u{a0}' => out.put('_'),
        '\u{2028}' => out.put('L'),
        '\u{2029}' => out.put('P'),
        c => {
            let code = u32::from(c);
            out.put_all(&match code {
                ..0x100 => format!("x{code:02X}"),
                0x100..0x1_0000 => format!("u{code:04X}"),
                _ => format!("U{code:08X}"),
            });
        }
    }
}

fn literal(text: &str, indent: usize, out: &mut Writer) {
    out.put('|');
    if text.starts_with(|c| c == ' ' || is_break(c)) {
        out.put('2');
    }
    let mut ends = text.chars().rev();
    match (ends.next().is_some_and(is_break), ends.next().is_none_or(is_break)) {
        (false, _) => out.put('-'),
        (true, true) => out.put('+'),
        (true, false) => {}
    }
    out.end_line();
    let mut at_start = true;
    for c in text.chars() {
        if is_break(c) {
            out.text.push(c);
            out.column = 0;
            at_start = true;
        } else {
            if std::mem::take(&mut at_start) {
                out.spaces(indent);
            }
            out.put(c);
        }
    }
}
