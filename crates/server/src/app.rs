//! The server's state and limits.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use ordain_registry::Registry;
use ordain_registry::access::{Attributes, Authorizer, Decision};
use ordain_registry::caller::User;

use crate::access::Access;
use crate::audit::AuditLog;
use crate::documents::Documents;
use crate::health::Health;
use crate::holdings::Holdings;
use crate::limits::InFlight;
use crate::log::Log;
use crate::near::Near;
use crate::pool::Pool;
use crate::seam::Seam;
use crate::service_account::ServiceAccounts;
use crate::ui::Ui;

pub use crate::limits::Limits;

/// A server.
pub struct App {
    pub registry: Arc<Registry>,
    pub limits: Limits,
    pub(crate) documents: Documents,
    /// Who may do what; everybody everything unless told otherwise.
    pub access: Access,
    /// What signs and recognizes tokens of service accounts; without it there are none.
    pub service_accounts: Option<Arc<ServiceAccounts>>,
    pub audit: Option<AuditLog>,
    pub log: Log,
    pub health: Health,
    /// Whether there is an explorer, and what it shows.
    pub ui: Ui,
    /// Whether the server ends when its store fails, so that its supervisor restarts it.
    pub exit_on_store_failure: bool,
    /// What takes part for the sake of tests; nothing unless it is put here.
    pub seam: Option<Arc<dyn Seam>>,
    pub(crate) seam_requests: AtomicU64,
    pub(crate) in_flight: InFlight,
    pub(crate) near: Near,
    pub(crate) holdings: Holdings,
    pub(crate) pool: Pool,
    /// Becomes true when the server is about to stop; streams end then.
    pub(crate) closing: tokio::sync::watch::Sender<bool>,
}

impl Authorizer for App {
    fn authorize(&self, user: &User, request: &Attributes<'_>) -> Decision {
        self.access.authorize(user, request)
    }
}

impl App {
    /// A server on which everybody may do everything.
    pub fn new(registry: Arc<Registry>) -> Self {
        Self {
            registry,
            limits: Limits::default(),
            documents: Documents::default(),
            access: Access::Open,
            service_accounts: None,
            audit: None,
            log: Log::default(),
            health: Health::default(),
            ui: Ui::Server,
            exit_on_store_failure: false,
            seam: None,
            seam_requests: AtomicU64::new(0),
            in_flight: InFlight::default(),
            near: Near::default(),
            holdings: Holdings::default(),
            pool: Pool::default(),
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
