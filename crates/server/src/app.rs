//! The server's state and limits.

use std::sync::Arc;
use std::time::Duration;

use ordain_registry::Registry;

use crate::access::Access;
use crate::audit::AuditLog;
use crate::documents::Documents;
use crate::health::Health;
use crate::limits::InFlight;
use crate::log::Log;

pub use crate::limits::Limits;

/// A server.
pub struct App {
    pub registry: Arc<Registry>,
    pub limits: Limits,
    pub(crate) documents: Documents,
    /// Who may do what; everybody everything unless told otherwise.
    pub access: Access,
    pub audit: Option<AuditLog>,
    pub log: Log,
    pub health: Health,
    pub(crate) in_flight: InFlight,
    /// Becomes true when the server is about to stop; streams end then.
    pub(crate) closing: tokio::sync::watch::Sender<bool>,
}

impl App {
    /// A server on which everybody may do everything.
    pub fn new(registry: Arc<Registry>) -> Self {
        Self {
            registry,
            limits: Limits::default(),
            documents: Documents::default(),
            access: Access::Open,
            audit: None,
            log: Log::default(),
            health: Health::default(),
            in_flight: InFlight::default(),
            closing: tokio::sync::watch::Sender::new(false),
        }
    }

    /// How long a request that asks for `asked` may take.
    pub(crate) fn deadline(&self, asked: Option<Duration>) -> Duration {
        match asked {
            Some(asked) if !asked.is_zero() => asked.min(self.limits.request_timeout),
            _ => self.limits.request_timeout,
        }
    }
}
