//! What a create prepares while mutating webhooks are asked, for the usual case that they leave the
//! object as it is.
//!
//! It is pure work, and nobody sees it: it counts only if the object comes back as it was prepared,
//! within the same second, which is all that objects say of time. Else it is thrown away and done
//! as if it had never been.

use std::sync::{Mutex, PoisonError};

use ordain_meta::status::Status;
use ordain_strategy::Target;
use ordain_strategy::create::{Admitted, Read};
use ordain_value::Value;

use crate::registry::Registry;
use crate::request::Warnings;

/// Work for the case that nobody changes the object any more.
pub(crate) trait Ahead: Send + Sync {
    fn go_ahead(&self, object: &Value);
}

/// Prepares a create.
pub(crate) struct Foresight<'a> {
    registry: &'a Registry,
    /// None for what cannot be prepared without asking anybody, or without taking something.
    read: Option<Read<'a>>,
    foreseen: Mutex<Option<Foreseen<'a>>>,
}

/// What comes of an object that stays as it is.
pub(crate) struct Foreseen<'a> {
    object: Value,
    /// When it was looked at.
    now: String,
    pub(crate) admitted: Admitted<'a>,
    pub(crate) candidate: Result<Value, Status>,
    warnings: Warnings,
}

impl<'a> Foresight<'a> {
    pub(crate) fn of(registry: &'a Registry, target: &Target, read: &Read<'a>) -> Self {
        let is_alone = read.conversions().is_none() && !target.resource.strategy.allocates();
        let read = is_alone.then(|| read.clone());
        Self { registry, read, foreseen: Mutex::default() }
    }

    /// What was prepared for this object, with what it has to say to the client.
    pub(crate) fn take(&self, object: &Value, warnings: &mut Warnings) -> Option<Foreseen<'a>> {
        let foreseen = self.foreseen.lock().unwrap_or_else(PoisonError::into_inner).take();
        let is_right = |it: &Foreseen<'_>| it.object == *object && it.now == self.registry.now();
        let foreseen = foreseen.filter(is_right)?;
        for text in foreseen.warnings.texts() {
            warnings.add(text.as_str());
        }
        Some(foreseen)
    }
}

impl Ahead for Foresight<'_> {
    fn go_ahead(&self, object: &Value) {
        let Some(mut read) = self.read.clone() else { return };
        let now = self.registry.now();
        read.object = object.clone();
        let mut warnings = Warnings::default();
        let admitted = read.admitted(&mut warnings);
        let candidate = admitted.candidate(&mut warnings);
        let foreseen = Foreseen { object: object.clone(), now, admitted, candidate, warnings };
        *self.foreseen.lock().unwrap_or_else(PoisonError::into_inner) = Some(foreseen);
    }
}
