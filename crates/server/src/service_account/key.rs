//! The keys behind tokens of service accounts: private ones sign, public ones verify.
//!
//! RSA signs as RS256, the curves P-256 and P-384 as ES256 and ES384. A key is identified by the digest
//! of its public half, as in kube-apiserver, so that both may use the same files.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ordain_go::der::{
    BIT_STRING, INTEGER, OBJECT_ID, OCTET_STRING, Reader, SEQUENCE, bits, element,
};
use ordain_value::{Value, value};
use ring::rand::SystemRandom;
use ring::signature::{
    self, ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED,
    ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair, EcdsaSigningAlgorithm, KeyPair as _,
    RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, RsaKeyPair, UnparsedPublicKey,
};
use rustls::pki_types::pem::{PemObject, SectionKind};

const RSA: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01];
const ELLIPTIC_CURVE: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01];
const P256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07];
const P384: &[u8] = &[0x2b, 0x81, 0x04, 0x00, 0x22];
const NULL: &[u8] = &[0x05, 0x00];
/// The public key of an elliptic curve's private key in SEC1 form.
const SEC1_PUBLIC: u8 = 0xa1;

/// How a token is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Algorithm {
    Es256,
    Es384,
    Rs256,
}

impl Algorithm {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Es256 => "ES256",
            Self::Es384 => "ES384",
            Self::Rs256 => "RS256",
        }
    }

    fn curve(self) -> Option<&'static EcdsaSigningAlgorithm> {
        match self {
            Self::Es256 => Some(&ECDSA_P256_SHA256_FIXED_SIGNING),
            Self::Es384 => Some(&ECDSA_P384_SHA384_FIXED_SIGNING),
            Self::Rs256 => None,
        }
    }
}

/// A key that verifies tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PublicKey {
    pub(crate) algorithm: Algorithm,
    /// The digest of the key.
    pub(crate) id: String,
    /// A point of the curve, or the modulus and exponent of RSA in DER.
    bytes: Vec<u8>,
}

impl PublicKey {
    fn new(algorithm: Algorithm, bytes: Vec<u8>) -> Self {
        let kind = match algorithm {
            Algorithm::Es256 => [object_id(ELLIPTIC_CURVE), object_id(P256)].concat(),
            Algorithm::Es384 => [object_id(ELLIPTIC_CURVE), object_id(P384)].concat(),
            Algorithm::Rs256 => [object_id(RSA), NULL.to_vec()].concat(),
        };
        let kind = element(SEQUENCE, &[&kind]);
        let whole = element(SEQUENCE, &[&kind, &element(BIT_STRING, &[&[0], &bytes])]);
        let digest = ring::digest::digest(&ring::digest::SHA256, &whole);
        Self { algorithm, id: URL_SAFE_NO_PAD.encode(digest.as_ref()), bytes }
    }

    /// Reads a SubjectPublicKeyInfo.
    fn decode(der: &[u8]) -> Option<Self> {
        let mut whole = Reader(der).expect(SEQUENCE).ok()?.parts();
        let mut kind = whole.expect(SEQUENCE).ok()?.parts();
        let bytes = bits(whole.expect(BIT_STRING).ok()?).ok()?.to_vec();
        let algorithm = match kind.expect(OBJECT_ID).ok()?.content {
            RSA => Algorithm::Rs256,
            ELLIPTIC_CURVE => match kind.expect(OBJECT_ID).ok()?.content {
                P256 => Algorithm::Es256,
                P384 => Algorithm::Es384,
                _ => return None,
            },
            _ => return None,
        };
        Some(Self::new(algorithm, bytes))
    }

    /// Reads the key of a certificate.
    fn of_certificate(der: &[u8]) -> Option<Self> {
        let mut certificate = Reader(der).expect(SEQUENCE).ok()?.parts();
        let body = certificate.expect(SEQUENCE).ok()?.parts();
        // Version if it is there, serial number, signature, issuer, validity, subject, public key.
        let key = body.skip_while(|it| it.tag != INTEGER).nth(5)?;
        Self::decode(key.whole)
    }

