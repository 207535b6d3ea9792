//! What a certificate says: whose it is, how long it is good, which names it stands for.
//!
//! Only certificates that a TLS library has read already come here, so this reader knows just
//! enough DER to walk to the fields it wants. What it does not understand it does not report.

use std::net::IpAddr;

use crate::der::{OBJECT_IDENTIFIER, OCTET_STRING, SEQUENCE, expect, next};

const SET: u8 = 0x31;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;
const EXPLICIT_VERSION: u8 = 0xa0;
const EXTENSIONS: u8 = 0xa3;
const KEY_IDENTIFIER: u8 = 0x80;
const SAN_DNS: u8 = 0x82;
const SAN_IP: u8 = 0x87;

const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];
const ORGANIZATION: &[u8] = &[0x55, 0x04, 0x0a];
const SUBJECT_KEY: &[u8] = &[0x55, 0x1d, 0x0e];
const SUBJECT_ALT_NAME: &[u8] = &[0x55, 0x1d, 0x11];
const AUTHORITY_KEY: &[u8] = &[0x55, 0x1d, 0x23];

/// The parts of a certificate that make the authenticated identity.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Certificate {
    pub(crate) common_name: String,
    pub(crate) organizations: Vec<String>,
    /// Seconds since 1970.
    pub(crate) not_after: i64,
    /// Names and addresses it is good for, sorted.
    pub(crate) names: Vec<String>,
    /// Tells the keys of authorities apart: its own, and that of its issuer.
    pub(crate) key: Vec<u8>,
    pub(crate) authority_key: Vec<u8>,
}

impl Certificate {
    /// Reads a certificate in DER.
    pub(crate) fn decode(der: &[u8]) -> Option<Self> {
        let certificate = expect(&mut { der }, SEQUENCE)?;
        let mut body = expect(&mut { certificate }, SEQUENCE)?;
        let mut fields = Vec::new();
        while let Some((tag, content)) = next(&mut body) {
            if tag != EXPLICIT_VERSION {
                fields.push((tag, content));
            }
        }
        // Serial number, signature, issuer, validity, subject, public key.
        let validity = fields.get(3).filter(|(tag, _)| *tag == SEQUENCE)?.1;
        let subject = fields.get(4).filter(|(tag, _)| *tag == SEQUENCE)?.1;
        let mut out = Self { not_after: not_after(validity)?, ..Self::default() };
        out.read_subject(subject)?;
        if let Some((_, extensions)) = fields.iter().find(|(tag, _)| *tag == EXTENSIONS) {
            out.read_extensions(extensions)?;
        }
        out.names.sort();
        Some(out)
    }

    fn read_subject(&mut self, mut subject: &[u8]) -> Option<()> {
        while !subject.is_empty() {
            let mut set = expect(&mut subject, SET)?;
            while !set.is_empty() {
                let mut attribute = expect(&mut set, SEQUENCE)?;
                let kind = expect(&mut attribute, OBJECT_IDENTIFIER)?;
                let (_, text) = next(&mut attribute)?;
                let text = String::from_utf8_lossy(text).into_owned();
                if kind == COMMON_NAME {
                    self.common_name = text;
                } else if kind == ORGANIZATION {
                    self.organizations.push(text);
                }
            }
        }
        Some(())
    }

    fn read_extensions(&mut self, mut wrapped: &[u8]) -> Option<()> {
        let mut extensions = expect(&mut wrapped, SEQUENCE)?;
        while !extensions.is_empty() {
            let mut extension = expect(&mut extensions, SEQUENCE)?;
            let kind = expect(&mut extension, OBJECT_IDENTIFIER)?;
            // A flag for critical extensions may come in between.
            let content = loop {
                let (tag, content) = next(&mut extension)?;
                if tag == OCTET_STRING {
                    break content;
                }
            };
            match kind {
                SUBJECT_ALT_NAME => self.read_names(content)?,
                SUBJECT_KEY => self.key = expect(&mut { content }, OCTET_STRING)?.to_vec(),
                AUTHORITY_KEY => {
                    let mut ids = expect(&mut { content }, SEQUENCE)?;
                    let key = next(&mut ids).filter(|(tag, _)| *tag == KEY_IDENTIFIER);
                    self.authority_key = key.map(|(_, id)| id.to_vec()).unwrap_or_default();
                }
                _ => {}
            }
        }
        Some(())
    }

    fn read_names(&mut self, mut wrapped: &[u8]) -> Option<()> {
        let mut names = expect(&mut wrapped, SEQUENCE)?;
        while let Some((tag, content)) = next(&mut names) {
            match tag {
                SAN_DNS => self.names.push(String::from_utf8_lossy(content).into_owned()),
                SAN_IP => self.names.extend(address(content).map(|it| it.to_string())),
                _ => {}
            }
        }
        Some(())
    }
}

fn address(bytes: &[u8]) -> Option<IpAddr> {
    if let Ok(four) = <[u8; 4]>::try_from(bytes) {
        return Some(IpAddr::from(four));
    }
    <[u8; 16]>::try_from(bytes).ok().map(IpAddr::from)
}

fn not_after(mut validity: &[u8]) -> Option<i64> {
    next(&mut validity)?;
    let (tag, text) = next(&mut validity)?;
    let text = std::str::from_utf8(text).ok()?.strip_suffix('Z')?;
    let (year, rest) = match tag {
        UTC_TIME => {
            let short: i64 = text.get(..2)?.parse().ok()?;
            (if short < 50 { 2000 + short } else { 1900 + short }, text.get(2..)?)
        }
        GENERALIZED_TIME => (text.get(..4)?.parse().ok()?, text.get(4..)?),
        _ => return None,
    };
    if rest.len() != 10 || !rest.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let part = |at: usize| rest.get(at..at + 2).and_then(|text| text.parse::<i64>().ok());
    let days = days_since_1970(year, part(0)?, part(2)?);
    Some(days * 86_400 + part(4)? * 3_600 + part(6)? * 60 + part(8)?)
}

/// Days between 1970-01-01 and a date of the Gregorian calendar.
fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let month = (month + 9) % 12;
    let of_year = (153 * month + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_count_days_from_1970() {
        assert_eq!(days_since_1970(1970, 1, 1), 0);
        assert_eq!(days_since_1970(2000, 2, 29), 11_016);
        assert_eq!(days_since_1970(2036, 12, 31), 24_471);
    }

    #[test]
    fn broken_bytes_are_no_certificate() {
        assert_eq!(Certificate::decode(&[]), None);
        assert_eq!(Certificate::decode(&[0x30, 0x84, 0xff, 0xff, 0xff, 0xff, 1]), None);
        assert_eq!(Certificate::decode(&[0x30, 0x02, 0x30, 0x00]), None);
    }
}
