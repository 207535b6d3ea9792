//! The server's state and limits.

use std::sync::Arc;
use std::time::Duration;

use ordain_registry::Registry;

use crate::documents::Documents;

/// Everything that a user can make big or slow has a limit here.
#[derive(Debug, Clone)]
pub struct Limits {
    pub body_bytes_max: usize,
    pub header_bytes_max: usize,
    pub header_read_timeout: Duration,
    /// A request that is not a watch is given up after this.
    pub request_timeout: Duration,
    pub http2_streams_max: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes_max: 3 * 1024 * 1024,
            header_bytes_max: 1024 * 1024,
            header_read_timeout: Duration::from_secs(32),
            request_timeout: Duration::from_secs(60),
            http2_streams_max: 100,
        }
    }
}

/// A server.
pub struct App {
    pub registry: Arc<Registry>,
    pub limits: Limits,
    pub(crate) documents: Documents,
}

impl App {
    pub fn new(registry: Arc<Registry>) -> Self {
        Self { registry, limits: Limits::default(), documents: Documents::default() }
    }
}
