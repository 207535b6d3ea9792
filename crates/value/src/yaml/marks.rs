//! Where every key and value of a document stands in its source.

use std::collections::HashSet;
use std::ops::Range;

use crate::Text;

/// A byte range of the source with the line and column of its start (both from 1).
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Span {
    /// Bytes of the source.
    pub bytes: Range<usize>,
    /// Line of the start, from 1.
    pub line: usize,
    /// Column of the start in characters, from 1.
    pub column: usize,
}

impl Span {
    fn move_behind(&mut self, bytes: usize, line: usize, column: usize) {
        self.bytes = self.bytes.start + bytes..self.bytes.end + bytes;
        if self.line <= 1 {
            self.column += column.saturating_sub(1);
        }
        self.line += line.saturating_sub(1);
    }
}

/// One node: its key (in a map) and its value.
#[derive(Clone, Debug, Default)]
pub struct Mark {
    /// The key, quotes included; None for list items and the root.
    pub key: Option<Span>,
    /// The value as written; for an alias the alias itself.
    pub value: Span,
    pub(super) children: Vec<(Step, usize)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Step {
    Key(Text),
    Index(usize),
}

impl Step {
    fn key(&self) -> Option<&Text> {
        match self {
            Step::Key(key) => Some(key),
            Step::Index(_) => None,
        }
    }
}

/// The side table of positions: a tree of marks with the shape of the document.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    nodes: Vec<Mark>,
    root: usize,
}

/// What a path text led to.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The deepest node on the path that exists.
    pub mark: &'a Mark,
    /// True if that is the node the path names.
    pub exact: bool,
}

impl Marks {
    pub(super) fn add(&mut self, mark: Mark) -> usize {
        self.nodes.push(mark);
        self.nodes.len() - 1
    }

    pub(super) fn set_root(&mut self, root: usize) {
        self.root = root;
    }

    pub(super) fn link(&mut self, parent: usize, step: Step, child: usize) {
        self.nodes[parent].children.push((step, child));
    }

    /// The last of repeated keys wins, so its position does too.
    pub(super) fn keep_last(&mut self, parent: usize) {
        let children = std::mem::take(&mut self.nodes[parent].children);
        let mut seen = HashSet::new();
        let mut kept: Vec<(Step, usize)> = children
            .into_iter()
            .rev()
            .filter(|(step, _)| step.key().is_none_or(|key| seen.insert(key.clone())))
            .collect();
        kept.reverse();
        self.nodes[parent].children = kept;
    }

    pub(super) fn set_key(&mut self, node: usize, key: Span) {
        self.nodes[node].key = Some(key);
    }

    pub(super) fn end_value(&mut self, node: usize, end: usize) {
        let bytes = &mut self.nodes[node].value.bytes;
        bytes.end = end.max(bytes.start);
    }

    /// An alias: the position of the alias, the children of its anchor.
    pub(super) fn alias(&mut self, of: usize, value: Span) -> usize {
        let children = self.nodes[of].children.clone();
        self.add(Mark { key: None, value, children })
    }

    pub(super) fn merge(&mut self, into: usize, from: usize) {
        let merged = self.nodes[from].children.clone();
        self.nodes[into].children.extend(merged);
    }

    /// The same positions in a text that has something before this one: so many bytes, which end at
    /// a line and a column (both from 1).
    #[must_use]
    pub fn behind(mut self, bytes: usize, line: usize, column: usize) -> Self {
        for mark in &mut self.nodes {
            mark.value.move_behind(bytes, line, column);
            if let Some(key) = &mut mark.key {
                key.move_behind(bytes, line, column);
            }
        }
        self
    }

    /// The whole document.
    pub fn root(&self) -> Option<&Mark> {
        self.nodes.get(self.root)
    }

    /// Follows the text of a field path (`spec.ports[0].name`, `m[key]`, `<nil>`). Keys may hold
    /// dots and brackets themselves: the longest key that fits is taken.
    pub fn find(&self, path: &str) -> Option<Place<'_>> {
        let mut at = self.root()?;
        let mut rest = if path == "<nil>" { "" } else { path };
        while !rest.is_empty() {
            let Some((child, left)) = self.step(at, rest) else {
                return Some(Place { mark: at, exact: false });
            };
            at = child;
            rest = left;
        }
        Some(Place { mark: at, exact: true })
    }

    /// The child that a prefix of `rest` names, and what is left.
    fn step<'a, 'p>(&'a self, at: &'a Mark, rest: &'p str) -> Option<(&'a Mark, &'p str)> {
        // Items stand at their index.
        if let Some((index, left)) = leading_index(rest)
            && let Some((Step::Index(found), child)) = at.children.get(index)
            && *found == index
        {
            return Some((self.nodes.get(*child)?, left));
        }
        let mut best: Option<(usize, &'p str, usize)> = None;
        for (step, child) in &at.children {
            let Step::Key(key) = step else { continue };
            let bracketed =
                || rest.strip_prefix('[')?.strip_prefix(key.as_str())?.strip_prefix(']');
            let left = rest
                .strip_prefix('.')
                .unwrap_or(rest)
                .strip_prefix(key.as_str())
                .filter(|it| it.is_empty() || it.starts_with(['.', '[']))
                .or_else(bracketed);
            let Some(left) = left else { continue };
            let taken = rest.len() - left.len();
            if best.is_none_or(|(longest, _, _)| taken > longest) {
                best = Some((taken, left, *child));
            }
        }
        let (_, left, child) = best?;
        Some((self.nodes.get(child)?, left))
    }

    /// The child marks of a node by key, for tools that walk a document.
    pub fn child<'a>(&'a self, of: &Mark, key: &str) -> Option<&'a Mark> {
        let found = of.children.iter().find(|(it, _)| matches!(it, Step::Key(it) if it == key))?;
        self.nodes.get(found.1)
    }

    /// The mark of a list item.
    pub fn item<'a>(&'a self, of: &Mark, index: usize) -> Option<&'a Mark> {
        let found = of.children.iter().find(|(it, _)| *it == Step::Index(index))?;
        self.nodes.get(found.1)
    }

    /// Keys of a map node in document order with their marks.
    pub fn keys<'a>(&'a self, of: &'a Mark) -> impl Iterator<Item = (&'a Text, &'a Mark)> {
        of.children.iter().filter_map(|(step, child)| match step {
            Step::Key(key) => Some((key, self.nodes.get(*child)?)),
            Step::Index(_) => None,
        })
    }

    /// Items of a list node in order with their marks.
    pub fn items<'a>(&'a self, of: &'a Mark) -> impl Iterator<Item = &'a Mark> {
        of.children.iter().filter_map(|(step, child)| match step {
            Step::Index(_) => self.nodes.get(*child),
            Step::Key(_) => None,
        })
    }
}

/// The index that a path starts with, and what is left: `[3].name`.
fn leading_index(path: &str) -> Option<(usize, &str)> {
    let (digits, left) = path.strip_prefix('[')?.split_once(']')?;
    let plain = digits == "0" || (!digits.starts_with(['0', '+']) && !digits.is_empty());
    Some((digits.parse().ok().filter(|_| plain)?, left))
}
