//! Policies and their bindings as they are stored, compiled for evaluation.
//!
//! A policy is compiled when it is taken up and never again: its expressions serve every kind
//! that it matches. What does not compile is kept as the error that its evaluation gives.

mod binding;
mod mutating;
mod mutation;
mod select;
mod validate;
mod validating;
mod verdict;

use ordain_value::{Text, Value};

pub use binding::{Action, Actions, Binding, ParamKind, ParamRef, Params, Selection};
pub use mutating::{Mutated, MutatingPolicy};
pub use mutation::{Invocation, InvocationKey, Refusal, Round};
pub use select::{Misfit, Selected, Step, select};
pub use validate::validate_expressions;
pub(crate) use validating::requested;
pub use validating::{Judged, Surroundings, ValidatingPolicy, Violation};
pub use verdict::{Consequence, Verdict};

use crate::condition::{Conditions, FailurePolicy};
use crate::environment::{Age, Given};
use crate::evaluate::Variables;
use crate::matching::{Constraints, items};

/// What policies of both kinds have.
#[derive(Debug)]
pub struct Policy {
    pub name: Text,
    pub constraints: Constraints,
    pub param_kind: Option<ParamKind>,
    pub failure: FailurePolicy,
    pub(crate) variables: Variables,
    pub(crate) conditions: Conditions,
}

impl Policy {
    fn compile(object: &Value) -> (Self, Given) {
        let null = Value::Null;
        let spec = object.get("spec").unwrap_or(&null);
        let param_kind = spec.get("paramKind").filter(|it| !it.is_null()).map(ParamKind::read);
        let given = Given { params: param_kind.is_some(), authorizer: true, patches: false };
        let mut variables = Variables::default();
        for variable in items(spec, "variables") {
            let text = |field: &str| variable.get(field).and_then(Value::as_str).unwrap_or("");
            variables.add(text("name"), text("expression"), Age::Stored, given);
        }
        let conditions = Conditions::compile(spec, given, Some(&variables));
        let constraints = Constraints::read(spec.get("matchConstraints").unwrap_or(&null));
        let name = object.get_path(&["metadata", "name"]).and_then(Value::as_text);
        let policy = Self {
            name: name.cloned().unwrap_or_default(),
            constraints,
            param_kind,
            failure: FailurePolicy::read(spec),
            variables,
            conditions,
        };
        (policy, given)
    }
}
