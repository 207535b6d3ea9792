//! One expression tried out on one place: what authors ask before they write a rule.

use std::sync::Arc;

use ordain_cel::ast::ExprId;
use ordain_cel::check::{Checked, check};
use ordain_cel::cost::{Cost, CostOptions, Size, estimate};
use ordain_cel::env::{CompileError, Env};
use ordain_cel::program::{EvalOptions, Outcome, Program, ProgramError};
use ordain_cel::types::Type;
use ordain_cel::value::{Result as CelResult, Val, ViewId, ViewRef, Views};
use ordain_schema::{NodeId, Schema};
use ordain_value::{Text, Value};

use super::compile::{NodeSizes, OLD_SELF, SELF, Scope};
use super::parts::{part_ids, part_text};
use super::types::Types;
use super::views::views;
use crate::cel_library::{Environment, LibraryEstimator, Sizes};

/// A step from a value to a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A field, or an entry of a map.
    Key(Text),
    /// An item of a list.
    Item(usize),
}

/// Reads a way such as `spec.items[0].labels[app.kubernetes.io/name]`.
///
/// # Errors
/// When it is none, in words.
pub fn steps(way: &str) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    let mut rest = way;
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix('[') {
            let (inside, tail) =
                inner.split_once(']').ok_or_else(|| format!("{way:?} has no closing ]"))?;
            steps.push(match (inside, inside.parse()) {
                ("" | "*", _) => Step::Item(0),
                (_, Ok(index)) => Step::Item(index),
                (key, Err(_)) => Step::Key(key.trim_matches(['"', '\'']).into()),
            });
            rest = tail;
            continue;
        }
        let bare = rest.strip_prefix('.').unwrap_or(rest);
        let end = bare.find(['.', '[']).unwrap_or(bare.len());
        let (name, tail) = bare.split_at(end);
        if name.is_empty() && !(steps.is_empty() && tail.starts_with('[')) {
            return Err(format!("{way:?} has a step without a name"));
        }
        if !name.is_empty() {
            steps.push(Step::Key(name.into()));
        }
        rest = tail;
    }
    Ok(steps)
}

/// What stands at the end of a way.
#[must_use]
pub fn value_at<'v>(value: &'v Value, steps: &[Step]) -> Option<&'v Value> {
    steps.iter().try_fold(value, |value, step| match step {
        Step::Key(key) => value.get(key),
        Step::Item(index) => value.as_list()?.as_slice().get(*index),
    })
}

/// A place that expressions are tried on.
pub struct Probe {
    environment: &'static Environment,
    scope: Option<(Scope, Arc<Types>)>,
    views: Views,
    view: ViewId,
}

/// An expression that was compiled for a place.
pub struct Probed {
    /// The expression with its types.
    pub checked: Checked,
    /// The expression as it is evaluated.
    pub program: Program,
    /// What one evaluation can cost.
    pub estimate: Cost,
    optional_old: bool,
}

/// A part of an expression that was compiled, as an expression of its own.
pub struct Part {
    /// The part as it is written.
    pub text: String,
    /// How deep it is inside of the whole.
    pub depth: u32,
    /// What came of it.
    pub probed: Probed,
}

/// Why an expression cannot be evaluated.
#[derive(Debug)]
pub enum ProbeError {
    Compile(CompileError),
    Program(ProgramError),
}

impl std::fmt::Display for ProbeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Compile(error) => error.fmt(f),
            Self::Program(error) => write!(f, "program instantiation failed: {error}"),
        }
    }
}

impl std::error::Error for ProbeError {}

struct NoSizes;

impl Sizes for NoSizes {
    fn size(&self, _: &[Text], _: &Type) -> Option<Size> {
        None
    }
}

impl Probe {
    /// A place without declared types.
    #[must_use]
    pub fn untyped(environment: &'static Environment) -> Self {
        Self { environment, scope: None, views: Views::new(), view: ViewId(u32::MAX) }
    }

