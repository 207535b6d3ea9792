//! What was found, ready to be shown: it holds all it needs of its source.

use ordain_value::yaml::Span;

use crate::manifest::Manifest;
use crate::source::{Source, Unreadable};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The server refuses the object.
    Error,
    /// The server takes the object and complains, or would complain about a new one.
    Warning,
}

impl Severity {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        }
    }
}

/// The object that a finding is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectRef {
    pub api_version: String,
    pub kind: String,
    pub namespace: String,
    pub name: String,
}

impl ObjectRef {
    /// The object that a manifest describes.
    pub(crate) fn of(manifest: &Manifest) -> ObjectRef {
        ObjectRef {
            api_version: manifest.gvk.group_version().to_string(),
            kind: manifest.gvk.kind.to_string(),
            namespace: manifest.namespace().to_owned(),
            name: manifest.name().to_owned(),
        }
    }
}

impl std::fmt::Display for ObjectRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = if self.kind.is_empty() { "object" } else { &self.kind };
        match (self.namespace.as_str(), self.name.as_str()) {
            (_, "") => write!(f, "{kind} without a name"),
            ("", name) => write!(f, "{kind} {name}"),
            (namespace, name) => write!(f, "{kind} {namespace}/{name}"),
        }
    }
}

/// A place in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    pub file: String,
    /// From 1; columns count characters.
    pub line: usize,
    pub column: usize,
    pub end_line: usize,
    pub end_column: usize,
    /// The line of the start, without its end; of a very long one the part around the place.
    pub excerpt: String,
    /// Characters of the line before the excerpt.
    pub skipped: usize,
    /// Bytes of the source.
    pub bytes: std::ops::Range<usize>,
}

impl Location {
    /// The beginning of a line.
    #[must_use]
    pub fn of_line(file: &str, line: usize) -> Location {
        let file = file.to_owned();
        Location { file, line, column: 1, end_line: line, end_column: 1, ..Location::default() }
    }
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub severity: Severity,
    /// A stable name of what was found; see [`RULES`].
    pub id: &'static str,
    /// The `reason` of the cause in the server's answer; empty when it has none.
    pub reason: &'static str,
    /// The field, as the server names it; empty when it is about the whole object.
    pub field: String,
    /// The server's own words, without the field.
    pub message: String,
    pub help: Option<String>,
    pub object: Option<ObjectRef>,
    pub location: Location,
    /// The policy that says so, when it is one.
    pub policy: Option<Box<PolicyRef>>,
}

/// A policy that an object violates, and where it is defined.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PolicyRef {
    pub name: String,
    /// Empty if no binding is concerned.
    pub binding: String,
    /// The expression that says so; empty if it is none in particular.
    pub expression: String,
    /// The place of the expression, or of the policy.
    pub location: Location,
}

impl PolicyRef {
    /// `policy.yaml:12:17`
    #[must_use]
    pub fn place(&self) -> String {
        let at = &self.location;
        format!("{}:{}:{}", at.file, at.line, at.column)
    }
}

/// All ids of findings with a line on each.
pub const RULES: [(&str, &str); 20] = [
    ("syntax", "The text is no YAML or JSON that holds objects."),
    ("not-manifest", "A file that was named holds no manifest but something else."),
    ("dangling-link", "A link in a folder leads nowhere."),
    ("duplicate-key", "A key stands twice in one mapping; strict decoding refuses it."),
    ("no-type", "apiVersion or kind is missing, so nothing can judge the object."),
    ("no-schema", "No schema is known for the kind, so the object was not checked."),
    ("unreadable", "The server cannot decode the object (400 Bad Request)."),
    ("unknown-field", "The schema does not know the field; strict decoding refuses it."),
    ("dropped-field", "The server takes the field out: its gate is off, or its union moved on."),
    ("invalid", "The server refuses the object (422 Unprocessable Entity)."),
    ("duplicate-item", "Two items of a keyed list have one key; server-side apply refuses it."),
    ("rejected", "The kind was asked to be rejected."),
    ("rules-unchecked", "Rules were not evaluated because of the object's other errors."),
    ("ratcheted", "Invalid, but unchanged since the base; the server lets it pass."),
    (
        "left-to-overlay",
        "Invalid as it stands; a kustomization changes the place before it is sent.",
    ),
    ("deprecated-version", "The version of the kind is deprecated."),
    ("warning", "The server takes the object with a warning."),
    ("policy-denied", "An admission policy refuses the object."),
    ("policy-warned", "The object violates an admission policy that only warns."),
    (
        "policy-undecided",
        "The verdict of an admission policy depends on objects that are not there.",
    ),
];

