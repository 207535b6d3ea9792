//! A server put together on this machine: its store, clock and randomness, its keys and listener,
//! controllers, snapshots and test API.
//!
//! The command line and the library façade both start servers; what they have in common is here,
//! so that a server of a product and `ordain serve` are the same server. Nothing here judges an
//! object.

pub mod backup;
pub mod manifest;
pub mod store;
pub mod system;
pub mod test_api;
pub mod transport;
