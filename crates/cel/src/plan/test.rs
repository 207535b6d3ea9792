//! Questions about one scalar of the input, which most rules consist of: `self.n > 0`,
//! `self.s.startsWith('a')`, `has(self.o)`.
//!
//! A [`Test`] is a node of its own with everything resolved: the way to the scalar, what is
//! asked, and what both cost. It is answered in place, without making values. Whatever is not
//! plain (a missing field, another type, an error, a cost over the limit) has no answer here and
//! is left to the node that the test stands for, which then has nothing to undo.

use std::cmp::Ordering;
use std::sync::Arc;

use memchr::memmem::Finder;
use ordain_value::{Map as TreeMap, Value};

use super::{CallCost, Charge, ConstSet, FieldKey, Node, NodeId, Order, Root, field::same_bytes};
use crate::library::arithmetic::Op;
use crate::program::Partly;
use crate::value::{List, Map, Val, View, ViewRef};
use ordain_go::regex::GoRegex;

mod fuse;

use fuse::int_of;
pub(super) use fuse::{fuse, single, sized};

static NO_FIELDS: TreeMap = TreeMap::new();

/// A question about the scalar at a place.
#[derive(Clone)]
pub(crate) struct Test {
    pub(crate) root: Root,
    pub(crate) fields: Box<[FieldKey]>,
    pub(crate) ask: Ask,
    /// What it costs, as far as that does not depend on the scalar.
    cost: u64,
    /// The node that says the same in general.
    pub(crate) general: NodeId,
}

/// What is asked.
#[derive(Clone)]
pub(crate) enum Ask {
    /// Whether a whole number is in this relation to another.
    Int(Relation, i64),
    /// The same of the outcome of an operation with a constant.
    Computed(Computation, Relation, i64),
    /// Whether a text is this one, or is not.
    Text {
        negated: bool,
        text: Box<str>,
        charge: TextCharge,
    },
    /// How a text stands to another in order.
    TextOrder(Relation, Box<str>, TextCharge),
    /// Whether a truth value is this one, or is not.
    Bool(bool),
    /// How many characters, items or entries there are.
    Size(Relation, i64),
    StartsWith(Box<str>, TextCharge),
    EndsWith(Box<str>, TextCharge),
    Contains(Box<Finder<'static>>, TextCharge),
    Matches(Arc<GoRegex>, TextCharge),
    /// Membership in a constant list.
    In(Arc<ConstSet>),
    /// Whether the last field is there.
    Present,
}

/// An operation on a whole number with a constant.
#[derive(Clone, Copy)]
pub(crate) struct Computation {
    op: Op,
    constant: i64,
    /// Whether the constant is on the left.
    mirrored: bool,
}

impl Computation {
    #[inline]
    pub(crate) fn apply(self, number: i64) -> Option<i64> {
        let (left, right) =
            if self.mirrored { (self.constant, number) } else { (number, self.constant) };
        self.op.checked(left, right)
    }

    /// The operation that a node is, on what another node gives.
    pub(crate) fn of(nodes: &[Node], id: NodeId) -> Option<(Self, NodeId)> {
        let Node::Arithmetic { op, left, right, cost } = nodes.get(id as usize)? else {
            return None;
        };
        if !cost.is_one() {
            return None;
        }
        match (int_of(nodes, *left), int_of(nodes, *right)) {
            (None, Some(constant)) => Some((Self { op: *op, constant, mirrored: false }, *left)),
            (Some(constant), None) => Some((Self { op: *op, constant, mirrored: true }, *right)),
            _ => None,
        }
    }
}

/// A comparison: the outcomes of ordering two values for which it holds, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Relation(u8);

impl From<Order> for Relation {
    fn from(order: Order) -> Self {
        match order {
            Order::Less => Self::LESS,
            Order::LessEquals => Self::LESS_EQUALS,
            Order::Greater => Self::GREATER,
            Order::GreaterEquals => Self::GREATER_EQUALS,
        }
    }
}

impl Relation {
    pub(crate) const LESS: Self = Self(1);
    pub(crate) const EQUALS: Self = Self(2);
    pub(crate) const GREATER: Self = Self(4);
    pub(crate) const LESS_EQUALS: Self = Self(1 | 2);
    pub(crate) const GREATER_EQUALS: Self = Self(4 | 2);
    pub(crate) const NOT_EQUALS: Self = Self(1 | 4);

