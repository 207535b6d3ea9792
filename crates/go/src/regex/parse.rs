//! The parser: Go's syntax in, the syntax of the `regex` crate out, states counted on the way.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::classes::{self, class_char, escaped_char, perl_class, posix_class, unicode_class};
use super::{GoRegexError, error, too_large};

/// Go's bound on counted repetition, nested counts multiplied.
const REPEAT_MAX: u32 = 1_000;
/// Go's bound on nesting.
const HEIGHT_MAX: usize = 1_000;
/// States of an expression: more than this do not fit into the memory that a compiled one may take
/// ([`super::SIZE_MAX`]), and are not tried.
const STATES_MAX: usize = 400_000;

/// Reads an expression and writes it anew.
pub(super) struct Parser<'p> {
    whole: &'p str,
    rest: &'p str,
    /// The expression in the other syntax.
    pub(super) out: String,
    groups: Vec<Group>,
    /// What a repetition would apply to.
    atom: Option<Atom>,
    /// The largest product of counted repetitions in the current group.
    counted: u32,
    /// About how many states the current group has so far; in the end, the whole expression.
    pub(super) size: usize,
    /// How many states classes of Unicode have.
    classes: BTreeMap<String, usize>,
}

struct Atom {
    /// Where it starts in `out`.
    start: usize,
    /// How often its counted repetitions multiply.
    counted: u32,
    size: usize,
}

struct Group {
    start: usize,
    counted: u32,
    size: usize,
}

impl<'p> Parser<'p> {
    pub(super) fn read(pattern: &'p str) -> Result<Self, GoRegexError> {
        let mut parser = Parser {
            whole: pattern,
            rest: pattern,
            out: String::with_capacity(pattern.len() + 16),
            groups: Vec::new(),
            atom: None,
            counted: 1,
            size: 1,
            classes: BTreeMap::new(),
        };
        parser.run()?;
        if parser.size > STATES_MAX {
            return Err(too_large(pattern));
        }
        Ok(parser)
    }

    fn run(&mut self) -> Result<(), GoRegexError> {
        let mut last_repeat: Option<&'p str> = None;
        while let Some(c) = self.rest.chars().next() {
            let before = self.rest;
            let mut repeat = None;
            match c {
                '(' => self.open()?,
                '|' => {
                    self.advance(1);
                    self.out.push('|');
                    self.size += 1;
                    self.atom = None;
                }
                ')' => self.close()?,
                '^' | '$' => {
                    self.advance(1);
                    self.push_atom(1, |out| out.push(c));
                }
                '.' => {
                    self.advance(1);
                    self.push_atom(classes::WIDE_STATES, |out| out.push('.'));
                }
                '[' => self.class()?,
                '*' | '+' | '?' => {
                    self.advance(1);
                    self.repeat(before, last_repeat, &c.to_string(), 1, false)?;
                    repeat = Some(before);
                }
                '{' => match parse_repeat(self.rest) {
                    None => {
                        self.advance(1);
                        self.push_atom(1, |out| out.push_str("\\{"));
                    }
                    Some((min, max, after)) => {
                        let op = &before[..before.len() - after.len()];
                        let bad = |n: i64| !(0..=i64::from(REPEAT_MAX)).contains(&n);
                        if bad(min) || max.is_some_and(|max| bad(max) || min > max) {
                            return Err(error("invalid repeat count", op));
                        }
                        self.rest = after;
                        let factor = max.unwrap_or(min).max(0);
                        self.repeat(
                            before,
                            last_repeat,
                            op,
                            u32::try_from(factor).unwrap_or(u32::MAX),
                            true,
                        )?;
                        repeat = Some(before);
                    }
                },
                '\\' => self.escape()?,
                _ => {
                    self.advance(c.len_utf8());
                    self.push_literal(c);
                }
            }
            last_repeat = repeat;
            if self.size > STATES_MAX {
                return Err(too_large(self.whole));
            }
        }
        if !self.groups.is_empty() {
            return Err(error("missing closing )", self.whole));
        }
        Ok(())
    }

