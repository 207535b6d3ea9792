//! Where one is in a text that is being typed: by indentation, because it may not parse.

use crate::place::Step;

/// What stands around a place of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outline {
    /// Way to the mapping that the line belongs to.
    pub(crate) parents: Vec<Step>,
    /// The key of the line, when it has one.
    pub(crate) key: Option<String>,
    /// Keys that the mapping has elsewhere.
    pub(crate) siblings: Vec<String>,
    /// Column at which keys of the mapping stand.
    pub(crate) indent: usize,
}

/// A line of a document: where its content starts, and what it is.
#[derive(Debug)]
struct Line<'a> {
    /// Column of the key or value, behind the dashes.
    column: usize,
    /// Columns of the dashes.
    dashes: Vec<usize>,
    key: Option<&'a str>,
}

/// The document around a byte, as a range.
pub(crate) fn document(text: &str, offset: usize) -> std::ops::Range<usize> {
    let (mut start, mut at) = (0, 0);
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        if line.trim_end() == "---" || line.starts_with("--- ") {
            if at > offset || (at == offset && offset > 0) {
                return start..at;
            }
            start = end;
        }
        at = end;
    }
    start.min(text.len())..text.len()
}

/// The value of a key at the start of a line of a document.
pub(crate) fn top_value<'a>(document: &'a str, key: &str) -> Option<&'a str> {
    document.lines().find_map(|line| {
        let rest = line.strip_prefix(key)?.trim_start().strip_prefix(':')?;
        let value = rest.split(" #").next().unwrap_or_default().trim();
        Some(value.trim_matches(['"', '\''])).filter(|it| !it.is_empty())
    })
}

/// Reads a line; comments and blank lines are none.
fn read(line: &str) -> Option<Line<'_>> {
    let mut dashes = Vec::new();
    let mut column = line.len() - line.trim_start_matches(' ').len();
    let mut rest = &line[column..];
    while rest == "-" || rest.starts_with("- ") {
        dashes.push(column);
        let after = &rest[1..];
        let trimmed = after.trim_start_matches(' ');
        column += 1 + (after.len() - trimmed.len());
        rest = trimmed;
    }
    if rest.starts_with('#') || (rest.trim().is_empty() && dashes.is_empty()) {
        return None;
    }
    Some(Line { column, dashes, key: key_of(rest) })
}

/// The key that a line starts with.
fn key_of(rest: &str) -> Option<&str> {
    let quote = rest.chars().next().filter(|it| matches!(it, '"' | '\''));
    if let Some(quote) = quote {
        let end = rest[1..].find(quote)?;
        return rest[end + 2..].trim_start().starts_with(':').then(|| &rest[1..=end]);
    }
    let mut from = 0;
    while let Some(at) = rest[from..].find(':') {
        let at = from + at;
        let after = &rest[at + 1..];
        if after.is_empty() || after.starts_with([' ', '\t', '\r']) {
            return Some(rest[..at].trim_end()).filter(|it| !it.is_empty());
        }
        from = at + 1;
    }
    None
}

/// What stands around an offset of a document. `column` is that of the cursor, for blank lines.
pub(crate) fn outline(document: &str, offset: usize) -> Outline {
    let offset = offset.min(document.len());
    let start = document[..offset].rfind('\n').map_or(0, |at| at + 1);
    let end = document[offset..].find('\n').map_or(document.len(), |at| offset + at);
    let line = document[start..end].trim_end_matches('\r');
    let here = read(line);
    let cursor = document[start..offset].chars().count();
    let (column, dashes) = match &here {
        Some(line) => (line.column, line.dashes.clone()),
        None => (cursor, Vec::new()),
    };
    let mut out = Outline {
        key: here.as_ref().and_then(|it| it.key).map(ToOwned::to_owned),
        indent: column,
        ..Outline::default()
    };
    let above: Vec<Line<'_>> = lines_before(&document[..start]);
    // Dashes of the own line, innermost last: each is an item of a list further out.
    let mut limit = column;
    for dash in dashes.iter().rev() {
        out.parents.push(Step::Item(item_at(&above, *dash)));
        limit = *dash;
    }
    climb(&above, limit, !dashes.is_empty(), &mut out.parents);
    out.parents.reverse();
    out.siblings = siblings(&above, &document[end..], column, &dashes);
    out
}

