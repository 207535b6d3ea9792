//! One rule: text to a checked program with its cost, or the words that say why not.

use std::cell::Cell;
use std::sync::Arc;

use ordain_cel::check::Checked;
use ordain_cel::cost::{CostOptions, Size, estimate};
use ordain_cel::decl::Reference;
use ordain_cel::env::Env;
use ordain_cel::program::{PATTERNS_MAX, Program};
use ordain_cel::types::Type;
use ordain_schema::{NodeId, Rule, Schema, normal_field_path};
use ordain_value::Text;

use super::types::{NodeTypes, Place, Types};
use crate::cel_library::{Environment, LibraryEstimator, Sizes};

/// The variable that holds the value of the node.
pub(crate) const SELF: &str = "self";
/// The variable that holds what the value was before.
pub(crate) const OLD_SELF: &str = "oldSelf";

/// What became of a rule.
#[derive(Debug, Default)]
pub(crate) struct Compiled {
    /// None when the rule is empty or does not compile.
    pub(crate) program: Option<Program>,
    pub(crate) error: Option<String>,
    pub(crate) uses_old_self: bool,
    /// The most that one evaluation can cost.
    pub(crate) cost_max: u64,
    /// How often the node fits into a request.
    pub(crate) cardinality_max: u64,
    pub(crate) message: Option<Program>,
    pub(crate) message_error: Option<String>,
    pub(crate) message_cost_max: u64,
    /// Where failures are reported below the node, in the form of paths; empty for the node itself.
    pub(crate) field_path: String,
}

/// Which expression an environment is chosen for.
#[derive(Clone, Copy)]
pub(crate) enum Expression<'a> {
    Rule(&'a str),
    Message(&'a str),
}

/// Compiles the rules of one node.
pub(crate) struct Compiler<'s> {
    pub(crate) schema: &'s Schema,
    pub(crate) types: Arc<Types>,
    /// Chooses the environment of an expression.
    pub(crate) environment: &'s dyn Fn(Expression<'_>) -> &'static Environment,
    /// Whether costs are wanted.
    pub(crate) with_cost: bool,
    /// About how many states the constant patterns of the schema's rules have so far.
    pub(crate) patterns: Cell<usize>,
}

/// The checked expressions of a rule.
pub(crate) struct Parts {
    pub(crate) rule: Option<Checked>,
    pub(crate) message: Option<Checked>,
}

/// What expressions of one node see.
pub(super) struct Scope {
    pub(super) place: Place,
    own: Type,
    provider: Arc<NodeTypes>,
}

impl Scope {
    /// What expressions see of a place; objects are named by the way from `name`.
    pub(super) fn new(types: &Arc<Types>, place: Place, name: String) -> Self {
        let own = types.cel_type(place, &name);
        let provider = Arc::new(NodeTypes { types: Arc::clone(types), root: place, name });
        Scope { place, own, provider }
    }

    pub(super) fn env(&self, environment: &Environment, optional: bool) -> Env {
        let old = if optional { Type::optional(self.own.clone()) } else { self.own.clone() };
        environment
            .env
            .with_provider(self.provider.clone())
            .with_variable(SELF, self.own.clone())
            .with_variable(OLD_SELF, old)
    }
}

pub(super) struct NodeSizes<'a> {
    pub(super) types: &'a Types,
    pub(super) root: Place,
}

impl Sizes for NodeSizes<'_> {
    fn size(&self, path: &[Text], _ty: &Type) -> Option<Size> {
        self.types.size(self.root, path)
    }
}

/// A name that nobody can rely on: it changes with the rules that could mention it.
fn type_name(rules: &[Rule]) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in
        rules.iter().flat_map(|rule| rule.rule.bytes().chain(rule.message_expression.bytes()))
    {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    format!("selfType{}", hash % 1_000_000_000)
}