    pub(crate) fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
        let verification: &dyn signature::VerificationAlgorithm = match self.algorithm {
            Algorithm::Es256 => &ECDSA_P256_SHA256_FIXED,
            Algorithm::Es384 => &ECDSA_P384_SHA384_FIXED,
            Algorithm::Rs256 => &RSA_PKCS1_2048_8192_SHA256,
        };
        UnparsedPublicKey::new(verification, &self.bytes).verify(message, signature).is_ok()
    }

    /// The key as an entry of a key set (RFC 7517).
    pub(crate) fn encode(&self) -> Value {
        let text = |bytes: &[u8]| Value::from(URL_SAFE_NO_PAD.encode(bytes));
        let mut key = value!({
            "use": "sig",
            "kid": (self.id.as_str()),
            "alg": (self.algorithm.as_str())
        });
        if let Some((modulus, exponent)) = self.rsa_parts() {
            key.set_path(&["kty"], "RSA".into());
            key.set_path(&["n"], text(modulus));
            key.set_path(&["e"], text(exponent));
            return key;
        }
        let curve = if self.algorithm == Algorithm::Es256 { "P-256" } else { "P-384" };
        // The first byte says that both coordinates follow.
        let (x, y) = match self.bytes.get(1..) {
            Some(point) => point.split_at(point.len() / 2),
            None => (&[][..], &[][..]),
        };
        key.set_path(&["kty"], "EC".into());
        key.set_path(&["crv"], curve.into());
        key.set_path(&["x"], text(x));
        key.set_path(&["y"], text(y));
        key
    }

    fn rsa_parts(&self) -> Option<(&[u8], &[u8])> {
        if self.algorithm != Algorithm::Rs256 {
            return None;
        }
        let mut parts = Reader(&self.bytes).expect(SEQUENCE).ok()?.parts();
        let mut unsigned = || {
            let bytes = parts.expect(INTEGER).ok()?.content;
            Some(bytes.strip_prefix(&[0]).unwrap_or(bytes))
        };
        Some((unsigned()?, unsigned()?))
    }
}

fn object_id(id: &[u8]) -> Vec<u8> {
    element(OBJECT_ID, &[id])
}

enum Secret {
    Rsa(RsaKeyPair),
    Curve(EcdsaKeyPair),
}

/// A key that signs tokens.
pub(crate) struct SigningKey {
    secret: Secret,
    pub(crate) public: PublicKey,
}

impl SigningKey {
    /// A new key, and its PEM.
    pub(crate) fn generate() -> Result<(Self, String), String> {
        let failed = |error: &dyn std::fmt::Display| format!("cannot make a key: {error}");
        let pair = rcgen::KeyPair::generate().map_err(|error| failed(&error))?;
        let pem = pair.serialize_pem();
        Ok((Self::decode(&pem)?, pem))
    }

    /// Reads the first private key of a PEM.
    pub(crate) fn decode(pem: &str) -> Result<Self, String> {
        let sections = sections(pem)?;
        let mut keys = sections.iter().filter_map(|(kind, der)| Self::of_section(*kind, der));
        keys.next().ok_or_else(|| "there is no private key of RSA, P-256 or P-384".to_owned())
    }

    fn of_section(kind: SectionKind, der: &[u8]) -> Option<Self> {
        match kind {
            SectionKind::PrivateKey => {
                let curves = [Algorithm::Es256, Algorithm::Es384];
                let curve = curves.into_iter().find_map(|algorithm| {
                    let random = SystemRandom::new();
                    let pair = EcdsaKeyPair::from_pkcs8(algorithm.curve()?, der, &random).ok()?;
                    Some(Self::of_curve(algorithm, pair))
                });
                curve.or_else(|| RsaKeyPair::from_pkcs8(der).ok().map(Self::of_rsa))
            }
            SectionKind::RsaPrivateKey => RsaKeyPair::from_der(der).ok().map(Self::of_rsa),
            SectionKind::EcPrivateKey => Self::of_sec1(der),
            _ => None,
        }
    }

    fn of_rsa(pair: RsaKeyPair) -> Self {
        let public = PublicKey::new(Algorithm::Rs256, pair.public_key().as_ref().to_vec());
        Self { secret: Secret::Rsa(pair), public }
    }

