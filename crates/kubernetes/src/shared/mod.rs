//! What the rules of several groups share.

pub(crate) mod access;
pub(crate) mod net;
pub(crate) mod resources;
