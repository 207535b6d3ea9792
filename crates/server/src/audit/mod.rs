//! The audit log: who did what, when, from where, and whether it was allowed. One line of JSON
//! for each event, in the form of `audit.k8s.io/v1`: never a credential, and a body only where the
//! [`AuditPolicy`] asks for it.

pub(crate) mod bodies;
mod policy;
mod rotation;

use std::io::Write;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

pub use policy::{AuditPolicy, Level};
pub(crate) use policy::{Decided, Stage};
pub use rotation::Rotation;

use ordain_meta::Status;
use ordain_value::{Value, json, value};
use ring::rand::{SecureRandom, SystemRandom};

use crate::metrics;

/// Where audit lines go. A line is written before its answer is sent.
pub struct AuditLog {
    out: Mutex<Box<dyn Write + Send>>,
    /// What is written down; every request at the level Metadata unless told otherwise.
    pub policy: AuditPolicy,
}

impl std::fmt::Debug for AuditLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AuditLog")
    }
}

impl AuditLog {
    /// Appends to a file that only its owner may read, and puts it aside when it has grown; `-` is
    /// standard output.
    pub fn open(path: &Path, rotation: Rotation) -> std::io::Result<Self> {
        if path == Path::new("-") {
            return Ok(Self::new(std::io::stdout()));
        }
        Ok(Self::new(rotation::RotatingFile::open(path, rotation)?))
    }

    /// Writes to whatever is given.
    pub fn new(out: impl Write + Send + 'static) -> Self {
        Self { out: Mutex::new(Box::new(out)), policy: AuditPolicy::default() }
    }

    pub(crate) fn write(&self, event: &Value) -> std::io::Result<()> {
        let mut line = json::encode(event);
        line.push(b'\n');
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let written = out.write_all(&line).and_then(|()| out.flush());
        match &written {
            Ok(()) => metrics::AUDIT_EVENTS.add(&[], 1),
            Err(_) => metrics::AUDIT_ERRORS.add(&["log"], 1),
        }
        written
    }
}

/// A name for a request that no other has.
pub(crate) fn new_id() -> String {
    let mut bytes = [0_u8; 16];
    // Without randomness all requests share one audit ID, which is still valid.
    let _ = SystemRandom::new().fill(&mut bytes);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let mut out = String::with_capacity(36);
    for (at, byte) in bytes.iter().enumerate() {
        if matches!(at, 4 | 6 | 8 | 10) {
            out.push('-');
        }
        out.push_str(&format!("{byte:02x}"));
    }
    out
}

/// What was answered.
/// Without `texts` there is nothing in it that a body could have put there.
pub(crate) fn status_value(code: u16, refusal: Option<&Status>, texts: bool) -> Value {
    let mut status = value!({"metadata": {}});
    if let Some(refusal) = refusal {
        let whole = refusal.encode();
        let fields: &[&str] =
            if texts { &["status", "message", "reason", "details"] } else { &["status", "reason"] };
        for field in fields {
            if let Some(value) = whole.get(field) {
                status.set_path(&[field], value.clone());
            }
        }
    }
    status.set_path(&["code"], Value::Int(code.into()));
    status
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_have_the_form_of_uuids() {
        let id = new_id();
        let lens: Vec<usize> = id.split('-').map(str::len).collect();
        assert_eq!(lens, [8, 4, 4, 4, 12]);
        assert_ne!(id, new_id());
    }
}
