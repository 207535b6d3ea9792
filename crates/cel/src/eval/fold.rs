//! Comprehensions.

use std::sync::Arc;

use super::cost::default_cost;
use super::scalar::ints_cost;
use super::{Machine, Slot};
use crate::plan::{CallCost, Computation, Fold, FoldKind, Node, NodeId, Relation, Root, Test};
use crate::value::{Error, List, Map, Result, Val, View, ViewRef};

/// How much room a list gets before it is known how long it will be.
const CAPACITY_MAX: usize = 1_024;

/// What a comprehension goes through.
enum Range<'a> {
    View { items: std::slice::Iter<'a, ordain_value::Value>, ty: ViewRef<'a> },
    Items { list: List<'a>, next: usize },
    Keys { map: Map<'a>, keys: std::vec::IntoIter<Val<'a>> },
}

/// What Go calls the type that holds a value which nothing can go through.
fn go_type<'v>(value: &'v Val<'_>) -> std::borrow::Cow<'v, str> {
    let name = match value {
        Val::Null => "types.Null",
        Val::Bool(_) => "types.Bool",
        Val::Int(_) => "types.Int",
        Val::Uint(_) => "types.Uint",
        Val::Double(_) => "types.Double",
        Val::Str(_) => "types.String",
        Val::Bytes(_) => "types.Bytes",
        Val::Duration(_) => "types.Duration",
        Val::Timestamp(_) => "types.Timestamp",
        Val::Type(_) => "*types.Type",
        Val::Optional(_) => "*types.Optional",
        other => return other.type_name().to_string().into(),
    };
    name.into()
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
                let shown = go_type(&other);
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

/// What a quantifier costs per item without its predicate, what the condition costs that ends it
/// early, and the outcome that does.
#[derive(Clone, Copy)]
struct Quantifier {
    each: u64,
    end: u64,
    ends: bool,
}

/// Per item: two for the condition, one for the accumulator.
const ALL: Quantifier = Quantifier { each: 3, end: 2, ends: false };
/// Per item: three for the condition, one for the accumulator.
const EXISTS: Quantifier = Quantifier { each: 4, end: 3, ends: true };

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
                let held = match range.next_int() {
                    Some(number) => Slot::Val(Val::Int(number)),
                    None => match range.next() {
                        Some(item) => slot(item),
                        None => return Ok(false),
                    },
                };
                self.set_slot(fold.first, held);
            }
            Some(second) => {
                let Some((key, value)) = range.next_pair(*index) else { return Ok(false) };
                *index += 1;
                self.set_slot(fold.first, Slot::Val(key));
                self.set_slot(second, slot(value));
            }
        }
        if self.interrupt.is_some() {
            self.check_interrupt()?;
        }
        Ok(true)
    }

    pub(super) fn fold(&mut self, fold: &'a Fold) -> Result<Val<'a>> {
        if let FoldKind::Bind { init, result } = &fold.kind {
            self.set_slot(fold.accu, Slot::Lazy(*init));
            return self.eval(*result);
        }
        let range = self.eval(fold.range)?;
        if fold.second.is_some() && !matches!(range, Val::List(_) | Val::Map(_)) {
            let shown = range.type_name();
            return Err(Error::new(format!("unsupported comprehension range type: {shown}")));
        }
        let mut range = Range::new(range)?;
        match &fold.kind {
            FoldKind::All(predicate) => self.quantify(fold, &mut range, *predicate, ALL),
            FoldKind::Exists(predicate) => self.quantify(fold, &mut range, *predicate, EXISTS),
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

    /// The test that a node is, if it asks about the variable of this fold.
    fn own_test(&self, fold: &Fold, id: NodeId) -> Option<&'a Test> {
        match self.node(id) {
            Node::Test(test) if fold.second.is_none() && self.interrupt.is_none() => {
                matches!(test.root, Root::Local(slot) if slot == fold.first).then_some(&**test)
            }
            _ => None,
        }
    }

    /// Runs `all` and `exists`.
    fn quantify(
        &mut self,
        fold: &'a Fold,
        range: &mut Range<'a>,
        predicate: NodeId,
        costs: Quantifier,
    ) -> Result<Val<'a>> {
        let Quantifier { each, end, ends } = costs;
        if let Some(done) = self.int_loop(fold, range, predicate, costs)? {
            return Ok(Val::Bool(done));
        }
        let own = self.own_test(fold, predicate);
        let mut index = 0;
        let mut outcome: Result<bool> = Ok(!ends);
        loop {
            if let (Some(test), Range::View { items, ty }, Ok(so_far)) =
                (own, &mut *range, &outcome)
                && *so_far != ends
                && let Some(item) = items.as_slice().first()
            {
                let mut cost = each;
                if let Some(it) = test.of_item(item, *ty, &mut cost)
                    && self.spend(cost)
                {
                    items.next();
                    if it == ends {
                        outcome = Ok(ends);
                    }
                    continue;
                }
            }
            if !self.advance(fold, range, &mut index)? {
                break;
            }
            if matches!(outcome, Ok(it) if it == ends) {
                self.charge(end)?;
                break;
            }
            self.charge(each)?;
            match (self.eval_bool(predicate), &outcome) {
                (Ok(it), _) if it == ends => outcome = Ok(ends),
                (Err(error), _) if error.is_cancelled() => return Err(error),
                (Err(error), Ok(_)) => outcome = Err(error),
                (Ok(_), _) | (Err(_), Err(_)) => {}
            }
        }
        self.charge(1)?;
        outcome.map(Val::Bool)
    }

    /// Runs a quantifier over whole numbers of the input that are compared with another one, as
    /// far as there are such items. Gives the outcome if that settles it.
    fn int_loop(
        &mut self,
        fold: &'a Fold,
        range: &mut Range<'a>,
        predicate: NodeId,
        costs: Quantifier,
    ) -> Result<Option<bool>> {
        let Range::View { items, ty } = range else { return Ok(None) };
        let fits = fold.second.is_none() && matches!(ty.view(), View::Int | View::Dyn);
        if !fits || self.interrupt.is_some() {
            return Ok(None);
        }
        let Quantifier { each, end, ends } = costs;
        let (relation, bound, cost) = match self.node(predicate) {
            Node::Test(test) => match test.int_bound(fold.first) {
                Some((relation, bound)) => (relation, bound, each + test.int_cost()),
                None => return Ok(None),
            },
            Node::Compare { order, left, right, cost } => {
                match self.compared(fold, (*order).into(), *left, *right, cost) {
                    Some((relation, bound, cost)) => (relation, bound, each + cost),
                    None => return Ok(None),
                }
            }
            Node::Equals { negated, left, right, cost } => {
                let relation = if *negated { Relation::NOT_EQUALS } else { Relation::EQUALS };
                match self.compared(fold, relation, *left, *right, cost) {
                    Some((relation, bound, cost)) => (relation, bound, each + cost),
                    None => return Ok(None),
                }
            }
            _ => return Ok(None),
        };
        let budget = self.limit.saturating_sub(self.cost) / cost;
        let (seen, ended) = match relation {
            Relation::LESS => scan(items, budget, |n| (n < bound) == ends),
            Relation::LESS_EQUALS => scan(items, budget, |n| (n <= bound) == ends),
            Relation::GREATER => scan(items, budget, |n| (n > bound) == ends),
            Relation::GREATER_EQUALS => scan(items, budget, |n| (n >= bound) == ends),
            Relation::EQUALS => scan(items, budget, |n| (n == bound) == ends),
            _ => scan(items, budget, |n| (n != bound) == ends),
        };
        self.charge(seen.saturating_mul(cost))?;
        if !ended {
            return Ok(None);
        }
        if items.next().is_some() {
            self.charge(end)?;
        }
        self.charge(1)?;
        Ok(Some(ends))
    }

    /// The variable of a fold compared with a number that another variable holds, and what each
    /// comparison costs.
    fn compared(
        &self,
        fold: &Fold,
        relation: Relation,
        left: NodeId,
        right: NodeId,
        call: &CallCost,
    ) -> Option<(Relation, i64, u64)> {
        let is_item = |id| matches!(self.node(id), Node::Local(slot, true) if *slot == fold.first);
        let (relation, other) = match (is_item(left), is_item(right)) {
            (true, false) => (relation, right),
            (false, true) => (relation.mirrored(), left),
            _ => return None,
        };
        // An operand that is neither a constant nor a variable is left to the general way.
        if !matches!(self.node(other), Node::Const(_) | Node::Local(..))
            || !call.is_default_for_scalars()
        {
            return None;
        }
        let mut cost = 1;
        let bound = self.int(other, &mut cost)?;
        cost += ints_cost(call, bound, bound)?;
        Some((relation, bound, cost))
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

    /// Makes a list of whole numbers of the input as far as there are such items.
    fn int_list(
        &mut self,
        fold: &'a Fold,
        range: &mut Range<'a>,
        filter: Option<NodeId>,
        item: NodeId,
        item_cost: u64,
    ) -> Vec<Val<'a>> {
        let Range::View { items, ty } = range else { return Vec::new() };
        let fits = fold.second.is_none() && matches!(ty.view(), View::Int | View::Dyn);
        if !fits || self.interrupt.is_some() {
            return Vec::new();
        }
        let filter = match filter {
            None => None,
            Some(id) => match self.own_test(fold, id).filter(|it| it.asks_int_of(fold.first)) {
                Some(test) => Some(test),
                None => return Vec::new(),
            },
        };
        let (computation, variable) = match Computation::of(self.nodes, item) {
            Some((computation, operand)) => (Some(computation), operand),
            None => (None, item),
        };
        let Node::Local(slot, costs) = self.node(variable) else { return Vec::new() };
        if *slot != fold.first {
            return Vec::new();
        }
        let asked = filter.map_or(0, Test::int_cost);
        // One for the accumulator.
        let made = 1 + u64::from(*costs) + u64::from(computation.is_some()) + item_cost;
        let most = self.limit.saturating_sub(self.cost);
        let mut out = Vec::with_capacity(items.len().min(CAPACITY_MAX));
        let (mut seen, mut spent) = (0, 0u64);
        for value in items.as_slice() {
            let ordain_value::Value::Int(number) = value else { break };
            let (kept, made) = match filter.map_or(Some(true), |test| test.of_int(*number)) {
                Some(true) => match computation.map_or(Some(*number), |it| it.apply(*number)) {
                    Some(made_of) => (Some(made_of), made),
                    None => break,
                },
                Some(false) => (None, 0),
                None => break,
            };
            if spent + asked + made > most {
                break;
            }
            spent += asked + made;
            seen += 1;
            if let Some(number) = kept {
                out.push(Val::Int(number));
            }
        }
        self.cost += spent;
        *items = items.as_slice().get(seen..).unwrap_or_default().iter();
        out
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
        // A list of the input in the accumulator's place cannot be: the first one is a literal.
        let add = match add.custom {
            None => default_cost(add.default, &[]),
            Some(_) => {
                let nothing = Val::List(List::Owned(Arc::new(Vec::new())));
                self.pair_cost(add, &nothing, &nothing)
            }
        };
        let mut items = Ok(self.int_list(fold, range, filter, item, item_cost + add));
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
        self.set_slot(fold.accu, Slot::Lazy(init));
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
            self.set_slot(fold.accu, slot(next));
        }
        self.eval(result)
    }
}
