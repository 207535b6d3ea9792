//! Turns a checked expression into a plan.

use std::fmt;
use std::sync::Arc;

use super::{
    Attr, CallCost, CallNode, Chain, Charge, FieldKey, Fold, FoldKind, Has, Key, Node, NodeId,
    Order, Plan, Qualifier, Root, StructNode, Target, constant, count, fold, test,
};
use crate::ast::{Call, Comprehension, Expr, ExprId, Select, Text, operator};
use crate::check::Checked;
use crate::decl::Reference;
use crate::eval;
use crate::library::arithmetic::Op;
use crate::library::{Functions, convert};
use crate::types::Type;
use crate::value::{Str, Val};
use ordain_go::regex::{GoPattern, GoRegex};

/// Why a checked expression cannot become a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramError {
    message: String,
    patterns: usize,
}

impl ProgramError {
    fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), patterns: 0 }
    }

    /// About how many states of constant patterns were made before the expression was refused: work
    /// that was done as much as that of a program ([`Program::patterns_size`]).
    ///
    /// [`Program::patterns_size`]: crate::program::Program::patterns_size
    #[must_use]
    pub fn patterns_size(&self) -> usize {
        self.patterns
    }
}

impl fmt::Display for ProgramError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ProgramError {}

type Planned = Result<NodeId, ProgramError>;

/// Expressions nested deeper than this are refused, so that evaluation cannot exhaust the stack.
pub const DEPTH_MAX: usize = 600;
/// States that constant patterns may have together: those of one expression, and of all that belong
/// together (the rules of a schema, the expressions of a policy). Upstream has no such bound; each of
/// its patterns may take 128 MiB.
pub const PATTERNS_MAX: usize = 500_000;
/// What a pattern counts for that is too large by itself, whether its text shows it or the attempt to
/// build it: a few of them are all that those who belong together may try.
const REFUSED_STATES: usize = PATTERNS_MAX / 8;

pub(crate) fn plan(checked: &Checked, functions: &Functions) -> Result<Plan, ProgramError> {
    let mut planner = Planner {
        checked,
        functions,
        nodes: Vec::with_capacity(checked.ast().id_count()),
        globals: Vec::new(),
        locals: 0,
        scope: Vec::new(),
        depth: 0,
        depth_max: 0,
        patterns: 0,
    };
    let root = planner
        .plan(checked.ast().root())
        .map_err(|error| ProgramError { patterns: planner.patterns, ..error })?;
    test::fuse(&mut planner.nodes);
    count::fuse(&mut planner.nodes, planner.locals);
    let Planner { nodes, globals, locals, depth_max, patterns, .. } = planner;
    let is_logical = nodes.get(root as usize).is_some_and(eval::is_logical);
    let chain = Chain::of(&nodes, root);
    let is_way = matches!(nodes.get(root as usize), Some(Node::Attr(_)));
    let way = is_way.then(|| test::single(&nodes, root)).flatten();
    Ok(Plan { nodes, root, globals, locals, is_logical, chain, way, depth: depth_max, patterns })
}

struct Planner<'c> {
    checked: &'c Checked,
    functions: &'c Functions,
    nodes: Vec<Node>,
    globals: Vec<Text>,
    locals: usize,
    /// Names of comprehension variables with their slots, innermost last.
    scope: Vec<(Text, u32)>,
    depth: usize,
    /// The deepest nesting that was met.
    depth_max: usize,
    /// States of its constant patterns, as far as they were made.
    patterns: usize,
}

impl<'c> Planner<'c> {
    fn push(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId::try_from(self.nodes.len() - 1).unwrap_or(NodeId::MAX)
    }

    fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    fn constant(&self, id: NodeId) -> Option<&Val<'static>> {
        match self.node(id) {
            Node::Const(value) => Some(value),
            _ => None,
        }
    }

    fn plan(&mut self, id: ExprId) -> Planned {
        self.depth += 1;
        self.depth_max = self.depth_max.max(self.depth);
        if self.depth > DEPTH_MAX {
            return Err(ProgramError::new("expression is nested too deeply"));
        }
        let checked = self.checked;
        let planned = match checked.ast().expr(id) {
            Expr::Const(literal) => Ok(self.push(Node::Const(constant::value_of(literal)))),
            Expr::Ident(name) => self.ident(id, name),
            Expr::Select(select) => self.select(id, select),
            Expr::Call(call) => self.call(id, call),
            Expr::List(list) => {
                let optional = |index: usize| {
                    u32::try_from(index).is_ok_and(|it| list.optional_indices.contains(&it))
                };
                let mut elements = Vec::with_capacity(list.elements.len());
                for (index, element) in list.elements.iter().enumerate() {
                    elements.push((self.plan(*element)?, optional(index)));
                }
                let fixed = elements.iter().all(|(node, _)| self.constant(*node).is_some());
                let node = self.push(Node::List(elements.into()));
                if fixed { self.fold_constant(node) } else { Ok(node) }
            }
            Expr::Map(entries) => {
                let mut planned = Vec::with_capacity(entries.len());
                for entry in entries {
                    planned.push((self.plan(entry.key)?, self.plan(entry.value)?, entry.optional));
                }
                let fixed = planned.iter().all(|(key, value, _)| {
                    self.constant(*key).is_some() && self.constant(*value).is_some()
                });
                let node = self.push(Node::Map(planned.into()));
                if fixed { self.fold_constant(node) } else { Ok(node) }
            }
            Expr::Struct(message) => {
                let mut fields = Vec::with_capacity(message.fields.len());
                for field in &message.fields {
                    fields.push((field.name.clone(), self.plan(field.value)?, field.optional));
                }
                let type_name = message.type_name.clone();
                Ok(self.push(Node::Struct(Box::new(StructNode { type_name, fields }))))
            }
            Expr::Comprehension(fold) => self.comprehension(fold),
            Expr::Unspecified => Err(ProgramError::new("unsupported expression")),
        };
        self.depth -= 1;
        planned
    }

    /// Evaluates a node of constants now; an error stays what evaluation will give.
    fn fold_constant(&mut self, id: NodeId) -> Planned {
        let value =
            eval::constant(&self.nodes, id).ok().and_then(|value| constant::to_static(&value));
        Ok(match value {
            Some(value) => self.push(Node::Const(value)),
            None => id,
        })
    }

    fn ident(&mut self, id: ExprId, name: &Text) -> Planned {
        let reference = self.checked.reference(id);
        let (name, value) = match reference {
            Some(Reference::Ident { name, value }) => (name.as_str(), value.as_ref()),
            _ => (name.as_str(), None),
        };
        if let Some(value) = value {
            return Ok(self.push(Node::Const(constant::value_of(value))));
        }
        let local = (!name.starts_with('.'))
            .then(|| {
                self.scope.iter().rev().find(|(known, _)| known == name).map(|(_, slot)| *slot)
            })
            .flatten();
        if let Some(slot) = local {
            return Ok(self.push(Node::Local(slot, true)));
        }
        let name = name.trim_start_matches('.');
        if let Type::Type(of) = self.checked.type_of(id) {
            let shown = match of.as_deref() {
                None | Some(Type::Wrapper(_) | Type::Dyn | Type::Any | Type::Param(_)) => {
                    name.to_owned()
                }
                Some(ty) => ty.runtime_name().to_owned(),
            };
            return Ok(self.push(Node::Const(Val::Type(Str::Owned(shown.into())))));
        }
        let slot = self.globals.iter().position(|known| known == name).unwrap_or_else(|| {
            self.globals.push(Text::from(name));
            self.globals.len() - 1
        });
        Ok(self.push(Node::Global(u32::try_from(slot).unwrap_or(u32::MAX), true)))
    }

    fn select(&mut self, id: ExprId, select: &Select) -> Planned {
        if let Some(Reference::Ident { name, .. }) = self.checked.reference(id) {
            return self.ident(id, &name.clone());
        }
        let operand = self.plan(select.operand)?;
        if select.test_only {
            let mut attr = self.attr(operand);
            attr.costs = self.functions.presence_cost();
            let has = Has { attr, field: FieldKey::new(select.field.as_str()) };
            return Ok(self.push(Node::Has(Box::new(has))));
        }
        Ok(self.qualify(operand, Key::Field(FieldKey::new(select.field.as_str())), false))
    }

    /// The attribute that a node is, taken out of it, or a new one that starts from it.
    fn attr(&mut self, operand: NodeId) -> Attr {
        let (root, costs) = match self.node(operand) {
            Node::Attr(_) => {
                let taken =
                    std::mem::replace(&mut self.nodes[operand as usize], Node::Const(Val::Null));
                match taken {
                    Node::Attr(attr) => return *attr,
                    other => {
                        self.nodes[operand as usize] = other;
                        (Root::Node(operand), true)
                    }
                }
            }
            Node::Global(slot, costs) => (Root::Global(*slot), *costs),
            Node::Local(slot, costs) => (Root::Local(*slot), *costs),
            // A choice is no attribute with a cost of its own.
            Node::Conditional(..) => (Root::Node(operand), false),
            _ => (Root::Node(operand), true),
        };
        Attr { root, costs, qualifiers: Vec::new() }
    }

    fn qualify(&mut self, operand: NodeId, key: Key, optional: bool) -> NodeId {
        let mut attr = self.attr(operand);
        attr.qualifiers.push(Qualifier { key, optional });
        self.push(Node::Attr(Box::new(attr)))
    }

    /// Marks an attribute as one whose root is resolved without being counted.
    fn uncounted(&mut self, id: NodeId) {
        match &mut self.nodes[id as usize] {
            Node::Global(_, costs) | Node::Local(_, costs) => *costs = false,
            Node::Attr(attr) => attr.costs = false,
            _ => {}
        }
    }

    fn index(&mut self, operand: NodeId, index: NodeId, optional: bool) -> Planned {
        let key = match self.node(index) {
            Node::Const(value) => {
                let value = value.clone();
                match &value {
                    Val::Str(text) => Key::Field(FieldKey::new(text.as_str())),
                    Val::Int(_) | Val::Uint(_) | Val::Bool(_) | Val::Double(_) => Key::Const(value),
                    other => {
                        let shown = go_type(other);
                        return Err(ProgramError::new(format!("invalid qualifier type: {shown}")));
                    }
                }
            }
            _ => {
                self.uncounted(index);
                Key::Node(index)
            }
        };
        Ok(self.qualify(operand, key, optional))
    }

    fn call(&mut self, id: ExprId, call: &Call) -> Planned {
        if Op::of(&call.function).is_some() {
            return self.chain(id);
        }
        let mut args = Vec::with_capacity(call.args.len() + 1);
        for arg in call.target.iter().chain(&call.args) {
            args.push(self.plan(*arg)?);
        }
        self.call_with(id, call, args)
    }

    /// Plans `a + b + c …` without recursing along the left.
    fn chain(&mut self, id: ExprId) -> Planned {
        let checked = self.checked;
        let mut spine = Vec::new();
        let mut at = id;
        while let Expr::Call(call) = checked.ast().expr(at)
            && Op::of(&call.function).is_some()
            && let [left, _] = call.args.as_slice()
        {
            spine.push((at, call));
            at = *left;
        }
        let mut left = self.plan(at)?;
        for (at, call) in spine.into_iter().rev() {
            let right = self.plan(call.args[1])?;
            left = self.call_with(at, call, vec![left, right])?;
        }
        Ok(left)
    }

    fn overload(&self, id: ExprId) -> Text {
        let Some(reference) = self.checked.reference(id) else { return Text::default() };
        let mut overloads = reference.overloads();
        match (overloads.next(), overloads.next()) {
            (Some(one), None) => one.id.clone(),
            _ => Text::default(),
        }
    }

    fn cost(&self, function: &str, overload: &str) -> CallCost {
        CallCost {
            default: default_charge(overload),
            custom: self.functions.tracker(function, overload),
            scalars_default: self.functions.scalars_default(function, overload),
        }
    }

    fn call_with(&mut self, id: ExprId, call: &Call, args: Vec<NodeId>) -> Planned {
        let overload = self.overload(id);
        let function = call.function.as_str();
        let cost = |overload: &str| self.cost(function, overload);
        let node = match (function, args.as_slice()) {
            (operator::LOGICAL_AND, [a, b]) => Node::And(*a, *b),
            (operator::LOGICAL_OR, [a, b]) => Node::Or(*a, *b),
            (operator::LOGICAL_NOT, [a]) => Node::Not(*a, cost(&overload)),
            (operator::NOT_STRICTLY_FALSE, [a]) => Node::NotStrictlyFalse(*a, cost(&overload)),
            (operator::CONDITIONAL, [c, a, b]) => {
                let (c, a, b) = (*c, *a, *b);
                self.uncounted(a);
                self.uncounted(b);
                Node::Conditional(c, a, b)
            }
            (operator::EQUALS, [a, b]) => {
                Node::Equals { negated: false, left: *a, right: *b, cost: cost("equals") }
            }
            (operator::NOT_EQUALS, [a, b]) => {
                Node::Equals { negated: true, left: *a, right: *b, cost: cost("not_equals") }
            }
            (operator::INDEX, [a, b]) => return self.index(*a, *b, false),
            (operator::OPTIONAL_INDEX | operator::OPTIONAL_SELECT, [a, b]) => {
                return self.index(*a, *b, true);
            }
            (operator::NEGATE, [a]) => Node::Negate(*a, cost(&overload)),
            (operator::IN, [a, b]) => return self.membership(*a, *b, &overload),
            ("or", [a, b]) if matches!(&*overload, "" | "optional_or_optional") => {
                Node::OptionalOr { left: *a, right: *b, value: false }
            }
            ("orValue", [a, b]) if matches!(&*overload, "" | "optional_orValue_value") => {
                Node::OptionalOr { left: *a, right: *b, value: true }
            }
            (_, [left, right]) if order_of(function).is_some() => {
                let order = order_of(function).unwrap_or(Order::Less);
                Node::Compare { order, left: *left, right: *right, cost: cost(&overload) }
            }
            (_, [left, right]) if Op::of(function).is_some() => {
                let op = Op::of(function).unwrap_or(Op::Add);
                Node::Arithmetic { op, left: *left, right: *right, cost: cost(&overload) }
            }
            _ => return self.function(function, &overload, args),
        };
        Ok(self.push(node))
    }

    fn membership(&mut self, item: NodeId, list: NodeId, overload: &str) -> Planned {
        if overload == "in_list"
            && let Some(constant) = self.constant(list)
        {
            if constant.as_list().is_some_and(crate::value::List::is_empty) {
                return Ok(self.push(Node::Const(Val::Bool(false))));
            }
            if let Some(set) = constant::set_of(constant) {
                return Ok(self.push(Node::InSet(item, Arc::new(set))));
            }
        }
        let cost = self.cost(operator::IN, overload);
        Ok(self.push(Node::In { item, list, cost }))
    }

    fn function(&mut self, function: &str, overload: &str, args: Vec<NodeId>) -> Planned {
        let target = match self.functions.find(function) {
            None => Target::None,
            Some(found) => {
                let one = found.overloads.iter().find(|bound| bound.id == overload);
                match (found.singleton, one, found.overloads.as_slice()) {
                    (_, Some(bound), _) => Target::One(bound.clone()),
                    (Some(singleton), ..) => Target::Singleton(singleton),
                    (None, None, []) => Target::None,
                    (None, None, [bound]) => Target::One(bound.clone()),
                    (None, None, many) => Target::Any(many.into()),
                }
            }
        };
        let conversion = convert::is_conversion(function) && args.len() == 1;
        let fixed = conversion && self.constant(args[0]).is_some();
        let regex = self.pattern(function, &args)?;
        let eager = args.len() <= 2 && regex.is_none();
        let cost = self.cost(function, overload);
        let call = CallNode {
            function: Text::from(function),
            args: args.into(),
            target,
            cost,
            regex,
            eager,
            priced_list: self.functions.priced_list(overload),
        };
        let node = self.push(Node::Call(Box::new(call)));
        if !fixed {
            return Ok(node);
        }
        let value = eval::constant(&self.nodes, node)
            .map_err(|error| ProgramError::new(error.message().to_owned()))?;
        match constant::to_static(&value) {
            Some(value) => Ok(self.push(Node::Const(value))),
            None => Ok(node),
        }
    }

    /// Compiles the constant pattern of a call that takes one.
    fn pattern(
        &mut self,
        function: &str,
        args: &[NodeId],
    ) -> Result<Option<Arc<GoRegex>>, ProgramError> {
        let Some(index) = self.functions.pattern_argument(function) else { return Ok(None) };
        let Some(Val::Str(text)) = args.get(index).and_then(|id| self.constant(*id)) else {
            return Ok(None);
        };
        let text = text.as_str().to_owned();
        let read = GoPattern::read(&text);
        let patterns = self.patterns.saturating_add(read.weight());
        if patterns > PATTERNS_MAX {
            return Err(ProgramError::new("the patterns of the expression are too large together"));
        }
        match read.compile() {
            Ok(regex) => {
                self.patterns = patterns;
                Ok(Some(Arc::new(regex)))
            }
            Err(error) => {
                if error.is_too_large() {
                    self.patterns = self.patterns.saturating_add(REFUSED_STATES);
                }
                Err(ProgramError::new(error.to_string()))
            }
        }
    }

    fn local(&mut self) -> u32 {
        self.locals += 1;
        u32::try_from(self.locals - 1).unwrap_or(u32::MAX)
    }

    fn comprehension(&mut self, fold: &Comprehension) -> Planned {
        let shape = fold::shape(self.checked.ast(), fold);
        let range = self.plan(fold.iter_range)?;
        // The first value of the accumulator is computed outside of the fold.
        let init = self.plan(fold.accu_init)?;
        let first = self.local();
        let second = fold.iter_var2.as_ref().map(|_| self.local());
        let accu = self.local();
        let depth = self.scope.len();
        self.scope.push((fold.iter_var.clone(), first));
        if let (Some(name), Some(slot)) = (&fold.iter_var2, second) {
            self.scope.push((name.clone(), slot));
        }
        self.scope.push((fold.accu_var.clone(), accu));
        let kind = self.fold_kind(fold, shape, init, depth);
        self.scope.truncate(depth);
        let kind = kind?;
        Ok(self.push(Node::Fold(Box::new(Fold { range, first, second, accu, kind }))))
    }

    fn fold_kind(
        &mut self,
        fold: &Comprehension,
        shape: fold::Shape,
        init: NodeId,
        depth: usize,
    ) -> Result<FoldKind, ProgramError> {
        Ok(match shape {
            fold::Shape::All(predicate) => FoldKind::All(self.plan(predicate)?),
            fold::Shape::Exists(predicate) => FoldKind::Exists(self.plan(predicate)?),
            fold::Shape::ExistsOne { predicate, add } => {
                let predicate = self.plan(predicate)?;
                let add = self.cost(operator::ADD, &self.overload(add));
                let equals = self.cost(operator::EQUALS, "equals");
                FoldKind::ExistsOne(predicate, add, equals)
            }
            fold::Shape::List { filter, item, add } => {
                let filter = filter.map(|id| self.plan(id)).transpose()?;
                let item = self.plan(item)?;
                // A list literal of constants costs nothing.
                let item_cost = if self.constant(item).is_some() { 0 } else { LIST_COST };
                let add = self.cost(operator::ADD, &self.overload(add));
                FoldKind::List { filter, item, item_cost, add }
            }
            fold::Shape::Bind => {
                let result = self.result(fold, depth)?;
                FoldKind::Bind { init, result }
            }
            fold::Shape::Any => {
                let condition = self.plan(fold.loop_condition)?;
                let step = self.plan(fold.loop_step)?;
                let result = self.result(fold, depth)?;
                FoldKind::Any { init, condition, step, result }
            }
        })
    }

    /// Plans the result, which does not see the iteration variables.
    fn result(&mut self, fold: &Comprehension, depth: usize) -> Planned {
        let mut own: Vec<(Text, u32)> = self.scope.drain(depth..).collect();
        if let Some(accu) = own.pop() {
            self.scope.push(accu.clone());
            own.push(accu);
        }
        let result = self.plan(fold.result)?;
        self.scope.truncate(depth);
        self.scope.extend(own);
        Ok(result)
    }
}

