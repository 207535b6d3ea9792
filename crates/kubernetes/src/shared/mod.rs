//! Rules and readings that several groups share.

pub(crate) mod read;
pub(crate) mod resources;
