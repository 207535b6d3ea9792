//! The connections to one webhook that are kept for the next call.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;

use crate::ANSWER_BYTES_MAX;
use crate::address::Address;
use crate::connection::{Call, Connection, Failure, Received};

/// So many connections of one request at a time are kept while nobody uses them.
const IDLE_MAX: usize = 32;

#[derive(Debug)]
pub(crate) struct Pool {
    tls: Arc<rustls::ClientConfig>,
    idle: Mutex<Vec<Connection>>,
    /// Room for large answers, in bytes.
    pub(crate) large: Arc<Semaphore>,
}

impl Pool {
    pub(crate) fn new(tls: Arc<rustls::ClientConfig>) -> Self {
        Self { tls, idle: Mutex::default(), large: Arc::new(Semaphore::new(ANSWER_BYTES_MAX)) }
    }

    /// A connection that is open already. One that takes many requests stays for others too.
    fn kept(&self) -> Option<Connection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.retain_mut(Connection::is_usable);
        match idle.last()? {
            Connection::Http2(sender) => Some(Connection::Http2(sender.clone())),
            Connection::Http1(_) => idle.pop(),
        }
    }

    fn keep(&self, mut connection: Connection) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let is_known = matches!(connection, Connection::Http2(_)) && !idle.is_empty();
        if !is_known && idle.len() < IDLE_MAX && connection.is_usable() {
            idle.push(connection);
        }
    }

    /// Asks over a new connection if there is none or the kept one is closed. A request that was
    /// sent is not sent again.
    pub(crate) async fn ask(
        &self,
        address: &Address,
        place: &(String, u16),
        call: &Call,
    ) -> Result<Received, Failure> {
        if let Some(mut connection) = self.kept() {
            match connection.ask(address, call).await {
                Ok(reply) => {
                    self.keep(connection);
                    return Ok(reply);
                }
                Err(Failure::Unsent) => {}
                Err(failure) => return Err(failure),
            }
        }
        // Boxed, since a handshake holds far more than the usual call, which is moved several times.
        let opened = Box::pin(Connection::open(address, place, &self.tls, call.deadline));
        let mut connection = opened.await?;
        let reply = connection.ask(address, call).await?;
        self.keep(connection);
        Ok(reply)
    }
}