    fn of_curve(algorithm: Algorithm, pair: EcdsaKeyPair) -> Self {
        let public = PublicKey::new(algorithm, pair.public_key().as_ref().to_vec());
        Self { secret: Secret::Curve(pair), public }
    }

    /// Reads a version, the private number, the curve and the public point.
    fn of_sec1(der: &[u8]) -> Option<Self> {
        let mut parts = Reader(der).expect(SEQUENCE).ok()?.parts();
        parts.expect(INTEGER).ok()?;
        let private = parts.expect(OCTET_STRING).ok()?.content;
        let public = parts.find(|it| it.tag == SEC1_PUBLIC)?.parts().expect(BIT_STRING).ok()?;
        let algorithm = if private.len() > 32 { Algorithm::Es384 } else { Algorithm::Es256 };
        let random = SystemRandom::new();
        let pair = EcdsaKeyPair::from_private_key_and_public_key(
            algorithm.curve()?,
            private,
            bits(public).ok()?,
            &random,
        );
        pair.ok().map(|pair| Self::of_curve(algorithm, pair))
    }

    pub(crate) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, String> {
        let random = SystemRandom::new();
        let failed = |_| "the key does not sign".to_owned();
        match &self.secret {
            Secret::Rsa(pair) => {
                let mut signature = vec![0; pair.public().modulus_len()];
                pair.sign(&RSA_PKCS1_SHA256, &random, message, &mut signature).map_err(failed)?;
                Ok(signature)
            }
            Secret::Curve(pair) => {
                let signature = pair.sign(&random, message).map_err(failed)?;
                Ok(signature.as_ref().to_vec())
            }
        }
    }
}

/// Reads all keys of a PEM that verify: public ones, and those of certificates and private ones.
pub(crate) fn public_keys(pem: &str) -> Result<Vec<PublicKey>, String> {
    let mut keys = Vec::new();
    for (kind, der) in sections(pem)? {
        keys.extend(match kind {
            SectionKind::PublicKey => PublicKey::decode(&der),
            SectionKind::Certificate => PublicKey::of_certificate(&der),
            other => SigningKey::of_section(other, &der).map(|key| key.public),
        });
    }
    if keys.is_empty() {
        return Err("there is no public key of RSA, P-256 or P-384".to_owned());
    }
    Ok(keys)
}

fn sections(pem: &str) -> Result<Vec<(SectionKind, Vec<u8>)>, String> {
    let sections = <(SectionKind, Vec<u8>)>::pem_slice_iter(pem.as_bytes());
    sections.collect::<Result<_, _>>().map_err(|error| format!("this is no PEM: {error}"))
}

/// Reads a file, and says which one is wrong.
pub(crate) fn read<T>(
    path: &Path,
    decode: impl FnOnce(&str) -> Result<T, String>,
) -> Result<T, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string());
    text.and_then(|text| decode(&text)).map_err(|why| format!("{}: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_verifies_what_it_signed_and_nothing_else() {
        let (key, pem) = SigningKey::generate().unwrap();
        let signature = key.sign(b"message").unwrap();
        let read = &public_keys(&pem).unwrap()[0];
        assert_eq!(*read, key.public);
        assert!(read.verify(b"message", &signature));
        assert!(!read.verify(b"Message", &signature));
        let (other, _) = SigningKey::generate().unwrap();
        assert!(!other.public.verify(b"message", &signature));
    }

    #[test]
    fn public_keys_and_certificates_name_the_same_key() {
        let pair = rcgen::KeyPair::generate().unwrap();
        let key = SigningKey::decode(&pair.serialize_pem()).unwrap();
        let params = rcgen::CertificateParams::new(vec!["sa".to_owned()]).unwrap();
        let certificate = params.self_signed(&pair).unwrap().pem();
        assert_eq!(public_keys(&pair.public_key_pem()).unwrap(), std::slice::from_ref(&key.public));
        assert_eq!(public_keys(&certificate).unwrap(), [key.public]);
    }

    #[test]
    fn what_is_no_key_is_refused() {
        assert!(SigningKey::decode("").is_err());
        assert!(public_keys("-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----").is_err());
    }
}
