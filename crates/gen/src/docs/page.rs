//! Pages as blocks, before they are written in any form.

/// A page.
#[derive(Clone, Debug, Default)]
pub(super) struct Page {
    pub title: String,
    pub blocks: Vec<Block>,
}

/// A part of a page.
#[derive(Clone, Debug)]
pub(super) enum Block {
    /// Level, name for links, text.
    Heading(u8, String, Vec<Span>),
    Paragraph(Vec<Span>),
    /// Text of the author, paragraphs and all.
    Prose(String),
    List(Vec<Vec<Span>>),
    Table(Vec<&'static str>, Vec<Vec<Cell>>),
    /// The fields of an object.
    Fields(Vec<FieldRow>),
    /// Language and text.
    Code(&'static str, String),
}

/// What the columns of a table of fields are.
pub(super) const FIELD_COLUMNS: [&str; 4] = ["Field", "Type", "Default", "Description"];

/// A field in the table of its object.
#[derive(Clone, Debug)]
pub(super) struct FieldRow {
    /// Its path from the object's root: `spec.ports[].name`.
    pub path: String,
    /// The name for links to it.
    pub anchor: String,
    pub cells: Vec<Cell>,
}

/// A cell of a table: lines of text.
pub(super) type Cell = Vec<Vec<Span>>;

/// A piece of text.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Span {
    Text(String),
    Code(String),
    Strong(String),
    /// Text and where it leads; texts of links are code.
    Link(String, String),
    /// Text of the author, in which backticks mark code.
    Prose(String),
}

/// Plain text.
pub(super) fn text(text: impl Into<String>) -> Span {
    Span::Text(text.into())
}

/// Code.
pub(super) fn code(text: impl Into<String>) -> Span {
    Span::Code(text.into())
}