    /// The same with its operands the other way round.
    pub(crate) fn mirrored(self) -> Self {
        Self((self.0 & 2) | (self.0 & 1) << 2 | (self.0 & 4) >> 2)
    }

    #[inline]
    pub(crate) fn holds<T: Ord + ?Sized>(self, left: &T, right: &T) -> bool {
        let outcome = match left.cmp(right) {
            Ordering::Less => Self::LESS,
            Ordering::Equal => Self::EQUALS,
            Ordering::Greater => Self::GREATER,
        };
        self.0 & outcome.0 != 0
    }
}

/// What a call costs whose second argument is a constant text.
#[derive(Clone, Copy)]
pub(crate) struct TextCharge {
    charge: Charge,
    /// What the constant contributes.
    constant: u64,
}

/// A tenth of the number of characters, rounded up.
#[inline]
pub(crate) fn tenth_of(text: &str) -> u64 {
    match text.len() {
        0 => 0,
        // Up to ten bytes are up to ten characters.
        1..=10 => 1,
        _ => (text.chars().count() as u64).div_ceil(10),
    }
}

impl TextCharge {
    fn new(cost: &CallCost, constant: &str) -> Option<Self> {
        let known = matches!(
            cost.default,
            Charge::One | Charge::Shorter | Charge::Traverse | Charge::Search | Charge::Matches
        );
        let size = constant.chars().count() as u64;
        let constant = size.div_ceil(if cost.default == Charge::Matches { 4 } else { 10 });
        (known && cost.is_default_for_scalars()).then_some(Self { charge: cost.default, constant })
    }

    #[inline]
    fn of(self, text: &str) -> u64 {
        match self.charge {
            Charge::Shorter => tenth_of(text).min(self.constant),
            Charge::Traverse => tenth_of(text),
            Charge::Search => tenth_of(text).saturating_mul(self.constant),
            Charge::Matches => {
                let size = 1 + text.chars().count() as u64;
                size.div_ceil(10).saturating_mul(self.constant)
            }
            _ => 1,
        }
    }
}

/// What stands under a field; none if there is nothing. The type becomes that of the field. What is
/// absent from a Go struct is there as its zero value, as far as the input could have that.
#[inline]
pub(crate) fn entry<'a>(
    field: &FieldKey,
    map: &'a TreeMap,
    ty: &mut ViewRef<'a>,
) -> Option<&'a Value> {
    match ty.view() {
        View::Dyn => {
            *ty = ViewRef::dynamic();
            field.entry(map, field.name())
        }
        View::Object(fields) => {
            let declared = field.declared(fields)?;
            *ty = ty.sibling(declared.view);
            // A null field of an object is an absent one.
            field.entry(map, &declared.key).filter(|value| !value.is_null())
        }
        View::Record(fields) => {
            let declared = field.declared(fields)?;
            *ty = ty.sibling(declared.view);
            let given = field.entry(map, &declared.key).filter(|value| !value.is_null());
            given.or_else(|| ty.zero_value())
        }
        View::Map(values) => {
            *ty = ty.sibling(*values);
            field.entry(map, field.name())
        }
        _ => None,
    }
}

/// Whether maps of this type are read field by field.
#[inline]
pub(crate) fn is_mapped(ty: ViewRef<'_>) -> bool {
    matches!(ty.view(), View::Dyn | View::Object(_) | View::Record(_) | View::Map(_) | View::Bare)
}

impl Test {
    /// The same at a higher cost.
    pub(super) fn with_cost(self, more: u64) -> Self {
        Self { cost: self.cost + more, ..self }
    }

    /// The answer for what the root holds, and what it costs.
    #[inline(always)]
    pub(crate) fn of_root(&self, root: &Val<'_>, cost: &mut u64) -> Option<bool> {
        *cost += self.cost;
        if self.fields.is_empty() && !matches!(self.ask, Ask::Present) {
            return self.ask.of_val(root, cost);
        }
        let Val::Map(Map::View { map, ty }) = root else { return None };
        self.below(map, *ty, cost)
    }

