//! What a certificate says, and Go's words about the names it is good for (`crypto/x509`).
//!
//! Whether a certificate can be trusted is for a TLS library to say; this reader knows enough of one
//! to walk to the fields that it wants. An extension that it does not understand it leaves out.

use std::net::IpAddr;

use crate::der::{
    GENERALIZED_TIME, OBJECT_ID, OCTET_STRING, Reader, SEQUENCE, SET, UTC_TIME, Wrong,
};
use crate::time::Timestamp;

const VERSION: u8 = 0xa0;
const EXTENSIONS: u8 = 0xa3;
const KEY_IDENTIFIER: u8 = 0x80;
const DNS_NAME: u8 = 0x82;
const IP_ADDRESS: u8 = 0x87;

/// The attribute of a subject that is its name.
pub const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
/// The attribute of a subject that names an organization.
pub const ORGANIZATION: &[u8] = &[0x55, 0x04, 0x0a];
const SUBJECT_KEY: &[u8] = &[0x55, 0x1d, 0x0e];
const ALTERNATIVE_NAMES: &[u8] = &[0x55, 0x1d, 0x11];
const AUTHORITY_KEY: &[u8] = &[0x55, 0x1d, 0x23];
/// RSA and ECDSA over SHA-1.
const SHA1: [&[u8]; 2] = [
    &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x05],
    &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x01],
];

/// A certificate, read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Certificate {
    /// From when to when it counts, in seconds since 1970.
    pub validity: (i64, i64),
    /// The last common name of its subject.
    pub common_name: String,
    /// The organizations of its subject.
    pub organizations: Vec<String>,
    /// Whether it has alternative names at all.
    pub has_names: bool,
    /// The host names among them.
    pub dns_names: Vec<String>,
    /// The addresses among them.
    pub addresses: Vec<IpAddr>,
    /// Identifies its key.
    pub key: Vec<u8>,
    /// Identifies the key of its issuer.
    pub authority_key: Vec<u8>,
    /// Whether someone else signed it by an algorithm over SHA-1.
    pub is_sha1: bool,
}

