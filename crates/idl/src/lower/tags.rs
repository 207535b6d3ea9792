//! What the tags of one comment say about a place, besides the constraints of KEP-4153.

use ordain_schema::Keyword;
use ordain_schema::crd::Column;
use ordain_value::Text;

use crate::diagnostic::Diagnostic;
use crate::go::comment::DocLine;
use crate::source::{FileId, Pos};
use crate::tags::codetag::{self, Tag, Values};

/// The tags of a field or type.
#[derive(Clone, Debug, Default)]
pub(super) struct Tags {
    pub required: bool,
    pub optional: bool,
    pub nullable: bool,
    pub default: Option<(String, Pos)>,
    /// The default is not published.
    pub default_hidden: bool,
    pub list_type: Option<(String, Pos)>,
    pub list_map_keys: Vec<Text>,
    pub map_type: Option<(String, Pos)>,
    pub enumeration: bool,
    pub gates: Vec<Text>,
    pub warnings: Vec<Text>,
    /// The name by which other versions know the field.
    pub conversion_name: Option<Text>,
    pub selectable: Option<Pos>,
    pub columns: Vec<(Column, Pos)>,
    /// Custom error text and reason by keyword.
    pub texts: Vec<(Keyword, Text, Option<Text>)>,
    /// `+contextual(field)=value`: the field counts only where a neighbour has this value.
    pub contextual: Vec<(Text, Text)>,
    /// `+override(path)=+tag`: a tag for a field of a shared type, where it is used here.
    pub overrides: Vec<Override>,
}

/// A tag for a place below the one it is written on.
#[derive(Clone, Debug)]
pub(super) struct Override {
    /// JSON names from here.
    pub path: Vec<Text>,
    /// The tag without its `+`.
    pub tag: String,
    pub pos: Pos,
}

const REASONS: [(&str, &str); 9] = [
    ("Required", "FieldValueRequired"),
    ("Forbidden", "FieldValueForbidden"),
    ("Invalid", "FieldValueInvalid"),
    ("Duplicate", "FieldValueDuplicate"),
    ("NotSupported", "FieldValueNotSupported"),
    ("RequestEntityTooLarge", "FieldValueTooLong"),
    ("TooLong", "FieldValueTooLong"),
    ("TooMany", "FieldValueTooMany"),
    ("NotFound", "FieldValueNotFound"),
];

/// The words for reasons, for people.
pub(crate) fn reason_words() -> Vec<&'static str> {
    REASONS.iter().map(|it| it.0).collect()
}

/// The reason on the wire for a reason in a tag, which may be either.
pub(crate) fn wire_reason(reason: &str) -> Option<Text> {
    REASONS
        .iter()
        .find(|(word, wire)| *word == reason || *wire == reason)
        .map(|(_, wire)| Text::new_static(wire))
}

