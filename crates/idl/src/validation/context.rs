//! Where a tag stands, and how it is refused.

use ordain_schema::native::{Criterion, Level};

use crate::diagnostic::Diagnostic;
use crate::graph::{Field, TypeId};
use crate::source::{FileId, Pos};
use crate::tags::codetag::Tag;
use crate::tags::registry::Place;

/// A tag with the place of its line.
#[derive(Clone, Debug)]
pub(super) struct LineTag {
    pub tag: Tag,
    pub file: FileId,
    /// Offset of the line's text, to which the tag's own offset is added.
    pub base: u32,
}

impl LineTag {
    pub(super) fn pos(&self) -> Pos {
        Pos { file: self.file, offset: self.base + self.tag.offset as u32 }
    }

    /// A tag that is this one's value.
    pub(super) fn inner(&self, tag: &Tag) -> LineTag {
        LineTag { tag: tag.clone(), file: self.file, base: self.base }
    }
}

/// What a tag is about.
#[derive(Clone, Debug)]
pub(super) struct Context<'u> {
    pub place: Place,
    pub ty: TypeId,
    /// Upstream's path of the type or field; what tags collect is kept under it.
    pub path: String,
    pub parent: String,
    pub member: Option<&'u Field>,
    pub selector: Option<Vec<Criterion>>,
    pub level: Option<Level>,
    /// The declaration.
    pub pos: Pos,
}

/// Why a tag is refused.
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    pub message: String,
    pub pos: Pos,
    pub help: Option<String>,
    /// The release that accepts what is refused here.
    pub newer: Option<&'static str>,
}

impl Refusal {
    pub(super) fn new(pos: Pos, message: impl Into<String>) -> Self {
        Self { message: message.into(), pos, help: None, newer: None }
    }

    /// Notes the release that accepts it, if one does.
    pub(super) fn newer(mut self, release: Option<&'static str>) -> Self {
        self.newer = release;
        self
    }

    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Puts words before the message, as errors are wrapped upstream.
    pub(super) fn inside(mut self, words: &str) -> Self {
        self.message = format!("{words}: {}", self.message);
        self
    }

    pub(super) fn into_diagnostic(self, code: &'static str) -> Diagnostic {
        let diagnostic = Diagnostic::error(code, self.pos, self.message);
        match self.help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }
}
