//! Paths such as `.spec.replicas` and `.spec.map['key']`, followed through a schema.

use crate::model::{Additional, NodeId, Schema};
use crate::raw::Raw;

/// Where a path leads.
pub(crate) struct Found<'a> {
    /// The path as errors would write it.
    pub(crate) path: String,
    /// Its first step.
    pub(crate) first: String,
    /// The schema there; none below `additionalProperties: true`.
    pub(crate) schema: Option<&'a Raw>,
}

/// Follows a path, or says why it leads nowhere.
pub(crate) fn follow<'a>(text: &str, root: &'a Raw, brackets: bool) -> Result<Found<'a>, String> {
    let mut found = Found { path: String::new(), first: String::new(), schema: Some(root) };
    let mut tokens = Tokens(text);
    while let Some(token) = tokens.next() {
        match token {
            "[" => {
                if !brackets {
                    return Err("array notation is not allowed".to_owned());
                }
                let quoted = tokens.expect()?;
                let inner = (quoted.len() >= 2)
                    .then(|| quoted.strip_prefix('\'')?.strip_suffix('\''))
                    .flatten()
                    .ok_or_else(|| format!("expected single quoted string but got {quoted}"))?;
                let name =
                    unescape(inner).map_err(|why| format!("invalid string literal: {why}"))?;
                found.step(&name)?;
                let close = tokens.expect()?;
                if close != "]" {
                    return Err(format!("expected ] but got {close}"));
                }
            }
            "." => {
                let name = tokens.expect()?;
                found.step(name)?;
            }
            other => return Err(format!("expected [ or . but got: {other}")),
        }
    }
    Ok(found)
}

/// The form that errors use for a path such as `.a['b']` below a node; none if it leads nowhere.
#[must_use]
pub fn normal_field_path(text: &str, schema: &Schema, node: NodeId) -> Option<String> {
    let mut path = String::new();
    let mut at = Some(node);
    let mut tokens = Tokens(text);
    while let Some(token) = tokens.next() {
        let name = match token {
            "." => tokens.next()?.to_owned(),
            "[" => {
                let quoted = tokens.next().filter(|token| token.len() >= 2)?;
                let name = unescape(quoted.strip_prefix('\'')?.strip_suffix('\'')?).ok()?;
                tokens.next().filter(|token| *token == "]")?;
                name
            }
            _ => return None,
        };
        let node = schema.node(at?);
        if !node.properties.is_empty() {
            if !path.is_empty() {
                path.push('.');
            }
            path.push_str(&name);
            at = Some(node.property(&name)?);
        } else if node.additional != Additional::Absent {
            path.push_str(&format!("[{name}]"));
            at = node.additional_node();
        } else {
            return None;
        }
    }
    Some(path)
}

impl Found<'_> {
    fn step(&mut self, name: &str) -> Result<(), String> {
        const MISSING: &str = "does not refer to a valid field";
        let schema = self.schema.ok_or(MISSING)?;
        if schema.has_properties() {
            if !self.path.is_empty() {
                self.path.push('.');
            }
            self.path.push_str(name);
            self.schema = Some(schema.property(name).ok_or(MISSING)?);
        } else if schema.additional_properties.is_some() {
            self.path.push_str(&format!("[{name}]"));
            self.schema = schema.additional();
        } else {
            return Err(MISSING.to_owned());
        }
        if self.first.is_empty() {
            self.first = self.path.clone();
        }
        Ok(())
    }
}

/// Splits a path: `.`, `[` and `]` stand alone, a quoted text is one token.
struct Tokens<'a>(&'a str);

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let text = self.0;
        let bytes = text.as_bytes();
        let first = *bytes.first()?;
        let end = if first == b'\'' {
            let close = (1..bytes.len()).find(|&at| bytes[at] == b'\'' && bytes[at - 1] != b'\\');
            close.map_or(bytes.len(), |at| at + 1)
        } else if is_delimiter(first) {
            1
        } else {
            bytes.iter().position(|b| is_delimiter(*b)).unwrap_or(bytes.len())
        };
        let (token, rest) = text.split_at(end);
        self.0 = rest;
        Some(token)
    }

    fn expect(&mut self) -> Result<&'a str, String> {
        self.next().ok_or_else(|| "unexpected end of JSON path".to_owned())
    }
}

fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b'.' | b'[' | b']')
}

fn unescape(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('a') => out.push('\u{7}'),
            Some('b') => out.push('\u{8}'),
            Some('f') => out.push('\u{c}'),
            Some('n') => out.push('\n'),
            Some('r') => out.push('\r'),
            Some('t') => out.push('\t'),
            Some('v') => out.push('\u{b}'),
            Some(c @ ('\'' | '\\')) => out.push(c),
            Some(other) => return Err(format!("invalid escape char \\{other}")),
            None => out.push('\\'),
        }
    }
    Ok(out)
}
