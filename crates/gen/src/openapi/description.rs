//! Descriptions: comment lines joined to paragraphs.

/// The description that comment lines make: paragraphs joined, indented lines kept apart, tags
/// and one-line TODOs left out, and everything behind `---`.
pub(super) fn of<'a>(lines: impl IntoIterator<Item = &'a str>) -> String {
    let mut out = String::new();
    for line in lines {
        if line == "---" {
            break;
        }
        let line = line.trim_end_matches(' ');
        let leading = line.trim_start_matches(' ');
        if line.is_empty() {
            out.pop();
            out.push_str("\n\n");
        } else if leading.starts_with("TODO") || leading.starts_with('+') {
        } else if line.starts_with([' ', '\t']) {
            out.pop();
            out.push('\n');
            out.push_str(line);
            out.push('\n');
        } else {
            out.push_str(line);
            out.push(' ');
        }
    }
    out.trim().to_string()
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn lines_become_paragraphs_and_indented_lines_stay_apart() {
        assert_eq!(
            of(["One", "two.", "", "Three:", "  a", "  b", "+tag", "end"]),
            "One two.\n\nThree:\n  a\n  b\nend"
        );
        assert_eq!(of(["TODO: no", "yes", "---", "never"]), "yes");
    }
}
