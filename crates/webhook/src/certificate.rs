//! What a certificate says, as far as Go's words about it need it.

use ordain_meta::time::Time;

const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;
const OBJECT_ID: u8 = 0x06;
const OCTETS: u8 = 0x04;
const VERSION: u8 = 0xa0;
const EXTENSIONS: u8 = 0xa3;
const DNS_NAME: u8 = 0x82;
const IP_ADDRESS: u8 = 0x87;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
const ALTERNATIVE_NAMES: &[u8] = &[0x55, 0x1d, 0x11];
/// RSA and ECDSA over SHA-1.
const SHA1: [&[u8]; 2] = [
    &[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x05],
    &[0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x01],
];

/// A certificate, read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Certificate {
    /// From when to when it counts, in seconds since 1970.
    pub(crate) validity: (i64, i64),
    pub(crate) common_name: String,
    /// Whether it has alternative names at all.
    pub(crate) has_names: bool,
    pub(crate) dns_names: Vec<String>,
    pub(crate) addresses: Vec<String>,
    /// Whether someone else signed it by an algorithm over SHA-1.
    pub(crate) is_sha1: bool,
}

impl Certificate {
    /// Reads a certificate; none if it is malformed.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let (_, certificate, _) = element(bytes)?;
        let (_, mut fields, rest) = element(certificate)?;
        let (_, algorithm, _) = element(rest)?;
        let (tag, _, rest) = element(fields)?;
        if tag == VERSION {
            fields = rest;
        }
        // Serial number and algorithm.
        for _ in 0..2 {
            (_, _, fields) = element(fields)?;
        }
        let (_, issuer, fields) = element(fields)?;
        let (tag, validity, fields) = element(fields)?;
        let (_, subject, fields) = element(fields)?;
        let (_, _, mut fields) = element(fields)?;
        if tag != SEQUENCE {
            return None;
        }
        let (from_tag, from, to) = element(validity)?;
        let (to_tag, to, _) = element(to)?;
        let mut read = Self {
            validity: (time(from_tag, from)?, time(to_tag, to)?),
            common_name: common_name(subject).unwrap_or_default(),
            is_sha1: issuer != subject && is_sha1(algorithm),
            ..Self::default()
        };
        while let Some((tag, content, rest)) = element(fields) {
            if tag == EXTENSIONS {
                read.read_extensions(content);
            }
            fields = rest;
        }
        Some(read)
    }

    fn read_extensions(&mut self, content: &[u8]) -> Option<()> {
        let (_, mut list, _) = element(content)?;
        while let Some((_, extension, rest)) = element(list) {
            list = rest;
            let (_, id, mut value) = element(extension)?;
            if id != ALTERNATIVE_NAMES {
                continue;
            }
            self.has_names = true;
            // Whether it is critical may stand before the value.
            while let Some((tag, content, rest)) = element(value) {
                if tag == OCTETS {
                    self.read_names(content);
                }
                value = rest;
            }
        }
        Some(())
    }

    fn read_names(&mut self, content: &[u8]) {
        let Some((_, mut names, _)) = element(content) else { return };
        while let Some((tag, name, rest)) = element(names) {
            match tag {
                DNS_NAME => self.dns_names.push(String::from_utf8_lossy(name).into_owned()),
                IP_ADDRESS => self.addresses.extend(address(name)),
                _ => {}
            }
            names = rest;
        }
    }

    /// Why the certificate is not one of a host, in the words of Go.
    pub(crate) fn names_refusal(&self, host: &str) -> String {
        if self.relies_on_common_name(host) {
            return "x509: certificate relies on legacy Common Name field, use SANs instead"
                .to_owned();
        }
        let is_address = host.parse::<std::net::IpAddr>().is_ok();
        let names = if is_address { &self.addresses } else { &self.dns_names };
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

    /// Whether its only name is the one that nobody looks at any more.
    pub(crate) fn relies_on_common_name(&self, host: &str) -> bool {
        let name = self.common_name.to_ascii_lowercase();
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let is_same = match name.strip_prefix("*.") {
            Some(domain) => host.split_once('.').is_some_and(|(_, it)| it == domain),
            None => name == host,
        };
        !self.has_names && !name.is_empty() && is_same
    }
}

fn is_sha1(algorithm: &[u8]) -> bool {
    element(algorithm).is_some_and(|(tag, id, _)| tag == OBJECT_ID && SHA1.contains(&id))
}

/// The last common name of a subject.
fn common_name(mut subject: &[u8]) -> Option<String> {
    let mut found = None;
    while let Some((tag, set, rest)) = element(subject) {
        subject = rest;
        if tag != SET {
            continue;
        }
        let (_, pair, _) = element(set)?;
        let (_, id, value) = element(pair)?;
        if id == COMMON_NAME {
            let (_, text, _) = element(value)?;
            found = Some(String::from_utf8_lossy(text).into_owned());
        }
    }
    found
}

fn address(bytes: &[u8]) -> Option<String> {
    match bytes.len() {
        4 => <[u8; 4]>::try_from(bytes).ok().map(|it| std::net::Ipv4Addr::from(it).to_string()),
        16 => <[u8; 16]>::try_from(bytes).ok().map(|it| std::net::Ipv6Addr::from(it).to_string()),
        _ => None,
    }
}

/// The tag and content of the first element, and what follows it.
fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&tag, rest) = bytes.split_first()?;
    let (&first, rest) = rest.split_first()?;
    let (len, rest) = if first < 0x80 {
        (usize::from(first), rest)
    } else {
        let (digits, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
        if digits.len() > 4 {
            return None;
        }
        (digits.iter().fold(0, |len, digit| len << 8 | usize::from(*digit)), rest)
    };
    let (content, rest) = rest.split_at_checked(len)?;
    Some((tag, content, rest))
}

/// `YYMMDDHHMMSSZ`, or with four digits of the year.
fn time(tag: u8, text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    let text = match tag {
        UTC_TIME if text.len() == 12 => {
            let century = if text.get(..2)? < "50" { "20" } else { "19" };
            format!("{century}{text}")
        }
        GENERALIZED_TIME => text.to_owned(),
        _ => return None,
    };
    let part = |from: usize, to: usize| text.get(from..to);
    let (year, month, day) = (part(0, 4)?, part(4, 6)?, part(6, 8)?);
    let (hour, minute, second) = (part(8, 10)?, part(10, 12)?, part(12, 14)?);
    let text = format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z");
    Time::decode(&text).ok().map(|it| it.seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_both_forms() {
        assert_eq!(time(UTC_TIME, b"700101000001Z"), Some(1));
        assert_eq!(time(GENERALIZED_TIME, b"20500101000000Z"), Some(2_524_608_000));
        assert_eq!(time(UTC_TIME, b"garbage"), None);
        assert!(Certificate::read(b"\x30\x82").is_none());
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