/// What making a list costs.
pub(crate) const LIST_COST: u64 = 10;
/// What making a map costs.
pub(crate) const MAP_COST: u64 = 30;
/// What making a message costs.
pub(crate) const STRUCT_COST: u64 = 40;

fn order_of(function: &str) -> Option<Order> {
    Some(match function {
        operator::LESS => Order::Less,
        operator::LESS_EQUALS => Order::LessEquals,
        operator::GREATER => Order::Greater,
        operator::GREATER_EQUALS => Order::GreaterEquals,
        _ => return None,
    })
}

fn default_charge(overload: &str) -> Charge {
    match overload {
        "starts_with_string" | "ends_with_string" | "string_to_bytes" | "bytes_to_string"
        | "strings_quote" | "string_format" => Charge::Traverse,
        "in_list" => Charge::Items,
        "less_string"
        | "greater_string"
        | "less_equals_string"
        | "greater_equals_string"
        | "less_bytes"
        | "greater_bytes"
        | "less_equals_bytes"
        | "greater_equals_bytes"
        | "equals"
        | "not_equals" => Charge::Shorter,
        "add_string" | "add_bytes" => Charge::Both,
        "matches_string" => Charge::Matches,
        "contains_string" => Charge::Search,
        _ => Charge::One,
    }
}

/// Go's name for the type of a constant that cannot be an index.
fn go_type(value: &Val<'_>) -> String {
    match value {
        Val::Null => "types.Null".to_owned(),
        Val::Bytes(_) => "types.Bytes".to_owned(),
        Val::Duration(_) => "types.Duration".to_owned(),
        Val::Timestamp(_) => "types.Timestamp".to_owned(),
        Val::List(_) => "*types.baseList".to_owned(),
        Val::Map(_) => "*types.baseMap".to_owned(),
        Val::Type(_) => "*types.Type".to_owned(),
        Val::Optional(_) => "*types.Optional".to_owned(),
        other => other.type_name().to_owned(),
    }
}