    fn advance(&mut self, bytes: usize) {
        self.rest = self.rest.get(bytes..).unwrap_or("");
    }

    fn push_atom(&mut self, size: usize, write: impl FnOnce(&mut String)) {
        self.atom = Some(Atom { start: self.out.len(), counted: 1, size });
        self.size = self.size.saturating_add(size);
        write(&mut self.out);
    }

    fn push_literal(&mut self, c: char) {
        self.push_atom(c.len_utf8(), |out| push_escaped(out, c));
    }

    /// Applies a repetition to the last atom. `before` is the rest of the expression from the
    /// operator on, for error texts.
    fn repeat(
        &mut self,
        before: &'p str,
        last_repeat: Option<&'p str>,
        op: &str,
        factor: u32,
        counted: bool,
    ) -> Result<(), GoRegexError> {
        let mut lazy = false;
        if self.rest.starts_with('?') {
            self.advance(1);
            lazy = true;
        }
        let taken = &before[..before.len() - self.rest.len()];
        if let Some(last) = last_repeat {
            let both = &last[..last.len() - self.rest.len()];
            return Err(error("invalid nested repetition operator", both));
        }
        let Some(Atom { start, counted: product, size }) = self.atom.take() else {
            return Err(error("missing argument to repetition operator", taken));
        };
        let product = if counted && factor > 0 { product.saturating_mul(factor) } else { product };
        if counted && factor >= 2 && product > REPEAT_MAX {
            return Err(error("invalid repeat count", taken));
        }
        self.counted = self.counted.max(product);
        let repeated = size.saturating_mul(factor.max(1) as usize).saturating_add(1);
        self.size = self.size.saturating_sub(size).saturating_add(repeated);
        // Anchors cannot be repeated directly in the other syntax, and repeated repetitions are
        // grouped, so the atom is.
        self.out.insert_str(start, "(?:");
        self.out.push(')');
        self.out.push_str(op);
        if lazy {
            self.out.push('?');
        }
        self.atom = Some(Atom { start, counted: product, size: repeated });
        Ok(())
    }

    fn open(&mut self) -> Result<(), GoRegexError> {
        if self.groups.len() >= HEIGHT_MAX {
            return Err(error("expression nests too deeply", self.whole));
        }
        let start = self.out.len();
        if self.rest.starts_with("(?") {
            return self.perl(start);
        }
        self.advance(1);
        self.out.push('(');
        self.enter(start);
        Ok(())
    }

    fn enter(&mut self, start: usize) {
        let (counted, size) = (self.counted, self.size);
        (self.counted, self.size) = (1, 2);
        self.groups.push(Group { start, counted, size });
        self.atom = None;
    }

    fn close(&mut self) -> Result<(), GoRegexError> {
        let Some(group) = self.groups.pop() else {
            return Err(error("unexpected )", self.whole));
        };
        self.advance(1);
        self.out.push(')');
        let inner = self.counted;
        self.atom = Some(Atom { start: group.start, counted: inner, size: self.size });
        self.counted = inner.max(group.counted);
        self.size = self.size.saturating_add(group.size);
        Ok(())
    }

