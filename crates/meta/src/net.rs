//! IP addresses, CIDRs and ports.
//!
//! Addresses are read twice: as leniently as Go once did (leading zeros, IPv4 inside IPv6), since
//! stored objects may have such texts, and strictly, which decides what a new text may be.

use std::net::{IpAddr, Ipv6Addr};

use ordain_value::go_quote;

/// An address with the length of its network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cidr {
    /// The address.
    pub ip: IpAddr,
    /// How many bits the network has.
    pub bits: u8,
}

/// Reads an address leniently. An IPv4 address inside IPv6 counts as IPv4.
#[must_use]
pub fn parse_ip(text: &str) -> Option<IpAddr> {
    let first = text.bytes().find(|it| matches!(it, b'.' | b':'))?;
    if first == b'.' {
        return lenient_v4(text).map(IpAddr::from);
    }
    lenient_v6(text).map(|ip| unmapped(IpAddr::V6(ip)))
}

/// Reads a CIDR leniently.
#[must_use]
pub fn parse_cidr(text: &str) -> Option<Cidr> {
    let (address, bits) = text.split_once('/')?;
    let (ip, bits_max) = match lenient_v4(address) {
        Some(octets) => (IpAddr::from(octets), 32),
        None => (IpAddr::V6(lenient_v6(address)?), 128),
    };
    let bits = decimal(bits, bits_max)?;
    match unmapped(ip) {
        IpAddr::V4(ip) if bits_max == 128 && bits >= 96 => {
            Some(Cidr { ip: IpAddr::V4(ip), bits: bits - 96 })
        }
        IpAddr::V4(_) if bits_max == 128 => Some(Cidr { ip, bits }),
        ip => Some(Cidr { ip, bits }),
    }
}

fn unmapped(ip: IpAddr) -> IpAddr {
    match ip {
        IpAddr::V6(six) => six.to_ipv4_mapped().map_or(ip, IpAddr::V4),
        IpAddr::V4(_) => ip,
    }
}

/// Decimal digits up to a limit; zeros may lead.
fn decimal(text: &str, max: u8) -> Option<u8> {
    if text.is_empty() || !text.bytes().all(|it| it.is_ascii_digit()) {
        return None;
    }
    let digits = text.trim_start_matches('0');
    let number = if digits.is_empty() { 0 } else { digits.parse::<u8>().ok()? };
    (number <= max).then_some(number)
}

fn lenient_v4(text: &str) -> Option<[u8; 4]> {
    let mut octets = [0; 4];
    let mut parts = text.split('.');
    for octet in &mut octets {
        *octet = decimal(parts.next()?, u8::MAX)?;
    }
    parts.next().is_none().then_some(octets)
}

/// Rewrites what only a lenient reader takes, and leaves the rest to the strict one.
fn lenient_v6(text: &str) -> Option<Ipv6Addr> {
    let mut groups: Vec<String> = Vec::new();
    for group in text.split(':') {
        if group.contains('.') {
            groups.push(lenient_v4(group)?.map(|it| it.to_string()).join("."));
            continue;
        }
        let digits = group.trim_start_matches('0');
        groups.push(if digits.is_empty() && !group.is_empty() { "0" } else { digits }.to_owned());
    }
    groups.join(":").parse().ok()
}

impl Cidr {
    /// The first address of the network.
    #[must_use]
    pub fn network(self) -> IpAddr {
        match self.ip {
            IpAddr::V4(ip) => {
                let mask = u32::MAX.checked_shl(32 - u32::from(self.bits)).unwrap_or(0);
                IpAddr::V4((u32::from(ip) & mask).into())
            }
            IpAddr::V6(ip) => {
                let mask = u128::MAX.checked_shl(128 - u32::from(self.bits)).unwrap_or(0);
                IpAddr::V6((u128::from(ip) & mask).into())
            }
        }
    }

    /// Whether an address is in the network.
    #[must_use]
    pub fn contains(self, ip: IpAddr) -> bool {
        self.ip.is_ipv4() == ip.is_ipv4()
            && Cidr { ip, bits: self.bits }.network() == self.network()
    }

    /// `network/bits`
    #[must_use]
    pub fn canonical(self) -> String {
        format!("{}/{}", self.network(), self.bits)
    }
}

/// The address as new texts must be: no leading zeros.
#[must_use]
pub fn strict_ip(text: &str) -> Option<IpAddr> {
    text.parse().ok()
}

/// Whether an address is IPv4 inside IPv6.
#[must_use]
pub fn is_mapped(ip: IpAddr) -> bool {
    matches!(ip, IpAddr::V6(six) if six.to_ipv4_mapped().is_some())
}

/// The CIDR as new texts must be.
#[must_use]
pub fn strict_cidr(text: &str) -> Option<Cidr> {
    let (address, bits) = text.rsplit_once('/')?;
    let ip = strict_ip(address)?;
    if bits.len() > 1 && bits.starts_with('0') {
        return None;
    }
    Some(Cidr { ip, bits: decimal(bits, if ip.is_ipv4() { 32 } else { 128 })? })
}

/// What is wrong with an IP address.
#[must_use]
pub fn ip_problems(text: &str) -> Vec<String> {
    if parse_ip(text).is_none() {
        return vec!["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)".to_owned()];
    }
    match strict_ip(text) {
        None => vec!["must not have leading 0s".to_owned()],
        Some(ip) if is_mapped(ip) => vec!["must not be an IPv4-mapped IPv6 address".to_owned()],
        Some(_) => Vec::new(),
    }
}

