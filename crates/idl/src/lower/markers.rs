//! Kubebuilder's markers on types that a declared kind takes from another package: the author of
//! the shared type meant them, so they hold here too. What has no place in a declared kind is a
//! warning where it stands.

use ordain_schema::Type;

use super::Lowering;
use super::overlay::Overlay;
use crate::diagnostic::Diagnostic;
use crate::go::comment::DocLine;
use crate::proposals::ValidationRule;
use crate::source::{FileId, Pos};
use crate::tags::marker::{MarkerValue, Target, lookup, parse};

const PREFIX: &str = "kubebuilder:validation:";

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
            let value = args.get("");
            let arg = |name: &str| args.get(name).and_then(MarkerValue::as_str).map(str::to_owned);
            let read = match found.name.strip_prefix(PREFIX) {
                Some("XValidation") => {
                    overlay.constraints.rules.push(ValidationRule {
                        rule: arg("rule").unwrap_or_default(),
                        message: arg("message"),
                        message_expression: arg("messageExpression"),
                        reason: arg("reason"),
                        field: arg("fieldPath"),
                        pos: Some(pos),
                    });
                    true
                }
                Some(name) => limit(name, value, overlay),
                None if found.name == "kubebuilder:default" => {
                    overlay.default = value.map(MarkerValue::to_json);
                    true
                }
                None if found.name == "kubebuilder:example" => true,
                // Markers of kinds and of other generators say nothing about a shared type.
                None => !found.name.starts_with("kubebuilder:pruning:"),
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

/// Takes a limit over; false when there is nothing for it.
fn limit(name: &str, value: Option<&MarkerValue>, overlay: &mut Overlay) -> bool {
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
        "MaxLength" => own.max_length = int,
        "MinLength" => own.min_length = int,
        "MaxItems" => own.max_items = int,
        "MinItems" => own.min_items = int,
        "MaxProperties" => own.max_properties = int,
        "MinProperties" => own.min_properties = int,
        "Pattern" => own.pattern = text,
        "Format" => own.format = text,
        "Type" => overlay.as_type = text.as_deref().and_then(Type::from_name),
        "Required" => overlay.tags.required = true,
        "Optional" => overlay.tags.optional = true,
        "Enum" => {
            if let Some(MarkerValue::List(values)) = value {
                overlay.enumeration = values.iter().map(MarkerValue::to_json).collect();
            }
        }
        _ => return false,
    }
    true
}
