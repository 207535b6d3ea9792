//! Signed tokens in their compact form (RFC 7519): header, claims and signature, in base64 and
//! separated by dots.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ordain_value::{Value, json, value};

use super::key::{PublicKey, SigningKey};

/// A token that is not verified yet.
#[derive(Debug)]
pub(crate) struct Parsed<'a> {
    header: Value,
    pub(crate) claims: Value,
    signed: &'a str,
    signature: Vec<u8>,
}

/// Signs claims.
pub(crate) fn sign(key: &SigningKey, claims: &Value) -> Result<String, String> {
    let header = value!({"alg": (key.public.algorithm.as_str()), "kid": (key.public.id.as_str())});
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(json::encode(value));
    let signed = format!("{}.{}", part(&header), part(claims));
    let signature = key.sign(signed.as_bytes())?;
    Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
}

/// Takes a token apart; `None` when it is none.
pub(crate) fn parse(token: &str) -> Option<Parsed<'_>> {
    let (signed, signature) = token.rsplit_once('.')?;
    let (header, claims) = signed.split_once('.')?;
    let part = |text: &str| {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        json::decode(&bytes).ok().filter(|it| it.as_map().is_some())
    };
    Some(Parsed {
        header: part(header)?,
        claims: part(claims)?,
        signed,
        signature: URL_SAFE_NO_PAD.decode(signature).ok()?,
    })
}

impl Parsed<'_> {
    /// Whether one of the keys signed the token: the one it names, if it names one.
    ///
    /// # Errors
    /// When none did, with the reason.
    pub(crate) fn verify(&self, keys: &[PublicKey]) -> Result<(), &'static str> {
        let text = |name: &str| self.header.text(name);
        let (id, algorithm) = (text("kid"), text("alg"));
        let mut named = keys.iter().filter(|key| id.is_empty() || key.id == id).peekable();
        if named.peek().is_none() {
            return Err("invalid signature, no keys found");
        }
        // The key decides how it is used, not the token.
        let signed = named.any(|key| {
            key.algorithm.as_str() == algorithm
                && key.verify(self.signed.as_bytes(), &self.signature)
        });
        if signed { Ok(()) } else { Err("square/go-jose: error in cryptographic primitive") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_signed_is_verified() {
        let (key, _) = SigningKey::generate().unwrap();
        let (other, _) = SigningKey::generate().unwrap();
        let token = sign(&key, &value!({"sub": "a"})).unwrap();
        let keys = [key.public.clone()];
        assert_eq!(parse(&token).unwrap().verify(&keys), Ok(()));
        assert!(parse(&token).unwrap().verify(std::slice::from_ref(&other.public)).is_err());
        let forged = sign(&other, &value!({"sub": "a"})).unwrap();
        assert!(parse(&forged).unwrap().verify(&keys).is_err());
        let (head, tail) = token.split_once('.').unwrap();
        let none = URL_SAFE_NO_PAD.encode(r#"{"alg":"none"}"#);
        assert!(parse(&format!("{none}.{tail}")).unwrap().verify(&keys).is_err());
        assert!(parse(&format!("{head}.{}", tail.replacen('.', "x.", 1))).is_none());
    }

    #[test]
    fn other_texts_are_no_tokens() {
        for text in ["", "a", "a.b", "a.b.c", "e30.e30", "W10.e30.", "{}"] {
            assert!(parse(text).is_none(), "{text}");
        }
    }
}
