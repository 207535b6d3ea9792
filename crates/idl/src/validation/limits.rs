//! Limits of length, size and value; formats and forbidden values.

use ordain_schema::native::{Format, Rule};
use ordain_value::Value;

use super::check::Outcome;
use super::context::{Context, LineTag, Refusal};
use super::discover::Discovery;
use super::gotype::GoKind;
use super::rule::{Function, Rules};
use crate::tags::codetag::{TagValue, go_quote};
use crate::tags::newer;

impl<'u> Discovery<'u> {
    pub(super) fn limit(
        &mut self,
        context: &Context<'u>,
        tag: &LineTag,
        name: &'static str,
    ) -> Outcome {
        let universe = self.universe;
        let base = universe.native_base(context.ty);
        let refuse = |message: String| Err(Refusal::new(tag.pos(), message));
        match name {
            "k8s:maxLength" | "k8s:minLength" | "k8s:maxBytes" if !universe.is_go_string(base) => {
                return self.only_on(context, tag, "string types");
            }
            "k8s:minItems" | "k8s:maxItems"
                if !matches!(universe.native_kind(context.ty), GoKind::Slice | GoKind::Array) =>
            {
                let shown = universe.go_root_display_pointers(context.ty);
                return refuse(format!("can only be used on list types ({shown})"));
            }
            "k8s:minimum" | "k8s:maximum" if !universe.is_go_integer(base) => {
                return self.only_on(context, tag, "integer types");
            }
            _ => {}
        }
        let value = match parse_int(tag.tag.value.text()) {
            Ok(value) => value,
            Err(error) => {
                return refuse(format!("failed to parse tag payload as int: {error}"))
                    .map_err(|refusal: Refusal| refusal.help("write a plain decimal number"));
            }
        };
        let sizes =
            matches!(name, "k8s:maxLength" | "k8s:maxBytes" | "k8s:minItems" | "k8s:maxItems");
        if sizes && value < 0 {
            return refuse("must be greater than or equal to zero".into());
        }
        let values = matches!(name, "k8s:minimum" | "k8s:maximum");
        if values && value < 0 && universe.is_go_unsigned(base) {
            let shown = universe.go_root_display(context.ty);
            return refuse(format!(
                "must be greater than or equal to zero for unsigned types ({shown})"
            ));
        }
        let function = match name {
            "k8s:maxLength" => Function::new(Rule::MaxLength(value)),
            // A minimum of nothing is no rule.
            "k8s:minLength" if value <= 0 => return Ok(Rules::default()),
            "k8s:minLength" => Function::new(Rule::MinLength(value)),
            "k8s:maxBytes" => Function::new(Rule::MaxBytes(value)),
            "k8s:minItems" => Function::new(Rule::MinItems(value)),
            "k8s:maxItems" => Function::new(Rule::MaxItems(value)).short_circuit(),
            "k8s:minimum" => Function::new(Rule::Minimum(value)),
            _ => Function::new(Rule::Maximum(value)),
        };
        Ok(Rules::of(function))
    }

    pub(super) fn only_on(&self, context: &Context<'u>, tag: &LineTag, what: &str) -> Outcome {
        let shown = self.universe.go_root_display(context.ty);
        let message = format!("can only be used on {what} ({shown})");
        Err(Refusal::new(tag.pos(), message).help("remove the tag, or change the type"))
    }

    pub(super) fn format(&mut self, context: &Context<'u>, tag: &LineTag) -> Outcome {
        if !self.universe.is_go_string(self.universe.native_base(context.ty)) {
            return self.only_on(context, tag, "string types");
        }
        let word = tag.tag.value.text();
        match Format::from_name(word) {
            Some(format) => Ok(Rules::of(Function::new(Rule::Format(format)))),
            None => {
                let message = format!("unsupported validation format {}", go_quote(word));
                let help = format!("the formats are {}", Format::ALL.map(|it| it.0).join(", "));
                let newer = newer::value_release("k8s:format", word);
                Err(Refusal::new(tag.pos(), message).help(help).newer(newer))
            }
        }
    }

    pub(super) fn neq(&mut self, context: &Context<'u>, tag: &LineTag) -> Outcome {
        let universe = self.universe;
        let base = universe.native_base(context.ty);
        let refuse = |message: String| Err(Refusal::new(tag.pos(), message));
        if !universe.is_direct_comparable(base) {
            let shown = universe.go_root_display(context.ty);
            return refuse(format!(
                "can only be used on comparable types (e.g. string, int, bool), but got {shown}"
            ));
        }
        let mismatch = |what: &str| {
            refuse(format!(
                "type mismatch: field is {what}, but payload is of type {}",
                tag.tag.value.kind_name()
            ))
        };
        let value = if universe.is_go_string(base) {
            match &tag.tag.value {
                TagValue::Str(text) => Value::str(text.as_str()),
                _ => return mismatch("a string"),
            }
        } else if universe.is_go_bool(base) {
            match &tag.tag.value {
                TagValue::Bool(value) => Value::Bool(*value),
                _ => return mismatch("a bool"),
            }
        } else if universe.is_go_integer(base) {
            match &tag.tag.value {
                TagValue::Int(text) => match parse_int(text) {
                    Ok(value) => Value::Int(value),
                    Err(error) => {
                        return refuse(format!("invalid integer value for payload: {error}"));
                    }
                },
                _ => return mismatch("an integer"),
            }
        } else {
            let shown = universe.go_display(base);
            return refuse(format!("unsupported type for 'neq' tag: {shown}"));
        };
        Ok(Rules::of(Function::new(Rule::NotEqual(value))))
    }
}

/// A decimal integer in its shortest form, with upstream's errors.
pub(super) fn parse_int(text: &str) -> Result<i64, String> {
    let quoted = go_quote(text);
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!(
            "parsing {quoted} as int: strconv.Atoi: parsing {quoted}: invalid syntax"
        ));
    }
    let value: i64 = text.parse().map_err(|_| {
        format!("parsing {quoted} as int: strconv.Atoi: parsing {quoted}: value out of range")
    })?;
    if value.to_string() == text {
        Ok(value)
    } else {
        Err(format!("{quoted} is not a valid int value"))
    }
}

pub(super) fn parse_bool(text: &str) -> Result<bool, String> {
    match text {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(format!("{} is not a valid bool value", go_quote(text))),
    }
}
