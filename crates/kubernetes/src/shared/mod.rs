//! Rules and readings that several groups share, one file per subject.

pub(crate) mod access;
pub(crate) mod amount;
pub(crate) mod code;
pub(crate) mod diff;
pub(crate) mod fields;
pub(crate) mod internal;
pub(crate) mod metadata;
pub(crate) mod net;
pub(crate) mod node_selector;
pub(crate) mod reference;
pub(crate) mod resources;
pub(crate) mod selector;
pub(crate) mod table;
pub(crate) mod toleration;
pub(crate) mod unified;
pub(crate) mod written;
