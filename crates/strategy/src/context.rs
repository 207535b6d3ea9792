//! What a write needs besides its request.

use ordain_meta::time::Time;

use crate::source::{Clock, Entropy};
use crate::user::User;

/// Time, chance and the authenticated identity, handed in by whoever runs a verb.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    pub clock: &'a dyn Clock,
    pub entropy: &'a dyn Entropy,
    /// `None` when the server itself writes.
    pub user: Option<&'a User>,
}

impl Context<'_> {
    pub fn now(&self) -> Time {
        self.clock.now()
    }
}
