//! Estimated costs of the extension libraries' calls.

use crate::ast::{Const, Expr};
use crate::cost::{CallEstimate, Cost, LIST_CREATE, Node, STRING_TRAVERSAL_FACTOR, Size};

/// The estimate for an overload of the lists (version 3) and sets libraries.
#[must_use]
pub fn extension(
    overload: &str,
    target: Option<&Node<'_>>,
    args: &[Node<'_>],
    size_of: &dyn Fn(&Node<'_>) -> Size,
) -> Option<CallEstimate> {
    match (overload, target, args) {
        ("list_slice", Some(target), [start, end]) => {
            let size = size_of(target);
            let length = int_value(end, size.max).wrapping_sub(int_value(start, 0));
            list_call(1.0, Size::exactly(length))
        }
        ("list_flatten", Some(target), []) => list_call(1.0, size_of(target)),
        #[expect(clippy::cast_precision_loss, reason = "estimates are computed in floating point")]
        ("list_flatten_int", Some(target), [depth]) => {
            list_call(int_value(depth, u64::MAX) as f64, size_of(target))
        }
        ("lists_range", None, [end]) => list_call(1.0, Size::exactly(int_value(end, u64::MAX))),
        ("list_reverse", Some(target), []) => list_call(1.0, size_of(target)),
        ("list_distinct", Some(target), []) => self_compare(2.0, size_of(target)),
        ("list_sets_contains_list" | "list_sets_intersects_list", _, [a, b]) => {
            sets(1.0, size_of(a), size_of(b))
        }
        ("list_sets_equivalent_list", _, [a, b]) => sets(2.0, size_of(a), size_of(b)),
        _ => sort(overload, target, args, size_of),
    }
}

fn sort(
    overload: &str,
    target: Option<&Node<'_>>,
    args: &[Node<'_>],
    size_of: &dyn Fn(&Node<'_>) -> Size,
) -> Option<CallEstimate> {
    let name = overload.strip_prefix("list_")?;
    let (ty, sorted) =
        match (name.strip_suffix("_sort"), name.strip_suffix("_sortByAssociatedKeys")) {
            (Some(ty), _) if args.is_empty() => (ty, target?),
            (_, Some(ty)) if target.is_some() => (ty, args.first()?),
            _ => return None,
        };
    let text = matches!(ty, "string" | "bytes");
    let factor = if text { 2.0 + STRING_TRAVERSAL_FACTOR } else { 2.0 };
    self_compare(factor, size_of(sorted))
}

fn self_compare(factor: f64, size: Size) -> Option<CallEstimate> {
    list_call(factor, size.multiply(size))
}

fn list_call(factor: f64, size: Size) -> Option<CallEstimate> {
    let cost = size.times_factor(factor).add(Cost::exactly(1)).add(Cost::exactly(LIST_CREATE));
    Some(CallEstimate { cost, result_size: Some(size) })
}

fn sets(factor: f64, a: Size, b: Size) -> Option<CallEstimate> {
    let cost = a.multiply(b).times_factor(factor).add(Cost::exactly(1));
    Some(CallEstimate { cost, result_size: None })
}

/// The number of a literal, with nothing below zero.
fn int_value(node: &Node<'_>, default: u64) -> u64 {
    match node.expr() {
        Expr::Const(Const::Int(number)) => u64::try_from(*number).unwrap_or(0),
        _ => default,
    }
}
