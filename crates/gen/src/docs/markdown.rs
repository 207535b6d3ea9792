//! Pages as Markdown.

use super::page::{Block, Cell, FIELD_COLUMNS, Page, Span};

pub(super) fn write(page: &Page) -> String {
    let mut out = format!("<!-- {}. -->\n\n# {}\n", super::MARK, escape(&page.title));
    for block in &page.blocks {
        out.push('\n');
        match block {
            Block::Heading(level, anchor, spans) => {
                let marks = "#".repeat(usize::from(*level));
                out.push_str(&format!("<a id=\"{anchor}\"></a>\n\n{marks} {}\n", line(spans)));
            }
            Block::Paragraph(spans) => out.push_str(&format!("{}\n", line(spans))),
            Block::Prose(text) => out.push_str(&format!("{}\n", prose(text))),
            Block::List(items) => {
                items.iter().for_each(|item| out.push_str(&format!("- {}\n", line(item))));
            }
            Block::Table(head, rows) => table(head, rows.iter(), &mut out),
            Block::Fields(rows) => {
                table(&FIELD_COLUMNS, rows.iter().map(|it| &it.cells), &mut out);
            }
            Block::Code(language, text) => {
                out.push_str(&format!("```{language}\n{}\n```\n", text.trim_end()));
            }
        }
    }
    out
}

fn table<'r>(head: &[&str], rows: impl Iterator<Item = &'r Vec<Cell>>, out: &mut String) {
    out.push_str(&format!("| {} |\n", head.join(" | ")));
    out.push_str(&format!("|{}\n", "---|".repeat(head.len())));
    for row in rows {
        let cells: Vec<String> = row
            .iter()
            .map(|cell| {
                let lines: Vec<String> = cell.iter().map(|spans| line(spans)).collect();
                lines.join("<br>").replace('|', "\\|").replace('\n', "<br>")
            })
            .collect();
        out.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
}

pub(super) fn line(spans: &[Span]) -> String {
    spans.iter().map(span).collect()
}

fn span(span: &Span) -> String {
    match span {
        Span::Text(text) => escape(text),
        Span::Code(text) => code(text),
        Span::Strong(text) => {
            let kept = text.trim_end();
            format!("**{}**{}", escape(kept), " ".repeat(text.len() - kept.len()))
        }
        Span::Link(text, target) => format!("[{}]({target})", code(text)),
        Span::Prose(text) => prose(text),
    }
}

/// Code between as many backticks as it takes.
fn code(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if longest == 0 { format!("`{text}`") } else { format!("{fence} {text} {fence}") }
}

/// The author's text: signs of HTML escaped outside of code.
fn prose(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let closed = parts.len() % 2 == 1;
    let mut out = String::with_capacity(text.len());
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            out.push('`');
        }
        if at % 2 == 1 && closed { out.push_str(part) } else { out.push_str(&escape(part)) }
    }
    out
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
