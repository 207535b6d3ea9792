//! Required, optional, forbidden.

use ordain_schema::native::{Rule, Setness};
use ordain_value::{Value, json};

use super::check::Outcome;
use super::context::{Context, LineTag, Refusal};
use super::discover::Discovery;
use super::gotype::GoKind;
use super::rule::{Function, Rules};
use crate::graph::{Basic, Type};
use crate::tags::codetag::{self, Values, go_quote};

impl<'u> Discovery<'u> {
    pub(super) fn required(&mut self, context: &Context<'u>, tag: &LineTag) -> Outcome {
        let presence = self.presence(context, tag, "k8s:required")?;
        Ok(Rules::of(Function::new(Rule::Required(presence)).short_circuit()))
    }

    /// Optional with a default means required: defaulting has run before.
    pub(super) fn optional(&mut self, context: &Context<'u>, tag: &LineTag) -> Outcome {
        if let Some(zero) = self.zero_default(context, tag)? {
            if zero && !self.universe.is_nilable(context.ty) {
                return Ok(Rules { comments: 1, ..Rules::default() });
            }
            return self.required(context, tag);
        }
        let presence = self.presence(context, tag, "k8s:optional")?;
        Ok(Rules::of(optional(presence)))
    }

    pub(super) fn forbidden(&mut self, context: &Context<'u>, tag: &LineTag) -> Outcome {
        let presence = self.presence(context, tag, "k8s:forbidden")?;
        let mut rules = Rules::of(Function::new(Rule::Forbidden(presence)).short_circuit());
        rules.functions.push(optional(presence));
        Ok(rules)
    }

    fn presence(
        &self,
        context: &Context<'u>,
        tag: &LineTag,
        name: &str,
    ) -> Result<Setness, Refusal> {
        match self.universe.native_kind(context.ty) {
            GoKind::Slice => Ok(Setness::List),
            GoKind::Map => Ok(Setness::Map),
            GoKind::Pointer => Ok(Setness::Pointer),
            GoKind::Struct => {
                let message = format!("non-pointer structs cannot use the {} tag", go_quote(name));
                Err(Refusal::new(tag.pos(), message)
                    .help("make the field a pointer, or remove the tag"))
            }
            _ => Ok(Setness::Value),
        }
    }

    /// Whether the field has a `+default`, and whether that is the zero value of its type.
    fn zero_default(&self, context: &Context<'u>, tag: &LineTag) -> Result<Option<bool>, Refusal> {
        let refuse = |message: String| Err(Refusal::new(tag.pos(), message));
        let Some(member) = context.member else { return Ok(None) };
        let lines = self.universe.lines(member.docs.file, member.docs.closest);
        let mut defaults = Vec::new();
        for line in codetag::extract("+", &lines) {
            if line.name == "default" {
                match codetag::parse(line.text, Values::Raw) {
                    Ok(tag) => defaults.push(tag.value.text().to_string()),
                    Err(error) => {
                        return refuse(format!("failed to read tags: {}", error.message));
                    }
                }
            }
        }
        let payload = match defaults.as_slice() {
            [] => return Ok(None),
            [one] => one,
            many => {
                let shown: Vec<String> = many.iter().map(|it| go_quote(it)).collect();
                return refuse(format!("+default tag with multiple values: {}", shown.join(" ")));
            }
        };
        let value = match json::decode(payload.as_bytes()) {
            Ok(Value::Null) => {
                return refuse(format!(
                    "failed to parse default value {}: unmarshalled to nil",
                    go_quote(payload)
                ));
            }
            Ok(value) => value,
            Err(error) => {
                return refuse(format!(
                    "failed to parse default value {}: {error}",
                    go_quote(payload)
                ))
                .map_err(|refusal: Refusal| refusal.help("write the default as JSON"));
            }
        };
        let base = self.universe.native_base(context.ty);
        let zero = match self.universe.ty(base) {
            Type::Basic(Basic::Bool) => value == Value::Bool(false),
            Type::Basic(Basic::String) => value == Value::from(""),
            Type::Basic(basic) if basic.is_integer() || basic.is_float() => {
                value == Value::Int(0) || value == Value::Float(0.0)
            }
            Type::Slice(elem)
                if matches!(
                    self.universe.ty(self.universe.unalias(*elem)),
                    Type::Basic(Basic::Byte | Basic::Uint8)
                ) =>
            {
                value == Value::from("")
            }
            Type::Interface(true) | Type::Any => false,
            _ => {
                let shown = self.universe.go_display(base);
                return refuse(format!("unknown zero-value for type {shown}")).map_err(
                    |refusal: Refusal| {
                        let help = "a default beside +k8s:optional only works on scalars";
                        refusal.help(help).newer(Some("1.37"))
                    },
                );
            }
        };
        Ok(Some(zero))
    }
}

fn optional(presence: Setness) -> Function {
    Function::new(Rule::Optional(presence)).short_circuit().non_error()
}
