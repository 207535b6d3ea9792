//! Constraints: `+minLength`, `+pattern`, `+validationRule` and their like.

use crate::diagnostic::Diagnostic;
use crate::go::comment::DocLine;
use crate::go::literal;
use crate::graph::{Docs, TypeId, Universe};
use crate::lower::{reason_words, wire_reason};
use crate::source::Pos;
use crate::validation::GoKind;

/// What one comment declares about a value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Constraints {
    /// `+format`
    pub format: Option<String>,
    /// `+nameFormat`
    pub name_format: Option<String>,
    /// `+pattern`
    pub pattern: Option<String>,
    /// `+minLength`
    pub min_length: Option<i64>,
    /// `+maxLength`
    pub max_length: Option<i64>,
    /// `+minItems`
    pub min_items: Option<i64>,
    /// `+maxItems`
    pub max_items: Option<i64>,
    /// `+minProperties`
    pub min_properties: Option<i64>,
    /// `+maxProperties`
    pub max_properties: Option<i64>,
    /// `+minimum`
    pub minimum: Option<f64>,
    /// `+maximum`
    pub maximum: Option<f64>,
    /// `+exclusiveMinimum`
    pub exclusive_minimum: bool,
    /// `+exclusiveMaximum`
    pub exclusive_maximum: bool,
    /// `+immutable`
    pub immutable: bool,
    /// `+mutually_exclusive=group`
    pub mutually_exclusive: Option<String>,
    /// `+validationRule`, in order.
    pub rules: Vec<ValidationRule>,
}

/// A CEL rule.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValidationRule {
    /// The expression.
    pub rule: String,
    /// Text of the failure.
    pub message: Option<String>,
    /// Expression for the text of the failure; goes before the text.
    pub message_expression: Option<String>,
    /// Reason of the failure.
    pub reason: Option<String>,
    /// The field the failure is about.
    pub field: Option<String>,
    /// Place of the tag.
    pub pos: Option<Pos>,
}

/// Reads the constraints in the comment of a type or field.
#[must_use]
pub fn constraints(universe: &Universe, docs: &Docs, ty: TypeId) -> (Constraints, Vec<Diagnostic>) {
    let lines = universe.lines(docs.file, docs.closest);
    let mut reader = Reader { universe, ty, out: Constraints::default(), diagnostics: Vec::new() };
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        let (text, used) = joined(&lines, at);
        at += used;
        let trimmed = text.trim_start_matches([' ', '\t']);
        if let Some(tag) = trimmed.strip_prefix('+') {
            let blanks = text.len() - trimmed.len();
            let pos = Pos { file: docs.file, offset: line.offset + blanks as u32 + 1 };
            let (name, value) = tag.split_once('=').unwrap_or((tag, ""));
            reader.tag(name.trim(), value.trim(), pos);
        }
    }
    (reader.out, reader.diagnostics)
}

/// Reads one constraint that is written somewhere else than in the comment of its place.
pub(crate) fn constraint_line(
    universe: &Universe,
    ty: TypeId,
    name: &str,
    value: &str,
    pos: Pos,
) -> (Constraints, Vec<Diagnostic>) {
    let mut reader = Reader { universe, ty, out: Constraints::default(), diagnostics: Vec::new() };
    reader.tag(name, value, pos);
    (reader.out, reader.diagnostics)
}

/// A line, and those after it while a rule goes on: a quote of it is open, or its last letter is a
/// comma.
pub(crate) fn joined(lines: &[DocLine<'_>], at: usize) -> (String, usize) {
    let Some(first) = lines.get(at) else { return (String::new(), 1) };
    let mut text = first.text.to_string();
    let mut used = 1;
    let goes_on = |text: &str| open_quote(text) || text.trim_end().ends_with(',');
    let tag = text.trim_start();
    let spans = tag.starts_with("+validationRule") || tag.starts_with("+rule:");
    while spans && goes_on(&text) {
        let Some(next) = lines.get(at + used) else { break };
        text.push('\n');
        text.push_str(next.text);
        used += 1;
    }
    (text, used)
}

/// Quotes around texts, the longest first.
const QUOTES: [&str; 3] = ["\"\"\"", "\"", "`"];

fn open_quote(text: &str) -> bool {
    let mut open: Option<&str> = None;
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let found = match open {
            Some(quote) => Some(quote).filter(|it| rest.starts_with(it)),
            None => QUOTES.into_iter().find(|it| rest.starts_with(it)),
        };
        let mut step = letter.len_utf8();
        match (open, found) {
            (Some("\""), None) if letter == '\\' => {
                step += rest.chars().nth(1).map_or(0, char::len_utf8);
            }
            (_, Some(quote)) => {
                open = if open.is_some() { None } else { Some(quote) };
                step = quote.len();
            }
            _ => {}
        }
        rest = rest.get(step..).unwrap_or("");
    }
    open.is_some()
}

