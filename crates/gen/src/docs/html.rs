//! Pages as HTML, each complete in itself: navigation, search and styles need no other file and no
//! network.

use ordain_value::{Value, json};

use super::page::{Block, Cell, FIELD_COLUMNS, FieldRow, Page, Span};

/// Words break between words only; what is too wide scrolls. Colors follow the reader's system, and
/// paper gets neither navigation nor shades.
const STYLE: &str = include_str!("html/style.css");
/// The search box: rows of fields on the page of a kind, fields of all kinds on the first page.
const SCRIPT: &str = include_str!("html/search.js");

/// What a page knows of the others.
pub(super) struct Site {
    /// Titles and files.
    pages: Vec<(String, String)>,
    /// All fields: kind and path, and where they are.
    fields: Value,
}

impl Site {
    pub(super) fn of(pages: &[(String, Page)]) -> Site {
        let mut fields = Vec::new();
        for (file, page) in pages {
            let rows = page.blocks.iter().flat_map(|it| match it {
                Block::Fields(rows) => rows.as_slice(),
                _ => &[],
            });
            for row in rows {
                let label = format!("{} {}", page.title, row.path);
                let target = format!("{file}#{}", row.anchor);
                fields.push(Value::from(vec![Value::from(label), Value::from(target)]));
            }
        }
        let titles = pages.iter().map(|(file, page)| (page.title.clone(), file.clone()));
        Site { pages: titles.collect(), fields: Value::from(fields) }
    }
}

pub(super) fn write(file: &str, page: &Page, site: &Site) -> String {
    let title = escape(&page.title);
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"generator\" content=\"{}\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
        super::MARK
    );
    out.push_str(&navigation(file, site));
    out.push_str(&format!("<main>\n<h1>{title}</h1>\n"));
    out.push_str(&contents(page));
    for block in &page.blocks {
        out.push_str(&self::block(block));
    }
    out.push_str("</main>\n");
    let is_index = site.pages.first().is_some_and(|it| it.1 == file);
    if is_index {
        // A text of JSON ends a script only where it has a tag.
        let fields = json::encode_string(&site.fields).replace('<', "\\u003c");
        out.push_str(&format!("<script type=\"application/json\" id=\"all\">{fields}</script>\n"));
    }
    out.push_str(&format!("<script>\n{SCRIPT}</script>\n</body>\n</html>\n"));
    out
}

/// Links to all pages, and the search box.
fn navigation(file: &str, site: &Site) -> String {
    let links: String = site
        .pages
        .iter()
        .map(|(title, target)| {
            let here = if target == file { " aria-current=\"page\"" } else { "" };
            format!("<a href=\"{}\"{here}>{}</a>\n", escape(target), escape(title))
        })
        .collect();
    format!(
        "<header>\n<input id=\"search\" type=\"search\" placeholder=\"Search fields\" aria-label=\"Search fields\" autocomplete=\"off\">\n<ul id=\"found\" hidden></ul>\n<nav aria-label=\"Pages\">\n{links}</nav>\n</header>\n"
    )
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
            let rows: String =
                rows.iter().map(|row| format!("<tr>{}</tr>\n", cells(row))).collect();
            table("", head, &rows)
        }
        Block::Fields(rows) => {
            let row = |it: &FieldRow| {
                let anchor = escape(&it.anchor);
                let link = format!(
                    "<a class=\"anchor\" href=\"#{anchor}\" aria-label=\"Link to this field\">#</a>"
                );
                let cells = cells(&it.cells).replacen("</td>", &format!("{link}</td>"), 1);
                format!("<tr id=\"{anchor}\">{cells}</tr>\n")
            };
            table(" class=\"fields\"", &FIELD_COLUMNS, &rows.iter().map(row).collect::<String>())
        }
        Block::Code(language, text) => {
            format!("<pre><code class=\"language-{language}\">{}</code></pre>\n", escape(text))
        }
    }
}

fn table(class: &str, head: &[&str], rows: &str) -> String {
    let head: String = head.iter().map(|cell| format!("<th>{}</th>", escape(cell))).collect();
    format!(
        "<div class=\"wide\"><table{class}>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
    )
}

fn cells(row: &[Cell]) -> String {
    let cell = |cell: &Cell| {
        let lines: Vec<String> = cell.iter().map(|spans| line(spans)).collect();
        format!("<td>{}</td>", lines.join("<br>"))
    };
    row.iter().map(cell).collect()
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
            1 => out.push_str(&format!("`{}", linked(part))),
            _ if at > 0 && !closed => out.push_str(&format!("`{}", linked(part))),
            _ => out.push_str(&linked(part)),
        }
    }
    out.replace("\n\n", "<br><br>").replace("\n ", "<br> ").replace("\n-", "<br>-")
}

/// Text in which addresses are links.
fn linked(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = ["https://", "http://"].iter().filter_map(|it| rest.find(it)).min() {
        let (before, from) = rest.split_at(at);
        let ends =
            |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '\'' | ')' | ']' | '}');
        let end = from.find(ends).unwrap_or(from.len());
        let address =
            from.get(..end).unwrap_or(from).trim_end_matches(['.', ',', ';', ':', '!', '?']);
        out.push_str(&escape(before));
        let address_escaped = escape(address);
        out.push_str(&format!("<a href=\"{address_escaped}\">{address_escaped}</a>"));
        rest = from.get(address.len()..).unwrap_or("");
    }
    out.push_str(&escape(rest));
    out
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
