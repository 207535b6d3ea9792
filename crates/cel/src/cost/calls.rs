//! Costs of calls.

use super::{
    CallEstimate, Cost, Coster, DYN, EntrySize, Node, REGEX_LENGTH_FACTOR, STRING_TRAVERSAL_FACTOR,
    Size,
};
use crate::ast::{Call, ExprId, Text};

impl<'a> Coster<'a> {
    pub(super) fn cost_call(&mut self, id: ExprId, call: &Call) -> Cost {
        if call.function == DYN
            && let Some(arg) = call.args.first()
        {
            let cost = self.cost(*arg);
            self.copy_sizes(id, *arg);
            return Cost::exactly(1).add(cost);
        }
        let mut arg_costs = Vec::with_capacity(call.args.len());
        let mut args = Vec::with_capacity(call.args.len());
        for arg in &call.args {
            arg_costs.push(self.cost(*arg));
            args.push(self.node(*arg));
        }
        let checked = self.checked;
        let Some(reference) = checked.reference(id) else {
            return Cost::ZERO;
        };
        let mut sum = Cost::ZERO;
        let target = call.target.map(|target| {
            sum = sum.add(self.cost(target));
            self.node(target)
        });
        let mut cost = Cost { min: u64::MAX, max: 0 };
        let mut result_size: Option<Size> = None;
        for overload in reference.overload_ids() {
            let parts = CallParts {
                id,
                function: &call.function,
                overload,
                target: target.as_ref(),
                args: &args,
                arg_costs: &arg_costs,
            };
            let estimate = self.cost_overload(&parts);
            cost = cost.union(estimate.cost);
            result_size = match (result_size, estimate.result_size) {
                (Some(before), Some(size)) => Some(before.union(size)),
                (before, size) => before.or(size),
            };
            if let Some(step) = match overload {
                "index_list" => Some("@items"),
                "index_map" => Some("@values"),
                _ => None,
            } && let Some(container) = call.args.first()
            {
                result_size = self.entry_size(*container).map(|entry| entry.value);
                let path = self.path(*container).child(Text::new_static(step));
                self.set_path(id, path);
            }
            if result_size.is_none() {
                result_size = self.size(id);
            }
        }
        self.set_size(id, result_size);
        sum.add(cost)
    }

    fn cost_overload(&mut self, call: &CallParts<'_, 'a>) -> CallEstimate {
        let estimated =
            self.estimator.estimate_call(call.function, call.overload, call.target, call.args);
        let args = call.arg_costs.iter().fold(Cost::ZERO, |sum, cost| sum.add(*cost));
        if let Some(estimate) = estimated {
            return CallEstimate {
                cost: estimate.cost.add(args),
                result_size: estimate.result_size,
            };
        }
        match call.overload {
            "logical_or" | "logical_and" => logic(call),
            "conditional" => self.conditional(call),
            "add_string" | "add_bytes" | "add_list" => self.concatenation(call, args),
            _ => {
                let (cost, result_size) = traversal(call).unwrap_or((Cost::exactly(1), None));
                CallEstimate { cost: cost.add(args), result_size }
            }
        }
    }

    fn conditional(&mut self, call: &CallParts<'_, 'a>) -> CallEstimate {
        let ([_, truthy, falsy], [condition, truthy_cost, falsy_cost]) =
            (call.args, call.arg_costs)
        else {
            return fixed(Cost::exactly(1));
        };
        let size = size_of(truthy).union(size_of(falsy));
        let entry_size = EntrySize::union(self.entry_size(truthy.id), self.entry_size(falsy.id));
        self.set_entry_size(call.id, entry_size);
        CallEstimate {
            cost: condition.add(truthy_cost.union(*falsy_cost)),
            result_size: Some(size),
        }
    }

    fn concatenation(&mut self, call: &CallParts<'_, 'a>, args: Cost) -> CallEstimate {
        let [left, right] = call.args else {
            return fixed(Cost::exactly(1).add(args));
        };
        let size = size_of(left).add(size_of(right));
        let entry_size = EntrySize::union(self.entry_size(left.id), self.entry_size(right.id));
        self.set_entry_size(call.id, entry_size);
        let cost = if call.overload == "add_list" {
            Cost::exactly(1)
        } else {
            size.times_factor(STRING_TRAVERSAL_FACTOR)
        };
        CallEstimate { cost: cost.add(args), result_size: Some(size) }
    }
}

struct CallParts<'c, 'a> {
    id: ExprId,
    function: &'c str,
    overload: &'c str,
    target: Option<&'c Node<'a>>,
    args: &'c [Node<'a>],
    arg_costs: &'c [Cost],
}

fn fixed(cost: Cost) -> CallEstimate {
    CallEstimate { cost, result_size: None }
}

fn size_of(node: &Node<'_>) -> Size {
    node.computed_size().unwrap_or(Size::UNKNOWN)
}

/// The left side may decide alone.
fn logic(call: &CallParts<'_, '_>) -> CallEstimate {
    let (Some(left), Some(right)) = (call.arg_costs.first(), call.arg_costs.get(1)) else {
        return fixed(Cost::exactly(1));
    };
    fixed(Cost { min: left.min, max: left.add(*right).max })
}

/// Cost and result size of functions that go over their operands.
fn traversal(call: &CallParts<'_, '_>) -> Option<(Cost, Option<Size>)> {
    let traverse = |size: Size| size.times_factor(STRING_TRAVERSAL_FACTOR);
    let target = call.target.map(size_of);
    let sizes: Vec<Size> = call.args.iter().map(size_of).collect();
    Some(match (call.overload, target, &sizes[..]) {
        ("string_format", Some(target), _) => (traverse(target), None),
        ("string_to_bytes", _, [arg]) => {
            let size = Size { min: arg.min, max: arg.max.wrapping_mul(4) };
            (traverse(*arg), Some(size))
        }
        ("bytes_to_string", _, [arg]) => {
            let size = Size { min: arg.min / 4, max: arg.max };
            (traverse(*arg), Some(size))
        }
        ("strings_quote", _, [arg]) => {
            let size =
                Size { min: arg.min.wrapping_add(2), max: arg.max.wrapping_mul(2).wrapping_add(2) };
            (traverse(*arg), Some(size))
        }
        ("starts_with_string" | "ends_with_string", _, [arg]) => (traverse(*arg), None),
        ("in_list", _, [_, list]) => (list.times_factor(1.0), None),
        // One more than the string is long, lest an empty one make any expression free.
        ("matches_string", Some(target), [pattern]) => {
            let text = traverse(target.add(Size::exactly(1)));
            let pattern = pattern.times_factor(REGEX_LENGTH_FACTOR);
            (text.multiply(pattern), None)
        }
        ("contains_string", Some(target), [part]) => {
            (traverse(target).multiply(traverse(*part)), None)
        }
        (
            "less_string"
            | "greater_string"
            | "less_equals_string"
            | "greater_equals_string"
            | "less_bytes"
            | "greater_bytes"
            | "less_equals_bytes"
            | "greater_equals_bytes"
            | "equals"
            | "not_equals",
            _,
            [left, right],
        ) => {
            let max = left.max.min(right.max);
            let size = Size { min: u64::from(max > 0), max };
            (traverse(size), None)
        }
        _ => return None,
    })
}