/// The lines above, without the content of block scalars.
fn lines_before(text: &str) -> Vec<Line<'_>> {
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut scalar: Option<usize> = None;
    for line in text.lines() {
        let indent = line.len() - line.trim_start_matches(' ').len();
        if let Some(owner) = scalar {
            if line.trim().is_empty() || indent > owner {
                continue;
            }
            scalar = None;
        }
        let Some(read) = read(line) else { continue };
        let value = line.rsplit(": ").next().unwrap_or_default().trim();
        if matches!(value.chars().next(), Some('|' | '>')) && line.contains(':') {
            scalar = Some(read.column);
        }
        lines.push(read);
    }
    lines
}

/// Adds the steps of what stands further out than `limit`, innermost first.
fn climb(above: &[Line<'_>], mut limit: usize, mut in_list: bool, out: &mut Vec<Step>) {
    for (at, line) in above.iter().enumerate().rev() {
        // A list may stand at the column of its key.
        let key_fits =
            line.column < limit || (in_list && line.column == limit && line.dashes.is_empty());
        if key_fits && let Some(key) = line.key {
            out.push(Step::Key(key.to_owned()));
            limit = line.column;
            in_list = false;
        }
        for dash in line.dashes.iter().rev() {
            if *dash < limit && line.column <= limit {
                out.push(Step::Item(item_at(&above[..at], *dash)));
                limit = *dash;
                in_list = true;
            }
        }
        if limit == 0 && !in_list {
            return;
        }
    }
}

/// Which item of its list a dash at a column is.
fn item_at(above: &[Line<'_>], dash: usize) -> usize {
    let mut count = 0;
    for line in above.iter().rev() {
        let outermost = line.dashes.first().copied().unwrap_or(line.column);
        if outermost < dash || (line.dashes.is_empty() && line.column <= dash) {
            break;
        }
        if line.dashes.contains(&dash) {
            count += 1;
        }
    }
    count
}

/// Keys at a column, before and after, until the mapping ends.
fn siblings(above: &[Line<'_>], below: &str, column: usize, dashes: &[usize]) -> Vec<String> {
    let mut keys = Vec::new();
    if dashes.is_empty() {
        for line in above.iter().rev() {
            if line.column < column {
                break;
            }
            if line.column == column {
                keys.extend(line.key.map(ToOwned::to_owned));
            }
            if line.dashes.first().is_some_and(|it| *it < column) {
                break;
            }
        }
    }
    for line in lines_before(below) {
        let first = line.dashes.first().copied().unwrap_or(line.column);
        if first < column {
            break;
        }
        if line.column == column && line.dashes.is_empty() {
            keys.extend(line.key.map(ToOwned::to_owned));
        }
    }
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "kind: A\nspec:\n  size: 1\n  text: |\n    not: this\n  ports:\n  - name: a\n    port: 1\n  - name: b\n    \n  deep:\n    x:\n      y\n";

    fn at(needle: &str, behind: usize) -> Outline {
        outline(TEXT, TEXT.find(needle).unwrap() + behind)
    }

    fn way(outline: &Outline) -> String {
        let steps: Vec<String> = outline
            .parents
            .iter()
            .map(|it| match it {
                Step::Key(key) => key.clone(),
                Step::Item(at) => format!("[{at}]"),
            })
            .collect();
        steps.join("/")
    }

    #[test]
    fn indentation_tells_the_way() {
        let size = at("size", 1);
        assert_eq!((way(&size).as_str(), size.key.as_deref()), ("spec", Some("size")));
        assert_eq!(size.siblings, ["text", "ports", "deep"]);
        let port = at("port: 1", 1);
        assert_eq!((way(&port).as_str(), port.siblings.len()), ("spec/ports/[0]", 1));
        let blank = at("name: b", 12);
        assert_eq!(way(&blank), "spec/ports/[1]");
        assert_eq!(blank.siblings, ["name"]);
        let y = at("      y", 7);
        assert_eq!((way(&y).as_str(), y.key), ("spec/deep/x", None));
        let name = at("name: b", 1);
        assert_eq!(way(&name), "spec/ports/[1]");
    }

    #[test]
    fn documents_are_told_apart() {
        let text = "a: 1\n---\nb: 2\n---\nc: 3\n";
        assert_eq!(&text[document(text, 2)], "a: 1\n");
        assert_eq!(&text[document(text, 10)], "b: 2\n");
        assert_eq!(&text[document(text, text.len())], "c: 3\n");
    }
}
