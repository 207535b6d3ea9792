//! Pages as HTML, each complete in itself.

use super::page::{Block, Page, Span};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1b1b1b;background:#fff}\
table{border-collapse:collapse;width:100%;margin:1rem 0}th,td{border:1px solid #ccc;padding:.4rem .6rem;text-align:left;vertical-align:top}\
th{background:#f4f4f4}code{background:#f4f4f4;padding:.1em .3em;border-radius:.2em;overflow-wrap:anywhere}\
pre{background:#f4f4f4;padding:1rem;overflow-x:auto}pre code{padding:0}h2{border-bottom:1px solid #ccc}\
nav ul{list-style:none;padding:0;columns:16rem}nav .l3{margin-left:1rem}h2:target,h3:target{background:#fff6d6}\
@media(prefers-color-scheme:dark){body{background:#161616;color:#e6e6e6}th,code,pre{background:#262626}th,td,h2{border-color:#444}a{color:#8ab4f8}h2:target,h3:target{background:#3a3413}}";

pub(super) fn write(page: &Page) -> String {
    let title = escape(&page.title);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"generator\" content=\"{}\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n",
        super::MARK
    );
    out.push_str(&contents(page));
    for block in &page.blocks {
        out.push_str(&self::block(block));
    }
    out.push_str("</body>\n</html>\n");
    out
}

/// Links to the parts of a page that has several.
fn contents(page: &Page) -> String {
    let entries: Vec<String> = page
        .blocks
        .iter()
        .filter_map(|block| match block {
            Block::Heading(level, anchor, spans) => Some(format!(
                "<li class=\"l{level}\"><a href=\"#{}\">{}</a></li>\n",
                escape(anchor),
                line(spans)
            )),
            _ => None,
        })
        .collect();
    if entries.len() < 2 {
        return String::new();
    }
    format!("<nav>\n<ul>\n{}</ul>\n</nav>\n", entries.concat())
}

fn block(block: &Block) -> String {
    match block {
        Block::Heading(level, anchor, spans) => {
            format!("<h{level} id=\"{}\">{}</h{level}>\n", escape(anchor), line(spans))
        }
        Block::Paragraph(spans) => format!("<p>{}</p>\n", line(spans)),
        Block::Prose(text) => {
            text.split("\n\n").map(|part| format!("<p>{}</p>\n", prose(part))).collect()
        }
        Block::List(items) => {
            let items: String =
                items.iter().map(|item| format!("<li>{}</li>\n", line(item))).collect();
            format!("<ul>\n{items}</ul>\n")
        }
        Block::Table(head, rows) => {
            let head: String =
                head.iter().map(|cell| format!("<th>{}</th>", escape(cell))).collect();
            let rows: String = rows
                .iter()
                .map(|row| {
                    let cells = row.iter().map(|cell| {
                        let lines: Vec<String> = cell.iter().map(|spans| line(spans)).collect();
                        format!("<td>{}</td>", lines.join("<br>"))
                    });
                    format!("<tr>{}</tr>\n", cells.collect::<String>())
                })
                .collect();
            format!("<table>\n<tr>{head}</tr>\n{rows}</table>\n")
        }
        Block::Code(language, text) => {
            format!("<pre><code class=\"language-{language}\">{}</code></pre>\n", escape(text))
        }
    }
}

fn line(spans: &[Span]) -> String {
    spans
        .iter()
        .map(|span| match span {
            Span::Text(text) => escape(text),
            Span::Code(text) if text.is_empty() => String::new(),
            Span::Code(text) => format!("<code>{}</code>", escape(text)),
            Span::Strong(text) => format!("<strong>{}</strong>", escape(text)),
            Span::Link(text, target) => {
                format!("<a href=\"{}\"><code>{}</code></a>", escape(target), escape(text))
            }
            Span::Prose(text) => prose(text),
        })
        .collect()
}

/// The author's text: backticks mark code, lines stay lines.
fn prose(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    let closed = parts.len() % 2 == 1;
    let mut out = String::new();
    for (at, part) in parts.iter().enumerate() {
        match at % 2 {
            1 if closed => out.push_str(&format!("<code>{}</code>", escape(part))),
            1 => out.push_str(&format!("`{}", escape(part))),
            _ if at > 0 && !closed => out.push_str(&format!("`{}", escape(part))),
            _ => out.push_str(&escape(part)),
        }
    }
    out.replace("\n\n", "<br><br>").replace("\n ", "<br> ").replace("\n-", "<br>-")
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
