//! Rules and readings that several groups share, one file per subject.

pub(crate) mod access;
pub(crate) mod amount;
pub(crate) mod fields;
pub(crate) mod internal;
pub(crate) mod net;
pub(crate) mod resources;
pub(crate) mod selector;
pub(crate) mod table;