    /// What stands at the place itself, in a map of the input, and what reading it costs.
    #[inline]
    pub(crate) fn read<'a>(&self, root: &Val<'a>, cost: &mut u64) -> Option<Val<'a>> {
        let (last, front) = self.fields.split_last()?;
        let Val::Map(Map::View { map, ty }) = root else { return None };
        let (mut map, mut ty): (&'a TreeMap, ViewRef<'a>) = (map, *ty);
        for field in front {
            let Some(Value::Map(inner)) = entry(field, map, &mut ty) else { return None };
            if !is_mapped(ty) {
                return None;
            }
            map = inner;
        }
        *cost += self.cost;
        // The entry says what it is read as.
        let value = entry(last, map, &mut ty)?;
        ty.read(value).ok()
    }

    /// The answer as far as it follows from what is known of the root.
    pub(crate) fn decided(&self, root: &Partly<'_>) -> Option<bool> {
        let (ty, has) = match root {
            Partly::Is(value) => return self.of_root(value, &mut 0),
            Partly::Record { ty, has } => (*ty, has),
        };
        let (first, View::Record(fields)) = (self.fields.first()?, ty.view()) else { return None };
        let declared = first.declared(fields)?;
        if !has(&declared.key) {
            return self.below(&NO_FIELDS, ty, &mut 0);
        }
        // A pointer that is there is set, whatever it points to.
        let is_set = declared.pointer && self.fields.len() == 1;
        (is_set && matches!(self.ask, Ask::Present)).then_some(true)
    }

    /// The answer for an item of the input in the place of the root.
    #[inline]
    pub(crate) fn of_item<'a>(
        &self,
        item: &'a Value,
        ty: ViewRef<'a>,
        cost: &mut u64,
    ) -> Option<bool> {
        *cost += self.cost;
        if self.fields.is_empty() && !matches!(self.ask, Ask::Present) {
            return self.ask.of_value(item, ty.view(), cost);
        }
        match item {
            Value::Map(map) if is_mapped(ty) => self.below(map, ty, cost),
            _ => None,
        }
    }

    #[inline(always)]
    fn below<'a>(&self, mut map: &'a TreeMap, mut ty: ViewRef<'a>, cost: &mut u64) -> Option<bool> {
        let (last, front) = self.fields.split_last()?;
        if ty.is_dynamic() {
            // What stands below something without a type has none either.
            for field in front {
                match field.entry(map, field.name()) {
                    Some(Value::Map(inner)) => map = inner,
                    _ => return None,
                }
            }
            let value = last.entry(map, last.name());
            return match self.ask {
                Ask::Present => Some(value.is_some()),
                _ => self.ask.of_value(value?, &View::Dyn, cost),
            };
        }
        for field in front {
            let Some(Value::Map(inner)) = entry(field, map, &mut ty) else { return None };
            if !is_mapped(ty) {
                return None;
            }
            map = inner;
        }
        // Presence in a Go struct has its own rule.
        if let (Ask::Present, View::Record(fields)) = (&self.ask, ty.view()) {
            return Some(last.is_set(map, fields));
        }
        let value = entry(last, map, &mut ty);
        match (&self.ask, value) {
            (Ask::Present, None) => Some(false),
            // What does not fit its type is an error here too.
            (Ask::Present, Some(value)) => ty.fits(value).then_some(true),
            (_, value) => self.ask.of_value(value?, ty.view(), cost),
        }
    }

    /// The question about whole numbers, if the root itself is asked.
    #[inline]
    pub(crate) fn of_int(&self, number: i64) -> Option<bool> {
        self.ask.of_int(number)
    }

    /// The number that whole numbers in a variable are compared with.
    pub(crate) fn int_bound(&self, slot: u32) -> Option<(Relation, i64)> {
        match self.ask {
            Ask::Int(relation, bound) if self.asks_int_of(slot) => Some((relation, bound)),
            _ => None,
        }
    }

    /// What asking a whole number costs.
    pub(crate) fn int_cost(&self) -> u64 {
        self.cost
    }

    /// Whether the question is whether the variable itself is true.
    pub(super) fn asks_truth_of(&self, slot: u32) -> bool {
        matches!(self.root, Root::Local(it) if it == slot)
            && self.fields.is_empty()
            && matches!(self.ask, Ask::Bool(true))
    }

    /// Whether whole numbers can be asked and the question is about the variable itself.
    pub(crate) fn asks_int_of(&self, slot: u32) -> bool {
        matches!(self.root, Root::Local(it) if it == slot)
            && self.fields.is_empty()
            && matches!(self.ask, Ask::Int(..) | Ask::Computed(..) | Ask::In(_))
    }
}

