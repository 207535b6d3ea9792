//! The `uri` format: what Go takes as the URI of a request.

use std::net::{IpAddr, Ipv6Addr};

/// An absolute URI, an absolute path, or `*`.
pub(super) fn is_request_uri(text: &str) -> bool {
    if text.is_empty() || text.bytes().any(|b| b < b' ' || b == 0x7f) {
        return false;
    }
    if text == "*" {
        return true;
    }
    let Some((scheme, rest)) = split_scheme(text) else {
        return false;
    };
    let path = rest.split_once('?').map_or(rest, |(path, _)| path);
    if !path.starts_with('/') {
        // Without a leading slash everything after the scheme is opaque.
        return !scheme.is_empty();
    }
    let Some(after) = path.strip_prefix("//").filter(|_| !scheme.is_empty()) else {
        return is_escaped(path, Part::Path);
    };
    let (authority, path) = match after.find('/') {
        Some(at) => after.split_at(at),
        None => (after, ""),
    };
    is_authority(authority) && is_escaped(path, Part::Path)
}

/// The scheme (empty when there is none) and the rest; `None` when the text starts with a colon.
fn split_scheme(text: &str) -> Option<(&str, &str)> {
    for (i, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if i > 0 => {}
            b':' if i == 0 => return None,
            b':' => return Some((&text[..i], &text[i + 1..])),
            _ => break,
        }
    }
    Some(("", text))
}

fn is_authority(authority: &str) -> bool {
    match authority.rsplit_once('@') {
        None => is_host(authority),
        Some((user, host)) => {
            is_host(host)
                && user
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c))
                && is_escaped(user, Part::User)
        }
    }
}

fn is_host(host: &str) -> bool {
    if let Some(open) = host.rfind('[') {
        let Some(close) = host.rfind(']') else {
            return false;
        };
        return close > open
            && open == 0
            && is_optional_port(&host[close + 1..])
            && is_ip_literal(&host[open + 1..close]);
    }
    if let Some(colon) = host.find(':') {
        // Two colons are no port; Go has refused them since 1.26.
        if host.rfind(':') != Some(colon) || !is_optional_port(&host[colon..]) {
            return false;
        }
    }
    is_escaped(host, Part::Host)
}

fn is_optional_port(port: &str) -> bool {
    match port.strip_prefix(':') {
        None => port.is_empty(),
        Some(digits) => digits.bytes().all(|b| b.is_ascii_digit()),
    }
}

/// An IPv6 address, with a zone after `%25`.
fn is_ip_literal(text: &str) -> bool {
    let (address, zone) = match text.split_once("%25") {
        Some((address, zone)) => (address, Some(zone)),
        None => (text, None),
    };
    if zone.is_some_and(|it| it.is_empty() || !is_escaped(it, Part::Zone)) {
        return false;
    }
    matches!(address.parse::<IpAddr>(), Ok(IpAddr::V6(_))) || address.parse::<Ipv6Addr>().is_ok()
}

#[derive(Clone, Copy, PartialEq)]
enum Part {
    Path,
    User,
    Host,
    Zone,
}

/// Percent signs start two hexadecimal digits; hosts allow few other characters.
fn is_escaped(text: &str, part: Part) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'%' {
            let hex = |i: usize| bytes.get(i).and_then(|b| char::from(*b).to_digit(16));
            let (Some(high), Some(low)) = (hex(at + 1), hex(at + 2)) else {
                return false;
            };
            let escaped = high * 16 + low;
            let allowed = match part {
                Part::Path | Part::User => true,
                // Only bytes beyond ASCII may be escaped in a host.
                Part::Host => high >= 8 || &bytes[at..at + 3] == b"%25",
                Part::Zone => {
                    escaped >= 0x80
                        || escaped == 0x25
                        || escaped == 0x20
                        || is_host_byte(escaped as u8)
                }
            };
            if !allowed {
                return false;
            }
            at += 3;
            continue;
        }
        if matches!(part, Part::Host | Part::Zone) && byte < 0x80 && !is_host_byte(byte) {
            return false;
        }
        at += 1;
    }
    true
}

fn is_host_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"".contains(&byte)
}
