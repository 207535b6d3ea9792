//! Rules of schemas (`x-kubernetes-validations`): CEL bound to schema nodes.
//!
//! * `types` and `views` say what expressions see of a node, before and during evaluation;
//! * `compile` makes a program of a rule, with every complaint in the API's words;
//! * `session` judges the rules of a definition that is to be accepted;
//! * [`rule_costs`] says what rules can cost and which bounds would help;
//! * [`probe`] tries an expression out on a place;
//! * [`RuleSet`] holds the rules of an accepted schema and evaluates them on objects.

pub(crate) mod compile;
mod cost;
mod escape;
mod evaluate;
mod parts;
pub mod probe;
pub(crate) mod session;
mod set;
pub(crate) mod types;
mod views;

pub use cost::{Advice, RuleCost, rule_costs};
pub use evaluate::OBJECT_BUDGET;
pub(crate) use evaluate::ORIGIN;
pub use session::{EXPRESSION_COST_MAX, SCHEMA_COST_MAX};
pub use set::{RuleOptions, RuleSet};
