//! Levels of block style, two spaces each. What is inside of a text or of brackets moves with the
//! line that it begins on.

use ordain_value::yaml::{self, Mark, Marks};

/// Spaces for each level.
const STEP: usize = 2;

/// A text with its levels indented alike; none when it cannot be read.
pub(crate) fn indented(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut layout =
        Layout { starts: starts(text), owners: vec![None; lines.len()], wide: Vec::new() };
    let documents = yaml::decode_documents(text.as_bytes(), yaml::Options { marks: true }).ok()?;
    for document in &documents {
        layout.read(text, &document.marks);
    }
    layout.wide.sort_unstable();
    let mut writer = Writer { layout: &layout, levels: Vec::new(), moved: vec![0; lines.len()] };
    let mut out = String::with_capacity(text.len());
    for (at, line) in lines.iter().enumerate() {
        out.push_str(&writer.line(at, line, &lines));
        out.push('\n');
    }
    Some(out)
}

/// The byte that each line starts at.
fn starts(text: &str) -> Vec<usize> {
    let ends = text.bytes().enumerate().filter(|(_, it)| *it == b'\n');
    std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect()
}

/// What of a text is no line of block style, and where there are too many blanks.
struct Layout {
    starts: Vec<usize>,
    /// By line, the line that a text or a bracket begins on which goes on here.
    owners: Vec<Option<usize>>,
    /// Blanks between a colon and its value, all but the first, by byte.
    wide: Vec<(usize, usize)>,
}

impl Layout {
    fn line_of(&self, byte: usize) -> usize {
        self.starts.partition_point(|it| *it <= byte).saturating_sub(1)
    }

    fn read(&mut self, text: &str, marks: &Marks) {
        let mut pending: Vec<&Mark> = marks.root().into_iter().collect();
        while let Some(mark) = pending.pop() {
            let bytes = mark.value.bytes.start..mark.value.bytes.end.min(text.len());
            let content = text.get(bytes.clone()).unwrap_or_default();
            let before = pending.len();
            pending.extend(marks.keys(mark).map(|it| it.1));
            pending.extend(marks.items(mark));
            if content.starts_with(['{', '[']) || pending.len() == before {
                pending.truncate(before);
                let (first, last) = (
                    self.line_of(bytes.start),
                    self.line_of(bytes.start + content.trim_end().len().saturating_sub(1)),
                );
                for owner in self.owners.iter_mut().take(last + 1).skip(first + 1) {
                    *owner = Some(first);
                }
            }
            if let Some(key) = &mark.key {
                let between = text.get(key.bytes.end..bytes.start).unwrap_or_default();
                let blanks = between.strip_prefix(':').unwrap_or_default();
                if blanks.len() > 1 && blanks.bytes().all(|it| it == b' ') {
                    self.wide.push((bytes.start - blanks.len() + 1, bytes.start));
                }
            }
        }
    }

    /// A part of a line without the blanks that are too many.
    fn narrow(&self, start: usize, part: &str) -> String {
        let mut out = String::with_capacity(part.len());
        let mut at = start;
        for (from, to) in &self.wide {
            if *from >= at && *to <= start + part.len() {
                out.push_str(part.get(at - start..from - start).unwrap_or_default());
                at = *to;
            }
        }
        out.push_str(part.get(at - start..).unwrap_or_default());
        out
    }
}

struct Writer<'l> {
    layout: &'l Layout,
    /// Columns that levels have, and those that they get.
    levels: Vec<(usize, usize)>,
    /// By line, how far it moved to the right.
    moved: Vec<isize>,
}

