//! Comment groups as `go/parser` makes them, and their text as `go/ast` gives it.

use super::token::{Kind, Token};

/// One `//` or `/* */` comment.
#[derive(Clone, Copy, Debug)]
pub struct Comment {
    /// First byte of the marker.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
    /// Line of the first byte.
    pub line: u32,
    /// Line of the last byte.
    pub end_line: u32,
    /// Index of the token that follows.
    pub(crate) next_token: u32,
}

/// Index of a comment group in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupId(pub u32);

/// Comments with no other token and no blank line between them.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Index of the first comment.
    pub first: u32,
    /// One past the index of the last comment.
    pub last: u32,
    /// Line on which the group ends.
    pub end_line: u32,
}

/// A line of a comment's text, with the place of its first byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocLine<'a> {
    /// The text, without the comment marker and without trailing blanks.
    pub text: &'a str,
    /// Byte offset of `text` in the file.
    pub offset: u32,
}

/// All comments of a file, grouped.
#[derive(Clone, Debug, Default)]
pub struct Comments {
    /// The comments in file order.
    pub list: Vec<Comment>,
    /// The groups in file order.
    pub groups: Vec<Group>,
    /// For a token index, the group that leads it (sorted by token).
    leads: Vec<(u32, GroupId)>,
    /// For a token index, the group on the same line behind it (sorted by token).
    trails: Vec<(u32, GroupId)>,
    /// For a line, the last group that ends on it (sorted by line).
    ends: Vec<(u32, GroupId)>,
}

impl Comments {
    /// Groups comments by the rules of `go/parser`.
    pub(crate) fn group(list: Vec<Comment>, tokens: &[Token]) -> Self {
        let mut out = Comments { list, ..Self::default() };
        let mut at = 0;
        while let Some(first) = out.list.get(at).copied() {
            let next = first.next_token;
            let run_end =
                at + out.list[at..].iter().take_while(|comment| comment.next_token == next).count();
            out.group_run(at, run_end, next, tokens);
            at = run_end;
        }
        out
    }

    /// Groups the comments between two tokens.
    fn group_run(&mut self, from: usize, to: usize, next: u32, tokens: &[Token]) {
        let mut at = from;
        let next_token = tokens.get(next as usize);
        if let Some(previous) = next.checked_sub(1).and_then(|index| tokens.get(index as usize))
            && self.list.get(at).is_some_and(|comment| comment.line == previous.line)
        {
            let (id, end, end_line) = self.take_group(at, to, 0);
            at = end;
            let last_on_line = next_token.is_none_or(|token| {
                token.line != end_line || matches!(token.kind, Kind::Semi | Kind::Eof)
            }) || at < to;
            if last_on_line {
                self.trails.push((next - 1, id));
            }
        }
        let mut lead = None;
        while at < to {
            let (id, end, end_line) = self.take_group(at, to, 1);
            lead = Some((id, end_line));
            at = end;
        }
        if let (Some((id, end_line)), Some(token)) = (lead, next_token)
            && end_line + 1 == token.line
        {
            self.leads.push((next, id));
        }
    }

    fn take_group(&mut self, from: usize, to: usize, gap: u32) -> (GroupId, usize, u32) {
        let mut end_line = self.list[from].end_line;
        let mut at = from + 1;
        while at < to && self.list[at].line <= end_line + gap {
            end_line = self.list[at].end_line;
            at += 1;
        }
        let id = GroupId(self.groups.len() as u32);
        self.groups.push(Group { first: from as u32, last: at as u32, end_line });
        match self.ends.last_mut() {
            Some((line, last)) if *line == end_line => *last = id,
            _ => self.ends.push((end_line, id)),
        }
        (id, at, end_line)
    }

    /// The group directly above a token: its doc comment.
    pub(crate) fn lead(&self, token: usize) -> Option<GroupId> {
        find(&self.leads, token as u32)
    }

    /// The group behind a token on its line.
    pub(crate) fn trail(&self, token: usize) -> Option<GroupId> {
        find(&self.trails, token as u32)
    }

    /// The last group that ends on a line, wherever it stands.
    ///
    /// Upstream: gengo looks comments up this way, so a field's "doc" may be the comment behind
    /// the field above it.
    #[must_use]
    pub fn ending_on(&self, line: u32) -> Option<GroupId> {
        find(&self.ends, line)
    }

    /// The comments of a group.
    #[must_use]
    pub fn of(&self, group: GroupId) -> &[Comment] {
        self.groups
            .get(group.0 as usize)
            .and_then(|group| self.list.get(group.first as usize..group.last as usize))
            .unwrap_or(&[])
    }

    /// Byte offset of a group's first comment.
    #[must_use]
    pub fn start(&self, group: GroupId) -> u32 {
        self.of(group).first().map_or(0, |comment| comment.start)
    }

    /// The lines of a group as `go/ast`'s `CommentGroup.Text` gives them: markers, directives and
    /// trailing blanks gone, runs of empty lines made one, none at either end.
    #[must_use]
    pub fn text<'a>(&self, group: GroupId, source: &'a str) -> Vec<DocLine<'a>> {
        comment_text(self.of(group), source)
    }
}

/// The text of any comments, joined as `CommentGroup.Text` does.
pub(crate) fn comment_text<'a>(comments: &[Comment], source: &'a str) -> Vec<DocLine<'a>> {
    let mut lines: Vec<DocLine<'a>> = Vec::new();
    let mut push = |line: DocLine<'a>| {
        let after_text = lines.last().is_some_and(|last| !last.text.is_empty());
        if !line.text.is_empty() || after_text {
            lines.push(line);
        }
    };
    for comment in comments {
        let raw = source.get(comment.start as usize..comment.end as usize).unwrap_or("");
        let mut offset = comment.start + 2;
        let mut body = raw.get(2..).unwrap_or("");
        if raw.starts_with("//") {
            if let Some(rest) = body.strip_prefix(' ') {
                body = rest;
                offset += 1;
            } else if is_directive(body) {
                continue;
            }
            push(DocLine { text: trim_end(body), offset });
            continue;
        }
        body = body.strip_suffix("*/").unwrap_or(body);
        for line in body.split('\n') {
            push(DocLine { text: trim_end(line), offset });
            offset += line.len() as u32 + 1;
        }
    }
    while lines.last().is_some_and(|last| last.text.is_empty()) {
        lines.pop();
    }
    lines
}

fn trim_end(line: &str) -> &str {
    line.trim_end_matches([' ', '\t', '\n', '\r'])
}

/// `//go:generate`, `//line` and their like, which are not text.
fn is_directive(body: &str) -> bool {
    if ["line ", "extern ", "export "].iter().any(|word| body.starts_with(word)) {
        return true;
    }
    let Some(colon) = body.find(':') else { return false };
    let bytes = body.as_bytes();
    colon > 0
        && colon + 1 < bytes.len()
        && bytes[..=colon + 1]
            .iter()
            .enumerate()
            .all(|(at, byte)| at == colon || byte.is_ascii_lowercase() || byte.is_ascii_digit())
}

fn find(table: &[(u32, GroupId)], key: u32) -> Option<GroupId> {
    let at = table.binary_search_by_key(&key, |entry| entry.0).ok()?;
    table.get(at).map(|entry| entry.1)
}
