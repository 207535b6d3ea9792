//! Hashes that name content.

use ordain_schema::base64;
use ring::digest::{Context, SHA256, SHA512, digest};

/// SHA-512 in upper-case hexadecimal.
pub(crate) fn sha512_hex(bytes: &[u8]) -> String {
    let mut hash = Sha512::default();
    hash.update(bytes);
    hash.hex()
}

/// The same of bytes that come one after the other.
pub(crate) struct Sha512(Context);

impl Default for Sha512 {
    fn default() -> Self {
        Self(Context::new(&SHA512))
    }
}

impl Sha512 {
    pub(crate) fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    pub(crate) fn hex(self) -> String {
        let hash = self.0.finish();
        hash.as_ref().iter().map(|byte| format!("{byte:02X}")).collect()
    }
}

/// SHA-256 in lower-case hexadecimal.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    let hash = digest(&SHA256, bytes);
    hash.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The name of the version in which a kind is stored.
pub(crate) fn storage_version_hash(group: &str, version: &str, kind: &str) -> String {
    let hash = digest(&SHA256, format!("{group}/{version}/{kind}").as_bytes());
    base64::encode(hash.as_ref().get(..8).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storage_versions_hash_as_recorded() {
        assert_eq!(storage_version_hash("", "v1", "ConfigMap"), "qFsyl6wFWjQ=");
        assert_eq!(storage_version_hash("coordination.k8s.io", "v1", "Lease"), "gqkMMb/YqFM=");
    }
}
