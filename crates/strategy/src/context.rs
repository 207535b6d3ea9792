//! What a write needs besides its request.

use std::sync::Arc;

use ordain_meta::time::Time;

use crate::conversion::Conversions;
use crate::source::{Clock, Entropy};
use crate::user::User;

/// Time, chance and the authenticated identity, handed in by whoever runs a verb.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    pub clock: &'a dyn Clock,
    pub entropy: &'a dyn Entropy,
    /// `None` when the server itself writes.
    pub user: Option<&'a User>,
    /// Answers of the conversion webhook of the kind; `None` where none can be asked.
    pub conversions: Option<&'a Arc<Conversions>>,
}

impl Context<'_> {
    pub fn now(&self) -> Time {
        self.clock.now()
    }
}
