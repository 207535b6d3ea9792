//! HTTP: turns requests into calls of the registry, and what it answers into bytes.
//!
//! [`serve`] and [`serve_tls`] accept connections (HTTP/1.1 and HTTP/2) and lead each request
//! through the gate: path and method are read once ([`request_info`]), who makes it is found out,
//! whether they may is decided, and there must be room for it. Then the router negotiates the form
//! of the answer ([`negotiate`]) and calls the handler of the verb. Refusals become wire form in
//! [`response`] alone.
//!
//! This is the only crate that knows HTTP. A panic in a handler is answered with 500 and concerns
//! no other request; bodies, headers and times have limits ([`Limits`]).

mod access;
mod app;
mod arriving;
mod audit;
mod authn;
mod authz;
mod digest;
mod discovery;
mod documents;
mod fair;
mod form;
mod gate;
mod handlers;
mod health;
mod held;
mod holdings;
mod impersonation;
mod json_path;
mod limits;
mod log;
mod message;
mod metrics;
mod near;
pub mod negotiate;
mod openapi;
mod options;
mod pool;
mod proxy;
mod record;
pub mod request_info;
pub mod response;
mod router;
pub mod seam;
mod serve;
mod service_account;
mod table;
mod tls;
mod ui;
mod work;

pub use access::{Access, Guard};
pub use app::{App, Limits};
pub use audit::{AuditLog, AuditPolicy, Level as AuditLevel, Rotation};
pub use authn::Tokens;
pub use health::Health;
pub use log::{Log, LogFormat};
pub use near::runtime;
pub use proxy::{Onward, Returned, Upstream, serve_proxy};
pub use serve::{serve, serve_tls};
pub use service_account::{DEFAULT_ISSUER, ServiceAccounts, TokenOptions};
pub use tls::{Tls, TlsError, TlsOptions};
pub use ui::Ui;