/// What is wrong with an IP address that must be in canonical form.
#[must_use]
pub fn canonical_ip(text: &str) -> Vec<String> {
    let problems = ip_problems(text);
    if !problems.is_empty() {
        return problems;
    }
    let canonical = parse_ip(text).map(|ip| ip.to_string()).unwrap_or_default();
    if canonical == text {
        return problems;
    }
    vec![format!("must be in canonical form ({})", go_quote(&canonical))]
}

/// What is wrong with a CIDR.
#[must_use]
pub fn cidr_problems(text: &str) -> Vec<String> {
    if parse_cidr(text).is_none() {
        return vec!["must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)".to_owned()];
    }
    let problem = match strict_cidr(text) {
        None => "must not have leading 0s in IP or prefix length",
        Some(cidr) if is_mapped(cidr.ip) => "must not have an IPv4-mapped IPv6 address",
        Some(cidr) if cidr.network() != cidr.ip => {
            "must not have bits set beyond the prefix length"
        }
        Some(_) => return Vec::new(),
    };
    vec![problem.to_owned()]
}

/// What is wrong with a CIDR that must be in canonical form.
#[must_use]
pub fn canonical_cidr(text: &str) -> Vec<String> {
    let problems = cidr_problems(text);
    let canonical = parse_cidr(text).map(Cidr::canonical).unwrap_or_default();
    if !problems.is_empty() || canonical == text {
        return problems;
    }
    vec![format!("must be in canonical form ({})", go_quote(&canonical))]
}

/// What is wrong with the address of an interface: an IP address with a prefix length.
#[must_use]
pub fn interface_address(text: &str) -> Vec<String> {
    let Some(cidr) = parse_cidr(text) else {
        return vec![
            "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)".to_owned(),
        ];
    };
    let canonical = format!("{}/{}", cidr.ip, cidr.bits);
    if canonical == text {
        return Vec::new();
    }
    vec![format!("must be in canonical form ({})", go_quote(&canonical))]
}

/// What is wrong with the address of an endpoint: one that traffic can be sent to.
#[must_use]
pub fn endpoint_ip(text: &str) -> Vec<String> {
    let Some(ip) = parse_ip(text) else {
        return vec!["must be a valid IP address".to_owned()];
    };
    let (local, multicast) = match ip {
        IpAddr::V4(ip) => (ip.is_link_local(), u32::from(ip) >> 8 == 0x00e0_0000),
        IpAddr::V6(ip) => {
            let first = ip.segments()[0];
            (first & 0xffc0 == 0xfe80, first & 0xff0f == 0xff02)
        }
    };
    let problems = [
        (ip.is_unspecified(), format!("may not be unspecified ({text})")),
        (ip.is_loopback(), "may not be in the loopback range (127.0.0.0/8, ::1/128)".to_owned()),
        (local, "may not be in the link-local range (169.254.0.0/16, fe80::/10)".to_owned()),
        (
            multicast,
            "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)".to_owned(),
        ),
    ];
    problems.into_iter().filter(|it| it.0).map(|it| it.1).collect()
}

/// What is wrong with a port number.
#[must_use]
pub fn port_number(number: i64) -> Option<&'static str> {
    (!(1..=65_535).contains(&number)).then_some("must be between 1 and 65535, inclusive")
}

/// What is wrong with the name of a port.
#[must_use]
pub fn port_name(text: &str) -> Vec<String> {
    const LEN_MAX: usize = 15;
    let allowed = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit() || it == b'-';
    let problems = [
        (text.len() > LEN_MAX, "must be no more than 15 characters"),
        (
            text.is_empty() || !text.bytes().all(allowed),
            "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
        ),
        (!text.bytes().any(|it| it.is_ascii_lowercase()), "must contain at least one letter (a-z)"),
        (text.contains("--"), "must not contain consecutive hyphens"),
        (text.starts_with('-') || text.ends_with('-'), "must not begin or end with a hyphen"),
    ];
    problems.into_iter().filter(|it| it.0).map(|it| it.1.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_leniently_and_judged_strictly() {
        let cases = [
            ("10.0.0.1", ""),
            ("2001:db8::1", ""),
            ("010.0.0.1", "must not have leading 0s"),
            ("::ffff:10.0.0.1", "must not be an IPv4-mapped IPv6 address"),
            ("10.0.0", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
            ("10.0.0.256", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
            ("fe80::1%eth0", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
            ("", "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"),
        ];
        for (text, problem) in cases {
            assert_eq!(ip_problems(text).join(","), problem, "{text}");
        }
        assert_eq!(canonical_ip("2001:DB8::1"), ["must be in canonical form (\"2001:db8::1\")"]);
    }

    #[test]
    fn networks_are_read_leniently_and_judged_strictly() {
        let cases = [
            ("10.0.0.0/8", ""),
            ("2001:db8::/32", ""),
            ("10.0.0.0/08", "must not have leading 0s in IP or prefix length"),
            ("10.0.0.1/8", "must not have bits set beyond the prefix length"),
            ("::ffff:10.0.0.0/104", "must not have an IPv4-mapped IPv6 address"),
            ("10.0.0.0/33", "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"),
            ("0.0.0.0/0", ""),
        ];
        for (text, problem) in cases {
            assert_eq!(cidr_problems(text).join(","), problem, "{text}");
        }
        let wide = parse_cidr("10.0.0.0/8").unwrap();
        assert!(wide.contains(parse_ip("10.255.0.1").unwrap()));
        assert!(!wide.contains(parse_ip("11.0.0.1").unwrap()));
    }
}
