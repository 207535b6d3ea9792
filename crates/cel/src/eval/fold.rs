//! Comprehensions.

use std::sync::Arc;

use super::scalar::ints_cost;
use super::{Machine, Slot};
use crate::plan::{CallCost, Fold, FoldKind, Node, NodeId, Order};
use crate::value::{Error, List, Map, Result, Val, View, ViewRef};

/// What a comprehension goes through.
enum Range<'a> {
    View { items: std::slice::Iter<'a, ordain_value::Value>, ty: ViewRef<'a> },
    Items { list: List<'a>, next: usize },
    Keys { map: Map<'a>, keys: std::vec::IntoIter<Val<'a>> },
}

impl<'a> Range<'a> {
    fn new(value: Val<'a>) -> Result<Self> {
        Ok(match value {
            Val::List(List::View { list, ty }) => {
                Self::View { items: list.as_slice().iter(), ty: ty.items().0 }
            }
            Val::List(list) => Self::Items { list, next: 0 },
            Val::Map(map) => {
                let keys = map.keys().into_iter();
                Self::Keys { map, keys }
            }
            other => {
                let shown = other.type_name();
                return Err(Error::new(format!("got '{shown}', expected iterable type")));
            }
        })
    }

    #[inline]
    fn next(&mut self) -> Option<Result<Val<'a>>> {
        match self {
            Self::View { items, ty } => items.next().map(|item| ty.read(item)),
            Self::Items { list, next } => {
                if *next >= list.len() {
                    return None;
                }
                *next += 1;
                Some(list.get(*next - 1))
            }
            Self::Keys { keys, .. } => keys.next().map(Ok),
        }
    }

    /// The next item if it is a whole number of the input.
    #[inline]
    fn next_int(&mut self) -> Option<i64> {
        let Self::View { items, ty } = self else { return None };
        let ordain_value::Value::Int(number) = items.as_slice().first()? else { return None };
        if !matches!(ty.view(), View::Int | View::Dyn) {
            return None;
        }
        items.next();
        Some(*number)
    }

    /// Index and item, or key and value.
    fn next_pair(&mut self, index: i64) -> Option<(Val<'a>, Result<Val<'a>>)> {
        if let Self::Keys { map, keys } = self {
            let key = keys.next()?;
            let value = map.find(&key).and_then(|it| it.ok_or_else(|| Error::new("no such key")));
            return Some((key, value));
        }
        self.next().map(|item| (Val::Int(index), item))
    }
}

/// Goes through whole numbers until one ends the loop, `budget` of them are through or something
/// else stands there. Gives how many were looked at and whether the last one ended the loop.
fn scan(
    items: &mut std::slice::Iter<'_, ordain_value::Value>,
    budget: u64,
    ends: impl Fn(i64) -> bool,
) -> (u64, bool) {
    let mut seen = 0u64;
    for item in items.as_slice() {
        let ordain_value::Value::Int(number) = item else { break };
        if seen >= budget {
            break;
        }
        seen += 1;
        if ends(*number) {
            *items = items.as_slice()[usize::try_from(seen).unwrap_or(usize::MAX)..].iter();
            return (seen, true);
        }
    }
    *items = items.as_slice()[usize::try_from(seen).unwrap_or(usize::MAX)..].iter();
    (seen, false)
}

/// How an item of a loop is compared with a number.
#[derive(Clone, Copy)]
enum Test {
    Order(Order),
    Equal(bool),
}

impl Test {
    /// The same test with its operands the other way round.
    fn mirrored(self) -> Self {
        match self {
            Self::Order(Order::Less) => Self::Order(Order::Greater),
            Self::Order(Order::LessEquals) => Self::Order(Order::GreaterEquals),
            Self::Order(Order::Greater) => Self::Order(Order::Less),
            Self::Order(Order::GreaterEquals) => Self::Order(Order::LessEquals),
            Self::Equal(same) => Self::Equal(same),
        }
    }
}

fn slot<'a>(value: Result<Val<'a>>) -> Slot<'a> {
    match value {
        Ok(value) => Slot::Val(value),
        Err(error) => Slot::Failed(error),
    }
}