    /// `(?P<name>`, `(?<name>`, `(?flags)` and `(?flags:`.
    fn perl(&mut self, start: usize) -> Result<(), GoRegexError> {
        let rest = self.rest;
        let named = rest.strip_prefix("(?P<").or_else(|| rest.strip_prefix("(?<"));
        if let Some(named) = named
            && !(rest.starts_with("(?<=") || rest.starts_with("(?<!"))
        {
            let Some(end) = named.find('>') else {
                return Err(error("invalid named capture", rest));
            };
            let name = &named[..end];
            let whole = &rest[..rest.len() - named.len() + end + 1];
            let word = |b: u8| b == b'_' || b.is_ascii_alphanumeric();
            if name.is_empty() || !name.bytes().all(word) {
                return Err(error("invalid named capture", whole));
            }
            self.rest = &named[end + 1..];
            // Names that start with a digit are fine in Go only; nothing here asks for names.
            self.out.push('(');
            self.enter(start);
            return Ok(());
        }
        // The text up to here is what an unknown construct is reported with.
        let flags = &rest[2..];
        let bad = |upto: usize| {
            let end =
                flags.char_indices().nth(upto).map_or(flags.len(), |(at, c)| at + c.len_utf8());
            Err(error("invalid or unsupported Perl syntax", &rest[..2 + end]))
        };
        let (mut sign, mut saw_flag) = (1, false);
        let mut written = String::new();
        for (index, c) in flags.chars().enumerate() {
            match c {
                'i' | 'm' | 's' | 'U' => {
                    written.push(c);
                    saw_flag = true;
                }
                '-' => {
                    if sign < 0 {
                        return bad(index);
                    }
                    sign = -1;
                    written.push('-');
                    saw_flag = false;
                }
                ':' | ')' => {
                    if sign < 0 && !saw_flag {
                        return bad(index);
                    }
                    let written = merge_flags(&written);
                    self.rest = &flags[index + 1..];
                    if c == ':' {
                        let _ = write!(self.out, "(?{written}:");
                        self.enter(start);
                    } else {
                        if !written.is_empty() {
                            let _ = write!(self.out, "(?{written})");
                        }
                        self.atom = None;
                    }
                    return Ok(());
                }
                _ => return bad(index),
            }
        }
        Err(error("missing closing )", self.whole))
    }

    fn escape(&mut self) -> Result<(), GoRegexError> {
        let rest = self.rest;
        let after = &rest[1..];
        match after.chars().next() {
            None => return Err(error("trailing backslash at end of expression", "")),
            Some('A') => {
                self.advance(2);
                self.push_atom(1, |out| out.push_str("\\A"));
                return Ok(());
            }
            Some('z') => {
                self.advance(2);
                self.push_atom(1, |out| out.push_str("\\z"));
                return Ok(());
            }
            Some(c @ ('b' | 'B')) => {
                self.advance(2);
                // A non-boundary between bytes of one character never shows on whole text.
                self.push_atom(1, |out| {
                    out.push_str(if c == 'b' { ASCII_BOUNDARY } else { ASCII_NO_BOUNDARY });
                });
                return Ok(());
            }
            Some('C') => {
                self.advance(2);
                self.push_atom(classes::WIDE_STATES, |out| out.push_str("(?s:.)"));
                return Ok(());
            }
            Some('Q') => {
                let quoted = &rest[2..];
                let (text, tail) = quoted.split_once("\\E").unwrap_or((quoted, ""));
                for c in text.chars() {
                    self.push_literal(c);
                }
                self.rest = tail;
                return Ok(());
            }
            Some('p' | 'P') => {
                let (class, size, tail) = unicode_class(rest, &mut self.classes)?;
                self.rest = tail;
                self.push_atom(size, |out| out.push_str(&class));
                return Ok(());
            }
            Some(c) => {
                if let Some(class) = perl_class(c) {
                    self.advance(2);
                    let wide = class.starts_with('^');
                    self.push_atom(if wide { classes::WIDE_STATES } else { 1 }, |out| {
                        let _ = write!(out, "[{class}]");
                    });
                    return Ok(());
                }
            }
        }
        let (c, tail) = escaped_char(rest)?;
        self.rest = tail;
        self.push_literal(c);
        Ok(())
    }

