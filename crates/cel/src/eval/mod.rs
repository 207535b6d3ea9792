//! Evaluation: runs a plan over an input, counting what it costs.
//!
//! Costs are those of an API server's cost tracker: one per name, selection and call, more for
//! calls that walk their arguments. The evaluation ends as soon as its limit is exceeded.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::sync::atomic::{self, AtomicBool};

use crate::library::arithmetic::{self, Op};
use crate::library::patterns::Patterns;
use crate::meter::Meter;
use crate::plan::planner::{LIST_COST, MAP_COST, STRUCT_COST};
use crate::plan::{CallCost, Node, NodeId, Order};
use crate::value::{Error, Map, MapData, Result, Str, Val, compare, equal};

mod attr;
mod call;
mod cost;
mod fold;
mod message;
mod scalar;

/// What a local slot holds.
enum Slot<'a> {
    Unset,
    /// Computed when asked for.
    Lazy(NodeId),
    Val(Val<'a>),
    Failed(Error),
}

/// Computes a variable by its name when an evaluation first reads it.
pub(crate) type Lazy<'a, 'e> = dyn Fn(&str) -> Option<Result<Val<'a>>> + 'e;

/// The variables of the input by slot.
#[derive(Clone, Copy)]
pub(crate) enum Globals<'a, 'e> {
    Bound(&'e [Option<&'e Result<Val<'a>>>]),
    /// Asked for each time that one is read.
    Asked(&'e (dyn Fn(usize) -> Option<&'e Result<Val<'a>>> + 'e)),
}

impl<'a, 'e> Globals<'a, 'e> {
    #[inline]
    fn get(self, slot: u32) -> Option<&'e Result<Val<'a>>> {
        match self {
            Self::Bound(bound) => bound.get(slot as usize).copied().flatten(),
            Self::Asked(ask) => ask(slot as usize),
        }
    }

    /// The value in a slot.
    #[inline]
    fn value(self, slot: u32) -> Option<&'e Val<'a>> {
        self.get(slot)?.as_ref().ok()
    }
}

/// The state of one evaluation.
pub(crate) struct Machine<'a, 'e> {
    pub(crate) nodes: &'a [Node],
    pub(crate) globals: Globals<'a, 'e>,
    pub(crate) names: &'e [crate::ast::Text],
    /// Empty until the first is set.
    slots: Vec<Slot<'a>>,
    locals: usize,
    pub(crate) cost: u64,
    pub(crate) limit: u64,
    pub(crate) interrupt: Option<&'e AtomicBool>,
    /// Computes variables that are bound to no value.
    pub(crate) lazy: Option<&'e Lazy<'a, 'e>>,
    /// The patterns that were compiled.
    pub(crate) patterns: RefCell<Patterns>,
    /// The work that costs do not count.
    pub(crate) meter: Meter,
}

/// Evaluates nodes that depend on no input.
pub(crate) fn constant(nodes: &[Node], id: NodeId) -> Result<Val<'_>> {
    Machine::new(nodes, Globals::Bound(&[]), &[], 0, u64::MAX, None).eval(id)
}

/// The truth value of a node that depends on no input, and what it costs.
pub(crate) fn without_input(nodes: &[Node], id: NodeId, locals: usize) -> Option<(bool, u64)> {
    let mut machine = Machine::new(nodes, Globals::Bound(&[]), &[], locals, u64::MAX, None);
    let holds = machine.eval_bool(id).ok()?;
    Some((holds, machine.cost))
}

/// The value with what it owns borrowed where that is cheaper.
pub(crate) fn borrowed<'a>(value: &'a Val<'static>) -> Val<'a> {
    match value {
        Val::Str(text) => Val::Str(Str::Ref(text.as_str())),
        Val::Type(text) => Val::Type(Str::Ref(text.as_str())),
        _ => value.clone(),
    }
}

impl<'a, 'e> Machine<'a, 'e> {
    pub(crate) fn new(
        nodes: &'a [Node],
        globals: Globals<'a, 'e>,
        names: &'e [crate::ast::Text],
        locals: usize,
        limit: u64,
        interrupt: Option<&'e AtomicBool>,
    ) -> Self {
        Self {
            nodes,
            globals,
            names,
            slots: Vec::new(),
            locals,
            cost: 0,
            limit,
            interrupt,
            lazy: None,
            patterns: RefCell::default(),
            meter: Meter::default(),
        }
    }

