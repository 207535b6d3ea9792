//! Formatting that changes no value: two spaces for each level, one behind a colon or a dash, blanks
//! at the ends of lines, blank lines in a row, the end of the text. Lists keep their style, under
//! their key or indented. A text whose values would change is left alone.

use ordain_check::{Source, manifest};
use ordain_value::{Value, value};

use crate::indent;
use crate::text::Text;

/// The edit that formats a text; none when it is as it should be or cannot be read.
pub(crate) fn edits(text: &Text) -> Value {
    let Some(before) = values(&text.content) else { return Value::from(Vec::new()) };
    let keeps = |it: &String| values(it).as_ref() == Some(&before);
    let indented = indent::indented(&text.content).map(|it| formatted(&it));
    let formatted = indented.filter(keeps).or_else(|| Some(formatted(&text.content)).filter(keeps));
    let Some(formatted) = formatted.filter(|it| *it != text.content) else {
        return Value::from(Vec::new());
    };
    let whole = text.range(0..text.content.len());
    value!([{"range": whole, "newText": (formatted.as_str())}])
}

/// The objects of a text; none when a part of it cannot be read.
fn values(text: &str) -> Option<Vec<Value>> {
    let contents = manifest::read(0, &Source::new("a.yaml", text.as_bytes()));
    let is_sound = contents.broken.is_empty();
    is_sound.then(|| contents.manifests.into_iter().map(|it| it.value).collect())
}

fn formatted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = 0;
    // Lines of a block scalar are text; they belong to it as long as they are indented deeper.
    let mut scalar: Option<usize> = None;
    for line in text.lines() {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let is_blank = line.trim().is_empty();
        if let Some(owner) = scalar {
            if is_blank || indent > owner {
                out.push_str(line);
                out.push('\n');
                continue;
            }
            scalar = None;
        }
        blank = if is_blank { blank + 1 } else { 0 };
        if blank > 1 || (is_blank && out.is_empty()) {
            continue;
        }
        let line = line.trim_end();
        out.push_str(line);
        out.push('\n');
        let value = line.split(" #").next().unwrap_or_default().rsplit(": ").next();
        let header = value.unwrap_or_default().trim_start_matches("- ");
        if header.starts_with(['|', '>']) {
            scalar = Some(indent);
        }
    }
    while out.ends_with("\n\n") {
        out.pop();
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_go_and_texts_stay() {
        let text = "\na: 1  \n\n\n\nb: |\n  x  \n\n\n  y\nc: d\t\n\n";
        assert_eq!(formatted(text), "a: 1\n\nb: |\n  x  \n\n\n  y\nc: d\n");
        assert_eq!(edits(&Text::new("a: [\n  \n")), Value::from(Vec::new()));
    }
}