/// The limits that `+k8s:validation:` states for the place itself, which are known here.
const LIMITS: [&str; 12] = [
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "minProperties",
    "maxProperties",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
];

struct Reader<'u> {
    universe: &'u Universe,
    ty: TypeId,
    out: Constraints,
    diagnostics: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn refuse(&mut self, pos: Pos, message: String, help: &str) {
        self.diagnostics.push(Diagnostic::error("proposal-tag", pos, message).help(help));
    }

    fn tag(&mut self, name: &str, value: &str, pos: Pos) {
        // What is published as a limit is one.
        let published = name.strip_prefix("k8s:validation:");
        if published.is_some_and(|it| !LIMITS.contains(&it)) {
            let message = format!("tag `+{name}` is only published in OpenAPI documents");
            let help = "write the limit with a `+k8s:` tag or `+validationRule` as well";
            self.diagnostics.push(Diagnostic::warning("published-only", pos, message).help(help));
            return;
        }
        match published.unwrap_or(name) {
            "format" => self.out.format = self.text(name, value, pos, "string"),
            "nameFormat" => self.out.name_format = Some(unquoted(value)),
            "pattern" => self.out.pattern = self.text(name, value, pos, "string"),
            "minLength" => self.out.min_length = self.size(name, value, pos, "string"),
            "maxLength" => self.out.max_length = self.size(name, value, pos, "string"),
            "minItems" => self.out.min_items = self.size(name, value, pos, "list"),
            "maxItems" => self.out.max_items = self.size(name, value, pos, "list"),
            "minProperties" => self.out.min_properties = self.size(name, value, pos, "map"),
            "maxProperties" => self.out.max_properties = self.size(name, value, pos, "map"),
            "minimum" => self.out.minimum = self.number(name, value, pos),
            "maximum" => self.out.maximum = self.number(name, value, pos),
            "exclusiveMinimum" => self.out.exclusive_minimum = self.flag(name, value, pos),
            "exclusiveMaximum" => self.out.exclusive_maximum = self.flag(name, value, pos),
            "immutable" => self.out.immutable = self.flag(name, value, pos),
            "mutually_exclusive" => self.out.mutually_exclusive = Some(unquoted(value)),
            "validationRule" => match rule(value) {
                Ok(mut rule) => {
                    rule.pos = Some(pos);
                    self.out.rules.push(rule);
                }
                Err(message) => self.refuse(
                    pos,
                    message,
                    "write it like `+validationRule=\"<CEL>\",message=\"<text>\"`",
                ),
            },
            _ => {}
        }
    }

    /// Whether the type is what the tag is about; an error otherwise.
    fn fits(&mut self, name: &str, pos: Pos, what: &str) -> bool {
        let base = self.universe.native_base(self.ty);
        let kind = self.universe.go_kind(base);
        let fits = match what {
            "string" => self.universe.is_go_string(base),
            "list" => matches!(kind, GoKind::Slice | GoKind::Array),
            "map" => matches!(kind, GoKind::Map | GoKind::Struct),
            _ => self.universe.basic(base).is_some_and(|it| it.is_integer() || it.is_float()),
        };
        if !fits {
            let shown = self.universe.go_display(self.ty);
            let message = format!("tag `+{name}` is about a {what}, not about {shown}");
            self.refuse(pos, message, "remove the tag, or change the type");
        }
        fits
    }

    fn text(&mut self, name: &str, value: &str, pos: Pos, what: &str) -> Option<String> {
        if value.is_empty() {
            self.refuse(pos, format!("tag `+{name}` needs a value"), "write it behind `=`");
            return None;
        }
        self.fits(name, pos, what).then(|| unquoted(value))
    }

    fn size(&mut self, name: &str, value: &str, pos: Pos, what: &str) -> Option<i64> {
        let fits = self.fits(name, pos, what);
        match value.parse::<i64>() {
            Ok(size) if size >= 0 => fits.then_some(size),
            _ => {
                let message = format!("tag `+{name}` needs a whole number, not `{value}`");
                self.refuse(pos, message, "write a number of zero or more");
                None
            }
        }
    }

    fn number(&mut self, name: &str, value: &str, pos: Pos) -> Option<f64> {
        let fits = self.fits(name, pos, "number");
        match value.parse::<f64>() {
            Ok(number) if number.is_finite() => fits.then_some(number),
            _ => {
                let message = format!("tag `+{name}` needs a number, not `{value}`");
                self.refuse(pos, message, "write a number");
                None
            }
        }
    }

    fn flag(&mut self, name: &str, value: &str, pos: Pos) -> bool {
        match value {
            "" | "true" => true,
            "false" => false,
            _ => {
                let message = format!("tag `+{name}` is true or false, not `{value}`");
                self.refuse(pos, message, "write true or false, or nothing");
                false
            }
        }
    }
}