impl Tags {
    /// Reads the tags in comment lines.
    pub(super) fn read(
        file: FileId,
        lines: &[DocLine<'_>],
        diagnostics: &mut Vec<Diagnostic>,
    ) -> Tags {
        let mut tags = Tags::default();
        for found in codetag::extract("+", lines) {
            let pos = Pos { file, offset: found.offset };
            tags.line(found.name, found.text, pos, diagnostics);
        }
        tags
    }

    /// Reads one tag, written without its `+`.
    pub(super) fn line(
        &mut self,
        name: &str,
        text: &str,
        pos: Pos,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let value = || text.split_once('=').map_or("", |(_, value)| value).trim();
        match name {
            "required" | "k8s:required" => self.required = true,
            "optional" | "k8s:optional" => self.optional = true,
            "nullable" => self.nullable = true,
            "default" => self.default = Some((value().to_owned(), pos)),
            "unpublishedDefault" => self.default_hidden = true,
            "listType" | "k8s:listType" => self.list_type = Some((value().to_owned(), pos)),
            "listMapKey" | "k8s:listMapKey" => self.list_map_keys.push(value().into()),
            "mapType" | "structType" => self.map_type = Some((value().to_owned(), pos)),
            "enum" | "k8s:enum" => self.enumeration = true,
            "k8s:featureGate" => self.gates.push(unquoted(value())),
            // Around another tag it is a rule of the program.
            "k8s:warning" if text.contains("=+") => {}
            "k8s:warning" => self.warnings.push(unquoted(value())),
            "conversionName" => self.conversion_name = Some(unquoted(value())),
            "k8s:selectableField" => self.selectable = Some(pos),
            "k8s:printerColumn" => {
                if let Some(tag) = parse(text, pos, diagnostics) {
                    self.columns.push((column(&tag), pos));
                }
            }
            "validationError" => self.custom_text(text, pos, diagnostics),
            "contextual" => self.context(text, pos, diagnostics),
            "override" => self.override_of(text, pos, diagnostics),
            _ => {}
        }
    }

    fn custom_text(&mut self, text: &str, pos: Pos, diagnostics: &mut Vec<Diagnostic>) {
        let Some(tag) = parse(text, pos, diagnostics) else { return };
        let keyword = tag.args.iter().find(|it| it.name.is_empty() || it.name == "keyword");
        let known = keyword.and_then(|it| Keyword::from_name(&it.value));
        let message = named(&tag, "message").unwrap_or_default();
        let reason = named(&tag, "reason");
        let wire = reason.as_ref().map(|it| wire_reason(it));
        let help = "write it like `+validationError(keyword: \"minLength\", message: \"text\", reason: \"Invalid\")`";
        if known.is_none() || message.is_empty() || wire == Some(None) {
            let message =
                "a custom error text needs a keyword, a message and, if any, a known reason";
            diagnostics.push(Diagnostic::error("proposal-tag", pos, message).help(help));
            return;
        }
        if let Some(known) = known {
            self.texts.push((known, message, wire.flatten()));
        }
    }

    fn context(&mut self, text: &str, pos: Pos, diagnostics: &mut Vec<Diagnostic>) {
        let Some(tag) = parse(text, pos, diagnostics) else { return };
        let field = tag.args.first().map(|it| Text::from(it.value.as_str()));
        let value = unquoted(tag.value.text());
        match field {
            Some(field) if !value.is_empty() => self.contextual.push((field, value)),
            _ => {
                let message = "a contextual field names a neighbour and its value";
                let help = "write it like `+contextual(type)=RollingUpdate`";
                diagnostics.push(Diagnostic::error("proposal-tag", pos, message).help(help));
            }
        }
    }

    fn override_of(&mut self, text: &str, pos: Pos, diagnostics: &mut Vec<Diagnostic>) {
        let path = text.strip_prefix("override(").and_then(|rest| rest.split_once(')'));
        let tag = path.and_then(|(_, rest)| rest.trim().strip_prefix('='));
        let tag = tag.and_then(|rest| rest.trim().strip_prefix('+'));
        match (path, tag) {
            (Some((path, _)), Some(tag)) if !path.trim().is_empty() => {
                let path = path.trim().trim_matches('"').split('.').map(Text::from).collect();
                self.overrides.push(Override { path, tag: tag.trim().to_owned(), pos });
            }
            _ => {
                let message = "an override names a field below and a tag for it";
                let help = "write it like `+override(spec.capacity)=+optional`";
                diagnostics.push(Diagnostic::error("proposal-tag", pos, message).help(help));
            }
        }
    }
}

fn parse(text: &str, pos: Pos, diagnostics: &mut Vec<Diagnostic>) -> Option<Tag> {
    match codetag::parse(text, Values::Raw) {
        Ok(tag) => Some(tag),
        Err(error) => {
            let message = format!("tag `+{text}` cannot be read: {}", error.message);
            diagnostics.push(Diagnostic::error("proposal-tag", pos, message));
            None
        }
    }
}

fn named(tag: &Tag, name: &str) -> Option<Text> {
    tag.args.iter().find(|it| it.name == name).map(|it| Text::from(it.value.as_str()))
}

fn column(tag: &Tag) -> Column {
    let text = |name: &str| named(tag, name).unwrap_or_default();
    Column {
        name: text("name"),
        ty: text("type"),
        format: text("format"),
        description: text("description"),
        priority: text("priority").parse().unwrap_or(0),
        json_path: text("jsonPath"),
    }
}

fn unquoted(text: &str) -> Text {
    let text = text.trim();
    crate::go::literal::unquote(text).map_or_else(|| Text::from(text), Text::from)
}
