//! The subcommands, one file each.

pub(crate) mod author;
pub(crate) mod fsck;
mod manifest;
pub(crate) mod serve;
pub(crate) mod snapshot;
pub(crate) mod validate;

use std::io::Write;

/// Why a command failed, in one line.
pub(crate) type Failure = String;

/// Tells the user on standard error.
pub(crate) fn complain(message: &str) {
    let _ = writeln!(std::io::stderr().lock(), "error: {message}");
}

/// Tells the user on standard output.
pub(crate) fn say(message: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{message}");
}
