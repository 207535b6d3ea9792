//! Hashes that name content.

use ordain_schema::base64;
use ring::digest::{SHA256, SHA512, digest};

/// SHA-512 in upper-case hexadecimal.
pub(crate) fn sha512_hex(bytes: &[u8]) -> String {
    let hash = digest(&SHA512, bytes);
    hash.as_ref().iter().map(|byte| format!("{byte:02X}")).collect()
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
