//! Continue tokens of paged lists: the revision of the list and the key to go on from.

use ordain_value::{Value, json, value};

const VERSION: &str = "meta.k8s.io/v1";
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Where a page ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ContinueToken {
    /// The revision of the list; none if the list goes on with what is there now.
    pub(crate) revision: Option<u64>,
    /// The first key of the next page, without the prefix of the collection.
    pub(crate) start: String,
    /// How many objects are left, so that following pages need not count them again. Nothing but
    /// the count in the answer depends on it.
    pub(crate) remaining: Option<u64>,
}

impl ContinueToken {
    pub(crate) fn encode(&self) -> String {
        let revision = self.revision.map_or(-1, |it| i64::try_from(it).unwrap_or(i64::MAX));
        let mut value = value!({"v": VERSION, "rv": revision, "start": (self.start.as_str())});
        if let Some(remaining) = self.remaining.and_then(|count| i64::try_from(count).ok()) {
            value.set_path(&["left"], Value::Int(remaining));
        }
        base64_encode(&json::encode(&value))
    }

    /// Reads a token. Forged keys cannot leave the collection: `.` and `..` segments are refused.
    pub(crate) fn decode(text: &str) -> Result<Self, String> {
        let invalid = |why: &str| format!("continue key is not valid: {why}");
        let bytes = base64_decode(text).map_err(|why| invalid(&why))?;
        let value = json::decode(&bytes).map_err(|error| invalid(&error.to_string()))?;
        let version = value.get("v").and_then(Value::as_str).unwrap_or("");
        if version != VERSION {
            let why = format!("server does not recognize this encoded version {version}");
            return Err(invalid(&why));
        }
        let revision = value.get("rv").and_then(Value::as_int).unwrap_or(0);
        if revision == 0 {
            let why = "incorrect encoded start resourceVersion (version meta.k8s.io/v1)";
            return Err(invalid(why));
        }
        let start = value.get("start").and_then(Value::as_str).unwrap_or("");
        if start.is_empty() {
            return Err(invalid("encoded start key empty (version meta.k8s.io/v1)"));
        }
        if start.split('/').any(|segment| matches!(segment, "" | "." | "..")) {
            return Err(invalid(start));
        }
        let remaining = value.get("left").and_then(Value::as_int);
        let remaining = remaining.and_then(|count| u64::try_from(count).ok());
        Ok(Self { revision: u64::try_from(revision).ok(), start: start.to_owned(), remaining })
    }
}

fn base64_encode(bytes: &[u8]) -> String {
    let text = ordain_schema::base64::encode(bytes).replace('+', "-").replace('/', "_");
    text.trim_end_matches('=').to_owned()
}

fn base64_decode(text: &str) -> Result<Vec<u8>, String> {
    let illegal = |at: usize| format!("illegal base64 data at input byte {at}");
    let mut out = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let (mut group, mut bits) = (0_u32, 0);
    for (at, byte) in text.bytes().enumerate() {
        let index =
            ALPHABET.iter().position(|letter| *letter == byte).ok_or_else(|| illegal(at))?;
        group = group << 6 | u32::try_from(index).unwrap_or(0);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            out.push(u8::try_from(group >> bits & 0xff).unwrap_or(0));
        }
    }
    if text.len() % 4 == 1 {
        return Err(illegal(text.len()));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_survive_a_round_trip() {
        for (start, revision) in [("a", Some(42)), ("ns/name\0", Some(1)), ("ü/x", None)] {
            let token = ContinueToken { revision, start: start.to_owned(), remaining: Some(7) };
            assert_eq!(ContinueToken::decode(&token.encode()), Ok(token));
        }
    }

    #[test]
    fn forged_tokens_are_refused() {
        let refused = |text: &str| ContinueToken::decode(text).unwrap_err();
        assert_eq!(refused("!!"), "continue key is not valid: illegal base64 data at input byte 0");
        let forged = base64_encode(br#"{"v":"meta.k8s.io/v1","rv":5,"start":"../secrets/x"}"#);
        assert!(refused(&forged).starts_with("continue key is not valid"));
    }
}