impl Finding {
    /// A finding about a place; nothing else is known of it.
    #[must_use]
    pub fn new(
        severity: Severity,
        id: &'static str,
        message: impl Into<String>,
        location: Location,
    ) -> Finding {
        Finding {
            severity,
            id,
            reason: "",
            field: String::new(),
            message: message.into(),
            help: None,
            object: None,
            location,
            policy: None,
        }
    }

    /// `spec.size: Invalid value: 3: …`, as in the server's Status message.
    #[must_use]
    pub fn text(&self) -> String {
        if self.field.is_empty() || self.id == "unknown-field" {
            self.message.clone()
        } else {
            format!("{}: {}", self.field, self.message)
        }
    }
}

/// The message about a link in a folder that leads nowhere.
#[must_use]
pub fn dangling(unreadable: &Unreadable) -> Finding {
    let message = format!("the link leads nowhere: {}", unreadable.why);
    let location = Location::of_line(&unreadable.path, 1);
    Finding::new(Severity::Warning, "dangling-link", message, location)
}

/// The place of a span in a source.
#[must_use]
pub fn location(source: &Source, span: &Span) -> Location {
    let text = &source.text;
    let start = span.bytes.start.min(text.len());
    let end = span.bytes.end.clamp(start, text.len());
    // A file may be one line: what is kept and looked at does not grow with it.
    let from = boundary(text, start.saturating_sub(EXCERPT_BYTES)).min(start);
    let to = boundary(text, start.saturating_add(EXCERPT_BYTES).min(text.len()));
    let line_start = text[from..start].iter().rposition(|it| *it == b'\n');
    let line_start = line_start.map_or(from, |at| from + at + 1);
    let line_end = text[start..to.max(start)].iter().position(|it| *it == b'\n');
    let line_end = line_end.map_or(to.max(start), |at| start + at);
    let before = String::from_utf8_lossy(&text[line_start..start]).chars().count();
    let excerpt = String::from_utf8_lossy(&text[line_start..line_end]);
    let excerpt = excerpt.trim_end_matches('\r').to_owned();
    let inside = &text[start..end];
    let breaks = inside.iter().filter(|it| **it == b'\n').count();
    let last = inside.iter().rposition(|it| *it == b'\n').map_or(inside, |at| &inside[at + 1..]);
    let width = String::from_utf8_lossy(last).chars().count();
    let (line, column) = (span.line.max(1), span.column.max(1));
    let end_column = if breaks == 0 { column + width } else { width + 1 };
    Location {
        file: source.name.clone(),
        line,
        column,
        end_line: line + breaks,
        end_column,
        excerpt,
        skipped: (column - 1).saturating_sub(before),
        bytes: start..end,
    }
}

/// Bytes of a line that are kept before and behind a place.
pub(crate) const EXCERPT_BYTES: usize = 1024;

/// The next place at or behind `at` where a character starts.
pub(crate) fn boundary(text: &[u8], at: usize) -> usize {
    let is_inside = |byte: &u8| byte & 0b1100_0000 == 0b1000_0000;
    at + text[at..].iter().take(3).take_while(|it| is_inside(it)).count()
}
