//! Libraries: functions with their declarations, implementations and run-time costs.
//!
//! A [`Module`] is one library. Its [`Module::library`] goes into an environment for the checker,
//! and the module itself into [`Functions`], from which programs take the implementations.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::ast::Text;
use crate::decl::{FunctionDecl, OverloadDecl};
use crate::env::Library;
use crate::library::patterns::Patterns;
use crate::meter::Meter;
use crate::types::Type;
use crate::value::{Error, Result, Val};
use ordain_go::regex::GoRegex;

pub mod arithmetic;
pub mod bindings;
pub mod comprehensions;
pub mod convert;
pub mod encoders;
pub mod estimate;
pub mod format;
pub mod format_check;
pub mod lists;
pub mod math;
pub mod optionals;
pub(crate) mod patterns;
pub mod sets;
pub mod standard;
pub mod strings;
pub mod timestamps;

/// The arguments of a call, receiver first.
#[derive(Clone, Copy)]
pub struct Args<'v, 'a> {
    vals: &'v [Val<'a>],
    regex: Option<&'v GoRegex>,
    patterns: Option<&'v RefCell<Patterns>>,
    meter: &'v Meter,
    /// What the evaluation may still cost: results that are larger are not worth making.
    pub budget: u64,
}

impl<'v, 'a> Args<'v, 'a> {
    /// Arguments with what work is paid to, and a budget.
    #[must_use]
    pub fn new(vals: &'v [Val<'a>], meter: &'v Meter, budget: u64) -> Self {
        Self { vals, regex: None, patterns: None, meter, budget }
    }

    /// The arguments with the compiled pattern among them.
    #[must_use]
    pub fn with_regex(self, regex: Option<&'v GoRegex>) -> Self {
        Self { regex, ..self }
    }

    /// The arguments with the patterns that the evaluation has met.
    pub(crate) fn with_patterns(self, patterns: &'v RefCell<Patterns>) -> Self {
        Self { patterns: Some(patterns), ..self }
    }

    /// Runs something with the regular expression at an index, compiled once if it is constant.
    ///
    /// # Errors
    /// When it is none.
    pub fn regex<T>(&self, index: usize, run: impl FnOnce(&GoRegex) -> T) -> Result<T> {
        let len = self.at(0).as_str().map_or(0, str::len);
        if let Some(regex) = self.regex {
            patterns::search(regex, len, self.meter)?;
            return Ok(run(regex));
        }
        let pattern = self.at(index).as_str().ok_or_else(Error::no_such_overload)?;
        let regex = match self.patterns {
            Some(patterns) => patterns.borrow_mut().get(pattern, self.budget)?,
            None => GoRegex::new(pattern).map_err(|error| Error::new(error.to_string()))?,
        };
        patterns::search(&regex, len, self.meter)?;
        Ok(run(&regex))
    }

    /// Pays for having looked at so many bytes once more in a search.
    ///
    /// # Errors
    /// When that costs more than is left.
    pub fn pay_search(&self, bytes: usize) -> Result<()> {
        patterns::look(bytes, self.meter)
    }

    /// What work is paid to.
    #[must_use]
    pub fn meter(&self) -> &'v Meter {
        self.meter
    }

    /// The argument at an index; null if there is none.
    #[must_use]
    pub fn at(&self, index: usize) -> &'v Val<'a> {
        self.vals.get(index).unwrap_or(&Val::Null)
    }

    /// The text at an index, which is paid for: functions go through their texts.
    ///
    /// # Errors
    /// When it is no string, or longer than what is left pays for.
    pub fn text(&self, index: usize) -> Result<&'v str> {
        let text = self.at(index).as_str().ok_or_else(Error::no_such_overload)?;
        self.meter.text(text.len())?;
        Ok(text)
    }

    /// The `int` at an index.
    ///
    /// # Errors
    /// When it is none.
    pub fn int(&self, index: usize) -> Result<i64> {
        self.at(index).as_int().ok_or_else(Error::no_such_overload)
    }

    /// The list at an index.
    ///
    /// # Errors
    /// When it is none.
    pub fn list(&self, index: usize) -> Result<&'v crate::value::List<'a>> {
        self.at(index).as_list().ok_or_else(Error::no_such_overload)
    }

    /// The items of the list at an index, each paid for when it is looked at.
    ///
    /// # Errors
    /// When it is no list.
    pub fn items(
        &self,
        index: usize,
    ) -> Result<impl ExactSizeIterator<Item = Result<Val<'a>>> + 'v + use<'v, 'a>> {
        let (list, meter) = (self.list(index)?, self.meter);
        Ok((0..list.len()).map(move |at| meter.items(1).and_then(|()| list.get(at))))
    }

    /// All items of the list at an index, which are paid for.
    ///
    /// # Errors
    /// When it is no list, or longer than what is left pays for.
    pub fn all_items(&self, index: usize) -> Result<Vec<Val<'a>>> {
        let list = self.list(index)?;
        self.meter.made_items(list.len())?;
        list.to_vec()
    }

    /// The map at an index.
    ///
    /// # Errors
    /// When it is none.
    pub fn map(&self, index: usize) -> Result<&'v crate::value::Map<'a>> {
        self.at(index).as_map().ok_or_else(Error::no_such_overload)
    }

    /// All arguments.
    #[must_use]
    pub fn all(&self) -> &'v [Val<'a>] {
        self.vals
    }
}

