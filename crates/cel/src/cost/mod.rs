//! What evaluating an expression can cost, estimated before it happens.
//!
//! Sizes of variables and costs of library functions come from an [`Estimator`]; sizes are
//! followed through literals, concatenations, conditionals, bindings and loops.

mod calls;
mod path;
mod range;

pub use range::{Cost, Size};

use crate::ast::{Comprehension, Const, Expr, ExprId, MapEntry, Select, Text};
use crate::check::Checked;
use crate::types::{Primitive, Type};
use path::Path;

/// The cost of looking up a name or field.
pub const SELECT_AND_IDENT: u64 = 1;
/// The cost of making a list.
pub const LIST_CREATE: u64 = 10;
/// The cost of making a map.
pub const MAP_CREATE: u64 = 30;
/// The cost of making a message.
pub const STRUCT_CREATE: u64 = 40;
/// The cost of going over one unit of a string.
pub const STRING_TRAVERSAL_FACTOR: f64 = 0.1;
/// The cost of one character of a regular expression for each unit of string cost.
pub const REGEX_LENGTH_FACTOR: f64 = 0.25;

/// Knows the sizes of variable data and the costs of functions.
pub trait Estimator {
    /// The size of a node that the expression itself does not tell, if known.
    fn estimate_size(&self, node: &Node<'_>) -> Option<Size>;

    /// The cost of a call without that of its arguments, if known.
    fn estimate_call(
        &self,
        function: &str,
        overload: &str,
        target: Option<&Node<'_>>,
        args: &[Node<'_>],
    ) -> Option<CallEstimate>;
}

/// The cost of a call and the size of its result, for strings, bytes, lists and maps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallEstimate {
    /// The cost.
    pub cost: Cost,
    /// The size of the result, if it is known.
    pub result_size: Option<Size>,
}

/// An expression as an [`Estimator`] sees it.
#[derive(Clone, Debug)]
pub struct Node<'a> {
    checked: &'a Checked,
    id: ExprId,
    path: Option<Path>,
    computed_size: Option<Size>,
}

impl<'a> Node<'a> {
    /// The way from a variable to what the node stands for: the variable, then names of
    /// fields, `@items`, `@indices`, `@keys` and `@values`. Empty when there is none.
    #[must_use]
    pub fn path(&self) -> Vec<Text> {
        self.path.as_ref().map(Path::to_vec).unwrap_or_default()
    }

    /// The type.
    #[must_use]
    pub fn ty(&self) -> &'a Type {
        self.checked.type_of(self.id)
    }

    /// The expression's id.
    #[must_use]
    pub fn id(&self) -> ExprId {
        self.id
    }

    /// The expression.
    #[must_use]
    pub fn expr(&self) -> &'a Expr {
        self.checked.ast().expr(self.id)
    }

    /// The whole expression that the node belongs to.
    #[must_use]
    pub fn checked(&self) -> &'a Checked {
        self.checked
    }

    /// The size as far as the expression tells it.
    #[must_use]
    pub fn computed_size(&self) -> Option<Size> {
        self.computed_size
    }
}

/// Switches of the estimation.
#[derive(Clone, Copy, Debug)]
pub struct CostOptions {
    /// Whether `has()` costs as much as a selection, or nothing.
    pub presence_test_has_cost: bool,
}

impl Default for CostOptions {
    fn default() -> Self {
        Self { presence_test_has_cost: true }
    }
}

/// Estimates what evaluating an expression costs.
#[must_use]
pub fn estimate(checked: &Checked, estimator: &dyn Estimator, options: CostOptions) -> Cost {
    let ids = checked.ast().id_count();
    let mut coster = Coster {
        checked,
        estimator,
        options,
        paths: vec![None; ids],
        sizes: vec![None; ids],
        entry_sizes: vec![None; ids],
        locals: Vec::new(),
    };
    coster.cost(checked.ast().root())
}

/// The sizes of what a list or map holds.
#[derive(Clone, Copy, Debug)]
struct EntrySize {
    is_list: bool,
    key: Size,
    value: Size,
}

impl EntrySize {
    fn union(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let (one, other) = (one?, other?);
        Some(Self {
            is_list: one.is_list,
            key: one.key.union(other.key),
            value: one.value.union(other.value),
        })
    }
}

/// A variable of a comprehension.
struct Local {
    name: Text,
    path: Path,
    size: Option<Size>,
    entry_size: Option<EntrySize>,
}

struct Coster<'a> {
    checked: &'a Checked,
    estimator: &'a dyn Estimator,
    options: CostOptions,
    paths: Vec<Option<Path>>,
    sizes: Vec<Option<Size>>,
    entry_sizes: Vec<Option<EntrySize>>,
    locals: Vec<Local>,
}

