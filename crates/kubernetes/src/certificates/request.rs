//! The content of a request (PKCS #10) and of a certificate: form and signature.

use ordain_go::der::{self, Element, Reader, Wrong};
use ordain_go::x509::{self, COMMON_NAME, ORGANIZATION};
use ordain_schema::base64;
use ring::signature::{self, UnparsedPublicKey, VerificationAlgorithm};

use super::pem;

/// What is wrong with a request, in the words of Go's libraries. The text is base64 of PEM.
pub(super) fn problem(request: &str) -> Option<String> {
    let bytes = base64::decode(request).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let block = pem::decode(&text).map(|it| it.0);
    let Some(block) = block.filter(|it| it.kind == "CERTIFICATE REQUEST") else {
        return Some("PEM block type must be CERTIFICATE REQUEST".to_owned());
    };
    match Signed::read(&block.bytes) {
        Ok(signed) => signed.problem().map(str::to_owned),
        Err(wrong) => Some(words(wrong)),
    }
}

/// The organizations of the subject that a request is for; none of what cannot be read. The text
/// is base64 of PEM.
pub(crate) fn organizations(request: &str) -> Vec<String> {
    attributes(request, ORGANIZATION)
}

/// The same for its common names; the last one counts.
pub(crate) fn common_names(request: &str) -> Vec<String> {
    attributes(request, COMMON_NAME)
}

fn attributes(request: &str, wanted: &[u8]) -> Vec<String> {
    let bytes = base64::decode(request).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let Some((block, _)) = pem::decode(&text) else { return Vec::new() };
    subject(&block.bytes, wanted).unwrap_or_default()
}

fn subject(bytes: &[u8], wanted: &[u8]) -> Result<Vec<String>, Wrong> {
    let mut request = Reader(bytes).expect(der::SEQUENCE)?.parts();
    let mut parts = request.expect(der::SEQUENCE)?.parts();
    parts.expect(der::INTEGER)?;
    let names = x509::attributes(parts.expect(der::SEQUENCE)?.parts())?.into_iter();
    Ok(names.filter(|(kind, _)| *kind == wanted).map(|(_, text)| text).collect())
}

/// What is wrong with a chain of certificates in base64 of PEM; an empty one is none.
pub(super) fn certificate_problem(certificate: &str) -> Option<String> {
    let bytes = base64::decode(certificate).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let mut rest: &str = &text;
    if rest.is_empty() {
        return None;
    }
    let mut blocks = 0;
    while let Some((block, after)) = pem::decode(rest) {
        if block.kind != "CERTIFICATE" {
            let kind = ordain_value::go_quote(&block.kind);
            return Some(format!("only CERTIFICATE PEM blocks are allowed, found {kind}"));
        }
        if block.has_headers {
            return Some("no PEM block headers are permitted".to_owned());
        }
        blocks += 1;
        match certificates(&block.bytes) {
            Ok(0) => {
                return Some("found CERTIFICATE PEM block containing 0 certificates".to_owned());
            }
            Ok(_) => {}
            Err(_) => return Some("x509: malformed certificate".to_owned()),
        }
        rest = after;
    }
    (blocks == 0).then(|| "must contain at least one CERTIFICATE PEM block".to_owned())
}

/// How many certificates stand one after the other.
fn certificates(bytes: &[u8]) -> Result<usize, Wrong> {
    let mut reader = Reader(bytes);
    let mut count = 0;
    while !reader.is_empty() {
        let mut certificate = reader.expect(der::SEQUENCE)?.parts();
        certificate.expect(der::SEQUENCE)?;
        certificate.expect(der::SEQUENCE)?;
        certificate.expect(der::BIT_STRING)?;
        certificate.end()?;
        count += 1;
    }
    Ok(count)
}

fn words(wrong: Wrong) -> String {
    match wrong {
        Wrong::Empty => "asn1: syntax error: sequence truncated".to_owned(),
        Wrong::Truncated => "asn1: syntax error: data truncated".to_owned(),
        Wrong::Trailing => "asn1: syntax error: trailing data".to_owned(),
        Wrong::Length => "asn1: structure error: non-minimal length".to_owned(),
        Wrong::Tag { first, header, length } => format!(
            "asn1: structure error: tags don't match (16 vs {{class:{} tag:{} length:{length} \
             isCompound:{}}}) {{optional:false explicit:false application:false private:false \
             defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:false omitEmpty:false}} \
             certificateRequest @{header}",
            first >> 6,
            first & 0x1f,
            first & 0x20 != 0
        ),
    }
}

/// A request, taken apart.
struct Signed<'a> {
    /// What is signed.
    info: &'a [u8],
    /// Algorithm and curve of the key, if it has one.
    key_kind: (&'a [u8], &'a [u8]),
    key: &'a [u8],
    algorithm: &'a [u8],
    signature: &'a [u8],
}

