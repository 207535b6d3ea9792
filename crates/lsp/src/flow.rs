//! Where one is inside of `{…}` and `[…]`, in YAML or JSON that may not be finished.

use crate::place::Step;

/// What stands around a place in flow style.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flow {
    /// Byte of the outermost bracket.
    pub(crate) open: usize,
    /// Way from there to the innermost mapping or list.
    pub(crate) parents: Vec<Step>,
    /// The key whose value is being written.
    pub(crate) key: Option<String>,
    /// Keys that the mapping has.
    pub(crate) siblings: Vec<String>,
    /// Whether the place is between quotes.
    pub(crate) quoted: bool,
    /// Whether the innermost is a list.
    pub(crate) in_list: bool,
}

#[derive(Clone, Debug)]
enum Frame {
    Map { key: Option<String>, keys: Vec<String> },
    List { index: usize },
}

/// Deeper than this nobody types by hand.
const DEPTH_MAX: usize = 200;

#[derive(Default)]
struct Scanner {
    stack: Vec<Frame>,
    open: usize,
    quote: Option<char>,
    escaped: bool,
    comment: bool,
    /// The scalar so far.
    token: String,
    /// Whether the scalar was quoted.
    was_quoted: bool,
    /// What of the line in block style came before.
    line: String,
}

/// What stands around a byte; none when it is in no bracket.
pub(crate) fn scan(text: &str, offset: usize) -> Option<Flow> {
    let mut scanner = Scanner::default();
    let mut found: Option<(Flow, usize)> = None;
    let mut chars = text.char_indices().peekable();
    loop {
        let next = chars.next();
        let at = next.map_or(text.len(), |(at, _)| at);
        if found.is_none() && at >= offset {
            found = Some((scanner.flow()?, scanner.stack.len()));
        }
        let Some((at, it)) = next else { break };
        let after = chars.peek().map(|(_, it)| *it);
        let closed = scanner.take(at, it, after);
        if let (Some((flow, depth)), Some(frame)) = (&mut found, closed)
            && scanner.stack.len() < *depth
        {
            flow.siblings = frame.keys();
            return found.map(|(flow, _)| flow);
        }
    }
    let (mut flow, depth) = found?;
    if let Some(frame) = scanner.stack.get(depth.checked_sub(1)?) {
        flow.siblings = frame.keys();
    }
    Some(flow)
}

/// Whether a byte is behind a number sign that begins a comment.
pub(crate) fn in_comment(text: &str, offset: usize) -> bool {
    let mut scanner = Scanner::default();
    let mut chars = text[..offset].char_indices().peekable();
    while let Some((at, it)) = chars.next() {
        let after = chars.peek().map(|(_, it)| *it);
        scanner.take(at, it, after);
    }
    scanner.comment
}

/// The value of a key of the outermost mapping, when the text is one in brackets.
pub(crate) fn top_value(text: &str, key: &str) -> Option<String> {
    let start = text.find(|it: char| !it.is_whitespace())?;
    let mut scanner = Scanner::default();
    let mut chars = text.char_indices().peekable();
    let mut value = None;
    while let Some((at, it)) = chars.next() {
        let after = chars.peek().map(|(_, it)| *it);
        let wanted = match scanner.stack.as_slice() {
            [Frame::Map { key: Some(found), .. }] => found == key,
            _ => false,
        };
        if wanted && matches!(it, ',' | '}') && scanner.quote.is_none() {
            value = Some(scanner.token.trim().to_owned());
            break;
        }
        scanner.take(at, it, after);
        if at >= start && scanner.stack.is_empty() {
            return None;
        }
    }
    value.filter(|it| !it.is_empty())
}

impl Frame {
    fn keys(&self) -> Vec<String> {
        match self {
            Frame::Map { keys, .. } => keys.clone(),
            Frame::List { .. } => Vec::new(),
        }
    }
}

impl Scanner {
    fn flow(&self) -> Option<Flow> {
        let (last, outer) = self.stack.split_last()?;
        let step = |frame: &Frame| match frame {
            Frame::Map { key, .. } => Step::Key(key.clone().unwrap_or_default()),
            Frame::List { index } => Step::Item(*index),
        };
        let mut parents: Vec<Step> = outer.iter().map(step).collect();
        let (mut key, mut in_list) = (None, false);
        match last {
            Frame::Map { key: of, .. } => key.clone_from(of),
            Frame::List { .. } => {
                parents.push(step(last));
                in_list = true;
            }
        }
        let (open, quoted) = (self.open, self.quote.is_some());
        Some(Flow { open, parents, key, siblings: Vec::new(), quoted, in_list })
    }