fn unquoted(value: &str) -> String {
    literal::unquote(value).unwrap_or_else(|| value.to_string())
}

/// `"<CEL>",message="…",messageExpression="…",reason=…,field="…"`
fn rule(value: &str) -> Result<ValidationRule, String> {
    let (first, mut rest) = piece(value)?;
    if first.is_empty() {
        return Err("the rule has no expression".into());
    }
    let mut out = ValidationRule { rule: first, ..ValidationRule::default() };
    while let Some(behind) = rest.strip_prefix(',') {
        let (key, value) = behind
            .trim_start()
            .split_once('=')
            .ok_or_else(|| format!("expected name=value, found `{}`", behind.trim()))?;
        let (text, behind) = piece(value)?;
        let slot = match key.trim() {
            "message" => &mut out.message,
            "messageExpression" => &mut out.message_expression,
            "reason" if wire_reason(&text).is_none() => {
                return Err(format!("reason `{text}` is none of {}", reason_words().join(", ")));
            }
            "reason" => &mut out.reason,
            "field" => &mut out.field,
            other => return Err(format!("a rule has no `{other}`")),
        };
        *slot = Some(text);
        rest = behind;
    }
    if rest.trim().is_empty() { Ok(out) } else { Err(format!("unexpected `{}`", rest.trim())) }
}

/// A quoted text or everything up to a comma, and what is behind it.
pub(crate) fn piece(text: &str) -> Result<(String, &str), String> {
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix("\"\"\"") {
        // As it stands: lines are joined, and quotes need no escape.
        let end = rest.find("\"\"\"").ok_or("a quote is not closed")?;
        let (piece, rest) = rest.split_at(end);
        let lines: Vec<&str> = piece.lines().map(str::trim).collect();
        return Ok((lines.join(" ").trim().to_owned(), rest[3..].trim_start()));
    }
    let Some(quote) = text.chars().next().filter(|letter| matches!(letter, '"' | '`')) else {
        let end = text.find(',').unwrap_or(text.len());
        let (piece, rest) = text.split_at(end);
        return Ok((piece.trim().to_string(), rest));
    };
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        if escaped {
            escaped = false;
        } else if letter == '\\' && quote == '"' {
            escaped = true;
        } else if letter == quote {
            let (piece, rest) = text.split_at(at + 1);
            // Line breaks may stand in a rule; Go's own literals do not allow them.
            let plain = piece.replace('\n', "\\n");
            let unquoted =
                if quote == '"' { literal::unquote(&plain) } else { literal::unquote(piece) };
            let unquoted = unquoted.ok_or_else(|| "malformed text in quotes".to_string())?;
            return Ok((unquoted, rest.trim_start()));
        }
    }
    Err("a quote is not closed".into())
}
