//! Scalars that are at hand: operands that are read without being made into values.
//!
//! Most rules compare a field with a constant. Such operands are read in place, and what they
//! cost is charged at once. Whatever is not plain (a missing field, another type, an error, a
//! cost over the limit) is left to the general way, which then has nothing to undo.

use ordain_value::{Map as TreeMap, Value};

use super::{Machine, Slot, holds, shorter_cost};
use crate::library::arithmetic::Op;
use crate::plan::{Attr, CallCost, Charge, FieldKey, Has, Key, Node, NodeId, Order, Root};
use crate::value::{Map, Result, Str, Val, View, ViewRef};

/// A value that needs no storage of its own.
#[derive(Clone, Copy)]
pub(super) enum Scalar<'a> {
    Bool(bool),
    Int(i64),
    Str(&'a str),
}

impl<'a> Scalar<'a> {
    #[inline]
    fn of_value(value: &Val<'a>) -> Option<Self> {
        match value {
            Val::Bool(it) => Some(Self::Bool(*it)),
            Val::Int(it) => Some(Self::Int(*it)),
            Val::Str(Str::Ref(it)) => Some(Self::Str(it)),
            _ => None,
        }
    }

    #[inline]
    fn of_constant(value: &'a Val<'static>) -> Option<Self> {
        match value {
            Val::Bool(it) => Some(Self::Bool(*it)),
            Val::Int(it) => Some(Self::Int(*it)),
            Val::Str(it) => Some(Self::Str(it.as_str())),
            _ => None,
        }
    }

    #[inline]
    fn of_tree(value: &'a Value, ty: ViewRef<'a>) -> Option<Self> {
        match (value, ty.view()) {
            (Value::Bool(it), View::Bool | View::Dyn) => Some(Self::Bool(*it)),
            (Value::Int(it), View::Int | View::Dyn) => Some(Self::Int(*it)),
            (Value::Str(it), View::Str | View::Dyn) => Some(Self::Str(it)),
            _ => None,
        }
    }

    #[inline]
    pub(super) fn value(self) -> Val<'a> {
        match self {
            Self::Bool(it) => Val::Bool(it),
            Self::Int(it) => Val::Int(it),
            Self::Str(it) => Val::Str(Str::Ref(it)),
        }
    }
}

/// What stands under a field, with its type; none if there is nothing.
#[inline]
fn entry<'a>(
    field: &FieldKey,
    map: &'a TreeMap,
    ty: ViewRef<'a>,
) -> Option<(&'a Value, ViewRef<'a>)> {
    match ty.view() {
        View::Dyn => Some((field.entry(map, field.name())?, ViewRef::dynamic())),
        View::Object(fields) => {
            let declared = field.declared(fields)?;
            let value = field.entry(map, &declared.key)?;
            // A null field of an object is an absent one.
            (!value.is_null()).then(|| (value, ty.sibling(declared.view)))
        }
        View::Map(values) => Some((field.entry(map, field.name())?, ty.sibling(*values))),
        _ => None,
    }
}

/// The entries and type of a map of the input.
#[inline]
fn object<'a>(value: &Val<'a>) -> Option<(&'a TreeMap, ViewRef<'a>)> {
    match value {
        Val::Map(Map::View { map, ty }) => Some((map, *ty)),
        _ => None,
    }
}

