//! Plans: checked expressions with everything resolved that can be before there is input.
//!
//! Names are slots, operators are nodes of their own, calls know their implementation and the
//! cost of each overload, constants are folded where an API server folds them, and the macros'
//! comprehensions are recognised so that they run as loops.

use std::sync::Arc;

use crate::ast::Text;
use crate::eval::borrowed;
use crate::library::arithmetic::Op;
use crate::library::{Bound, CostFn, Singleton};
use crate::value::Val;
use ordain_go::regex::GoRegex;

pub(crate) use chain::Chain;
pub(crate) use count::Count;
pub(crate) use field::{FieldKey, same_text};
pub(crate) use test::{Computation, Relation, Test, entry, is_mapped, tenth_of};

mod chain;
mod constant;
mod count;
mod field;
mod fold;
pub(crate) mod planner;
mod test;

/// The index of a node.
pub(crate) type NodeId = u32;

/// A plan.
pub(crate) struct Plan {
    pub(crate) nodes: Vec<Node>,
    pub(crate) root: NodeId,
    /// The variables that the input must bind.
    pub(crate) globals: Vec<Text>,
    /// How many local slots there are.
    pub(crate) locals: usize,
    /// Whether the outcome is a truth value, if there is one.
    pub(crate) is_logical: bool,
    /// The whole program as tests, if it is nothing else.
    pub(crate) chain: Option<Chain>,
    /// The whole program as the way to a part of a variable, if it is nothing else.
    pub(crate) way: Option<Test>,
    /// How deep the expression is nested.
    pub(crate) depth: usize,
    /// About how many states its constant patterns have.
    pub(crate) patterns: usize,
}

impl Plan {
    /// The value of a program that is nothing but a constant, which costs nothing.
    #[inline]
    pub(crate) fn constant(&self) -> Option<Val<'_>> {
        match self.nodes.get(self.root as usize) {
            Some(Node::Const(value)) => Some(borrowed(value)),
            _ => None,
        }
    }
}

/// The default cost of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Charge {
    /// One.
    One,
    /// A traversal of the first argument.
    Traverse,
    /// The size of the second argument.
    Items,
    /// A traversal of the shorter argument.
    Shorter,
    /// A traversal of both.
    Both,
    /// A match of the first against the second.
    Matches,
    /// A search for the second in the first.
    Search,
}

/// What a call costs.
#[derive(Clone, Copy)]
pub(crate) struct CallCost {
    pub(crate) default: Charge,
    pub(crate) custom: Option<CostFn>,
    /// Whether the function of the embedder has nothing to say about scalars.
    pub(crate) scalars_default: bool,
}

impl CallCost {
    /// Whether the cost is always one.
    pub(crate) fn is_one(&self) -> bool {
        self.custom.is_none() && self.default == Charge::One
    }

    /// Whether scalars cost the default.
    pub(crate) fn is_default_for_scalars(&self) -> bool {
        self.custom.is_none() || self.scalars_default
    }
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    Less,
    LessEquals,
    Greater,
    GreaterEquals,
}

/// One step of a plan.
pub(crate) enum Node {
    Const(Val<'static>),
    /// A variable of the input; the flag says whether reading it costs.
    Global(u32, bool),
    /// A variable of a comprehension.
    Local(u32, bool),
    Attr(Box<Attr>),
    /// A presence test.
    Has(Box<Has>),
    Not(NodeId, CallCost),
    And(NodeId, NodeId),
    Or(NodeId, NodeId),
    Conditional(NodeId, NodeId, NodeId),
    NotStrictlyFalse(NodeId, CallCost),
    Equals {
        negated: bool,
        left: NodeId,
        right: NodeId,
        cost: CallCost,
    },
    Compare {
        order: Order,
        left: NodeId,
        right: NodeId,
        cost: CallCost,
    },
    Arithmetic {
        op: Op,
        left: NodeId,
        right: NodeId,
        cost: CallCost,
    },
    Negate(NodeId, CallCost),
    In {
        item: NodeId,
        list: NodeId,
        cost: CallCost,
    },
    /// Membership in a constant list.
    InSet(NodeId, Arc<ConstSet>),
    /// `or` and `orValue`.
    OptionalOr {
        left: NodeId,
        right: NodeId,
        value: bool,
    },
    Call(Box<CallNode>),
    List(Box<[(NodeId, bool)]>),
    Map(Box<[(NodeId, NodeId, bool)]>),
    Struct(Box<StructNode>),
    Fold(Box<Fold>),
    /// A question about one scalar of the input.
    Test(Box<Test>),
    /// A question how many tests hold.
    Count(Arc<Count>),
}

/// Where an attribute starts.
#[derive(Clone, Copy)]
pub(crate) enum Root {
    Global(u32),
    Local(u32),
    Node(NodeId),
}

/// A value and the fields and indices selected from it.
pub(crate) struct Attr {
    pub(crate) root: Root,
    /// Whether reading the root costs.
    pub(crate) costs: bool,
    pub(crate) qualifiers: Vec<Qualifier>,
}

/// One selection.
pub(crate) struct Qualifier {
    pub(crate) key: Key,
    pub(crate) optional: bool,
}

/// What is selected.
pub(crate) enum Key {
    Field(FieldKey),
    Const(Val<'static>),
    Node(NodeId),
}

/// `has(operand.field)`
pub(crate) struct Has {
    pub(crate) attr: Attr,
    pub(crate) field: FieldKey,
}

/// How a call finds its implementation.
pub(crate) enum Target {
    Singleton(Singleton),
    One(Bound),
    /// The first that takes the arguments.
    Any(Box<[Bound]>),
    None,
}

/// A call.
pub(crate) struct CallNode {
    pub(crate) function: Text,
    pub(crate) args: Box<[NodeId]>,
    pub(crate) target: Target,
    pub(crate) cost: CallCost,
    /// The constant pattern of a call that takes one.
    pub(crate) regex: Option<Arc<GoRegex>>,
    /// Whether all arguments are evaluated even if one fails.
    pub(crate) eager: bool,
    /// The argument whose list the cost is computed from.
    pub(crate) priced_list: Option<usize>,
}

/// A message literal of a well-known type.
pub(crate) struct StructNode {
    pub(crate) type_name: Text,
    pub(crate) fields: Vec<(Text, NodeId, bool)>,
}

/// A constant list that membership is tested in.
pub(crate) struct ConstSet {
    pub(crate) members: Vec<Val<'static>>,
    pub(crate) ints: Vec<i64>,
    /// Sorted.
    pub(crate) texts: Vec<Box<str>>,
}

/// A comprehension.
pub(crate) struct Fold {
    pub(crate) range: NodeId,
    pub(crate) first: u32,
    pub(crate) second: Option<u32>,
    pub(crate) accu: u32,
    pub(crate) kind: FoldKind,
}

/// What a comprehension does.
pub(crate) enum FoldKind {
    All(NodeId),
    Exists(NodeId),
    /// The cost of adding one to the count, and that of comparing it.
    ExistsOne(NodeId, CallCost, CallCost),
    /// Builds a list: an optional filter, the item, the cost of making the list of one item.
    List {
        filter: Option<NodeId>,
        item: NodeId,
        item_cost: u64,
        add: CallCost,
    },
    /// Binds a name: the value is only computed when asked for.
    Bind {
        init: NodeId,
        result: NodeId,
    },
    Any {
        init: NodeId,
        condition: NodeId,
        step: NodeId,
        result: NodeId,
    },
}