    /// A place in a schema.
    ///
    /// # Errors
    /// When there is no such place or expressions cannot see it, in words.
    pub fn at(
        schema: &Schema,
        steps: &[Step],
        environment: &'static Environment,
    ) -> Result<Self, String> {
        let node = find(schema, steps)?;
        let types = Arc::new(Types::new(schema));
        let place = types.of(node).ok_or(
            "expressions cannot see this place: it has no type that they know (perhaps it \
             preserves unknown fields)",
        )?;
        // Types have names like values; under the name of a variable they would hide its fields.
        let scope = Scope::new(&types, place, "selfType".to_owned());
        let scope = Some((scope, types));
        Ok(Self { environment, scope, views: views(schema), view: ViewId(node.0) })
    }

    /// Compiles an expression with `self` and `oldSelf` of the place's type.
    ///
    /// # Errors
    /// When it does not compile.
    pub fn compile(&self, text: &str, optional_old: bool) -> Result<Probed, ProbeError> {
        let checked = self.env(optional_old).compile(text).map_err(ProbeError::Compile)?;
        self.plan(checked, optional_old)
    }

    /// What expressions of this place see.
    fn env(&self, optional_old: bool) -> Env {
        match &self.scope {
            Some((scope, _)) => scope.env(self.environment, optional_old),
            None => {
                let old = if optional_old { Type::optional(Type::Dyn) } else { Type::Dyn };
                let env = self.environment.env.with_variable(SELF, Type::Dyn);
                env.with_variable(OLD_SELF, old)
            }
        }
    }

    fn plan(&self, checked: Checked, optional_old: bool) -> Result<Probed, ProbeError> {
        let program =
            Program::new(&checked, &self.environment.functions).map_err(ProbeError::Program)?;
        let node_sizes;
        let sizes: &dyn Sizes = match &self.scope {
            Some((scope, types)) => {
                node_sizes = NodeSizes { types, root: scope.place };
                &node_sizes
            }
            None => &NoSizes,
        };
        let options = CostOptions { presence_test_has_cost: false };
        let estimate = estimate(&checked, &LibraryEstimator { sizes }, options);
        Ok(Probed { checked, program, estimate, optional_old })
    }

    /// The parts of an expression that have a value of their own, outer ones first; what is inside
    /// of a macro's body has one for each item, and is left out.
    #[must_use]
    pub fn parts(&self, probed: &Probed) -> Vec<Part> {
        let env = self.env(probed.optional_old);
        let ast = probed.checked.ast();
        let within = |(id, depth): (ExprId, u32)| {
            let mut part = ast.clone();
            part.set_root(id);
            let (checked, complaints) = check(part, &env);
            let probed = complaints.is_empty().then(|| self.plan(checked, probed.optional_old));
            Some(Part { text: part_text(ast, id), depth, probed: probed?.ok()? })
        };
        part_ids(ast).into_iter().filter_map(within).collect()
    }

    fn read<'v>(&'v self, value: &'v Value) -> CelResult<Val<'v>> {
        match self.scope {
            Some(_) => self.views.at(self.view).read(value),
            None => ViewRef::dynamic().read(value),
        }
    }

    /// Evaluates an expression that was compiled for this place.
    #[must_use]
    pub fn evaluate<'v>(
        &'v self,
        probed: &'v Probed,
        own: Option<&'v Value>,
        old: Option<&'v Value>,
        options: EvalOptions<'_>,
    ) -> Outcome<'v> {
        let find = |name: &str| match name {
            SELF => own.map(|own| self.read(own)),
            OLD_SELF if probed.optional_old => Some(match old.map(|old| self.read(old)) {
                None => Ok(Val::Optional(None)),
                Some(old) => old.map(Val::some),
            }),
            OLD_SELF => old.map(|old| self.read(old)),
            _ => None,
        };
        probed.program.eval_with(find, options)
    }
}

fn find(schema: &Schema, steps: &[Step]) -> Result<NodeId, String> {
    let mut at = schema.root();
    for step in steps {
        let node = schema.node(at);
        at = match step {
            Step::Item(_) => node.items.ok_or_else(|| format!("{} is no list", node.ty.name()))?,
            Step::Key(key) => {
                node.property(key).or_else(|| node.additional_node()).ok_or_else(|| {
                    let known: Vec<&str> =
                        node.properties.iter().map(|(name, _)| name.as_str()).collect();
                    format!("the schema has no {key:?} there; it has: {}", known.join(", "))
                })?
            }
        };
    }
    Ok(at)
}