impl Compiler<'_> {
    /// Compiles rules against the type of a node; none when expressions cannot see the node.
    pub(crate) fn compile(&self, node: NodeId, rules: &[Rule]) -> Option<Vec<Compiled>> {
        let scope = self.scope(node, rules)?;
        let compile = |rule: &Rule| {
            let mut compiled = Compiled::default();
            if !rule.rule.trim().is_empty() {
                self.rule(rule, &scope, &mut compiled);
                if compiled.program.is_some() && self.message(rule, &scope, &mut compiled) {
                    compiled.field_path = self.field_path(rule, node);
                }
            }
            compiled
        };
        Some(rules.iter().map(compile).collect())
    }

    /// Checks rules without making programs: what does not compile is left out.
    pub(crate) fn check(&self, node: NodeId, rules: &[Rule]) -> Vec<Parts> {
        let Some(scope) = self.scope(node, rules) else { return Vec::new() };
        let check = |rule: &Rule| {
            let compile = |expression: Expression<'_>, text: &str| {
                let environment = (self.environment)(expression);
                let wanted = !text.trim().is_empty();
                wanted
                    .then(|| scope.env(environment, is_optional(rule)).compile(text).ok())
                    .flatten()
            };
            let text = &rule.message_expression;
            Parts {
                rule: compile(Expression::Rule(&rule.rule), &rule.rule),
                message: compile(Expression::Message(text), text),
            }
        };
        rules.iter().map(check).collect()
    }

    fn scope(&self, node: NodeId, rules: &[Rule]) -> Option<Scope> {
        let place = self.types.of(node)?;
        Some(Scope::new(&self.types, place, type_name(rules)))
    }

    fn field_path(&self, rule: &Rule, node: NodeId) -> String {
        if rule.field_path.is_empty() {
            return String::new();
        }
        // Metadata of an object has a shape of its own, which no schema describes.
        if let Some(below) = rule.field_path.strip_prefix(".metadata.")
            && node == self.schema.root()
        {
            return format!("metadata.{below}");
        }
        normal_field_path(&rule.field_path, self.schema, node).unwrap_or_default()
    }

    /// Makes a program, unless the patterns of those before it are too much already.
    fn program(&self, checked: &Checked, environment: &Environment) -> Result<Program, String> {
        if self.patterns.get() > PATTERNS_MAX {
            return Err("the patterns of the definition are too large together".to_owned());
        }
        let program = Program::new(checked, &environment.functions);
        let size = match &program {
            Ok(program) => program.patterns_size(),
            Err(error) => error.patterns_size(),
        };
        self.patterns.set(self.patterns.get().saturating_add(size));
        program.map_err(|error| error.to_string())
    }

    fn rule(&self, rule: &Rule, scope: &Scope, compiled: &mut Compiled) {
        let environment = (self.environment)(Expression::Rule(&rule.rule));
        let checked = match scope.env(environment, is_optional(rule)).compile(&rule.rule) {
            Ok(checked) => checked,
            Err(error) => {
                compiled.error = Some(format!("compilation failed: {error}"));
                return;
            }
        };
        if *checked.result_type() != Type::Bool {
            compiled.error = Some("cel expression must evaluate to a bool".to_owned());
            return;
        }
        compiled.uses_old_self = uses(&checked, OLD_SELF);
        match self.program(&checked, environment) {
            Ok(program) => compiled.program = Some(program),
            Err(error) => {
                compiled.error = Some(format!("program instantiation failed: {error}"));
                return;
            }
        }
        if self.with_cost {
            compiled.cost_max = estimated(&checked, &self.types, scope.place);
            compiled.cardinality_max = self.types.cardinality_max(scope.place);
        }
    }

    /// Compiles the expression for messages; false when that failed.
    fn message(&self, rule: &Rule, scope: &Scope, compiled: &mut Compiled) -> bool {
        let text = &rule.message_expression;
        if text.is_empty() {
            return true;
        }
        let environment = (self.environment)(Expression::Message(text));
        let checked = match scope.env(environment, is_optional(rule)).compile(text) {
            Ok(checked) => checked,
            Err(error) => {
                let text = format!("messageExpression compilation failed: {error}");
                compiled.message_error = Some(text);
                return false;
            }
        };
        let is_text = *checked.result_type() == Type::String;
        // What validateFormat gives may be shown as it is.
        let is_list =
            environment.is_declared() && *checked.result_type() == Type::list(Type::String);
        if !(is_text || is_list) {
            let text = "messageExpression must evaluate to a string".to_owned();
            compiled.message_error = Some(text);
            return false;
        }
        match self.program(&checked, environment) {
            Ok(program) => compiled.message = Some(program),
            Err(error) => {
                let text = format!("messageExpression instantiation failed: {error}");
                compiled.message_error = Some(text);
                return false;
            }
        }
        if self.with_cost {
            compiled.message_cost_max = estimated(&checked, &self.types, scope.place);
        }
        true
    }
}

/// The most that one evaluation can cost.
pub(crate) fn estimated(checked: &Checked, types: &Types, place: Place) -> u64 {
    let sizes = NodeSizes { types, root: place };
    let options = CostOptions { presence_test_has_cost: false };
    estimate(checked, &LibraryEstimator { sizes: &sizes }, options).max
}

/// Whether `oldSelf` may be missing.
fn is_optional(rule: &Rule) -> bool {
    rule.optional_old_self == Some(true)
}

/// Whether a name is referred to anywhere in an expression.
fn uses(checked: &Checked, wanted: &str) -> bool {
    checked
        .references()
        .any(|reference| matches!(reference, Reference::Ident { name, .. } if name == wanted))
}