impl<'a> Signed<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, Wrong> {
        let mut outer = Reader(bytes);
        let mut request = outer.expect(der::SEQUENCE)?.parts();
        outer.end()?;
        let info = request.expect(der::SEQUENCE)?;
        let algorithm = algorithm(request.expect(der::SEQUENCE)?)?.0;
        let signature = der::bits(request.expect(der::BIT_STRING)?)?;
        let mut parts = info.parts();
        parts.expect(der::INTEGER)?;
        parts.expect(der::SEQUENCE)?;
        let mut public = parts.expect(der::SEQUENCE)?.parts();
        let key_kind = self::algorithm(public.expect(der::SEQUENCE)?)?;
        let key = der::bits(public.expect(der::BIT_STRING)?)?;
        Ok(Self { info: info.whole, key_kind, key, algorithm, signature })
    }

    /// What is wrong with the signature. Algorithms that cannot be judged here (RSA-PSS, P-521)
    /// are left to the signer, who has to check a request anyway.
    fn problem(&self) -> Option<&'static str> {
        if self.algorithm == RSA_SHA1 || self.algorithm == ECDSA_SHA1 {
            return Some("x509: cannot verify signature: insecure algorithm");
        }
        let (by, failure) = self.verification()?;
        let key = UnparsedPublicKey::new(by, self.key);
        key.verify(self.info, self.signature).is_err().then_some(failure)
    }

    fn verification(&self) -> Option<(&'static dyn VerificationAlgorithm, &'static str)> {
        const RSA: &str = "crypto/rsa: verification error";
        const ECDSA: &str = "x509: ECDSA verification failure";
        Some(match (self.algorithm, self.key_kind) {
            (RSA_SHA256, (RSA_KEY, _)) => {
                (&signature::RSA_PKCS1_1024_8192_SHA256_FOR_LEGACY_USE_ONLY, RSA)
            }
            (RSA_SHA384, (RSA_KEY, _)) => (&signature::RSA_PKCS1_2048_8192_SHA384, RSA),
            (RSA_SHA512, (RSA_KEY, _)) => {
                (&signature::RSA_PKCS1_1024_8192_SHA512_FOR_LEGACY_USE_ONLY, RSA)
            }
            (ECDSA_SHA256, (EC_KEY, P256)) => (&signature::ECDSA_P256_SHA256_ASN1, ECDSA),
            (ECDSA_SHA384, (EC_KEY, P256)) => (&signature::ECDSA_P256_SHA384_ASN1, ECDSA),
            (ECDSA_SHA256, (EC_KEY, P384)) => (&signature::ECDSA_P384_SHA256_ASN1, ECDSA),
            (ECDSA_SHA384, (EC_KEY, P384)) => (&signature::ECDSA_P384_SHA384_ASN1, ECDSA),
            (ED25519, (ED25519, _)) => (&signature::ED25519, "x509: Ed25519 verification failure"),
            _ => return None,
        })
    }
}

/// The identifier of an algorithm, and that of its curve.
fn algorithm(element: Element<'_>) -> Result<(&[u8], &[u8]), Wrong> {
    let mut parts = element.parts();
    let id = parts.expect(der::OBJECT_ID)?.content;
    let curve = if parts.is_empty() { &[] } else { parts.any()?.content };
    Ok((id, curve))
}

const RSA_KEY: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1];
const RSA_SHA1: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 5];
const RSA_SHA256: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 11];
const RSA_SHA384: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 12];
const RSA_SHA512: &[u8] = &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 13];
const EC_KEY: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1];
const P256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7];
const P384: &[u8] = &[0x2b, 0x81, 0x04, 0, 0x22];
const ECDSA_SHA1: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 1];
const ECDSA_SHA256: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2];
const ECDSA_SHA384: &[u8] = &[0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 3];
const ED25519: &[u8] = &[0x2b, 0x65, 0x70];

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Vec<u8> {
        let key = rcgen::KeyPair::generate().unwrap();
        let params = rcgen::CertificateParams::new(vec!["a.example.com".to_owned()]).unwrap();
        params.serialize_request(&key).unwrap().der().to_vec()
    }

    fn judged(der: &[u8]) -> Option<String> {
        let lines = base64::encode(der);
        let pem = format!(
            "-----BEGIN CERTIFICATE REQUEST-----\n{lines}\n-----END CERTIFICATE REQUEST-----\n"
        );
        problem(&base64::encode(pem.as_bytes()))
    }

    #[test]
    fn signatures_are_checked() {
        let mut der = request();
        assert_eq!(judged(&der), None);
        let last = der.len() - 1;
        der[last] ^= 1;
        assert_eq!(judged(&der).as_deref(), Some("x509: ECDSA verification failure"));
    }

    #[test]
    fn no_prefix_of_a_request_is_one() {
        let der = request();
        for len in 0..der.len() {
            assert!(judged(&der[..len]).is_some(), "{len}");
        }
        let empty = judged(&[]);
        assert_eq!(empty.as_deref(), Some("asn1: syntax error: sequence truncated"));
    }

    #[test]
    fn certificates_come_in_blocks_of_their_kind() {
        let wrong = |text: &str| certificate_problem(&base64::encode(text.as_bytes()));
        assert_eq!(wrong(""), None);
        let none = "must contain at least one CERTIFICATE PEM block";
        assert_eq!(wrong("nothing").as_deref(), Some(none));
        let key = "-----BEGIN KEY-----\nAQ==\n-----END KEY-----\n";
        let other = "only CERTIFICATE PEM blocks are allowed, found \"KEY\"";
        assert_eq!(wrong(key).as_deref(), Some(other));
    }
}