impl Ask {
    #[inline(always)]
    fn of_value(&self, value: &Value, view: &View, cost: &mut u64) -> Option<bool> {
        match value {
            Value::Int(number) if matches!(view, View::Int | View::Dyn | View::IntOrString) => {
                self.of_int(*number)
            }
            Value::Str(text) if matches!(view, View::Str | View::Dyn | View::IntOrString) => {
                self.of_text(text, cost)
            }
            Value::Bool(it) if matches!(view, View::Bool | View::Dyn) => self.of_bool(*it),
            Value::List(list) if matches!(view, View::List { .. } | View::Dyn) => {
                self.of_size(list.as_slice().len())
            }
            Value::Map(map) if matches!(view, View::Map(_) | View::Dyn) => self.of_size(map.len()),
            _ => None,
        }
    }

    #[inline]
    fn of_val(&self, value: &Val<'_>, cost: &mut u64) -> Option<bool> {
        match value {
            Val::Int(number) => self.of_int(*number),
            Val::Str(text) => self.of_text(text.as_str(), cost),
            Val::Bool(it) => self.of_bool(*it),
            Val::List(List::View { list, .. }) => self.of_size(list.as_slice().len()),
            _ => None,
        }
    }

    #[inline]
    fn of_bool(&self, it: bool) -> Option<bool> {
        match self {
            Self::Bool(wanted) => Some(it == *wanted),
            _ => None,
        }
    }

    #[inline]
    fn of_size(&self, size: usize) -> Option<bool> {
        match self {
            Self::Size(relation, bound) => Some(holds_size(*relation, size, *bound)),
            _ => None,
        }
    }

    #[inline(always)]
    fn of_int(&self, number: i64) -> Option<bool> {
        match self {
            Self::Int(relation, bound) => Some(relation.holds(&number, bound)),
            Self::Computed(computation, relation, bound) => {
                Some(relation.holds(&computation.apply(number)?, bound))
            }
            Self::In(set) => Some(set.has_int(number)),
            _ => None,
        }
    }

    #[inline(always)]
    fn of_text(&self, text: &str, cost: &mut u64) -> Option<bool> {
        if let Self::Text { negated, text: other, charge } = self {
            *cost += charge.of(text);
            return Some(super::same_text(text, other) != *negated);
        }
        self.of_text_called(text, cost)
    }

    fn of_text_called(&self, text: &str, cost: &mut u64) -> Option<bool> {
        let (charge, outcome) = match self {
            Self::StartsWith(part, charge) => (charge, starts_with(text, part)),
            Self::EndsWith(part, charge) => (charge, ends_with(text, part)),
            Self::Contains(part, charge) => (charge, contains(text, part)),
            Self::Matches(regex, charge) => (charge, regex.is_match(text)),
            Self::TextOrder(relation, other, charge) => (charge, relation.holds(text, &**other)),
            Self::In(set) => return Some(set.has_text(text)),
            Self::Size(..) => return self.of_size(text.chars().count()),
            _ => return None,
        };
        *cost += charge.of(text);
        Some(outcome)
    }
}

/// Up to this many bytes are searched without preparations.
const SHORT: usize = 64;

#[inline]
fn contains(text: &str, part: &Finder<'_>) -> bool {
    let (text, needle) = (text.as_bytes(), part.needle());
    if text.len() > SHORT {
        return part.find(text).is_some();
    }
    let Some(first) = needle.first() else { return true };
    text.windows(needle.len()).any(|at| at[0] == *first && same_bytes(at, needle))
}

#[inline]
fn ends_with(text: &str, part: &str) -> bool {
    let tail = text.len().checked_sub(part.len()).and_then(|at| text.as_bytes().get(at..));
    tail.is_some_and(|tail| same_bytes(tail, part.as_bytes()))
}

#[inline]
fn starts_with(text: &str, part: &str) -> bool {
    text.as_bytes().get(..part.len()).is_some_and(|head| same_bytes(head, part.as_bytes()))
}

#[inline]
fn holds_size(relation: Relation, size: usize, bound: i64) -> bool {
    relation.holds(&i64::try_from(size).unwrap_or(i64::MAX), &bound)
}
