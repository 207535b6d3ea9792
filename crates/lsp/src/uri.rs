//! Files as editors name them: `file:///a%20b.yaml`.

use std::path::{Path, PathBuf};

/// The path of a file's URI, in which bytes may be written as `%2F`.
pub(crate) fn path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.get(rest.find('/')?..)?;
    let mut bytes = Vec::with_capacity(path.len());
    let mut parts = path.split('%');
    bytes.extend_from_slice(parts.next()?.as_bytes());
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend_from_slice(rest.as_bytes());
    }
    Some(PathBuf::from(String::from_utf8(bytes).ok()?))
}

/// The URI of a file.
pub(crate) fn of(path: &Path) -> String {
    let mut out = String::from("file://");
    for byte in path.to_string_lossy().bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
        if plain {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_come_back_from_their_names() {
        let file = Path::new("/a b/ü#.yaml");
        assert_eq!(path(&of(file)).as_deref(), Some(file));
        assert_eq!(path("http://x/y"), None);
        assert_eq!(path("file:///a%2"), None);
    }
}
