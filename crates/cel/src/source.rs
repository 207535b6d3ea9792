//! The text of an expression and its lines: byte offsets to 1-based lines and 0-based columns
//! counted in code points, as error messages show them.

use std::sync::Arc;

/// A place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// 1-based line; -1 when an error belongs to no place.
    pub line: i32,
    /// 0-based column in code points; -1 when an error belongs to no place.
    pub column: i32,
}

impl Location {
    /// The location of errors that concern the expression as a whole.
    pub const NONE: Self = Self { line: -1, column: -1 };
}

/// The text of an expression with a description such as `<input>`.
#[derive(Clone, Debug)]
pub struct Source {
    text: Arc<str>,
    description: Arc<str>,
}

impl Source {
    /// The description that stands before the line and column of errors.
    pub const DESCRIPTION: &'static str = "<input>";

    /// A source described as `<input>`.
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self::with_description(text, Self::DESCRIPTION)
    }

    /// A source with a description of its own.
    #[must_use]
    pub fn with_description(text: &str, description: &str) -> Self {
        Self { text: Arc::from(text), description: Arc::from(description) }
    }

    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What stands before the line and column of errors.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// The line and column of a byte offset. Offsets behind the end belong to the last line.
    #[must_use]
    pub fn location(&self, offset: u32) -> Location {
        let offset = (offset as usize).min(self.text.len());
        let before = self.text.as_bytes().get(..offset).unwrap_or_default();
        let newlines = before.iter().filter(|byte| **byte == b'\n').count();
        let line_start =
            before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        let columns = before
            .get(line_start..)
            .unwrap_or_default()
            .iter()
            .filter(|byte| (**byte & 0xC0) != 0x80)
            .count();
        Location {
            line: i32::try_from(newlines + 1).unwrap_or(i32::MAX),
            column: i32::try_from(columns).unwrap_or(i32::MAX),
        }
    }

    /// The text of a 1-based line without its newline.
    #[must_use]
    pub fn line(&self, line: i32) -> Option<&str> {
        if self.text.is_empty() {
            return None;
        }
        let index = usize::try_from(line.checked_sub(1)?).ok()?;
        self.text.split('\n').nth(index)
    }
}
