//! Byte offsets as line and column.

/// A place in a text: both count from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// The line and column of a byte offset; offsets past the end mean the end.
pub fn position_of(text: &[u8], offset: usize) -> Position {
    let before = &text[..offset.min(text.len())];
    let line_start = before.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
    let line = 1 + before.iter().filter(|b| **b == b'\n').count();
    let column = 1 + String::from_utf8_lossy(&before[line_start..]).chars().count();
    Position { line, column }
}

/// Lines and columns of offsets that are asked for one after the other, each behind the last: the
/// text is gone over once for all of them.
#[derive(Clone, Debug)]
pub struct Positions<'a> {
    text: &'a [u8],
    offset: usize,
    position: Position,
}

impl<'a> Positions<'a> {
    /// From the start of a text on.
    pub fn new(text: &'a [u8]) -> Self {
        Positions { text, offset: 0, position: Position { line: 1, column: 1 } }
    }

    /// The line and column of an offset.
    pub fn at(&mut self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        if offset < self.offset {
            return position_of(self.text, offset);
        }
        let passed = &self.text[self.offset..offset];
        let further = position_of(passed, passed.len());
        if further.line == 1 {
            self.position.column += further.column - 1;
        } else {
            self.position.line += further.line - 1;
            self.position.column = further.column;
        }
        self.offset = offset;
        self.position
    }
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}
