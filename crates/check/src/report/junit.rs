//! JUnit's XML: a test case per file, a failure per finding.

use std::fmt::Write;

use super::text::{by_file, printable};
use crate::finding::Severity;
use crate::outcome::Outcome;

pub(super) fn write(outcome: &Outcome) -> String {
    let files = by_file(outcome);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let failed = |list: &[&crate::Finding]| list.iter().any(|it| it.severity == Severity::Error);
    let suite = format!("ordain {}", outcome.tool.name());
    let failures = files.iter().filter(|(_, list)| failed(list)).count();
    let _ = writeln!(
        out,
        "<testsuites name=\"{suite}\" tests=\"{}\" failures=\"{failures}\" errors=\"0\">",
        files.len()
    );
    let _ = writeln!(
        out,
        "  <testsuite name=\"{suite}\" tests=\"{}\" failures=\"{failures}\" errors=\"0\">",
        files.len()
    );
    for (file, findings) in &files {
        let name = escape(&printable(file));
        if findings.is_empty() {
            let _ = writeln!(out, "    <testcase classname=\"ordain\" name=\"{name}\"/>");
            continue;
        }
        let _ = writeln!(out, "    <testcase classname=\"ordain\" name=\"{name}\">");
        // A test case has one failure at most for most readers: all findings go into its text.
        let mut text = String::new();
        for finding in findings {
            let at = &finding.location;
            // A line of its own for each: what names hold begins none.
            let _ = writeln!(
                text,
                "{}:{}:{}: {}[{}]: {}",
                printable(&at.file),
                at.line,
                at.column,
                finding.severity.name(),
                finding.id,
                printable(&finding.text())
            );
        }
        if failed(findings) {
            let first = findings.iter().find(|it| it.severity == Severity::Error);
            let (id, message) = first.map_or(("", String::new()), |it| (it.id, it.text()));
            let _ = writeln!(
                out,
                "      <failure type=\"{id}\" message=\"{}\">{}</failure>",
                escape(&printable(&message)),
                escape(&text)
            );
        } else {
            let _ = writeln!(out, "      <system-out>{}</system-out>", escape(&text));
        }
        out.push_str("    </testcase>\n");
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

/// Printable text for XML; what XML cannot say at all is replaced.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for it in text.chars() {
        match it {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            it => out.push(it),
        }
    }
    out
}
