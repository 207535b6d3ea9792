//! Constraints on updates.

use std::collections::BTreeSet;

use ordain_schema::native::{Level, Rule, UpdateConstraint, UpdateSetness};

use super::check::Outcome;
use super::context::{Context, LineTag, Refusal};
use super::discover::Discovery;
use super::gotype::GoKind;
use super::rule::{Function, Rules};
use crate::tags::newer;

/// What the tags of a field said so far.
#[derive(Clone, Debug, Default)]
pub(super) struct UpdateMeta {
    constraints: BTreeSet<UpdateConstraint>,
    level: Option<Level>,
}

impl<'u> Discovery<'u> {
    pub(super) fn update(&mut self, context: &Context<'u>, tag: &LineTag) -> Outcome {
        let word = tag.tag.value.text();
        let constraint = match word {
            "NoSet" => UpdateConstraint::NoSet,
            "NoUnset" => UpdateConstraint::NoUnset,
            "NoModify" => UpdateConstraint::NoModify,
            _ => {
                let message = format!("unknown +k8s:update constraint: {word}");
                let newer = newer::value_release("k8s:update", word);
                let help = "use NoSet, NoUnset or NoModify";
                return Err(Refusal::new(tag.pos(), message).help(help).newer(newer));
            }
        };
        let base_kind = self.universe.go_kind(self.universe.native_base(context.ty));
        let pointer = self.universe.go_kind(context.ty) == GoKind::Pointer;
        if matches!(base_kind, GoKind::Slice | GoKind::Map) {
            let message =
                format!("+k8s:update={word} is currently not supported on list or map fields");
            return Err(Refusal::new(tag.pos(), message).help("use +k8s:immutable"));
        }
        if base_kind == GoKind::Struct && !pointer && constraint != UpdateConstraint::NoModify {
            let message = format!(
                "+k8s:update={word} cannot be used on non-pointer struct fields (they cannot be unset)"
            );
            return Err(Refusal::new(tag.pos(), message).help("make the field a pointer"));
        }
        let meta = self.updates.entry(context.path.clone()).or_default();
        meta.level = context.level;
        meta.constraints.insert(constraint);
        Ok(Rules::default())
    }

    /// The rule a field's constraints amount to.
    pub(super) fn update_rules(&mut self, context: &Context<'u>) -> Outcome {
        let Some(meta) = self.updates.get(&context.path) else { return Ok(Rules::default()) };
        let base = self.universe.native_base(context.ty);
        let setness = if self.universe.go_kind(context.ty) == GoKind::Pointer {
            UpdateSetness::Pointer
        } else if self.universe.go_kind(base) == GoKind::Struct {
            UpdateSetness::Struct
        } else {
            UpdateSetness::Value
        };
        let constraints = meta.constraints.iter().copied().collect();
        let function = Function::new(Rule::Update { constraints, setness })
            .short_circuit()
            .level(context.level.or(meta.level));
        Ok(Rules::of(function))
    }
}
