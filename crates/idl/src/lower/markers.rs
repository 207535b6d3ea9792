//! Kubebuilder's markers in declared types: whoever wrote them meant them, so they hold here too,
//! beside the tags of other families. What has no place in a declared kind is a warning where it
//! stands.

use ordain_schema::model::ExternalDocs;
use ordain_schema::{Node, Type};
use ordain_value::{Text, Value};

use super::Lowering;
use super::overlay::Overlay;
use crate::diagnostic::Diagnostic;
use crate::go::comment::DocLine;
use crate::proposals::ValidationRule;
use crate::source::{FileId, Pos};
use crate::tags::marker::{MarkerValue, Target, lookup, parse};

const PREFIX: &str = "kubebuilder:validation:";

/// What markers say that no other tag does.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Marked {
    multiple_of: Option<f64>,
    unique_items: bool,
    preserve_unknown: bool,
    embedded_resource: bool,
    int_or_string: bool,
    /// The type says nothing about the value.
    schemaless: bool,
    title: Text,
    example: Option<Value>,
    external: Option<ExternalDocs>,
}

impl Marked {
    /// Changes a node to what the markers on it say.
    pub(super) fn apply(self, node: &mut Node) {
        if self.schemaless {
            let (docs, mut declared) = (node.docs.take(), node.declared.take());
            if let Some(declared) = &mut declared {
                (declared.type_name, declared.type_node, declared.go_type) = (None, None, None);
            }
            *node = Node { docs, declared, preserve_unknown: true, ..Node::default() };
        }
        if self.int_or_string {
            node.ty = Type::IntOrString;
        }
        if self.multiple_of.is_some() {
            node.validation_mut().multiple_of = self.multiple_of;
        }
        if self.unique_items {
            node.validation_mut().unique_items = true;
        }
        node.preserve_unknown |= self.preserve_unknown;
        node.embedded_resource |= self.embedded_resource;
        if !self.title.is_empty() {
            node.docs_mut().title = self.title;
        }
        if self.example.is_some() {
            node.docs_mut().example = self.example;
        }
        if self.external.is_some() {
            node.docs_mut().external = self.external;
        }
    }
}

impl Lowering<'_> {
    /// Adds what kubebuilder's markers in a comment say.
    pub(super) fn markers(
        &mut self,
        file: FileId,
        lines: &[DocLine<'_>],
        of_type: bool,
        overlay: &mut Overlay,
    ) {
        let target = if of_type { Target::Type } else { Target::Field };
        for line in lines {
            let text = line.text.trim();
            if !text.starts_with("+kubebuilder:") {
                continue;
            }
            let blanks = line.text.len() - line.text.trim_start().len();
            let pos = Pos { file, offset: line.offset + u32::try_from(blanks).unwrap_or(0) };
            let Some(found) = lookup(text, target) else { continue };
            let (args, errors) = parse(found, text);
            for message in errors {
                self.diagnostics.push(Diagnostic::error("marker", pos, message));
            }
            let read = match found.name.strip_prefix(PREFIX) {
                Some("XValidation") => {
                    overlay.constraints.rules.push(rule(&args, pos));
                    true
                }
                Some(name) => match name.strip_prefix("items:") {
                    Some(name) => {
                        let items = overlay.items.get_or_insert_default();
                        constraint(name, &args, pos, items)
                    }
                    None => constraint(name, &args, pos, overlay),
                },
                None => other(found.name, &args, overlay),
            };
            if !read {
                let message = format!("marker `+{}` has no effect in a declared kind", found.name);
                let help = "write the rule with `+validationRule` or a `+k8s:` tag as well, or \
                            generate a definition from the kind";
                self.diagnostics.push(Diagnostic::warning("marker", pos, message).help(help));
            }
        }
    }
}

type Args = std::collections::BTreeMap<&'static str, MarkerValue>;

fn text_of(args: &Args, name: &str) -> Option<String> {
    args.get(name).and_then(MarkerValue::as_str).map(str::to_owned)
}

fn rule(args: &Args, pos: Pos) -> ValidationRule {
    ValidationRule {
        rule: text_of(args, "rule").unwrap_or_default(),
        message: text_of(args, "message"),
        message_expression: text_of(args, "messageExpression"),
        reason: text_of(args, "reason"),
        field: text_of(args, "fieldPath"),
        pos: Some(pos),
    }
}

