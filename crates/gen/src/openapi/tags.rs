//! Comment lines and the tags in them, read as gengo's `ExtractCommentTags` does.

use ordain_idl::graph::Docs;
use ordain_idl::source::{FileId, Pos};
use ordain_idl::{Universe, go::comment::DocLine};

/// The lines of the comment above a type or field.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines<'u> {
    file: Option<FileId>,
    lines: Vec<DocLine<'u>>,
}

/// `+name=value` with the place of the plus sign.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tag<'u> {
    pub name: &'u str,
    pub value: &'u str,
    pub pos: Pos,
}

impl<'u> Lines<'u> {
    /// The group that ends on the line above a declaration.
    pub(super) fn of(universe: &'u Universe, docs: &Docs) -> Self {
        Self { file: Some(docs.file), lines: universe.lines(docs.file, docs.closest) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &'u str> + '_ {
        self.lines.iter().map(|line| line.text)
    }

    /// The lines without blanks around them, with the place where each starts.
    pub(super) fn trimmed(&self) -> impl Iterator<Item = (&'u str, Pos)> + '_ {
        let file = self.file.unwrap_or(FileId(0));
        self.lines.iter().map(move |line| {
            let text = line.text.trim_start_matches(' ');
            let skipped = line.text.len() - text.len();
            let offset = line.offset + u32::try_from(skipped).unwrap_or(0);
            (text.trim_end_matches(' '), Pos { file, offset })
        })
    }

    /// All tags, in order.
    pub(super) fn tags(&self) -> impl Iterator<Item = Tag<'u>> + '_ {
        self.trimmed().filter_map(|(text, pos)| {
            let (name, value) = split(text)?;
            Some(Tag { name, value, pos })
        })
    }

    /// The tags of a name.
    pub(super) fn named<'s>(&'s self, name: &'s str) -> impl Iterator<Item = Tag<'u>> + 's {
        self.tags().filter(move |tag| tag.name == name)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.named(name).next().is_some()
    }

    /// The value of a tag that may stand once.
    pub(super) fn single(&self, name: &str) -> Result<Option<Tag<'u>>, (Pos, String)> {
        let mut found = self.named(name);
        let first = found.next();
        match found.next() {
            Some(second) => {
                Err((second.pos, format!("multiple values are not allowed for tag {name}")))
            }
            None => Ok(first),
        }
    }

    /// Whether `+k8s:openapi-gen=value` is there.
    pub(super) fn has_openapi_gen(&self, value: &str) -> bool {
        self.texts().any(|line| is_openapi_gen(line, value))
    }
}

fn split(text: &str) -> Option<(&str, &str)> {
    let tag = text.strip_prefix('+')?;
    Some(tag.split_once('=').unwrap_or((tag, "")))
}

/// Whether a line is `+k8s:openapi-gen=value`.
pub(super) fn is_openapi_gen(line: &str, value: &str) -> bool {
    split(line.trim_matches(' ')) == Some(("k8s:openapi-gen", value))
}
