//! What a declared kind does beyond its declaration: optional hooks, every one with a neutral
//! default (KEP-5975's `strategy.Config`).
//!
//! Hooks see objects in the version of the request. They take and give values here; typed front
//! ends wrap them.

use std::fmt;
use std::sync::Arc;

use ordain_value::{Text, Value};

use crate::context::Caller;
use crate::gates::Gates;
use crate::rollout::Found;
use crate::source::Entropy;

type Change = Arc<dyn Fn(&mut Value) + Send + Sync>;
type Prepare = Arc<dyn Fn(&mut Value, &Caller<'_>) + Send + Sync>;
type PrepareFrom = Arc<dyn Fn(&mut Value, &Value, &Caller<'_>) + Send + Sync>;
type Judge = Arc<dyn Fn(&Value, &Caller<'_>) -> Found + Send + Sync>;
type JudgeChange = Arc<dyn Fn(&Value, &Value, &Caller<'_>) -> Found + Send + Sync>;
type Advise = Arc<dyn Fn(&Value, &Caller<'_>) -> Vec<String> + Send + Sync>;
type AdviseChange = Arc<dyn Fn(&Value, &Value, &Caller<'_>) -> Vec<String> + Send + Sync>;
type Cells = Arc<dyn Fn(&Value, i64) -> Vec<Value> + Send + Sync>;
type Drop = Arc<dyn Fn(&mut Value, Option<&Value>, &Gates) + Send + Sync>;
pub(crate) type Convert = Arc<dyn Fn(&Value, &str) -> Value + Send + Sync>;
type Generate = Arc<dyn Fn(&dyn Entropy, &str) -> Text + Send + Sync>;

/// Hooks of a kind. What is left out is done as the conventions say.
#[derive(Clone, Default)]
pub struct Config {
    /// Defaults that no tag can say; run after the declared ones.
    pub default: Option<Change>,
    /// Hand-written validation of new objects, beside the declared one.
    pub validate: Option<Judge>,
    /// Hand-written validation of changes: new object, old object.
    pub validate_update: Option<JudgeChange>,
    /// Advice on a new object.
    pub warnings_on_create: Option<Advise>,
    /// Advice on a change.
    pub warnings_on_update: Option<AdviseChange>,
    /// Preparation after the conventional one.
    pub prepare_for_create: Option<Prepare>,
    /// What an update keeps or counts.
    pub prepare_for_update: Option<PrepareFrom>,
    /// Drops fields of gates that are off, after the declared ones were dropped.
    pub drop_disabled_fields: Option<Drop>,
    /// The same for writes to the status.
    pub status: StatusConfig,
    /// The cells of a row of the table form, in place of those that paths of columns give; the
    /// second argument is the time in seconds, for ages.
    pub cells: Option<Cells>,
    /// Makes names from `generateName`.
    pub name_generator: Option<Generate>,
    /// Turns an object into one of another version, given by name, where the declared names of
    /// fields are not enough. One of the two is always the stored version. Of metadata only labels
    /// and annotations are taken from what it gives.
    pub convert: Option<Convert>,
}

/// Hooks of the status subresource, which exists exactly when the type has a status.
#[derive(Clone, Default)]
pub struct StatusConfig {
    /// What is wrong with a change.
    pub validate_update: Option<JudgeChange>,
    /// Advice on a change.
    pub warnings_on_update: Option<AdviseChange>,
    /// What an update keeps or counts.
    pub prepare_for_update: Option<PrepareFrom>,
    /// Drops fields of gates that are off, in place of what the object itself has for it.
    pub drop_disabled_fields: Option<Drop>,
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Config")
            .field("default", &self.default.is_some())
            .field("validate", &self.validate.is_some())
            .field("validate_update", &self.validate_update.is_some())
            .field("prepare_for_create", &self.prepare_for_create.is_some())
            .field("prepare_for_update", &self.prepare_for_update.is_some())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for StatusConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StatusConfig")
            .field("validate_update", &self.validate_update.is_some())
            .finish_non_exhaustive()
    }
}

impl Config {
    /// Whether any hand-written validation is there.
    pub fn validates(&self) -> bool {
        self.validate.is_some() || self.validate_update.is_some()
    }
}

/// How a kind is deleted, where it differs from the conventions.
pub trait DeleteStrategy: fmt::Debug + Send + Sync + 'static {
    /// Seconds that an object gets to end gracefully, when the request asks for so many (or for
    /// none in particular). `None` deletes at once.
    fn grace_period(&self, object: &Value, asked: Option<i64>) -> Option<i64>;
}

/// Gives every object the same time to end, unless the request asks for less or more.
#[derive(Debug, Clone, Copy)]
pub struct GracePeriod(pub i64);

impl DeleteStrategy for GracePeriod {
    fn grace_period(&self, _object: &Value, asked: Option<i64>) -> Option<i64> {
        Some(asked.unwrap_or(self.0))
    }
}
