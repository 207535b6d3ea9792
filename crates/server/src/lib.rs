//! HTTP: turns requests into calls of the registry, and what it answers into bytes.
//!
//! [`serve`] accepts connections (HTTP/1.1 and HTTP/2) and hands each request to the router, which
//! reads path and method once ([`request_info`]), negotiates the form of the answer
//! ([`negotiate`]) and calls the handler of the verb. Refusals become wire form in [`response`]
//! alone.
//!
//! This is the only crate that knows HTTP. A panic in a handler is answered with 500 and concerns
//! no other request; bodies, headers and times have limits ([`Limits`]).

mod app;
mod digest;
mod discovery;
mod documents;
mod form;
mod handlers;
mod json_path;
mod message;
pub mod negotiate;
mod openapi;
mod options;
pub mod request_info;
pub mod response;
mod router;
mod serve;
mod table;

pub use app::{App, Limits};
pub use serve::serve;