    #[inline]
    fn set_slot(&mut self, slot: u32, value: Slot<'a>) {
        if self.slots.is_empty() {
            self.slots.resize_with(self.locals, || Slot::Unset);
        }
        self.slots[slot as usize] = value;
    }

    #[inline]
    fn charge(&mut self, cost: u64) -> Result<()> {
        self.cost = self.cost.saturating_add(cost);
        if self.cost > self.limit { Err(Error::cost_limit()) } else { Ok(()) }
    }

    #[inline]
    fn node(&self, id: NodeId) -> &'a Node {
        &self.nodes[id as usize]
    }

    pub(crate) fn eval(&mut self, id: NodeId) -> Result<Val<'a>> {
        match self.node(id) {
            Node::Const(value) => Ok(borrowed(value)),
            Node::Global(slot, costs) => {
                self.charge(u64::from(*costs))?;
                self.global(*slot)
            }
            Node::Local(slot, costs) => {
                self.charge(u64::from(*costs))?;
                self.local(*slot)
            }
            Node::Attr(attr) => self.attr(attr),
            Node::Has(_)
            | Node::Not(..)
            | Node::And(..)
            | Node::Or(..)
            | Node::NotStrictlyFalse(..)
            | Node::Equals { .. }
            | Node::Compare { .. }
            | Node::In { .. }
            | Node::InSet(..)
            | Node::Test(_)
            | Node::Count(_) => match self.eval_bool(id) {
                Ok(it) => Ok(Val::Bool(it)),
                Err(error) => Err(error),
            },
            Node::Conditional(condition, yes, no) => {
                let chosen = if self.eval_bool(*condition)? { *yes } else { *no };
                self.eval(chosen)
            }
            Node::Arithmetic { .. } => match self.read_int(id) {
                Some(outcome) => Ok(Val::Int(outcome)),
                None => self.arithmetic(id),
            },
            Node::Negate(arg, cost) => {
                let arg = self.eval(*arg);
                self.charge_call(cost, std::slice::from_ref(&arg), |arg| {
                    arithmetic::negate(arg.first()?.as_ref().ok()?).ok()
                })?;
                arithmetic::negate(&arg?)
            }
            Node::OptionalOr { left, right, value } => match self.eval(*left)? {
                Val::Optional(None) => self.eval(*right),
                Val::Optional(Some(inner)) if *value => Ok((*inner).clone()),
                other => Ok(other),
            },
            Node::Call(call) => self.call(call),
            Node::List(elements) => self.list(elements),
            Node::Map(entries) => self.map(entries),
            Node::Struct(message) => {
                let fields = self.fields(message)?;
                self.charge(STRUCT_COST)?;
                message::make(&message.type_name, fields)
            }
            Node::Fold(fold) => self.fold(fold),
        }
    }

    fn global(&self, slot: u32) -> Result<Val<'a>> {
        match self.globals.get(slot) {
            Some(Ok(value)) => Ok(value.clone()),
            Some(Err(error)) => Err(error.clone()),
            None => self.computed(slot).unwrap_or_else(|| Err(self.missing(slot))),
        }
    }

    #[cold]
    fn computed(&self, slot: u32) -> Option<Result<Val<'a>>> {
        let name = self.names.get(slot as usize)?;
        self.lazy.and_then(|lazy| lazy(name))
    }

    #[cold]
    fn missing(&self, slot: u32) -> Error {
        let name = self.names.get(slot as usize).map_or("", |name| name.as_str());
        Error::new(format!("no such attribute(s): {name}"))
    }

    #[inline]
    fn local(&mut self, slot: u32) -> Result<Val<'a>> {
        match self.slots.get(slot as usize) {
            Some(Slot::Val(value)) => Ok(value.clone()),
            Some(Slot::Failed(error)) => Err(error.clone()),
            Some(Slot::Lazy(init)) => {
                let init = *init;
                self.initialize(slot, init)
            }
            Some(Slot::Unset) | None => Err(Error::new("no such attribute(s)")),
        }
    }

    fn initialize(&mut self, slot: u32, init: NodeId) -> Result<Val<'a>> {
        let value = self.eval(init);
        if let Err(error) = &value
            && error.is_cancelled()
        {
            return value;
        }
        let held = match &value {
            Ok(value) => Slot::Val(value.clone()),
            Err(error) => Slot::Failed(error.clone()),
        };
        self.set_slot(slot, held);
        value
    }

    /// Evaluates what must be a truth value.
    pub(crate) fn eval_bool(&mut self, id: NodeId) -> Result<bool> {
        match self.node(id) {
            Node::And(left, right) => self.and(*left, *right),
            Node::Or(left, right) => self.or(*left, *right),
            Node::Test(test) => match self.test(test) {
                Some(it) => Ok(it),
                None => self.eval_bool(test.general),
            },
            Node::Attr(attr) => match self.read_bool(attr) {
                Some(it) => Ok(it),
                None => self.eval(id).and_then(truth),
            },
            _ => self.eval_bool_general(id),
        }
    }

    #[inline(never)]
    fn eval_bool_general(&mut self, id: NodeId) -> Result<bool> {
        match self.node(id) {
            Node::Not(arg, cost) if cost.is_one() && is_logical(self.node(*arg)) => {
                let arg = self.eval_bool(*arg);
                if arg.as_ref().is_err_and(Error::is_cancelled) {
                    return arg;
                }
                self.charge(1)?;
                arg.map(|it| !it)
            }
            Node::Not(arg, cost) => {
                let arg = self.eval(*arg);
                self.charge_one(cost, &arg)?;
                match arg? {
                    Val::Bool(it) => Ok(!it),
                    Val::Int(_) | Val::Double(_) | Val::Duration(_) => {
                        Err(Error::no_such_overload())
                    }
                    other => {
                        Err(arithmetic::mismatch(false, crate::ast::operator::LOGICAL_NOT, &other))
                    }
                }
            }
            Node::NotStrictlyFalse(arg, cost) => {
                let arg = self.eval(*arg);
                self.charge_one(cost, &arg)?;
                Ok(!matches!(arg, Ok(Val::Bool(false))))
            }
            Node::Equals { negated, left, right, cost } => {
                if let Some(same) = self.plain_equal(*left, *right, cost) {
                    return Ok(same != *negated);
                }
                let (left, right) = self.pair(*left, *right, cost)?;
                self.metered(|meter| equals(&left, &right, *negated, meter))
            }
            Node::Compare { order, left, right, cost } => {
                if let Some(holds) = self.plain_order(*order, *left, *right, cost) {
                    return Ok(holds);
                }
                let (left, right) = self.pair(*left, *right, cost)?;
                ordered(*order, &left, &right)
            }
            Node::In { item, list, cost } => {
                let (item, list) = self.pair(*item, *list, cost)?;
                self.metered(|meter| contains(&item, &list, meter))
            }
            Node::InSet(item, set) => match self.plain_member(*item, set) {
                Some(outcome) => Ok(outcome),
                None => Ok(set.contains(&self.eval(*item)?)),
            },
            Node::Count(count) => match self.count(count) {
                Some(it) => Ok(it),
                None => self.eval_bool(count.general),
            },
            Node::Has(has) => match self.present(has) {
                Some(outcome) => outcome,
                None => self.has(has),
            },
            _ => self.eval(id).and_then(truth),
        }
    }

    fn and(&mut self, left: NodeId, right: NodeId) -> Result<bool> {
        match self.eval_bool(left) {
            Ok(false) => Ok(false),
            Ok(true) => self.eval_bool(right),
            Err(error) => self.absorb(error, right, false),
        }
    }

    /// Goes on after an error, which the other operand may still outweigh.
    #[cold]
    fn absorb(&mut self, error: Error, right: NodeId, decisive: bool) -> Result<bool> {
        if error.is_cancelled() {
            return Err(error);
        }
        match self.eval_bool(right) {
            Ok(it) if it == decisive => Ok(it),
            Err(other) if other.is_cancelled() => Err(other),
            _ => Err(error),
        }
    }

    fn or(&mut self, left: NodeId, right: NodeId) -> Result<bool> {
        match self.eval_bool(left) {
            Ok(true) => Ok(true),
            Ok(false) => self.eval_bool(right),
            Err(error) => self.absorb(error, right, true),
        }
    }

    /// Evaluates both operands, whatever the first gives, and charges the call.
    #[inline]
    fn pair(&mut self, left: NodeId, right: NodeId, cost: &CallCost) -> Result<(Val<'a>, Val<'a>)> {
        let left = self.eval(left);
        if let Err(error) = &left
            && error.is_cancelled()
        {
            return Err(error.clone());
        }
        let right = self.eval(right);
        match (left, right) {
            (Ok(left), Ok(right)) => {
                let charge = self.pair_cost(cost, &left, &right);
                self.charge(charge)?;
                Ok((left, right))
            }
            (_, Err(error)) if error.is_cancelled() => Err(error),
            (Err(error), _) | (_, Err(error)) => {
                self.charge(1)?;
                Err(error)
            }
        }
    }

    /// Evaluates `a + b + c …` without recursing along the left.
    fn arithmetic(&mut self, id: NodeId) -> Result<Val<'a>> {
        let Node::Arithmetic { op, left, right, cost } = self.node(id) else {
            return Err(Error::no_such_overload());
        };
        if !matches!(self.node(*left), Node::Arithmetic { .. }) {
            let (left, right) = self.pair(*left, *right, cost)?;
            return self.operate(*op, &left, &right);
        }
        let mut spine: Vec<(Op, NodeId, &CallCost)> = vec![(*op, *right, cost)];
        let mut at = *left;
        while let Node::Arithmetic { op, left, right, cost } = self.node(at) {
            spine.push((*op, *right, cost));
            at = *left;
        }
        let mut left = self.eval(at);
        for (op, right, cost) in spine.into_iter().rev() {
            left = self.step(op, left, right, cost)?;
        }
        left
    }

    /// One operation of a chain; the outer error is one that ends the evaluation.
    fn step(
        &mut self,
        op: Op,
        left: Result<Val<'a>>,
        right: NodeId,
        cost: &CallCost,
    ) -> Result<Result<Val<'a>>> {
        let cancelled = |it: &Result<Val<'a>>| it.as_ref().is_err_and(Error::is_cancelled);
        if cancelled(&left) {
            return left.map(Ok);
        }
        let right = self.eval(right);
        if cancelled(&right) {
            return right.map(Ok);
        }
        Ok(match (left, right) {
            (Ok(left), Ok(right)) => {
                let charge = self.pair_cost(cost, &left, &right);
                self.charge(charge)?;
                let value = self.operate(op, &left, &right);
                if cancelled(&value) {
                    return value.map(Ok);
                }
                value
            }
            (Err(error), _) | (_, Err(error)) => {
                self.charge(1)?;
                Err(error)
            }
        })
    }

    fn list(&mut self, elements: &'a [(NodeId, bool)]) -> Result<Val<'a>> {
        let mut items = Vec::with_capacity(elements.len());
        for (node, optional) in elements {
            let value = self.eval(*node);
            match (value, optional) {
                (Ok(value), false) => items.push(value),
                (Ok(Val::Optional(inner)), true) => items.extend(inner.map(|it| (*it).clone())),
                (Ok(other), true) => {
                    self.charge(LIST_COST)?;
                    let shown = crate::value::show::plain(&other);
                    return Err(Error::new(format!(
                        "cannot initialize optional list element from non-optional value {shown}"
                    )));
                }
                (Err(error), _) => return self.charged(LIST_COST, error),
            }
        }
        self.charge(LIST_COST)?;
        Ok(Val::list(items))
    }

    /// Charges for what was begun before it failed.
    fn charged(&mut self, cost: u64, error: Error) -> Result<Val<'a>> {
        if !error.is_cancelled() {
            self.charge(cost)?;
        }
        Err(error)
    }

    fn map(&mut self, entries: &'a [(NodeId, NodeId, bool)]) -> Result<Val<'a>> {
        let mut data = MapData::default();
        for (key, value, optional) in entries {
            let key = match self.eval(*key) {
                Ok(key) => key,
                Err(error) => return self.charged(MAP_COST, error),
            };
            let value = match self.eval(*value) {
                Ok(value) => value,
                Err(error) => return self.charged(MAP_COST, error),
            };
            if matches!(key, Val::Bytes(_)) {
                // Upstream's handler crashes on such a key.
                return self.charged(MAP_COST, Error::new("unsupported map key type: bytes"));
            }
            match (value, optional) {
                (value, false) => data.insert(key, value),
                (Val::Optional(Some(inner)), true) => data.insert(key, (*inner).clone()),
                (Val::Optional(None), true) => data.remove(&key),
                (other, true) => {
                    let (key, value) =
                        (crate::value::show::plain(&key), crate::value::show::plain(&other));
                    let message = format!(
                        "cannot initialize optional entry '{key}' from non-optional value {value}"
                    );
                    return self.charged(MAP_COST, Error::new(message));
                }
            }
        }
        self.charge(MAP_COST)?;
        Ok(Val::Map(Map::Owned(std::sync::Arc::new(data))))
    }

    fn check_interrupt(&self) -> Result<()> {
        match self.interrupt {
            Some(flag) if flag.load(atomic::Ordering::Relaxed) => Err(Error::interrupted()),
            _ => Ok(()),
        }
    }
}