    /// `[...]`
    fn class(&mut self) -> Result<(), GoRegexError> {
        let whole = self.rest;
        let mut rest = &whole[1..];
        let mut out = String::from("[");
        let mut size = 1;
        if let Some(tail) = rest.strip_prefix('^') {
            out.push('^');
            size = classes::WIDE_STATES;
            rest = tail;
        }
        let mut first = true;
        loop {
            if rest.is_empty() {
                return Err(error("missing closing ]", whole));
            }
            if rest.starts_with(']') && !first {
                break;
            }
            // A dash may stand anywhere; after another item it is itself, unless a range follows.
            first = false;
            if rest.starts_with("[:")
                && let Some(end) = rest.find(":]")
            {
                let name = &rest[..end + 2];
                let Some(class) = posix_class(name) else {
                    return Err(error("invalid character class range", name));
                };
                out.push_str(&class);
                rest = &rest[end + 2..];
                continue;
            }
            if rest.starts_with("\\p") || rest.starts_with("\\P") {
                let (class, states, tail) = unicode_class(rest, &mut self.classes)?;
                size += states;
                out.push_str(&class);
                rest = tail;
                continue;
            }
            if let Some(escaped) = rest.strip_prefix('\\')
                && let Some(c) = escaped.chars().next()
                && let Some(class) = perl_class(c)
            {
                let _ = write!(out, "[{class}]");
                rest = &escaped[1..];
                continue;
            }
            let from = rest;
            let (low, tail) = class_char(rest, whole)?;
            let mut high = low;
            rest = tail;
            if rest.starts_with('-') && rest.len() >= 2 && !rest[1..].starts_with(']') {
                let (end, tail) = class_char(&rest[1..], whole)?;
                high = end;
                rest = tail;
                if high < low {
                    let taken = &from[..from.len() - rest.len()];
                    return Err(error("invalid character class range", taken));
                }
            }
            size += if high.is_ascii() { 0 } else { classes::RANGE_STATES };
            let _ = write!(out, "\\x{{{:x}}}-\\x{{{:x}}}", low as u32, high as u32);
        }
        self.rest = &rest[1..];
        out.push(']');
        self.push_atom(size, |it| it.push_str(&out));
        Ok(())
    }
}

/// `\b` and `\B` in ASCII; the `u` flag cannot be turned off for `\B` on text.
const ASCII_BOUNDARY: &str = r"(?-u:\b)";
const ASCII_NO_BOUNDARY: &str = r"(?-u:\B)";

fn push_escaped(out: &mut String, c: char) {
    if c.is_ascii_alphanumeric() || c == '_' || !c.is_ascii() {
        out.push(c);
    } else {
        let _ = write!(out, "\\x{{{:x}}}", c as u32);
    }
}

/// Flags without doubles: the other syntax refuses what Go accepts.
fn merge_flags(flags: &str) -> String {
    let (on, off) = flags.split_once('-').unwrap_or((flags, ""));
    let unique = |text: &str, skip: &str| {
        let mut out = String::new();
        for c in text.chars() {
            if !out.contains(c) && !skip.contains(c) {
                out.push(c);
            }
        }
        out
    };
    let off = unique(off, "");
    let on = unique(on, &off);
    if off.is_empty() { on } else { format!("{on}-{off}") }
}

/// `{n}`, `{n,}` or `{n,m}` at the start of the text, or none if it is no repetition. Numbers
/// that are too large come back as -1.
fn parse_repeat(text: &str) -> Option<(i64, Option<i64>, &str)> {
    let rest = text.strip_prefix('{')?;
    let (min, rest) = parse_int(rest)?;
    let (max, rest) = match rest.strip_prefix(',') {
        None => (Some(min), rest),
        Some(rest) if rest.starts_with('}') => (None, rest),
        Some(rest) => {
            let (max, rest) = parse_int(rest)?;
            (Some(max), rest)
        }
    };
    Some((min, max, rest.strip_prefix('}')?))
}

fn parse_int(text: &str) -> Option<(i64, &str)> {
    let len = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at(len);
    // No leading zeros.
    if digits.is_empty() || (len > 1 && digits.starts_with('0')) {
        return None;
    }
    Some((digits.parse().ok().filter(|n| *n < 100_000_000).unwrap_or(-1), rest))
}
