//! The `email` format: one mailbox of RFC 5322 as Go's mail parser reads it.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Comments nest no deeper than the text is long, and are counted rather than recursed into.
pub(super) fn is_address(text: &str) -> bool {
    let mut parser = Parser { rest: text };
    matches!(parser.address(true), Some(1)) && parser.skip_comments() && parser.rest.is_empty()
}

#[derive(Clone, Copy)]
struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn eat(&mut self, c: char) -> bool {
        match self.rest.strip_prefix(c) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    /// Blanks and comments; false when a comment is not closed.
    fn skip_comments(&mut self) -> bool {
        self.skip_space();
        while self.eat('(') {
            if self.comment().is_none() {
                return false;
            }
            self.skip_space();
        }
        true
    }

    /// The inside of a comment whose parenthesis has been read.
    fn comment(&mut self) -> Option<&'a str> {
        let whole = self.rest;
        let mut depth = 1;
        let mut chars = whole.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '\\' if at + 1 < whole.len() => {
                    chars.next();
                }
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.rest = &whole[at + 1..];
                return Some(&whole[..at]);
            }
        }
        None
    }

    /// A mailbox or (when allowed) a group; returns how many mailboxes it has.
    fn address(&mut self, group: bool) -> Option<usize> {
        self.skip_space();
        if self.rest.is_empty() {
            return None;
        }
        let start = *self;
        if self.addr_spec() {
            self.skip_space();
            if self.eat('(') {
                let comment = self.comment()?;
                let known = comment.split([' ', '\t']).all(|word| !has_unknown_charset(word));
                return known.then_some(1);
            }
            return Some(1);
        }
        *self = start;
        if self.peek() != Some('<') && !self.phrase() {
            return None;
        }
        self.skip_space();
        if group && self.eat(':') {
            return self.group_members();
        }
        (self.eat('<') && self.addr_spec() && self.eat('>')).then_some(1)
    }

    fn group_members(&mut self) -> Option<usize> {
        self.skip_space();
        if self.eat(';') {
            return self.skip_comments().then_some(0);
        }
        let mut members = 0;
        loop {
            self.skip_space();
            members += self.address(false)?;
            if !self.skip_comments() {
                return None;
            }
            if self.eat(';') {
                return self.skip_comments().then_some(members);
            }
            if !self.eat(',') {
                return None;
            }
        }
    }

    fn addr_spec(&mut self) -> bool {
        self.skip_space();
        let local = match self.peek() {
            None => return false,
            Some('"') => self.quoted_string().is_some_and(|filled| filled),
            Some(_) => self.atom().is_some_and(is_dot_atom),
        };
        if !local || !self.eat('@') {
            return false;
        }
        self.skip_space();
        match self.peek() {
            None => false,
            Some('[') => self.domain_literal(),
            Some(_) => self.atom().is_some_and(is_dot_atom),
        }
    }

    /// One or more words.
    fn phrase(&mut self) -> bool {
        let mut words = 0;
        loop {
            if words > 0 && !self.skip_comments() {
                return false;
            }
            self.skip_space();
            let word = if self.peek() == Some('"') {
                self.quoted_string().is_some()
            } else {
                self.atom().is_some_and(|atom| !has_unknown_charset(atom))
            };
            if !word {
                return words > 0;
            }
            words += 1;
        }
    }

    /// A quoted string; returns whether it holds anything.
    fn quoted_string(&mut self) -> Option<bool> {
        let inside = self.rest.strip_prefix('"')?;
        let mut filled = false;
        let mut escaped = false;
        for (at, c) in inside.char_indices() {
            if escaped {
                if !(is_visible(c) || is_blank(c)) {
                    return None;
                }
                escaped = false;
                filled = true;
                continue;
            }
            match c {
                '"' => {
                    self.rest = &inside[at + 1..];
                    return Some(filled);
                }
                '\\' => escaped = true,
                c if is_visible(c) || is_blank(c) => filled = true,
                _ => return None,
            }
        }
        None
    }

    fn atom(&mut self) -> Option<&'a str> {
        let end = self.rest.find(|c| !is_atom_char(c)).unwrap_or(self.rest.len());
        let (atom, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!atom.is_empty()).then_some(atom)
    }

    fn domain_literal(&mut self) -> bool {
        let Some(inside) = self.rest.strip_prefix('[') else {
            return false;
        };
        let Some(end) = inside.find(']') else {
            return false;
        };
        let text = &inside[..end];
        self.rest = &inside[end + 1..];
        if text.chars().any(|c| !is_visible(c) || matches!(c, '[' | '\\')) {
            return false;
        }
        match text.strip_prefix("IPv6:") {
            Some(address) => {
                address.parse::<Ipv6Addr>().is_ok() || address.parse::<Ipv4Addr>().is_ok()
            }
            None => {
                text.parse::<Ipv4Addr>().is_ok()
                    || text.parse::<Ipv6Addr>().is_ok_and(|it| it.to_ipv4_mapped().is_some())
            }
        }
    }
}

fn is_dot_atom(atom: &str) -> bool {
    !atom.starts_with('.') && !atom.ends_with('.') && !atom.contains("..")
}

fn is_visible(c: char) -> bool {
    matches!(c, '!'..='~') || !c.is_ascii()
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\t')
}

fn is_atom_char(c: char) -> bool {
    is_visible(c)
        && !matches!(c, '(' | ')' | '<' | '>' | '[' | ']' | ':' | ';' | '@' | '\\' | ',' | '"')
}

/// An encoded word (`=?charset?q?text?=`) in a character set that Go does not read.
fn has_unknown_charset(word: &str) -> bool {
    let Some(inner) = word.strip_prefix("=?").and_then(|it| it.strip_suffix("?=")) else {
        return false;
    };
    let mut parts = inner.splitn(3, '?');
    let (Some(charset), Some(encoding), Some(_)) = (parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let known =
        ["utf-8", "iso-8859-1", "us-ascii"].iter().any(|it| charset.eq_ignore_ascii_case(it));
    !charset.is_empty() && !known && matches!(encoding, "q" | "Q" | "b" | "B")
}