/// An implementation.
pub type Call = for<'a> fn(Args<'_, 'a>) -> Result<Val<'a>>;

/// What a call cost, from its arguments and result; none to use the default.
pub type CostFn = fn(&[Val<'_>], Option<&Val<'_>>) -> Option<u64>;

/// Gives calls other costs than the default ones. Asked once per call of a program's text.
pub trait RuntimeCost: Send + Sync {
    /// The cost function of an overload; the id is empty when several overloads may apply.
    fn tracker(&self, function: &str, overload: &str) -> Option<CostFn>;

    /// Whether that function gives none for booleans, numbers and strings. The evaluator then
    /// need not make values of them to ask.
    fn skips_scalars(&self, _function: &str) -> bool {
        false
    }
}

/// A function: declaration, implementation, costs. Build one with the overload methods.
#[derive(Clone)]
pub struct Function {
    decl: FunctionDecl,
    calls: Vec<Option<Call>>,
    trackers: Vec<Option<CostFn>>,
    singleton: Option<Singleton>,
    guarded: bool,
    pattern: Option<usize>,
    priced_list: Option<usize>,
}

/// One implementation for all overloads, which looks at its arguments itself.
#[derive(Clone, Copy)]
pub struct Singleton {
    pub(crate) call: Call,
    /// Whether the first argument is of a kind that the implementation takes.
    pub(crate) takes: fn(&Val<'_>) -> bool,
}

impl Function {
    /// A function without overloads.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            decl: FunctionDecl::new(name),
            calls: Vec::new(),
            trackers: Vec::new(),
            singleton: None,
            guarded: true,
            pattern: None,
            priced_list: None,
        }
    }

    fn push(mut self, overload: OverloadDecl, call: Option<Call>) -> Self {
        self.decl.overloads.push(overload);
        self.calls.push(call);
        self.trackers.push(None);
        self
    }

    /// Adds a global overload.
    #[must_use]
    pub fn overload(
        self,
        id: &str,
        params: impl Into<Vec<Type>>,
        result: Type,
        call: Call,
    ) -> Self {
        self.push(OverloadDecl::new(id, false, params.into(), result), Some(call))
    }

    /// Adds a method overload.
    #[must_use]
    pub fn member(self, id: &str, params: impl Into<Vec<Type>>, result: Type, call: Call) -> Self {
        self.push(OverloadDecl::new(id, true, params.into(), result), Some(call))
    }

    /// Adds a global overload that the function's single implementation, or the evaluator
    /// itself, serves.
    #[must_use]
    pub fn declared(self, id: &str, params: impl Into<Vec<Type>>, result: Type) -> Self {
        self.push(OverloadDecl::new(id, false, params.into(), result), None)
    }

    /// Adds such a method overload.
    #[must_use]
    pub fn declared_member(self, id: &str, params: impl Into<Vec<Type>>, result: Type) -> Self {
        self.push(OverloadDecl::new(id, true, params.into(), result), None)
    }

    /// Sets one implementation for all overloads.
    #[must_use]
    pub fn singleton(mut self, takes: fn(&Val<'_>) -> bool, call: Call) -> Self {
        self.singleton = Some(Singleton { call, takes });
        self
    }

    /// Sets the cost of the overload added last.
    #[must_use]
    pub fn cost(mut self, tracker: CostFn) -> Self {
        if let Some(last) = self.trackers.last_mut() {
            *last = Some(tracker);
        }
        self
    }

    /// Leaves the check of argument types to the implementation.
    #[must_use]
    pub fn unguarded(mut self) -> Self {
        self.guarded = false;
        self
    }

    /// Names the argument that is a regular expression: a constant one is compiled once.
    #[must_use]
    pub fn pattern(mut self, index: usize) -> Self {
        self.pattern = Some(index);
        self
    }

    /// Names the argument whose list the cost is computed from; when computing it failed, pricing
    /// the call ends the evaluation.
    #[must_use]
    pub fn priced_list(mut self, index: usize) -> Self {
        self.priced_list = Some(index);
        self
    }

    /// Sets the documentation line.
    #[must_use]
    pub fn doc(mut self, doc: &'static str) -> Self {
        self.decl.doc = doc;
        self
    }
}

/// A library.
#[derive(Clone, Default)]
pub struct Module {
    /// What goes into the environment; its functions are filled from the module's.
    library: Library,
    functions: Vec<Function>,
}

impl Module {
    /// A library of this name without functions.
    #[must_use]
    pub fn new(name: &'static str) -> Self {
        Self { library: Library { name, ..Library::default() }, functions: Vec::new() }
    }

    /// Adds a function.
    #[must_use]
    pub fn function(mut self, function: Function) -> Self {
        self.library.functions.push(function.decl.clone());
        self.functions.push(function);
        self
    }

    /// Changes the rest of the declarations: macros, variables, validators.
    #[must_use]
    pub fn declare(mut self, change: impl FnOnce(&mut Library)) -> Self {
        change(&mut self.library);
        self
    }

    /// What the checker needs.
    #[must_use]
    pub fn library(&self) -> Library {
        self.library.clone()
    }
}

/// An overload with its implementation.
#[derive(Clone)]
pub(crate) struct Bound {
    pub(crate) id: Text,
    pub(crate) params: Arc<[Type]>,
    pub(crate) call: Call,
    pub(crate) guarded: bool,
}

/// The implementations of one function.
#[derive(Clone, Default)]
pub(crate) struct Implementations {
    pub(crate) singleton: Option<Singleton>,
    pub(crate) overloads: Vec<Bound>,
}

/// The implementations that programs of an environment use.
#[derive(Clone, Default)]
pub struct Functions {
    by_name: HashMap<Text, Implementations>,
    trackers: HashMap<Text, CostFn>,
    patterns: HashMap<Text, usize>,
    priced_lists: HashMap<Text, usize>,
    cost: Option<Arc<dyn RuntimeCost>>,
    presence_test_has_cost: bool,
}

impl Functions {
    /// No functions; presence tests have a cost.
    #[must_use]
    pub fn new() -> Self {
        Self { presence_test_has_cost: true, ..Self::default() }
    }

    /// Adds a library's functions.
    #[must_use]
    pub fn module(mut self, module: &Module) -> Self {
        for function in &module.functions {
            let entry = self.by_name.entry(function.decl.name.clone()).or_default();
            if let Some(index) = function.pattern {
                self.patterns.insert(function.decl.name.clone(), index);
            }
            if function.singleton.is_some() {
                entry.singleton = function.singleton;
            }
            let rows = function.decl.overloads.iter().zip(&function.calls).zip(&function.trackers);
            for ((overload, call), tracker) in rows {
                if let Some(tracker) = tracker {
                    self.trackers.insert(overload.id.clone(), *tracker);
                    if let Some(index) = function.priced_list {
                        self.priced_lists.insert(overload.id.clone(), index);
                    }
                }
                if let Some(call) = call {
                    entry.overloads.push(Bound {
                        id: overload.id.clone(),
                        params: overload.params.as_slice().into(),
                        call: *call,
                        guarded: function.guarded,
                    });
                }
            }
        }
        self
    }

    /// Gives calls costs of an embedder's own.
    #[must_use]
    pub fn runtime_cost(mut self, cost: Arc<dyn RuntimeCost>) -> Self {
        self.cost = Some(cost);
        self
    }

    /// Whether `has()` costs anything.
    #[must_use]
    pub fn presence_test_has_cost(mut self, has_cost: bool) -> Self {
        self.presence_test_has_cost = has_cost;
        self
    }

    pub(crate) fn presence_cost(&self) -> bool {
        self.presence_test_has_cost
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Implementations> {
        self.by_name.get(name)
    }

    pub(crate) fn pattern_argument(&self, name: &str) -> Option<usize> {
        self.patterns.get(name).copied()
    }

    pub(crate) fn priced_list(&self, overload: &str) -> Option<usize> {
        self.priced_lists.get(overload).copied()
    }

    pub(crate) fn tracker(&self, function: &str, overload: &str) -> Option<CostFn> {
        let own = self.trackers.get(overload).copied();
        own.or_else(|| self.cost.as_ref()?.tracker(function, overload))
    }

    pub(crate) fn scalars_default(&self, function: &str, overload: &str) -> bool {
        !self.trackers.contains_key(overload)
            && self.cost.as_ref().is_none_or(|cost| cost.skips_scalars(function))
    }
}

/// Whether a value can be an argument of this type, as far as its first items show.
#[must_use]
pub fn is_assignable(ty: &Type, value: &Val<'_>) -> bool {
    match (ty, value) {
        (Type::Dyn | Type::Any | Type::Param(_) | Type::Error | Type::Var(_), _)
        | (Type::Null, Val::Null)
        | (Type::Bool, Val::Bool(_))
        | (Type::Int, Val::Int(_))
        | (Type::Uint, Val::Uint(_))
        | (Type::Double, Val::Double(_))
        | (Type::String, Val::Str(_))
        | (Type::Bytes, Val::Bytes(_))
        | (Type::Duration, Val::Duration(_))
        | (Type::Timestamp, Val::Timestamp(_))
        | (Type::Type(_), Val::Type(_)) => true,
        (Type::Wrapper(_), Val::Null) => true,
        (Type::Wrapper(primitive), _) => is_assignable(&primitive.unwrapped(), value),
        (Type::List(element), Val::List(list)) => {
            list.is_empty() || list.get(0).is_ok_and(|item| is_assignable(element, &item))
        }
        (Type::Map(pair), Val::Map(map)) => {
            let keys = map.keys();
            let Some(key) = keys.first() else { return true };
            is_assignable(&pair.0, key)
                && match map.find(key) {
                    Ok(Some(item)) => is_assignable(&pair.1, &item),
                    _ => true,
                }
        }
        (Type::Opaque(opaque), Val::Optional(_)) => opaque.name == crate::types::OPTIONAL,
        (Type::Opaque(opaque), Val::Opaque(value)) => opaque.name == value.type_name(),
        (Type::Object(name), Val::Opaque(_) | Val::Map(_)) => **name == *value.type_name(),
        _ => false,
    }
}

/// No implementation takes these arguments.
#[must_use]
pub fn no_such_overload(function: &str, args: &[Val<'_>]) -> Error {
    let types: Vec<&str> = args.iter().map(Val::type_name).collect();
    Error::new(format!("no such overload: {function}({})", types.join(", ")))
}

pub(crate) fn any_value(_: &Val<'_>) -> bool {
    true
}