impl Writer<'_> {
    fn line(&mut self, at: usize, line: &str, lines: &[&str]) -> String {
        if let Some(owner) = self.layout.owners.get(at).copied().flatten() {
            let moved = self.moved.get(owner).copied().unwrap_or(0);
            return shifted(line, moved);
        }
        let indent = line.len() - line.trim_start_matches(' ').len();
        let content = line.get(indent..).unwrap_or_default();
        if content.is_empty() {
            return String::new();
        }
        if content.starts_with('#') {
            return self.comment(at, indent, content, lines);
        }
        if indent == 0
            && (line.starts_with("---") || line.starts_with("...") || line.starts_with('%'))
        {
            self.levels.clear();
            return line.to_owned();
        }
        let column = self.level(indent);
        let moved = |to: usize| to.cast_signed() - indent.cast_signed();
        if let Some(it) = self.moved.get_mut(at) {
            *it = moved(column);
        }
        let mut out = " ".repeat(column);
        let (mut rest, mut from, mut to) = (content, indent, column);
        while let Some(inner) = rest.strip_prefix("- ") {
            let inner = inner.trim_start_matches(' ');
            from += rest.len() - inner.len();
            to += STEP;
            self.levels.push((from, to));
            out.push_str("- ");
            rest = inner;
        }
        let start = self.layout.starts.get(at).copied().unwrap_or(0) + line.len() - rest.len();
        out + &self.layout.narrow(start, rest)
    }

    /// The column for a line that begins at one.
    fn level(&mut self, indent: usize) -> usize {
        while self.levels.last().is_some_and(|it| it.0 > indent) {
            self.levels.pop();
        }
        match self.levels.last().copied() {
            Some((from, to)) if from == indent => to,
            Some((_, to)) => {
                self.levels.push((indent, to + STEP));
                to + STEP
            }
            None => {
                self.levels.push((indent, 0));
                0
            }
        }
    }

    /// A comment stands where the line below it does, or at a level that is open.
    fn comment(&self, at: usize, indent: usize, content: &str, lines: &[&str]) -> String {
        let is_line = |it: &&&str| !it.trim().is_empty() && !it.trim_start().starts_with('#');
        let next = lines.iter().skip(at + 1).find(is_line);
        let next = next.map(|it| it.len() - it.trim_start_matches(' ').len());
        let open = self.levels.iter().rfind(|it| it.0 == indent).map(|it| it.1);
        let column = match (open, next) {
            (Some(column), _) => column,
            (None, Some(next)) if next == indent => {
                let above = self.levels.iter().rfind(|it| it.0 < indent);
                above.map_or(0, |it| it.1 + STEP)
            }
            _ => indent,
        };
        " ".repeat(column) + content
    }
}

/// A line moved to the right or, as far as it has blanks, to the left.
fn shifted(line: &str, by: isize) -> String {
    if line.trim().is_empty() {
        return line.to_owned();
    }
    let blanks = line.len() - line.trim_start_matches(' ').len();
    let indent = blanks.cast_signed().saturating_add(by).max(0).unsigned_abs();
    " ".repeat(indent) + line.trim_start_matches(' ')
}

#[cfg(test)]
mod tests {
    use super::indented;

    #[test]
    fn levels_have_two_spaces() {
        for (text, expected) in [
            ("a:\n    b: 1\n    c:\n        d: 2\ne: 3\n", "a:\n  b: 1\n  c:\n    d: 2\ne: 3\n"),
            ("a:\n- b: 1\n  c: 2\n", "a:\n- b: 1\n  c: 2\n"),
            ("a:\n    -   b:   1\n        c: 2\n", "a:\n  - b: 1\n    c: 2\n"),
            (
                "a:\n    # of b\n    b: |\n        x\n          y\n",
                "a:\n  # of b\n  b: |\n      x\n        y\n",
            ),
            ("a:\n    b: {c: 1,\n        d: 2}\n", "a:\n  b: {c: 1,\n      d: 2}\n"),
            ("---\n  a: 1\n---\nb:   2 # two\n", "---\na: 1\n---\nb: 2 # two\n"),
            ("a:\n- - 1\n  - 2\n-\n    b: 3\n", "a:\n- - 1\n  - 2\n-\n  b: 3\n"),
        ] {
            assert_eq!(indented(text).as_deref(), Some(expected), "{text}");
        }
    }
}