    /// Takes one character in; returns the bracket that it closes.
    fn take(&mut self, at: usize, it: char, after: Option<char>) -> Option<Frame> {
        if it == '\n' {
            self.comment = false;
            self.line.clear();
            if self.stack.is_empty() {
                self.quote = None;
            }
        }
        if self.comment {
            return None;
        }
        if let Some(quote) = self.quote {
            if self.escaped {
                self.escaped = false;
            } else if it == quote {
                self.quote = None;
                return None;
            } else if it == '\\' && quote == '"' {
                self.escaped = true;
            }
            self.token.push(it);
            return None;
        }
        let behind_space = self.line.is_empty() || self.line.ends_with(char::is_whitespace);
        if it == '#' && behind_space {
            self.comment = true;
            return None;
        }
        let closed = if self.stack.is_empty() {
            self.in_block(at, it);
            None
        } else {
            self.in_flow(it, after)
        };
        if it != '\n' {
            self.line.push(it);
        }
        closed
    }

    fn in_block(&mut self, at: usize, it: char) {
        let before = self.line.trim_end();
        let starts_value = before.is_empty() || before.ends_with([':', '-']);
        match it {
            '"' | '\'' if starts_value => self.quote = Some(it),
            '{' | '[' if starts_value => {
                self.open = at;
                self.push(it);
            }
            _ => {}
        }
    }

    fn push(&mut self, bracket: char) {
        if self.stack.len() >= DEPTH_MAX {
            return;
        }
        self.stack.push(match bracket {
            '{' => Frame::Map { key: None, keys: Vec::new() },
            _ => Frame::List { index: 0 },
        });
        self.token.clear();
        self.was_quoted = false;
    }

    fn in_flow(&mut self, it: char, after: Option<char>) -> Option<Frame> {
        match it {
            '"' | '\'' if self.token.trim().is_empty() => {
                self.quote = Some(it);
                self.was_quoted = true;
                self.token.clear();
            }
            '{' | '[' => self.push(it),
            '}' | ']' => {
                self.token.clear();
                self.was_quoted = false;
                return self.stack.pop();
            }
            ',' => {
                match self.stack.last_mut() {
                    Some(Frame::Map { key, .. }) => *key = None,
                    Some(Frame::List { index }) => *index += 1,
                    None => {}
                }
                self.token.clear();
                self.was_quoted = false;
            }
            ':' if self.was_quoted || after.is_none_or(char::is_whitespace) => {
                let name = self.token.trim().to_owned();
                if let Some(Frame::Map { key: key @ None, keys }) = self.stack.last_mut() {
                    keys.push(name.clone());
                    *key = Some(name);
                }
                self.token.clear();
                self.was_quoted = false;
            }
            _ => self.token.push(it),
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scans at the bar of a text.
    fn at(text: &str) -> Option<(String, Option<String>, String)> {
        let offset = text.find('|').unwrap();
        let flow = scan(&text.replacen('|', "", 1), offset)?;
        let path = crate::place::path(&flow.parents);
        Some((path, flow.key, flow.siblings.join(",")))
    }

    #[test]
    fn brackets_tell_the_way() {
        let some = |path: &str, key: Option<&str>, siblings: &str| {
            Some((path.to_owned(), key.map(ToOwned::to_owned), siblings.to_owned()))
        };
        assert_eq!(at("spec: {ow|}"), some("", None, ""));
        assert_eq!(at("spec: {a: 1, |, b: 2}\nc: 3"), some("", None, "a,b"));
        assert_eq!(at("spec: {a: 1, mode: |"), some("", Some("mode"), "a,mode"));
        assert_eq!(at("spec: {a: x, ports: [{name: 1}, {|}]}"), some("ports[1]", None, ""));
        assert_eq!(at("{\"a\":{\"b\":\"|\"}}"), some("a", Some("b"), "b"));
        assert_eq!(at("{\"a\":{\"|\"},\"c\":1}"), some("a", None, ""));
        assert_eq!(at("x: '{' # {\ny: |"), None);
        assert_eq!(at("x: a {b|"), None);
        assert_eq!(at("x: {a: 1}\ny|"), None);
        assert_eq!(at("x: [a, |]"), some("[1]", None, ""));
    }

    #[test]
    fn values_of_the_outermost_mapping_are_found() {
        let text = "{\"spec\":{\"kind\":\"no\"},\"kind\":\"Widget\",\"apiVersion\":\"a/v1\"}";
        assert_eq!(top_value(text, "kind").as_deref(), Some("Widget"));
        assert_eq!(top_value(text, "apiVersion").as_deref(), Some("a/v1"));
        assert_eq!(top_value("kind: {a: b}", "kind"), None);
        assert_eq!(top_value("", "kind"), None);
    }

    #[test]
    fn comments_are_told_from_texts() {
        let comment = |text: &str| in_comment(text, text.len());
        assert!(comment("a: b # c") && comment("  # c") && comment("a: {b: c # d"));
        assert!(!comment("a: 'b # c") && !comment("a: b#c") && !comment("# x\na: "));
    }
}
