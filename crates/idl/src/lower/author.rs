//! What is reported to an author when a declaration is read, not to a client when it is used: limits
//! that no value satisfies, defaults outside of them, formats nobody checks, enums without values,
//! lists by keys without keys.

use ordain_schema::{ListType, Node, Validation, formats};
use ordain_value::{Value, json};

use super::{Form, Lowering};
use crate::diagnostic::Diagnostic;
use crate::source::Pos;

/// What is looked at once a place has all that its type and its own comment say.
#[derive(Clone, Copy, Default)]
pub(super) struct Written {
    /// Place of the field or type.
    pub pos: Option<Pos>,
    /// Place of its default.
    pub default: Option<Pos>,
    /// Whether the place itself limits its values.
    pub limits: bool,
    /// Whether the place itself is tagged as an enum.
    pub enumeration: bool,
}

impl Lowering<'_> {
    /// Reports what is wrong with a place.
    pub(super) fn look_at(&mut self, node: &Node, written: Written) {
        let Some(pos) = written.pos else { return };
        let empty = Validation::default();
        let own = node.validation.as_deref().unwrap_or(&empty);
        if written.limits {
            self.limits(own, pos);
            self.format(node, own, pos);
        }
        // Native kinds leave values that only other packages' constants have to their rules.
        if written.enumeration && own.enumeration.is_empty() && self.form == Form::Declared {
            let message = "tag `+enum` on a type without values";
            self.error(pos, message, "declare string constants of the type");
        }
        if node.list_type == Some(ListType::Map) && node.list_map_keys.is_empty() {
            let message = "a list of type map has no keys";
            self.error(pos, message, "add `+listMapKey` for each field that tells items apart");
        }
        if let (Some(default), Some(at)) = (&node.default, written.default)
            && let Some(why) = outside(default, own)
        {
            let message = format!("the default {} {why}", json::encode_string(default));
            self.error(at, message, "change the default or the limit");
        }
    }

    fn limits(&mut self, own: &Validation, pos: Pos) {
        let sizes = [
            ("length", own.min_length, own.max_length),
            ("number of items", own.min_items, own.max_items),
            ("number of keys", own.min_properties, own.max_properties),
        ];
        for (what, least, most) in sizes {
            if let (Some(least), Some(most)) = (least, most)
                && least > most
            {
                let message = format!(
                    "no value satisfies the limits: {what} of at least {least} and at most {most}"
                );
                self.error(pos, message, "look at the limits of the type as well");
            }
        }
        if let (Some(least), Some(most)) = (own.minimum, own.maximum) {
            let open = own.exclusive_minimum || own.exclusive_maximum;
            if least > most || (least == most && open) {
                let message = format!("no value satisfies the limits {least} and {most}");
                self.error(pos, message, "look at the limits of the type as well");
            }
        }
    }

    fn format(&mut self, node: &Node, own: &Validation, pos: Pos) {
        let ty = node.ty.name();
        if own.format.is_empty() || ty != "string" || formats::is_declared(&own.format) {
            return;
        }
        let message = format!("format `{}` is not known, and nothing would check it", own.format);
        let help = format!("the formats are {}", formats::declared_names().join(", "));
        self.error(pos, message, &help);
    }

    /// A gated field that is required once its gate is on makes old objects invalid then.
    pub(super) fn look_at_gate(&mut self, pos: Pos, gated: bool, required: bool) {
        if gated && required {
            let message = "a gated field is required: objects from before its gate was on lack it";
            let help = "make it optional, or give it a default";
            self.diagnostics.push(Diagnostic::warning("gated-required", pos, message).help(help));
        }
    }
}

/// Why a value is none of those that a place allows.
fn outside(value: &Value, own: &Validation) -> Option<String> {
    if !own.enumeration.is_empty() && !own.enumeration.contains(value) {
        let values: Vec<String> = own.enumeration.iter().map(json::encode_string).collect();
        return Some(format!("is none of {}", values.join(", ")));
    }
    let size = match value {
        Value::Str(text) => Some((text.chars().count(), own.min_length, own.max_length)),
        Value::List(list) => Some((list.len(), own.min_items, own.max_items)),
        Value::Map(map) => Some((map.len(), own.min_properties, own.max_properties)),
        _ => None,
    };
    if let Some((size, least, most)) = size {
        let size = i64::try_from(size).unwrap_or(i64::MAX);
        if least.is_some_and(|it| size < it) || most.is_some_and(|it| size > it) {
            return Some(format!("has a size of {size}, outside of its limits"));
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "limits are floats")]
    let number = match value {
        Value::Int(it) => Some(*it as f64),
        Value::Float(it) => Some(*it),
        _ => None,
    };
    let number = number?;
    let below = |least: f64| number < least || (own.exclusive_minimum && number == least);
    let above = |most: f64| number > most || (own.exclusive_maximum && number == most);
    (own.minimum.is_some_and(below) || own.maximum.is_some_and(above))
        .then(|| "is outside of its limits".to_owned())
}