impl<'a> Machine<'a, '_> {
    /// Puts the next item into the fold's variables.
    #[inline]
    fn advance(&mut self, fold: &'a Fold, range: &mut Range<'a>, index: &mut i64) -> Result<bool> {
        match fold.second {
            None => {
                let place = &mut self.slots[fold.first as usize];
                match range.next_int() {
                    Some(number) => *place = Slot::Val(Val::Int(number)),
                    None => match range.next() {
                        Some(item) => *place = slot(item),
                        None => return Ok(false),
                    },
                }
            }
            Some(second) => {
                let Some((key, value)) = range.next_pair(*index) else { return Ok(false) };
                *index += 1;
                self.slots[fold.first as usize] = Slot::Val(key);
                self.slots[second as usize] = slot(value);
            }
        }
        if self.interrupt.is_some() {
            self.check_interrupt()?;
        }
        Ok(true)
    }

    pub(super) fn fold(&mut self, fold: &'a Fold) -> Result<Val<'a>> {
        if let FoldKind::Bind { init, result } = &fold.kind {
            self.slots[fold.accu as usize] = Slot::Lazy(*init);
            return self.eval(*result);
        }
        let range = self.eval(fold.range)?;
        if fold.second.is_some() && !matches!(range, Val::List(_) | Val::Map(_)) {
            let shown = range.type_name();
            return Err(Error::new(format!("unsupported comprehension range type: {shown}")));
        }
        let mut range = Range::new(range)?;
        match &fold.kind {
            FoldKind::All(predicate) => self.all(fold, &mut range, *predicate),
            FoldKind::Exists(predicate) => self.exists(fold, &mut range, *predicate),
            FoldKind::ExistsOne(predicate, add, equals) => {
                self.exists_one(fold, &mut range, *predicate, add, equals)
            }
            FoldKind::List { filter, item, item_cost, add } => {
                self.build_list(fold, &mut range, *filter, *item, *item_cost, add)
            }
            FoldKind::Bind { .. } => Err(Error::no_such_overload()),
            FoldKind::Any { init, condition, step, result } => {
                self.any(fold, &mut range, (*init, *condition, *step, *result))
            }
        }
    }

    /// Per item: two for the condition, one for the accumulator, and the predicate.
    fn all(&mut self, fold: &'a Fold, range: &mut Range<'a>, predicate: NodeId) -> Result<Val<'a>> {
        if let Some(done) = self.int_loop(fold, range, predicate, (3, 2, false))? {
            return Ok(Val::Bool(done));
        }
        let mut index = 0;
        let mut outcome: Result<bool> = Ok(true);
        while self.advance(fold, range, &mut index)? {
            if matches!(outcome, Ok(false)) {
                self.charge(2)?;
                break;
            }
            self.charge(3)?;
            match (self.eval_bool(predicate), &outcome) {
                (Ok(false), _) => outcome = Ok(false),
                (Err(error), _) if error.is_cancelled() => return Err(error),
                (Err(error), Ok(_)) => outcome = Err(error),
                (Ok(true), _) | (Err(_), Err(_)) => {}
            }
        }
        self.charge(1)?;
        outcome.map(Val::Bool)
    }

    /// Per item: three for the condition, one for the accumulator, and the predicate.
    fn exists(
        &mut self,
        fold: &'a Fold,
        range: &mut Range<'a>,
        predicate: NodeId,
    ) -> Result<Val<'a>> {
        if let Some(done) = self.int_loop(fold, range, predicate, (4, 3, true))? {
            return Ok(Val::Bool(done));
        }
        let mut index = 0;
        let mut outcome: Result<bool> = Ok(false);
        while self.advance(fold, range, &mut index)? {
            if matches!(outcome, Ok(true)) {
                self.charge(3)?;
                break;
            }
            self.charge(4)?;
            match (self.eval_bool(predicate), &outcome) {
                (Ok(true), _) => outcome = Ok(true),
                (Err(error), _) if error.is_cancelled() => return Err(error),
                (Err(error), Ok(_)) => outcome = Err(error),
                (Ok(false), _) | (Err(_), Err(_)) => {}
            }
        }
        self.charge(1)?;
        outcome.map(Val::Bool)
    }

    /// Runs a quantifier over whole numbers of the input that are compared with another one, as
    /// far as there are such items. Gives the outcome if that settles it. `costs` are those of an
    /// item without the predicate, of the condition that ends the loop, and which outcome ends it.
    fn int_loop(
        &mut self,
        fold: &'a Fold,
        range: &mut Range<'a>,
        predicate: NodeId,
        costs: (u64, u64, bool),
    ) -> Result<Option<bool>> {
        let (test, left, right, call) = match self.node(predicate) {
            Node::Compare { order, left, right, cost } => (Test::Order(*order), left, right, cost),
            Node::Equals { negated, left, right, cost } => {
                (Test::Equal(!negated), left, right, cost)
            }
            _ => return Ok(None),
        };
        let Range::View { items, ty } = range else { return Ok(None) };
        let fits = fold.second.is_none() && matches!(ty.view(), View::Int | View::Dyn);
        if !fits || self.interrupt.is_some() {
            return Ok(None);
        }
        let is_item = |id| matches!(self.node(id), Node::Local(slot, true) if *slot == fold.first);
        let (test, other) = match (is_item(*left), is_item(*right)) {
            (true, false) => (test, *right),
            (false, true) => (test.mirrored(), *left),
            _ => return Ok(None),
        };
        // An operand that is neither a constant nor a variable is left to the general way.
        if !matches!(self.node(other), Node::Const(_) | Node::Local(..)) {
            return Ok(None);
        }
        let (each, end_cost, ends) = costs;
        let mut item_cost = each + 1;
        let Some(bound) = self.int(other, &mut item_cost) else { return Ok(None) };
        if call.custom.is_some() {
            return Ok(None);
        }
        let Some(charge) = ints_cost(call, bound, bound) else { return Ok(None) };
        item_cost += charge;
        let budget = self.limit.saturating_sub(self.cost) / item_cost;
        let (seen, ended) = match test {
            Test::Order(Order::Less) => scan(items, budget, |n| (n < bound) == ends),
            Test::Order(Order::LessEquals) => scan(items, budget, |n| (n <= bound) == ends),
            Test::Order(Order::Greater) => scan(items, budget, |n| (n > bound) == ends),
            Test::Order(Order::GreaterEquals) => scan(items, budget, |n| (n >= bound) == ends),
            Test::Equal(same) => scan(items, budget, |n| ((n == bound) == same) == ends),
        };
        self.charge(seen.saturating_mul(item_cost))?;
        if !ended {
            return Ok(None);
        }
        if items.next().is_some() {
            self.charge(end_cost)?;
        }
        self.charge(1)?;
        Ok(Some(ends))
    }

    fn exists_one(
        &mut self,
        fold: &'a Fold,
        range: &mut Range<'a>,
        predicate: NodeId,
        add: &CallCost,
        equals: &CallCost,
    ) -> Result<Val<'a>> {
        let mut index = 0;
        let mut count: Result<i64> = Ok(0);
        while self.advance(fold, range, &mut index)? {
            match self.eval_bool(predicate) {
                Ok(false) => {}
                Ok(true) => {
                    let charge = self.pair_cost(add, &Val::Int(0), &Val::Int(1));
                    self.charge(1 + charge)?;
                    count = count.map(|count| count.saturating_add(1));
                }
                Err(error) if error.is_cancelled() => return Err(error),
                Err(error) => count = Err(error),
            }
        }
        let charge = self.pair_cost(equals, &Val::Int(0), &Val::Int(1));
        self.charge(1 + charge)?;
        count.map(|count| Val::Bool(count == 1))
    }

    fn build_list(
        &mut self,
        fold: &'a Fold,
        range: &mut Range<'a>,
        filter: Option<NodeId>,
        item: NodeId,
        item_cost: u64,
        add: &CallCost,
    ) -> Result<Val<'a>> {
        let mut index = 0;
        let mut items: Result<Vec<Val<'a>>> = Ok(Vec::new());
        // A list of the input in the accumulator's place cannot be: the first one is a literal.
        let nothing = Val::List(List::Owned(Arc::new(Vec::new())));
        let add = self.pair_cost(add, &nothing, &nothing);
        while self.advance(fold, range, &mut index)? {
            if let Some(filter) = filter {
                match self.eval_bool(filter) {
                    Ok(true) => {}
                    Ok(false) => continue,
                    Err(error) if error.is_cancelled() => return Err(error),
                    Err(error) => {
                        items = Err(error);
                        continue;
                    }
                }
            }
            self.charge(1)?;
            if let Ok(items) = &mut items
                && let Some(number) = self.read_int(item)
            {
                self.charge(item_cost + add)?;
                items.push(Val::Int(number));
                continue;
            }
            let value = self.eval(item);
            if let Err(error) = &value
                && error.is_cancelled()
            {
                return Err(error.clone());
            }
            self.charge(item_cost + add)?;
            match (&mut items, value) {
                (Ok(items), Ok(value)) => items.push(value),
                (Ok(_), Err(error)) => items = Err(error),
                (Err(_), _) => {}
            }
        }
        self.charge(1)?;
        items.map(Val::list)
    }

    fn any(
        &mut self,
        fold: &'a Fold,
        range: &mut Range<'a>,
        (init, condition, step, result): (NodeId, NodeId, NodeId, NodeId),
    ) -> Result<Val<'a>> {
        let mut index = 0;
        self.slots[fold.accu as usize] = Slot::Lazy(init);
        while self.advance(fold, range, &mut index)? {
            match self.eval_bool(condition) {
                Ok(false) => break,
                Err(error) if error.is_cancelled() => return Err(error),
                _ => {}
            }
            let next = self.eval(step);
            if let Err(error) = &next
                && error.is_cancelled()
            {
                return Err(error.clone());
            }
            self.slots[fold.accu as usize] = slot(next);
        }
        self.eval(result)
    }
}
