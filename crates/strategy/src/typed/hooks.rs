//! What a typed kind does beyond its declaration.

use ordain_value::{Text, Value, field};

use super::printer;
use crate::object;
use crate::request::Warnings;
use crate::strategy::{Change, Part};

/// The code of a kind, where tags and CEL rules do not reach. Every hook has a neutral default.
#[derive(Clone, Copy)]
pub struct Hooks {
    /// Defaults that `+default` cannot say; runs after those, on every object that is read.
    pub default: fn(&mut Value),
    /// What a create wipes and fills in: status, generation, gated fields.
    pub prepare_for_create: fn(&mut Value),
    /// What an update of a part keeps from the old object, and what it counts.
    pub prepare_for_update: fn(Part, &mut Value, &Value),
    /// Rules that neither a tag nor CEL can say, metadata included.
    pub validate: fn(&Change<'_>) -> field::ErrorList,
    /// Advice on an accepted object.
    pub warn: fn(&Change<'_>, &mut Warnings),
    /// Fields that may be selected by, besides name and namespace.
    pub field: fn(&Value, &str) -> Option<Text>,
    /// Whether unknown selectors are refused in the words of kinds with selectable fields.
    pub selectable: bool,
    /// The cells of its row in a table, for a present time in seconds.
    pub cells: fn(&Value, i64) -> Vec<Value>,
    /// Marks an object as being deleted; `None` when nothing holds it.
    pub mark_deleted: fn(&Value, &str) -> Option<Value>,
    /// Turns an object into another version, for kinds whose versions differ.
    pub convert: Option<fn(&Value, &str) -> Value>,
    /// How long a deleted object may take to end, for kinds with graceful deletion; given the
    /// object and the seconds that the request asks for.
    pub grace_period: Option<fn(&Value, Option<i64>) -> Option<i64>>,
    /// What is validated when metadata and content are judged by declared rules alone.
    pub declared_rules: bool,
}

impl Default for Hooks {
    fn default() -> Self {
        Self::new(|_| field::ErrorList::new())
    }
}

impl Hooks {
    /// A kind with nothing but rules of its own.
    pub fn new(validate: fn(&Change<'_>) -> field::ErrorList) -> Self {
        Self {
            default: |_| {},
            prepare_for_create: |_| {},
            prepare_for_update: |_, _, _| {},
            validate,
            warn: |_, _| {},
            field: |_, _| None,
            selectable: false,
            cells: |object, now| vec![object::name(object).into(), printer::age(object, now)],
            mark_deleted: |_, _| None,
            convert: None,
            grace_period: None,
            declared_rules: true,
        }
    }
}