/// Whether a node gives nothing but truth values.
pub(crate) fn is_logical(node: &Node) -> bool {
    matches!(
        node,
        Node::Test(_)
            | Node::Count(_)
            | Node::And(..)
            | Node::Or(..)
            | Node::Not(..)
            | Node::Equals { .. }
            | Node::Compare { .. }
            | Node::In { .. }
            | Node::InSet(..)
            | Node::Has(_)
    )
}

fn truth(value: Val<'_>) -> Result<bool> {
    match value {
        Val::Bool(it) => Ok(it),
        _ => Err(Error::no_such_overload()),
    }
}

/// `left == right`, or the opposite.
fn equals(left: &Val<'_>, right: &Val<'_>, negated: bool, meter: &Meter) -> Result<bool> {
    match equal::equal(left, right, meter) {
        Ok(outcome) => Ok(outcome != negated),
        Err(error) if error.is_cancelled() => Err(error),
        // `!=` takes every other outcome than equality for unequal.
        Err(_) if negated => Ok(true),
        Err(error) => Err(error),
    }
}

/// `item in container`
fn contains<'a>(item: &Val<'a>, container: &Val<'a>, meter: &Meter) -> Result<bool> {
    match container {
        Val::List(list) => list.contains(item, meter),
        Val::Map(map) => map.find(item).map(|found| found.is_some()),
        _ => Err(Error::no_such_overload()),
    }
}

