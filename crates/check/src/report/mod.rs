//! Findings as text for people and in the formats that other tools read.

mod gitlab;
mod junit;
mod sarif;
mod text;
mod values;

use crate::outcome::Outcome;

/// The forms of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Text,
    Json,
    Yaml,
    Junit,
    Tap,
    Sarif,
    Github,
    Gitlab,
}

impl Format {
    /// All forms by name.
    pub const ALL: [(&str, Format); 8] = [
        ("text", Format::Text),
        ("json", Format::Json),
        ("yaml", Format::Yaml),
        ("junit", Format::Junit),
        ("tap", Format::Tap),
        ("sarif", Format::Sarif),
        ("github", Format::Github),
        ("gitlab", Format::Gitlab),
    ];

    /// Whether reports name every source, also one without findings.
    #[must_use]
    pub fn lists_sources(self) -> bool {
        matches!(self, Format::Junit | Format::Tap)
    }

    #[must_use]
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.iter().find(|(it, _)| *it == name).map(|(_, format)| *format)
    }
}

/// How text looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    pub colours: bool,
    /// Close with a line of counts.
    pub summary: bool,
}

/// Writes a report.
#[must_use]
pub fn write(outcome: &Outcome, format: Format, style: Style) -> String {
    match format {
        Format::Text => text::write(outcome, style),
        Format::Json => ordain_value::json::encode_pretty(&values::report(outcome)) + "\n",
        Format::Yaml => ordain_value::yaml::encode_unfolded(&values::report(outcome)),
        Format::Junit => junit::write(outcome),
        Format::Tap => text::tap(outcome),
        Format::Sarif => sarif::write(outcome),
        Format::Github => text::github(outcome),
        Format::Gitlab => gitlab::write(outcome),
    }
}
