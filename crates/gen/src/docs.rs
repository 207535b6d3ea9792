//! Reference documentation of kinds: fields with types, defaults and constraints, and an example,
//! as Markdown or as pages of HTML.
//!
//! A kind becomes a page of blocks ([`page`]), which is then written in one of the two forms.

mod build;
mod example;
mod html;
mod markdown;
mod page;
mod words;

use ordain_schema::declared::Kind;

pub use example::example;

/// The form of the pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// GitHub's Markdown.
    #[default]
    Markdown,
    /// Pages that need no other file.
    Html,
}

/// A page and the name of its file.
#[derive(Clone, Debug)]
pub struct File {
    /// `<kind>.<group>.md` or `.html`; the list of all kinds is `index`.
    pub name: String,
    /// The text.
    pub text: String,
}

/// The pages of kinds, the list of them first.
#[must_use]
pub fn generate(kinds: &[Kind], format: Format) -> Vec<File> {
    let (ending, write): (&str, fn(&page::Page) -> String) = match format {
        Format::Markdown => ("md", markdown::write),
        Format::Html => ("html", html::write),
    };
    let name = |kind: &Kind| {
        let group = if kind.group.is_empty() { "core" } else { kind.group.as_str() };
        format!("{}.{group}.{ending}", kind.kind.to_lowercase())
    };
    let entries: Vec<(&Kind, String)> = kinds.iter().map(|kind| (kind, name(kind))).collect();
    let index = build::index(&entries);
    let mut out = vec![File { name: format!("index.{ending}"), text: write(&index) }];
    for (kind, name) in &entries {
        out.push(File { name: name.clone(), text: write(&build::kind(kind)) });
    }
    out
}