impl Certificate {
    /// Reads a certificate in DER; none if it is malformed.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let mut certificate = Reader(bytes).expect(SEQUENCE).ok()?.parts();
        let body = certificate.expect(SEQUENCE).ok()?.parts();
        let algorithm = certificate.expect(SEQUENCE).ok()?.parts().expect(OBJECT_ID).ok()?;
        let mut fields = body.filter(|it| it.tag != VERSION);
        // Serial number and algorithm come first, the public key last.
        let (_, _) = (fields.next()?, fields.next()?);
        let (issuer, validity, subject) = (fields.next()?, fields.next()?, fields.next()?);
        fields.next()?;
        if validity.tag != SEQUENCE || subject.tag != SEQUENCE {
            return None;
        }
        let mut bounds = validity.parts().map(|it| time(it.tag, it.content));
        let mut read = Self {
            validity: (bounds.next()??, bounds.next()??),
            is_sha1: issuer.content != subject.content && SHA1.contains(&algorithm.content),
            ..Self::default()
        };
        for (kind, text) in attributes(subject.parts()).ok()? {
            match kind {
                COMMON_NAME => read.common_name = text,
                ORGANIZATION => read.organizations.push(text),
                _ => {}
            }
        }
        for extensions in fields.filter(|it| it.tag == EXTENSIONS) {
            for extension in extensions.parts().flat_map(|list| list.parts()) {
                read.read_extension(extension.parts());
            }
        }
        Some(read)
    }

    fn read_extension(&mut self, mut extension: Reader<'_>) -> Option<()> {
        let kind = extension.expect(OBJECT_ID).ok()?.content;
        // A flag for critical extensions may come in between.
        let mut content = extension.find(|it| it.tag == OCTET_STRING)?.parts();
        match kind {
            SUBJECT_KEY => self.key = content.expect(OCTET_STRING).ok()?.content.to_vec(),
            AUTHORITY_KEY => {
                let id = content.expect(SEQUENCE).ok()?.parts().next()?;
                if id.tag == KEY_IDENTIFIER {
                    self.authority_key = id.content.to_vec();
                }
            }
            ALTERNATIVE_NAMES => {
                self.has_names = true;
                for name in content.expect(SEQUENCE).ok()?.parts() {
                    match name.tag {
                        DNS_NAME => {
                            let name = String::from_utf8_lossy(name.content).into_owned();
                            self.dns_names.push(name);
                        }
                        IP_ADDRESS => self.addresses.extend(address(name.content)),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        Some(())
    }

    /// Why the certificate is not one of a host, in the words of Go.
    #[must_use]
    pub fn names_refusal(&self, host: &str) -> String {
        if self.relies_on_common_name(host) {
            return "x509: certificate relies on legacy Common Name field, use SANs instead"
                .to_owned();
        }
        let is_address = host.parse::<IpAddr>().is_ok();
        let names = if is_address {
            self.addresses.iter().map(ToString::to_string).collect()
        } else {
            self.dns_names.clone()
        };
        match (names.is_empty(), is_address) {
            (true, true) => format!(
                "x509: cannot validate certificate for {host} because it doesn't contain any IP \
                 SANs"
            ),
            (true, false) => {
                format!("x509: certificate is not valid for any names, but wanted to match {host}")
            }
            (false, _) => {
                format!("x509: certificate is valid for {}, not {host}", names.join(", "))
            }
        }
    }

    /// Whether its only name is the one that Go no longer looks at.
    #[must_use]
    pub fn relies_on_common_name(&self, host: &str) -> bool {
        let name = self.common_name.to_ascii_lowercase();
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let is_same = match name.strip_prefix("*.") {
            Some(domain) => host.split_once('.').is_some_and(|(_, it)| it == domain),
            None => name == host,
        };
        !self.has_names && !name.is_empty() && is_same
    }
}

/// The attributes of a subject in their order, each with its object identifier.
///
/// # Errors
/// When the subject is malformed.
pub fn attributes(mut subject: Reader<'_>) -> Result<Vec<(&[u8], String)>, Wrong> {
    let mut found = Vec::new();
    while !subject.is_empty() {
        let mut set = subject.expect(SET)?.parts();
        while !set.is_empty() {
            let mut attribute = set.expect(SEQUENCE)?.parts();
            let kind = attribute.expect(OBJECT_ID)?.content;
            let text = attribute.any()?.content;
            found.push((kind, String::from_utf8_lossy(text).into_owned()));
        }
    }
    Ok(found)
}

fn address(bytes: &[u8]) -> Option<IpAddr> {
    if let Ok(four) = <[u8; 4]>::try_from(bytes) {
        return Some(IpAddr::from(four));
    }
    <[u8; 16]>::try_from(bytes).ok().map(IpAddr::from)
}

/// `YYMMDDHHMMSSZ`, or with four digits of the year, in seconds since 1970.
fn time(tag: u8, text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    let text = match tag {
        UTC_TIME => {
            let century = if text.get(..2)? < "50" { "20" } else { "19" };
            format!("{century}{text}")
        }
        GENERALIZED_TIME => text.to_owned(),
        _ => return None,
    };
    if text.len() != 14 || !text.bytes().all(|it| it.is_ascii_digit()) {
        return None;
    }
    let (date, clock) = text.split_at(8);
    let (year, month, day) = (&date[..4], &date[4..6], &date[6..]);
    let (hour, minute, second) = (&clock[..2], &clock[2..4], &clock[4..]);
    let text = format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z");
    Timestamp::parse(&text).map(|it| it.unix())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_both_forms() {
        assert_eq!(time(UTC_TIME, b"700101000001Z"), Some(1));
        assert_eq!(time(UTC_TIME, b"361231000000Z"), Some(24_471 * 86_400));
        assert_eq!(time(GENERALIZED_TIME, b"20500101000000Z"), Some(2_524_608_000));
        for wrong in ["garbage", "", "700101000001", "701301000001Z", "7001010000Z"] {
            assert_eq!(time(UTC_TIME, wrong.as_bytes()), None, "{wrong}");
        }
    }

    #[test]
    fn broken_bytes_are_no_certificate() {
        let broken: [&[u8]; 4] =
            [b"", b"\x30\x82", b"\x30\x84\xff\xff\xff\xff\x01", b"\x30\x02\x30\x00"];
        for bytes in broken {
            assert_eq!(Certificate::read(bytes), None, "{bytes:?}");
        }
    }

    fn made(names: &[&str], common_name: &str) -> Certificate {
        let names: Vec<String> = names.iter().map(ToString::to_string).collect();
        let mut params = rcgen::CertificateParams::new(names).expect("names");
        params.distinguished_name = rcgen::DistinguishedName::new();
        params.distinguished_name.push(rcgen::DnType::CommonName, common_name);
        let key = rcgen::KeyPair::generate().expect("a key");
        let signed = params.self_signed(&key).expect("a certificate");
        Certificate::read(signed.der()).expect("readable")
    }

    #[test]
    fn names_are_told_as_go_tells_them() {
        let named = made(&["a.test", "b.test", "10.0.0.1"], "hook");
        assert_eq!(named.dns_names, ["a.test", "b.test"]);
        assert_eq!(named.common_name, "hook");
        assert!(named.validity.0 < named.validity.1 && !named.is_sha1);
        assert_eq!(
            named.names_refusal("c.test"),
            "x509: certificate is valid for a.test, b.test, not c.test"
        );
        assert_eq!(
            named.names_refusal("127.0.0.1"),
            "x509: certificate is valid for 10.0.0.1, not 127.0.0.1"
        );
        let without = made(&[], "hook.ns.svc");
        assert!(!without.has_names);
        assert_eq!(
            without.names_refusal("hook.ns.svc"),
            "x509: certificate relies on legacy Common Name field, use SANs instead"
        );
        assert_eq!(
            without.names_refusal("other.ns.svc"),
            "x509: certificate is not valid for any names, but wanted to match other.ns.svc"
        );
        assert!(
            without.names_refusal("10.0.0.1").ends_with("because it doesn't contain any IP SANs")
        );
        assert!(made(&[], "*.ns.svc").relies_on_common_name("Hook.ns.svc"));
    }
}
