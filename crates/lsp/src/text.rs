//! An open text: edits by position, positions by byte. The protocol counts columns in UTF-16.

use ordain_value::{Value, value};

/// A text that an editor has open.
#[derive(Clone, Debug, Default)]
pub(crate) struct Text {
    pub(crate) content: String,
}

impl Text {
    pub(crate) fn new(content: &str) -> Text {
        Text { content: content.to_owned() }
    }

    /// Applies one change of `didChange`.
    pub(crate) fn change(&mut self, change: &Value) {
        let text = change.get("text").and_then(Value::as_str).unwrap_or_default();
        match change.get("range") {
            Some(range) => {
                let at = |key: &str| range.get(key).map_or(0, |it| self.offset(it));
                let (start, end) = (at("start"), at("end"));
                self.content.replace_range(start..end.max(start), text);
            }
            None => text.clone_into(&mut self.content),
        }
    }

    /// The byte of a position; positions behind the end of a line are its end.
    pub(crate) fn offset(&self, position: &Value) -> usize {
        let part = |key: &str| {
            let number = position.get(key).and_then(Value::as_int).unwrap_or(0);
            usize::try_from(number).unwrap_or(0)
        };
        let (line, column) = (part("line"), part("character"));
        let mut start = 0;
        for _ in 0..line {
            match self.content[start..].find('\n') {
                Some(at) => start += at + 1,
                None => return self.content.len(),
            }
        }
        let mut units = 0;
        for (at, it) in self.content[start..].char_indices() {
            if units >= column || it == '\n' {
                return start + at;
            }
            units += it.len_utf16();
        }
        self.content.len()
    }

    /// The position of a byte.
    pub(crate) fn position(&self, offset: usize) -> Value {
        let mut offset = offset.min(self.content.len());
        while !self.content.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.content[..offset];
        let line = before.bytes().filter(|it| *it == b'\n').count();
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let column: usize = before[start..].chars().map(char::len_utf16).sum();
        value!({"line": int(line), "character": int(column)})
    }

    pub(crate) fn range(&self, bytes: std::ops::Range<usize>) -> Value {
        value!({"start": self.position(bytes.start), "end": self.position(bytes.end)})
    }
}

pub(crate) fn int(number: usize) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_utf16() {
        let mut text = Text::new("a: 😀b\nc: d\n");
        let at = value!({"line": 0, "character": 5});
        assert_eq!(text.offset(&at), 7);
        assert_eq!(text.position(7), at);
        let range =
            value!({"start": {"line": 0, "character": 3}, "end": {"line": 1, "character": 0}});
        text.change(&value!({"range": range, "text": "x "}));
        assert_eq!(text.content, "a: x c: d\n");
    }
}
