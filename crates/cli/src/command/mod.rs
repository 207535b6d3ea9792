//! The subcommands, one file each.

pub(crate) mod author;
pub(crate) mod cel;
pub(crate) mod completions;
pub(crate) mod conventions;
pub(crate) mod convert;
pub(crate) mod diff;
pub(crate) mod envtest;
pub(crate) mod explore;
pub(crate) mod fsck;
mod gates;
pub(crate) mod generate;
pub(crate) mod kinds;
pub(crate) mod lint;
pub(crate) mod lsp;
pub(crate) mod man;
mod render;
pub(crate) mod replay;
pub(crate) mod schemas;
pub(crate) mod serve;
pub(crate) mod snapshot;
pub(crate) mod tags;
pub(crate) mod test_server;
mod transport;
pub(crate) mod types;
pub(crate) mod validate;

use std::io::Write;

use ordain_host::manifest;

/// Why a command failed, in one line.
pub(crate) type Failure = String;

/// Tells the user on standard error.
pub(crate) fn complain(message: &str) {
    let _ = writeln!(std::io::stderr().lock(), "error: {message}");
}

/// Tells the user something by the way, on standard error.
pub(crate) fn note(message: &str) {
    let _ = writeln!(std::io::stderr().lock(), "note: {message}");
}

/// Tells the user on standard output.
pub(crate) fn say(message: &str) {
    let _ = writeln!(std::io::stdout().lock(), "{message}");
}

/// The exit code of a command that failed by a mistake of its own.
const INTERNAL: u8 = 3;

/// Runs a command; a panic, which the hook has reported, is an internal error and no verdict.
pub(crate) fn guarded(run: impl FnOnce() -> std::process::ExitCode) -> std::process::ExitCode {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(run))
        .unwrap_or_else(|_| std::process::ExitCode::from(INTERNAL))
}
