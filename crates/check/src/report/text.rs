//! Lines of text: for a terminal, as TAP, as workflow commands.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::Style;
use crate::finding::{Finding, Severity};
use crate::outcome::Outcome;

/// Lines longer than this are shown in part.
const EXCERPT_MAX: usize = 160;

struct Paint {
    on: bool,
}

impl Paint {
    fn paint(&self, code: &str, text: &str) -> String {
        if self.on { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

pub(super) fn write(outcome: &Outcome, style: Style) -> String {
    let paint = Paint { on: style.colours };
    let mut out = String::new();
    for finding in &outcome.findings {
        one(finding, &paint, &mut out);
    }
    if style.summary {
        out.push_str(&summary(outcome));
        out.push('\n');
    }
    out
}

/// `7 objects in 3 files: 1 error, 2 warnings`
fn summary(outcome: &Outcome) -> String {
    let count = |number: usize, what: &str| {
        format!("{number} {what}{}", if number == 1 { "" } else { "s" })
    };
    let mut text = format!(
        "{} in {}: {}, {}",
        count(outcome.judged, "object"),
        count(outcome.files, "file"),
        count(outcome.errors(), "error"),
        count(outcome.warnings(), "warning"),
    );
    for (number, what) in [
        (outcome.updates, "judged as a change"),
        (outcome.missing, "without a schema"),
        (outcome.patches, "patches checked"),
        (outcome.encrypted, "encrypted"),
        (outcome.skipped, "skipped"),
    ] {
        if number > 0 {
            let _ = write!(text, ", {number} {what}");
        }
    }
    text
}

fn one(finding: &Finding, paint: &Paint, out: &mut String) {
    let at = &finding.location;
    let colour = match finding.severity {
        Severity::Error => "1;31",
        Severity::Warning => "1;33",
    };
    let head = format!("{}[{}]", finding.severity.name(), finding.id);
    let _ = writeln!(
        out,
        "{}: {}",
        paint.paint(colour, &head),
        paint.paint("1", &printable(&finding.text()))
    );
    let gutter = at.line.to_string().len();
    let pad = " ".repeat(gutter);
    let bar = paint.paint("34", "|");
    let arrow = paint.paint("34", "-->");
    let _ = writeln!(out, "{pad}{arrow} {}:{}:{}", printable(&at.file), at.line, at.column);
    if !at.excerpt.is_empty() {
        let (line, from, width) = excerpt(finding);
        let number = paint.paint("34", &at.line.to_string());
        let _ = writeln!(out, "{pad} {bar}");
        let _ = writeln!(out, "{number} {bar} {line}");
        let caret = paint.paint(colour, &"^".repeat(width));
        let _ = writeln!(out, "{pad} {bar} {}{caret}", " ".repeat(from));
    }
    let equals = paint.paint("34", "=");
    if let Some(help) = &finding.help {
        let _ = writeln!(out, "{pad} {equals} help: {}", printable(help));
    }
    if let Some(object) = &finding.object {
        let _ = writeln!(out, "{pad} {equals} in {}", printable(&object.to_string()));
    }
    out.push('\n');
}

/// The line as shown, where the carets start and how many there are.
fn excerpt(finding: &Finding) -> (String, usize, usize) {
    let at = &finding.location;
    let chars: Vec<char> = at.excerpt.chars().collect();
    let inside = |column: usize| column.saturating_sub(1 + at.skipped);
    let from = inside(at.column).min(chars.len());
    let to = if at.end_line == at.line { inside(at.end_column) } else { chars.len() };
    let to = to.clamp(from, chars.len());
    let cut = if from > EXCERPT_MAX / 2 { from - EXCERPT_MAX / 4 } else { 0 };
    let shown: String = chars[cut..].iter().take(EXCERPT_MAX).collect();
    let more = if chars.len() - cut > EXCERPT_MAX { "…" } else { "" };
    let is_cut = cut > 0 || at.skipped > 0;
    let lead = if is_cut { "…" } else { "" };
    let shift = usize::from(is_cut);
    let width = to.min(cut + EXCERPT_MAX).saturating_sub(from).max(1);
    (format!("{lead}{}{more}", printable(&shown)), from - cut + shift, width)
}

/// Control characters do not reach the terminal; tabs take one column.
pub(super) fn printable(text: &str) -> String {
    text.chars()
        .map(|it| match it {
            '\t' => ' ',
            it if it.is_control() => '\u{fffd}',
            it => it,
        })
        .collect()
}

pub(super) fn tap(outcome: &Outcome) -> String {
    let mut out = String::from("TAP version 13\n");
    let files = by_file(outcome);
    let _ = writeln!(out, "1..{}", files.len());
    for (number, (file, findings)) in files.iter().enumerate() {
        let bad = findings.iter().any(|it| it.severity == Severity::Error);
        let verdict = if bad { "not ok" } else { "ok" };
        // A number sign would begin a directive.
        let file = printable(file).replace('\\', "\\\\").replace('#', "\\#");
        let _ = writeln!(out, "{verdict} {} - {file}", number + 1);
        if findings.is_empty() {
            continue;
        }
        out.push_str("  ---\n  findings:\n");
        for finding in findings {
            let at = &finding.location;
            let mut quoted = Vec::new();
            ordain_value::json::encode_string_to(&finding.text(), &mut quoted);
            let _ = writeln!(
                out,
                "    - severity: {}\n      rule: {}\n      line: {}\n      column: {}\n      message: {}",
                finding.severity.name(),
                finding.id,
                at.line,
                at.column,
                String::from_utf8_lossy(&quoted),
            );
        }
        out.push_str("  ...\n");
    }
    out
}

/// Findings by file, in the order in which files first appear.
pub(super) fn by_file(outcome: &Outcome) -> Vec<(&str, Vec<&Finding>)> {
    let mut files: Vec<(&str, Vec<&Finding>)> =
        outcome.sources.iter().map(|name| (name.as_str(), Vec::new())).collect();
    let mut at: BTreeMap<&str, usize> =
        files.iter().enumerate().rev().map(|(at, (name, _))| (*name, at)).collect();
    for finding in &outcome.findings {
        let file = finding.location.file.as_str();
        let index = *at.entry(file).or_insert_with(|| {
            files.push((file, Vec::new()));
            files.len() - 1
        });
        files[index].1.push(finding);
    }
    files
}

/// Workflow commands of GitHub Actions: annotations on the lines of a pull request.
pub(super) fn github(outcome: &Outcome) -> String {
    let mut out = String::new();
    for finding in &outcome.findings {
        let at = &finding.location;
        let mut message = finding.text();
        if let Some(help) = &finding.help {
            let _ = write!(message, "\nhelp: {help}");
        }
        let _ = writeln!(
            out,
            "::{} file={},line={},col={},endLine={},endColumn={},title={}::{}",
            finding.severity.name(),
            property(&at.file),
            at.line,
            at.column,
            at.end_line,
            at.end_column,
            property(&format!("ordain {}", finding.id)),
            data(&message),
        );
    }
    out
}

fn data(text: &str) -> String {
    printable(&text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A"))
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