impl<'a> Machine<'a, '_> {
    /// Charges if the limit allows it, and else nothing.
    #[inline]
    pub(super) fn spend(&mut self, cost: u64) -> bool {
        let total = self.cost.saturating_add(cost);
        if total > self.limit {
            return false;
        }
        self.cost = total;
        true
    }

    /// Follows the fields of an attribute through maps of the input. Gives what is there and
    /// what reading it costs.
    #[inline]
    pub(super) fn place(&self, attr: &'a Attr) -> Option<(&'a Value, ViewRef<'a>, u64)> {
        let (last, front) = attr.qualifiers.split_last()?;
        let (map, ty, cost) = self.container(attr, front.len())?;
        let Key::Field(field) = &last.key else { return None };
        if last.optional {
            return None;
        }
        let (value, ty) = entry(field, map, ty)?;
        Some((value, ty, cost + 1))
    }

    /// The map that the first `count` fields of an attribute lead to.
    #[inline]
    fn container(&self, attr: &'a Attr, count: usize) -> Option<(&'a TreeMap, ViewRef<'a>, u64)> {
        let (mut map, mut ty) = match attr.root {
            Root::Global(slot) => match self.globals.get(slot as usize) {
                Some(Some(Ok(value))) => object(value)?,
                _ => return None,
            },
            Root::Local(slot) => match &self.slots[slot as usize] {
                Slot::Val(value) => object(value)?,
                _ => return None,
            },
            Root::Node(_) => return None,
        };
        let mut cost = u64::from(attr.costs);
        for qualifier in attr.qualifiers.iter().take(count) {
            let Key::Field(field) = &qualifier.key else { return None };
            let (Value::Map(inner), inner_ty) = entry(field, map, ty)? else { return None };
            let mapped =
                matches!(inner_ty.view(), View::Dyn | View::Object(_) | View::Map(_) | View::Bare);
            if qualifier.optional || !mapped {
                return None;
            }
            (map, ty) = (inner, inner_ty);
            cost += 1;
        }
        Some((map, ty, cost))
    }

    /// An operand and what reading it costs.
    #[inline]
    pub(super) fn scalar(&self, id: NodeId) -> Option<(Scalar<'a>, u64)> {
        let Node::Arithmetic { op, left, right, cost } = self.node(id) else {
            return self.leaf(id);
        };
        // Operands are leaves, so that nothing is looked at more than twice.
        let (Scalar::Int(left), left_cost) = self.leaf(*left)? else { return None };
        let (Scalar::Int(right), right_cost) = self.leaf(*right)? else { return None };
        if !cost.is_one() {
            return None;
        }
        let outcome = match op {
            Op::Add => left.checked_add(right),
            Op::Sub => left.checked_sub(right),
            Op::Mul => left.checked_mul(right),
            Op::Div => left.checked_div(right),
            Op::Mod => left.checked_rem(right),
        };
        Some((Scalar::Int(outcome?), left_cost + right_cost + 1))
    }

    #[inline]
    fn leaf(&self, id: NodeId) -> Option<(Scalar<'a>, u64)> {
        match self.node(id) {
            Node::Const(value) => Some((Scalar::of_constant(value)?, 0)),
            Node::Local(slot, costs) => match &self.slots[*slot as usize] {
                Slot::Val(value) => Some((Scalar::of_value(value)?, u64::from(*costs))),
                _ => None,
            },
            Node::Global(slot, costs) => match self.globals.get(*slot as usize) {
                Some(Some(Ok(value))) => Some((Scalar::of_value(value)?, u64::from(*costs))),
                _ => None,
            },
            Node::Attr(attr) => {
                let (value, ty, cost) = self.place(attr)?;
                Some((Scalar::of_tree(value, ty)?, cost))
            }
            _ => None,
        }
    }

    /// An operand, charged.
    #[inline]
    pub(super) fn read_scalar(&mut self, id: NodeId) -> Option<Scalar<'a>> {
        let (scalar, cost) = self.scalar(id)?;
        self.spend(cost).then_some(scalar)
    }

    /// Both operands, charged.
    #[inline]
    pub(super) fn read_scalars(
        &mut self,
        left: NodeId,
        right: NodeId,
    ) -> Option<(Scalar<'a>, Scalar<'a>)> {
        let ((left, left_cost), (right, right_cost)) = (self.scalar(left)?, self.scalar(right)?);
        self.spend(left_cost + right_cost).then_some((left, right))
    }

    /// `left == right` of scalars of one kind, charged.
    #[inline]
    pub(super) fn scalars_equal(
        &mut self,
        left: NodeId,
        right: NodeId,
        cost: &CallCost,
    ) -> Option<bool> {
        let ((left, left_cost), (right, right_cost)) = (self.scalar(left)?, self.scalar(right)?);
        let outcome = match (left, right) {
            (Scalar::Int(a), Scalar::Int(b)) => a == b,
            (Scalar::Str(a), Scalar::Str(b)) => a == b,
            (Scalar::Bool(a), Scalar::Bool(b)) => a == b,
            _ => return None,
        };
        let charge = scalars_cost(cost, left, right)?;
        self.spend(left_cost + right_cost + charge).then_some(outcome)
    }

    /// A comparison of scalars of one kind, charged.
    #[inline]
    pub(super) fn scalars_ordered(
        &mut self,
        order: Order,
        left: NodeId,
        right: NodeId,
        cost: &CallCost,
    ) -> Option<bool> {
        let ((left, left_cost), (right, right_cost)) = (self.scalar(left)?, self.scalar(right)?);
        let outcome = match (left, right) {
            (Scalar::Int(a), Scalar::Int(b)) => holds(order, &a, &b),
            (Scalar::Str(a), Scalar::Str(b)) => holds(order, a, b),
            (Scalar::Bool(a), Scalar::Bool(b)) => holds(order, &a, &b),
            _ => return None,
        };
        let charge = scalars_cost(cost, left, right)?;
        self.spend(left_cost + right_cost + charge).then_some(outcome)
    }

    /// A presence test on a map of the input.
    #[inline]
    pub(super) fn present(&mut self, has: &'a Has) -> Option<Result<bool>> {
        let (map, ty, cost) = self.container(&has.attr, has.attr.qualifiers.len())?;
        if !self.spend(cost + 1) {
            return None;
        }
        Some(match entry(&has.field, map, ty) {
            None => Ok(false),
            // What does not fit its type is an error here too.
            Some((value, ty)) => ty.read(value).map(|_| true),
        })
    }
}

/// What a comparison of two scalars of one kind costs; none if that takes more than a look.
#[inline]
fn scalars_cost(cost: &CallCost, left: Scalar<'_>, right: Scalar<'_>) -> Option<u64> {
    if let Some(custom) = cost.custom
        && let Some(charge) = custom(&[left.value(), right.value()], None)
    {
        return Some(charge);
    }
    match (cost.default, left, right) {
        (Charge::One, ..) => Some(1),
        (Charge::Shorter, Scalar::Str(a), Scalar::Str(b)) => Some(shorter_cost(a, b)),
        (Charge::Shorter, ..) => Some(1),
        _ => None,
    }
}
