//! What a rule in code sees of its place.

use ordain_cel::value::tree::to_tree;
use ordain_cel::value::{Map as CelMap, Val};
use ordain_value::Value;

use super::run::Run;
use super::subject::{Own, Subject};

/// What a rule in code may ask.
pub struct Asked<'r, 'v> {
    pub(super) run: &'r Run<'v>,
    pub(super) subject: Subject<'v>,
}

impl<'v> Asked<'_, 'v> {
    /// The value that the rule is about; null where it is absent.
    #[must_use]
    pub fn value(&self) -> Value {
        match self.subject.own {
            Own::Absent => Value::Null,
            own => self.subject.tree(own),
        }
    }

    /// What it was before.
    #[must_use]
    pub fn old(&self) -> Option<Value> {
        match self.subject.old {
            Own::Absent => None,
            own => Some(self.subject.tree(own)),
        }
    }

    /// The object before the write.
    #[must_use]
    pub fn old_object(&self) -> Option<&'v Value> {
        self.run.write.old
    }

    /// The part of the object that is written.
    #[must_use]
    pub fn part(&self) -> &'v str {
        self.run.write.part
    }

    /// The kind of the object.
    #[must_use]
    pub fn kind(&self) -> &'v str {
        self.run.write.kind
    }

    /// The value of a variable that expressions in this place can read, such as a struct around it
    /// or a named value; null for one that cannot be computed.
    #[must_use]
    pub fn ask(&self, name: &str) -> Value {
        match self.run.lookup(name, &self.subject) {
            Some(Ok(Val::Map(CelMap::View { map, .. }))) => Value::Map(map.clone()),
            Some(Ok(value)) => to_tree(&value),
            _ => Value::Null,
        }
    }

    /// Whether a named value is true.
    #[must_use]
    pub fn is(&self, name: &str) -> bool {
        matches!(self.run.lookup(name, &self.subject), Some(Ok(Val::Bool(true))))
    }
}