/// Whether two values of one kind are in this order.
#[inline]
fn holds<T: Ord + ?Sized>(order: Order, left: &T, right: &T) -> bool {
    match order {
        Order::Less => left < right,
        Order::LessEquals => left <= right,
        Order::Greater => left > right,
        Order::GreaterEquals => left >= right,
    }
}

#[inline]
fn ordered(order: Order, left: &Val<'_>, right: &Val<'_>) -> Result<bool> {
    if let (Val::Int(left), Val::Int(right)) = (left, right) {
        return Ok(holds(order, left, right));
    }
    if !compare::is_ordered(left) {
        return Err(Error::new(format!("no such overload: {}", order_name(order))));
    }
    let outcome = compare::order(left, right)?;
    Ok(match order {
        Order::Less => outcome == Ordering::Less,
        Order::LessEquals => outcome != Ordering::Greater,
        Order::Greater => outcome == Ordering::Greater,
        Order::GreaterEquals => outcome != Ordering::Less,
    })
}

fn order_name(order: Order) -> &'static str {
    use crate::ast::operator;
    match order {
        Order::Less => operator::LESS,
        Order::LessEquals => operator::LESS_EQUALS,
        Order::Greater => operator::GREATER,
        Order::GreaterEquals => operator::GREATER_EQUALS,
    }
}