impl<'a> Coster<'a> {
    fn expr(&self, id: ExprId) -> &'a Expr {
        self.checked.ast().expr(id)
    }

    fn cost(&mut self, id: ExprId) -> Cost {
        match self.expr(id) {
            Expr::Unspecified | Expr::Const(_) => Cost::ZERO,
            Expr::Ident(name) => self.cost_ident(id, name),
            Expr::Select(select) => self.cost_select(id, select),
            Expr::Call(call) => self.cost_call(id, call),
            Expr::List(list) => self.cost_list(id, &list.elements),
            Expr::Map(entries) => self.cost_map(id, entries),
            Expr::Struct(message) => {
                let fields = message.fields.iter();
                let sum = fields.fold(Cost::ZERO, |sum, field| sum.add(self.cost(field.value)));
                sum.add(Cost::exactly(STRUCT_CREATE))
            }
            Expr::Comprehension(fold) if self.is_binding(fold) => self.cost_binding(id, fold),
            Expr::Comprehension(fold) => self.cost_comprehension(id, fold),
        }
    }

    fn local(&self, name: &str) -> Option<&Local> {
        self.locals.iter().rev().find(|local| local.name == name)
    }

    fn set_path(&mut self, id: ExprId, path: Path) {
        if let Some(slot) = self.paths.get_mut(id.index()) {
            *slot = Some(path);
        }
    }

    fn path(&self, id: ExprId) -> Path {
        if let Expr::Ident(name) = self.expr(id)
            && let Some(local) = self.local(name)
        {
            return local.path.clone();
        }
        let known = self.paths.get(id.index()).and_then(Clone::clone);
        known.unwrap_or_default()
    }

    fn node(&mut self, id: ExprId) -> Node<'a> {
        let path = self.path(id);
        Node {
            checked: self.checked,
            id,
            path: (!path.starts_with_accumulator()).then_some(path),
            computed_size: self.size(id),
        }
    }

    fn set_size(&mut self, id: ExprId, size: Option<Size>) {
        if let (Some(slot), Some(size)) = (self.sizes.get_mut(id.index()), size) {
            *slot = Some(size);
        }
    }

    fn set_entry_size(&mut self, id: ExprId, size: Option<EntrySize>) {
        if let (Some(slot), Some(size)) = (self.entry_sizes.get_mut(id.index()), size) {
            *slot = Some(size);
        }
    }

    /// The size of an expression: of literals, else what the estimator says, else of scalars,
    /// else that of what a local variable is bound to.
    fn size(&mut self, id: ExprId) -> Option<Size> {
        if let Some(size) = self.sizes.get(id.index()).copied().flatten() {
            return Some(size);
        }
        if let Some(size) = literal_size(self.expr(id)) {
            return Some(Size::exactly(size));
        }
        let node =
            Node { checked: self.checked, id, path: Some(self.path(id)), computed_size: None };
        if let Some(size) = self.estimator.estimate_size(&node) {
            self.set_size(id, Some(size));
            return Some(size);
        }
        if is_scalar(self.checked.type_of(id)) {
            return Some(Size::exactly(1));
        }
        match self.expr(id) {
            Expr::Ident(name) => self.local(name)?.size,
            _ => None,
        }
    }

    fn size_or_unknown(&mut self, id: ExprId) -> Size {
        self.size(id).unwrap_or(Size::UNKNOWN)
    }

    fn entry_size(&self, id: ExprId) -> Option<EntrySize> {
        if let Some(size) = self.entry_sizes.get(id.index()).copied().flatten() {
            return Some(size);
        }
        match self.expr(id) {
            Expr::Ident(name) => self.local(name)?.entry_size,
            _ => None,
        }
    }

    fn copy_sizes(&mut self, to: ExprId, from: ExprId) {
        let size = self.size(from);
        self.set_size(to, size);
        let entry_size = self.entry_size(from);
        self.set_entry_size(to, entry_size);
    }

    fn cost_ident(&mut self, id: ExprId, name: &Text) -> Cost {
        let path = match self.local(name) {
            Some(local) => local.path.clone(),
            None => Path::variable(name),
        };
        self.set_path(id, path);
        Cost::exactly(SELECT_AND_IDENT)
    }

    fn cost_select(&mut self, id: ExprId, select: &Select) -> Cost {
        if select.test_only {
            let test = u64::from(self.options.presence_test_has_cost) * SELECT_AND_IDENT;
            return Cost::exactly(test).add(self.cost(select.operand));
        }
        let mut sum = self.cost(select.operand);
        if matches!(self.checked.type_of(select.operand), Type::Map(_) | Type::Object(_)) {
            sum = sum.add(Cost::exactly(SELECT_AND_IDENT));
        }
        let path = self.path(select.operand).child(select.field.clone());
        self.set_path(id, path);
        sum
    }

    fn cost_list(&mut self, id: ExprId, elements: &[ExprId]) -> Cost {
        let mut sum = Cost::ZERO;
        let mut value = Size::NONE;
        if elements.is_empty() {
            value.min = 0;
        }
        for element in elements {
            sum = sum.add(self.cost(*element));
            value = value.union(self.size_or_unknown(*element));
        }
        let entry_size = EntrySize { is_list: true, key: Size::exactly(1), value };
        self.set_entry_size(id, Some(entry_size));
        sum.add(Cost::exactly(LIST_CREATE))
    }

    fn cost_map(&mut self, id: ExprId, entries: &[MapEntry]) -> Cost {
        let mut sum = Cost::ZERO;
        let (mut key, mut value) = (Size::NONE, Size::NONE);
        if entries.is_empty() {
            key.min = 0;
            value.min = 0;
        }
        for entry in entries {
            sum = sum.add(self.cost(entry.key));
            sum = sum.add(self.cost(entry.value));
            key = key.union(self.size_or_unknown(entry.key));
            value = value.union(self.size_or_unknown(entry.value));
        }
        let entry_size = EntrySize { is_list: false, key, value };
        self.set_entry_size(id, Some(entry_size));
        sum.add(Cost::exactly(MAP_CREATE))
    }

    fn is_binding(&self, fold: &Comprehension) -> bool {
        let over_nothing = matches!(
            self.expr(fold.iter_range),
            Expr::List(list) if list.elements.is_empty()
        );
        over_nothing && matches!(self.expr(fold.loop_condition), Expr::Const(Const::Bool(false)))
    }

    fn cost_binding(&mut self, id: ExprId, fold: &Comprehension) -> Cost {
        let mut sum = self.cost(fold.iter_range);
        sum = sum.add(self.cost(fold.accu_init));
        self.push_accumulator(fold);
        sum = sum.add(self.cost(fold.result));
        self.locals.pop();
        self.copy_sizes(id, fold.result);
        sum
    }

    fn push_accumulator(&mut self, fold: &Comprehension) {
        let local = Local {
            name: fold.accu_var.clone(),
            path: self.path(fold.accu_init),
            entry_size: self.entry_size(fold.accu_init),
            size: self.size(fold.accu_init),
        };
        self.locals.push(local);
    }

    fn push_iteration(&mut self, name: &Text, fold: &Comprehension, step: Step) {
        let entry_size = self.entry_size(fold.iter_range);
        let is_list = match entry_size {
            Some(entry_size) => entry_size.is_list,
            None => matches!(self.checked.type_of(fold.iter_range), Type::List(_)),
        };
        let is_value = match step {
            Step::Key => false,
            Step::Value => true,
            Step::Single => is_list,
        };
        let size = entry_size.map(|entry| if is_value { entry.value } else { entry.key });
        let step = match (is_value, is_list) {
            (true, true) => "@items",
            (true, false) => "@values",
            (false, true) => "@indices",
            (false, false) => "@keys",
        };
        let path = self.path(fold.iter_range).child(Text::new_static(step));
        self.locals.push(Local { name: name.clone(), path, size, entry_size: None });
    }

    fn cost_comprehension(&mut self, id: ExprId, fold: &Comprehension) -> Cost {
        let mut sum = self.cost(fold.iter_range);
        sum = sum.add(self.cost(fold.accu_init));
        self.push_accumulator(fold);
        let outer = self.locals.len();
        match &fold.iter_var2 {
            Some(second) => {
                self.push_iteration(&fold.iter_var, fold, Step::Key);
                self.push_iteration(second, fold, Step::Value);
            }
            None => self.push_iteration(&fold.iter_var, fold, Step::Single),
        }
        let condition = self.cost(fold.loop_condition);
        let step = self.cost(fold.loop_step);
        self.locals.truncate(outer);
        sum = sum.add(self.cost(fold.result));
        self.locals.pop();
        let rounds = self.size_or_unknown(fold.iter_range);
        sum = sum.add(rounds.times_cost(step.add(condition)));
        match self.expr(fold.accu_init) {
            Expr::Const(_) => {
                let size = self.size(fold.accu_init);
                self.set_size(id, size);
            }
            Expr::List(_) | Expr::Map(_) => {
                self.set_size(id, Some(rounds));
                let entry_size = self.entry_size(fold.loop_step);
                self.set_entry_size(id, entry_size);
            }
            _ => {}
        }
        sum
    }
}

/// Which part of a list or map an iteration variable stands for.
#[derive(Clone, Copy)]
enum Step {
    Key,
    Value,
    /// The only variable: elements of lists, keys of maps.
    Single,
}

fn literal_size(expr: &Expr) -> Option<u64> {
    let size = match expr {
        Expr::Const(Const::String(text)) => text.chars().count(),
        Expr::Const(Const::Bytes(bytes)) => bytes.len(),
        Expr::Const(_) => 1,
        Expr::List(list) => list.elements.len(),
        Expr::Map(entries) => entries.len(),
        _ => return None,
    };
    u64::try_from(size).ok()
}

fn is_scalar(ty: &Type) -> bool {
    match ty {
        Type::Bool
        | Type::Double
        | Type::Duration
        | Type::Int
        | Type::Timestamp
        | Type::Uint
        | Type::Wrapper(Primitive::Bool | Primitive::Double | Primitive::Int | Primitive::Uint) => {
            true
        }
        _ => ty.optional_element().is_some_and(is_scalar),
    }
}

/// `dyn(x)` only hides a type.
const DYN: &str = "dyn";
