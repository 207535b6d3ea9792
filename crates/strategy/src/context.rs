//! What a write needs besides its request.

use std::sync::Arc;

use ordain_meta::time::Time;

use crate::conversion::Conversions;
use crate::source::{Clock, Entropy};
use crate::user::User;

/// Time, randomness and the authenticated identity, handed in by whoever runs a verb.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The present time.
    pub clock: &'a dyn Clock,
    /// Random numbers.
    pub entropy: &'a dyn Entropy,
    /// `None` when the server itself writes.
    pub user: Option<&'a User>,
    /// Answers of the conversion webhook of the kind; `None` where none can be asked.
    pub conversions: Option<&'a Arc<Conversions>>,
    /// Nothing is stored.
    pub dry_run: bool,
}

impl<'a> Context<'a> {
    /// The present time.
    pub fn now(&self) -> Time {
        self.clock.now()
    }

    /// The same for a request whose result is stored, or is not.
    #[must_use]
    pub fn for_real(self, stored: bool) -> Self {
        Context { dry_run: !stored, ..self }
    }

    /// What hooks may know about the request.
    pub fn caller(&self) -> Caller<'a> {
        Caller { user: self.user, now: self.now(), dry_run: self.dry_run }
    }
}

/// Who writes, when, and whether for real: what hand-written hooks may know of a request beside the
/// objects. The verb and the subresource follow from the hook that is called.
/// By default nobody in particular, at no particular time.
#[derive(Debug, Clone, Copy, Default)]
pub struct Caller<'a> {
    /// `None` when the server itself writes, or files are judged.
    pub user: Option<&'a User>,
    /// The present time.
    pub now: Time,
    /// Nothing is stored.
    pub dry_run: bool,
}