/// Takes over a marker that is not about validation; false when nothing holds it.
fn other(name: &str, args: &Args, overlay: &mut Overlay) -> bool {
    let value = args.get("");
    match name {
        "kubebuilder:default" => overlay.default = value.map(MarkerValue::to_json),
        "kubebuilder:example" => overlay.marked.example = value.map(MarkerValue::to_json),
        "kubebuilder:title" => {
            overlay.marked.title = text_of(args, "").unwrap_or_default().into();
        }
        "kubebuilder:externalDocs" => {
            let text = |name| Text::from(text_of(args, name).unwrap_or_default());
            overlay.marked.external =
                Some(ExternalDocs { url: text("url"), description: text("description") });
        }
        "kubebuilder:pruning:PreserveUnknownFields" => overlay.marked.preserve_unknown = true,
        // Markers of kinds are read with the kind; those of other generators say nothing here.
        _ => {}
    }
    true
}

/// Takes over a marker of validation; false when nothing holds it.
fn constraint(name: &str, args: &Args, pos: Pos, overlay: &mut Overlay) -> bool {
    let value = args.get("");
    let number = value.and_then(MarkerValue::as_number);
    let int = value.and_then(MarkerValue::as_int);
    let flag = value.and_then(MarkerValue::as_bool).unwrap_or(false);
    let text = value.and_then(MarkerValue::as_str).map(str::to_owned);
    let own = &mut overlay.constraints;
    match name {
        "Maximum" => own.maximum = number,
        "Minimum" => own.minimum = number,
        "ExclusiveMaximum" => own.exclusive_maximum = flag,
        "ExclusiveMinimum" => own.exclusive_minimum = flag,
        "MultipleOf" => overlay.marked.multiple_of = number,
        "MaxLength" => own.max_length = int,
        "MinLength" => own.min_length = int,
        "MaxItems" => own.max_items = int,
        "MinItems" => own.min_items = int,
        "UniqueItems" => overlay.marked.unique_items = flag,
        "MaxProperties" => own.max_properties = int,
        "MinProperties" => own.min_properties = int,
        "Pattern" => own.pattern = text,
        "Format" => own.format = text,
        "Type" => overlay.as_type = text.as_deref().and_then(Type::from_name),
        "Required" => overlay.tags.required = true,
        "Optional" => overlay.tags.optional = true,
        "XPreserveUnknownFields" => overlay.marked.preserve_unknown = true,
        "XEmbeddedResource" | "EmbeddedResource" => overlay.marked.embedded_resource = true,
        "XIntOrString" => overlay.marked.int_or_string = true,
        "Schemaless" => overlay.marked.schemaless = true,
        "Enum" => {
            if let Some(MarkerValue::List(values)) = value {
                overlay.enumeration = values.iter().map(MarkerValue::to_json).collect();
            }
        }
        "AtMostOneOf" | "ExactlyOneOf" | "AtLeastOneOf" => {
            let fields = value.map(MarkerValue::as_strings).unwrap_or_default();
            if let Some((rule, message)) = one_of_rule(name, &fields) {
                let message = Some(message);
                let rule = ValidationRule { rule, message, pos: Some(pos), ..Default::default() };
                own.rules.push(rule);
            }
        }
        _ => return false,
    }
    true
}

/// The expression that `AtMostOneOf` and its like stand for, and its message; none without fields.
#[must_use]
pub fn one_of_rule(name: &str, fields: &[&str]) -> Option<(String, String)> {
    if fields.is_empty() {
        return None;
    }
    let count: Vec<String> =
        fields.iter().map(|field| format!("(has(self.{field})?1:0)")).collect();
    let shown = fields.join(" ");
    Some(match name {
        "AtMostOneOf" => (
            format!("{} <= 1", count.join("+")),
            format!("at most one of the fields in [{shown}] may be set"),
        ),
        "ExactlyOneOf" => (
            format!("{} == 1", count.join("+")),
            format!("exactly one of the fields in [{shown}] must be set"),
        ),
        _ => {
            let any: Vec<String> =
                fields.iter().map(|field| format!("has(self.{field})")).collect();
            (any.join("||"), format!("at least one of the fields in [{shown}] must be set"))
        }
    })
}
