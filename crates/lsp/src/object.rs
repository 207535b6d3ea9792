//! The object around the cursor: a document, or an item of a list of objects.

use crate::{flow, outline};

/// An object's own text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Object {
    pub(crate) text: String,
    /// The cursor in it.
    pub(crate) offset: usize,
    /// Columns that were taken off its lines.
    pub(crate) indent: usize,
    /// Whether it is an item of a list: its way in the document starts with `items[n]`.
    pub(crate) is_item: bool,
}

/// The object around a byte of a text.
pub(crate) fn around(content: &str, offset: usize) -> Object {
    let range = outline::document(content, offset);
    let document = &content[range.clone()];
    let inside = offset.saturating_sub(range.start).min(document.len());
    let is_list = top_value(document, "kind").is_some_and(|it| it.ends_with("List"));
    is_list.then(|| item(document, inside)).flatten().unwrap_or_else(|| Object {
        text: document.to_owned(),
        offset: inside,
        indent: 0,
        is_item: false,
    })
}

/// The value of a key of an object, in block style or in brackets.
pub(crate) fn top_value(text: &str, key: &str) -> Option<String> {
    let block = outline::top_value(text, key).map(ToOwned::to_owned);
    block.or_else(|| flow::top_value(text, key))
}

/// The item around a byte of a list that is written in block style.
fn item(document: &str, offset: usize) -> Option<Object> {
    let lines: Vec<&str> = document.split_inclusive('\n').collect();
    let mut starts = Vec::with_capacity(lines.len());
    let mut at = 0;
    for line in &lines {
        starts.push(at);
        at += line.len();
    }
    let here = starts.iter().rposition(|it| *it <= offset)?;
    let items = lines.iter().position(|it| it.trim_end() == "items:")?;
    let indent_of = |line: &str| line.len() - line.trim_start_matches(' ').len();
    let is_dash = |line: &str| line.trim_start_matches(' ').starts_with("- ");
    let first = (items + 1..lines.len()).find(|it| !lines[*it].trim().is_empty())?;
    let dash = indent_of(lines[first]);
    if !is_dash(lines[first]) || here < first {
        return None;
    }
    let begins = |it: &usize| indent_of(lines[*it]) == dash && is_dash(lines[*it]);
    let from = (first..=here).rev().find(begins)?;
    let ends = |it: &usize| {
        let line = lines[*it];
        !line.trim().is_empty() && (begins(it) || indent_of(line) <= dash)
    };
    let to = (from + 1..lines.len()).find(ends).unwrap_or(lines.len());
    if here >= to {
        return None;
    }
    let behind = &lines[from][dash + 1..];
    let indent = dash + 1 + (behind.len() - behind.trim_start_matches(' ').len());
    let (mut text, mut cursor) = (String::new(), 0);
    for (number, line) in lines.iter().enumerate().take(to).skip(from) {
        let kept = if number == from {
            &line[indent.min(line.len())..]
        } else {
            &line[indent_of(line).min(indent)..]
        };
        if number == here {
            let taken = line.len() - kept.len();
            cursor = text.len() + (offset - starts[here]).saturating_sub(taken);
        }
        text.push_str(kept);
    }
    Some(Object { text, offset: cursor, indent, is_item: true })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_item_of_a_list_is_an_object_of_its_own() {
        let text = "apiVersion: v1\nkind: List\nitems:\n- kind: A\n  spec:\n    a: 1\n- kind: B\n  spec:\n    |";
        let offset = text.find('|').unwrap();
        let object = around(&text.replace('|', ""), offset);
        assert_eq!(object.text, "kind: B\nspec:\n  ");
        assert_eq!((object.offset, object.indent, object.is_item), (16, 2, true));
        assert_eq!(top_value(&object.text, "kind").as_deref(), Some("B"));
        let first = around(&text.replace('|', ""), text.find("kind: A").unwrap() + 2);
        assert_eq!((first.text.as_str(), first.offset), ("kind: A\nspec:\n  a: 1\n", 2));
        let head = around(text, 3);
        assert!(!head.is_item);
    }
}
