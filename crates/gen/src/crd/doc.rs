//! Descriptions: a doc comment as a paragraph of the schema, and cut to a length.

use ordain_idl::Universe;
use ordain_idl::graph::Docs;
use ordain_value::Text;

/// The description that a doc comment makes: markers, remarks behind `---` and lines that start
/// with `TODO` left out, fenced code kept as it is.
pub(super) fn description(universe: &Universe, docs: &Docs) -> Text {
    let Some(group) = docs.doc else { return Text::default() };
    let file = universe.file(docs.file);
    let comments = file.parsed.comments.of(group);
    let raw = |start: u32, end: u32| file.text.get(start as usize..end as usize).unwrap_or("");
    let is_marker =
        |raw: &str| raw.strip_prefix("//").is_some_and(|body| body.trim_start().starts_with('+'));
    let owner = |offset: u32| {
        comments.iter().find(|comment| comment.start <= offset && offset <= comment.end)
    };
    let starred = comments.iter().any(|comment| raw(comment.start, comment.end).starts_with("/*"));
    let mut lines: Vec<&str> = Vec::new();
    for line in universe.doc_lines(docs) {
        let of_marker =
            owner(line.offset).is_some_and(|comment| is_marker(raw(comment.start, comment.end)));
        let after_text = lines.last().is_some_and(|last| !last.is_empty());
        if !of_marker && (!line.text.is_empty() || after_text) {
            lines.push(line.text);
        }
    }
    while lines.last().is_some_and(|last| last.is_empty()) {
        lines.pop();
    }
    let mut out: Vec<&str> = Vec::new();
    let mut in_code = false;
    for line in lines {
        let line = if starred { line.trim() } else { line };
        if line.starts_with("```") || line.starts_with("~~~") {
            in_code = !in_code;
        }
        if !in_code && line.starts_with("TODO") {
            continue;
        }
        if !in_code && line.starts_with("---") {
            break;
        }
        out.push(line);
    }
    Text::from(out.join("\n"))
}

/// A description of at most so many bytes, ended at a sentence or a word where that is possible.
pub(super) fn truncate(text: &str, max: usize) -> Text {
    if max == 0 || text.len() <= max {
        return if max == 0 { Text::default() } else { Text::from(text) };
    }
    let mut end = max;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let cut = text.get(..end).unwrap_or("");
    if let Some((at, c)) = cut.char_indices().rev().find(|(_, c)| ends_sentence(*c))
        && at > 0
    {
        return Text::from(cut.get(..at + c.len_utf8()).unwrap_or(cut));
    }
    match cut.rfind(char::is_whitespace) {
        Some(at) if at > 0 => Text::from(format!("{}...", cut.get(..at).unwrap_or(cut))),
        _ => Text::from(format!("{cut}...")),
    }
}

/// Unicode's `Sentence_Terminal` for the scripts in common use.
fn ends_sentence(c: char) -> bool {
    matches!(
        c,
        '.' | '!'
            | '?'
            | '\u{589}'
            | '\u{61d}'..='\u{61f}'
            | '\u{6d4}'
            | '\u{700}'..='\u{702}'
            | '\u{7f9}'
            | '\u{964}'
            | '\u{965}'
            | '\u{203c}'
            | '\u{203d}'
            | '\u{2047}'..='\u{2049}'
            | '\u{3002}'
            | '\u{fe52}'
            | '\u{fe56}'
            | '\u{fe57}'
            | '\u{ff01}'
            | '\u{ff0e}'
            | '\u{ff1f}'
            | '\u{ff61}'
    )
}

#[cfg(test)]
mod tests {
    use super::truncate;

    #[test]
    fn long_texts_end_at_a_sentence_or_a_word() {
        assert_eq!(truncate("One. Two three", 8), "One.");
        assert_eq!(truncate("One two three", 8), "One two...");
        assert_eq!(truncate("Onetwothree", 4), "Onet...");
        assert_eq!(truncate("One", 8), "One");
        assert_eq!(truncate("One", 0), "");
    }
}
