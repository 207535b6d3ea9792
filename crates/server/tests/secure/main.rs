//! The guarded server over real TLS: who gets in, who may do what, what is written down, what is
//! too much, and how it stops.

mod access;
mod audit;
mod client;
mod explorer;
mod limits;
mod operations;
mod plugins;
mod roles;
mod server;
mod writes;
