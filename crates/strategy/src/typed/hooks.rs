//! What a typed kind does beyond its declaration.

use std::cmp::Ordering;

use ordain_meta::status::Status;
use ordain_value::{Text, Value, field};

use crate::context::Context;
use crate::pool::Pool;
use crate::request::Warnings;
use crate::strategy::{Change, Part};

/// What becomes of status and generation without any code of the kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Lifecycle {
    /// Nothing: the hooks do it all.
    #[default]
    Manual,
    /// A create empties the fields that the main endpoint does not take, an update keeps the
    /// fields that its endpoint does not take; generations are not counted.
    Reset,
    /// The same, and a generation that starts at 1 and counts changes of these fields.
    Counted(&'static [&'static [&'static str]]),
    /// The same for kinds to which an empty list is another value than a missing one.
    CountedExactly(&'static [&'static [&'static str]]),
}

impl Lifecycle {
    /// The fields whose changes are counted.
    #[must_use]
    pub fn counted(self) -> Option<&'static [&'static [&'static str]]> {
        match self {
            Self::Manual | Self::Reset => None,
            Self::Counted(fields) | Self::CountedExactly(fields) => Some(fields),
        }
    }
}

/// Counts changes of the desired state.
pub const COUNT_SPEC: Lifecycle = Lifecycle::Counted(&[&["spec"]]);

/// The code of a kind, where tags and CEL rules do not reach. Every hook has a neutral default.
#[derive(Clone, Copy)]
pub struct Hooks {
    /// Defaults that `+default` cannot say; runs after those, on every object that is read.
    pub default: fn(&mut Value),
    /// What the object is given from pools; given the old object of an update.
    pub allocate: Option<fn(&mut Value, Option<&Value>, &mut dyn Pool) -> Result<(), Status>>,
    /// What a create wipes and fills in: status, generation, gated fields.
    pub prepare_for_create: fn(&mut Value),
    /// What an update of a part keeps from the old object, and what it counts.
    pub prepare_for_update: fn(Part, &mut Value, &Value),
    /// What a write notes down of when it was made and by whom, after all preparation; without an
    /// old object for a create.
    pub stamp: fn(&Context<'_>, Part, &mut Value, Option<&Value>),
    /// What happens to status and generation, after the preparing hooks.
    pub lifecycle: Lifecycle,
    /// Rules that neither a tag nor CEL can say, metadata included.
    pub validate: fn(&Change<'_>) -> field::ErrorList,
    /// The form in which an accepted object is stored.
    pub canonicalize: fn(&mut Value),
    /// Advice on a new object before it is prepared, whether it is accepted or not.
    pub warn_unprepared: fn(&Value, &mut Warnings),
    /// Advice on an accepted object.
    pub warn: fn(&Change<'_>, &mut Warnings),
    /// Fields that may be selected by, besides name and namespace.
    pub field: fn(&Value, &str) -> Option<Text>,
    /// Whether unknown selectors are refused in the words of kinds with selectable fields.
    pub selectable: bool,
    /// Takes out of the metadata of a row what the server holds elsewhere in the object.
    pub row_metadata: fn(&mut Value),
    /// The order of rows, for kinds that sort them otherwise than by name.
    pub row_order: Option<fn(&Value, &Value) -> Ordering>,
    /// Marks an object as being deleted; `None` when nothing holds it.
    pub mark_deleted: fn(&Value, &str) -> Option<Value>,
    /// Turns an object into another version, for kinds whose versions differ.
    pub convert: Option<fn(&Value, &str) -> Value>,
    /// How long a deleted object may take to end, for kinds with graceful deletion; given the
    /// object and the seconds that the request asks for.
    pub grace_period: Option<fn(&Value, Option<i64>) -> Option<i64>>,
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
            allocate: None,
            prepare_for_create: |_| {},
            prepare_for_update: |_, _, _| {},
            stamp: |_, _, _, _| {},
            lifecycle: Lifecycle::Manual,
            validate,
            canonicalize: |_| {},
            warn_unprepared: |_, _| {},
            warn: |_, _| {},
            field: |_, _| None,
            selectable: false,
            row_metadata: |_| {},
            row_order: None,
            mark_deleted: |_, _| None,
            convert: None,
            grace_period: None,
        }
    }
}
