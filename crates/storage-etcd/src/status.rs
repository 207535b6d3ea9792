//! What the answers of etcd that are no answers mean to a caller.

use std::error::Error as _;

use ordain_storage::StoreError;
use tonic::{Code, Status};

/// The largest request that etcd takes unless it is told otherwise.
pub(crate) const REQUEST_BYTES_MAX: usize = 1536 * 1024;

/// Facts that are reported as errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fact {
    Compacted,
    FutureRevision,
    Other,
}

pub(crate) fn fact(status: &Status) -> Fact {
    let says = |text: &str| status.message().contains(text);
    match status.code() {
        Code::OutOfRange if says("has been compacted") => Fact::Compacted,
        Code::OutOfRange if says("future revision") => Fact::FutureRevision,
        _ => Fact::Other,
    }
}

/// A read failed.
pub(crate) fn read_error(status: &Status) -> StoreError {
    StoreError::Unavailable(describe(status))
}

/// A commit failed: perhaps it was made all the same.
pub(crate) fn commit_error(status: &Status, bytes: usize) -> StoreError {
    let says = |text: &str| status.message().contains(text);
    match status.code() {
        Code::ResourceExhausted if says("space exceeded") => {
            StoreError::NoSpace(status.message().to_owned())
        }
        Code::InvalidArgument if says("request is too large") => {
            StoreError::TooLarge { bytes, bytes_max: REQUEST_BYTES_MAX }
        }
        Code::ResourceExhausted if says("larger than max") => {
            StoreError::TooLarge { bytes, bytes_max: REQUEST_BYTES_MAX }
        }
        Code::InvalidArgument => StoreError::Invalid(status.message().to_owned()),
        Code::ResourceExhausted
        | Code::PermissionDenied
        | Code::Unauthenticated
        | Code::Unimplemented => StoreError::Unavailable(describe(status)),
        _ if never_sent(status) => StoreError::Unavailable(describe(status)),
        _ => StoreError::Unknown(describe(status)),
    }
}

/// There was no connection to send anything over.
pub(crate) fn never_sent(status: &Status) -> bool {
    let mut source = status.source();
    while let Some(error) = source {
        if error.is::<tonic::ConnectError>() {
            return true;
        }
        source = error.source();
    }
    false
}

fn describe(status: &Status) -> String {
    let mut text = format!("etcd: {}", status.message());
    let mut source = status.source();
    let mut last = status.message().to_owned();
    while let Some(error) = source {
        let next = error.to_string();
        if next != last {
            text.push_str(": ");
            text.push_str(&next);
        }
        last = next;
        source = error.source();
    }
    text
}
