//! Scalars that are at hand: operands that are read without being made into values.
//!
//! Most rules compare a field with a constant. Such operands are read in place, and what they
//! cost is charged at once. Whatever is not plain (a missing field, another type, an error, a
//! cost over the limit) is left to the general way, which then has nothing to undo.
//!
//! What these functions give fits into registers; the type and the cost go through references.
//! Larger results are written in parts and read whole, which stalls the processor.

use ordain_value::{Map as TreeMap, Value};

use super::cost::shorter_cost;
use super::{Machine, Slot, holds};
use crate::plan::{
    Attr, CallCost, Charge, ConstSet, Count, Has, Key, Node, NodeId, Order, Root, Test, entry,
    is_mapped,
};
use crate::value::{Map, Result, Str, Val, View, ViewRef};

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

    /// Follows the fields of an attribute through maps of the input. Gives what is there, and
    /// adds what reading it costs.
    #[inline]
    pub(super) fn place(
        &self,
        attr: &'a Attr,
        ty: &mut ViewRef<'a>,
        cost: &mut u64,
    ) -> Option<&'a Value> {
        let (last, front) = attr.qualifiers.split_last()?;
        let map = self.container(attr, front.len(), ty, cost)?;
        let Key::Field(field) = &last.key else { return None };
        if last.optional {
            return None;
        }
        *cost += 1;
        entry(field, map, ty)
    }

    /// The map that the first `count` fields of an attribute lead to.
    #[inline]
    fn container(
        &self,
        attr: &'a Attr,
        count: usize,
        ty: &mut ViewRef<'a>,
        cost: &mut u64,
    ) -> Option<&'a TreeMap> {
        let root = match attr.root {
            Root::Global(slot) => self.globals.value(slot)?,
            Root::Local(slot) => self.held(slot)?,
            Root::Node(_) => return None,
        };
        let Val::Map(Map::View { map, ty: of }) = root else { return None };
        let mut map: &'a TreeMap = map;
        *ty = *of;
        *cost += u64::from(attr.costs);
        for qualifier in attr.qualifiers.iter().take(count) {
            let Key::Field(field) = &qualifier.key else { return None };
            let Some(Value::Map(inner)) = entry(field, map, ty) else { return None };
            if qualifier.optional || !is_mapped(*ty) {
                return None;
            }
            map = inner;
            *cost += 1;
        }
        Some(map)
    }

    /// The value in a local slot.
    #[inline]
    fn held(&self, slot: u32) -> Option<&Val<'a>> {
        match self.slots.get(slot as usize) {
            Some(Slot::Val(value)) => Some(value),
            _ => None,
        }
    }

    /// The answer to a test, charged; none if it takes the general way.
    #[inline]
    pub(super) fn test(&mut self, test: &'a Test) -> Option<bool> {
        let mut cost = 0;
        let outcome = self.asked(test, &mut cost)?;
        self.spend(cost).then_some(outcome)
    }

    /// How many tests hold, charged; none if it takes the general way.
    pub(super) fn count(&mut self, count: &'a Count) -> Option<bool> {
        let mut cost = 0;
        let outcome = count.answer(|test, cost| self.asked(test, cost), &mut cost)?;
        self.spend(cost).then_some(outcome)
    }

    #[inline]
    fn asked(&self, test: &Test, cost: &mut u64) -> Option<bool> {
        let root = match test.root {
            Root::Global(slot) => self.globals.value(slot)?,
            Root::Local(slot) => self.held(slot)?,
            Root::Node(_) => return None,
        };
        test.of_root(root, cost)
    }

    /// The value of a variable or a constant, without making one.
    #[inline]
    fn plain(&self, id: NodeId, cost: &mut u64) -> Option<&Val<'a>> {
        match self.node(id) {
            Node::Const(value) => Some(value),
            Node::Local(slot, costs) => {
                *cost += u64::from(*costs);
                self.held(*slot)
            }
            Node::Global(slot, costs) => {
                *cost += u64::from(*costs);
                self.globals.value(*slot)
            }
            _ => None,
        }
    }

    /// A whole number and what reading it costs.
    #[inline]
    pub(super) fn int(&self, id: NodeId, cost: &mut u64) -> Option<i64> {
        let Node::Arithmetic { op, left, right, cost: call } = self.node(id) else {
            return self.int_leaf(id, cost);
        };
        if !call.is_one() {
            return None;
        }
        // Operands are leaves, so that nothing is looked at over and over.
        let (left, right) = (self.int_leaf(*left, cost)?, self.int_leaf(*right, cost)?);
        *cost += 1;
        op.checked(left, right)
    }

    #[inline]
    fn int_leaf(&self, id: NodeId, cost: &mut u64) -> Option<i64> {
        if let Node::Attr(attr) = self.node(id) {
            let mut ty = ViewRef::dynamic();
            return match self.place(attr, &mut ty, cost)? {
                Value::Int(it) if matches!(ty.view(), View::Int | View::Dyn) => Some(*it),
                _ => None,
            };
        }
        match self.plain(id, cost)? {
            Val::Int(it) => Some(*it),
            _ => None,
        }
    }

    /// A text and what reading it costs.
    #[inline]
    fn text(&self, id: NodeId, cost: &mut u64) -> Option<&str> {
        if let Node::Attr(attr) = self.node(id) {
            let mut ty = ViewRef::dynamic();
            return match self.place(attr, &mut ty, cost)? {
                Value::Str(it) if matches!(ty.view(), View::Str | View::Dyn) => Some(it),
                _ => None,
            };
        }
        match self.plain(id, cost)? {
            Val::Str(it) => Some(it.as_str()),
            _ => None,
        }
    }

    /// Reads a truth value, charged.
    #[inline]
    pub(super) fn read_bool(&mut self, attr: &'a Attr) -> Option<bool> {
        let (mut ty, mut cost) = (ViewRef::dynamic(), 0);
        match self.place(attr, &mut ty, &mut cost)? {
            Value::Bool(it) if matches!(ty.view(), View::Bool | View::Dyn) => {
                self.spend(cost).then_some(*it)
            }
            _ => None,
        }
    }

    /// Reads a whole number, charged.
    #[inline]
    pub(super) fn read_int(&mut self, id: NodeId) -> Option<i64> {
        let mut cost = 0;
        let number = self.int(id, &mut cost)?;
        self.spend(cost).then_some(number)
    }

    /// `left == right` of whole numbers or texts, charged.
    #[inline]
    pub(super) fn plain_equal(
        &mut self,
        left: NodeId,
        right: NodeId,
        call: &CallCost,
    ) -> Option<bool> {
        let mut cost = 0;
        let outcome = if let Some(left) = self.int(left, &mut cost) {
            let right = self.int(right, &mut cost)?;
            cost += ints_cost(call, left, right)?;
            left == right
        } else {
            cost = 0;
            let (left, right) = (self.text(left, &mut cost)?, self.text(right, &mut cost)?);
            cost += texts_cost(call, left, right)?;
            left == right
        };
        self.spend(cost).then_some(outcome)
    }

    /// A comparison of whole numbers or texts, charged.
    #[inline]
    pub(super) fn plain_order(
        &mut self,
        order: Order,
        left: NodeId,
        right: NodeId,
        call: &CallCost,
    ) -> Option<bool> {
        let mut cost = 0;
        let outcome = if let Some(left) = self.int(left, &mut cost) {
            let right = self.int(right, &mut cost)?;
            cost += ints_cost(call, left, right)?;
            holds(order, &left, &right)
        } else {
            cost = 0;
            let (left, right) = (self.text(left, &mut cost)?, self.text(right, &mut cost)?);
            cost += texts_cost(call, left, right)?;
            holds(order, left, right)
        };
        self.spend(cost).then_some(outcome)
    }

    /// Membership in a constant list, charged.
    #[inline]
    pub(super) fn plain_member(&mut self, item: NodeId, set: &ConstSet) -> Option<bool> {
        let mut cost = 0;
        let outcome = if let Some(number) = self.int(item, &mut cost) {
            set.has_int(number)
        } else {
            cost = 0;
            set.has_text(self.text(item, &mut cost)?)
        };
        self.spend(cost).then_some(outcome)
    }

    /// A presence test on a map of the input.
    #[inline]
    pub(super) fn present(&mut self, has: &'a Has) -> Option<Result<bool>> {
        let (mut ty, mut cost) = (ViewRef::dynamic(), 1);
        let map = self.container(&has.attr, has.attr.qualifiers.len(), &mut ty, &mut cost)?;
        if !self.spend(cost) {
            return None;
        }
        if let View::Record(fields) = ty.view() {
            return Some(Ok(has.field.is_set(map, fields)));
        }
        Some(match entry(&has.field, map, &mut ty) {
            None => Ok(false),
            // What does not fit its type is an error here too.
            Some(value) => ty.read(value).map(|_| true),
        })
    }
}

/// What comparing two whole numbers costs; none if that takes more than a look.
#[inline]
pub(super) fn ints_cost(cost: &CallCost, left: i64, right: i64) -> Option<u64> {
    if let Some(custom) = cost.custom.filter(|_| !cost.scalars_default)
        && let Some(charge) = custom(&[Val::Int(left), Val::Int(right)], None)
    {
        return Some(charge);
    }
    matches!(cost.default, Charge::One | Charge::Shorter).then_some(1)
}

/// What comparing two texts costs; none if that takes more than a look.
#[inline]
fn texts_cost(cost: &CallCost, left: &str, right: &str) -> Option<u64> {
    if let Some(custom) = cost.custom.filter(|_| !cost.scalars_default) {
        let args = [Val::Str(Str::Ref(left)), Val::Str(Str::Ref(right))];
        if let Some(charge) = custom(&args, None) {
            return Some(charge);
        }
    }
    match cost.default {
        Charge::One => Some(1),
        Charge::Shorter => Some(shorter_cost(left, right)),
        _ => None,
    }
}
