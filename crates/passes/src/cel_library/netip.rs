//! IP addresses and prefixes as Go's `net/netip` reads them.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ordain_value::go_quote;

/// An address with the zone it was written with.
pub(super) struct Parsed {
    pub(super) addr: IpAddr,
    pub(super) zoned: bool,
}

fn fail<T>(input: &str, message: &str) -> Result<T, String> {
    Err(format!("ParseAddr({}): {message}", go_quote(input)))
}

fn fail_at<T>(input: &str, message: &str, at: &str) -> Result<T, String> {
    Err(format!("ParseAddr({}): {message} (at {})", go_quote(input), go_quote(at)))
}

/// Reads an address.
pub(super) fn parse_addr(input: &str) -> Result<Parsed, String> {
    for c in input.chars() {
        match c {
            '.' => {
                let octets = parse_v4(input, input)?;
                return Ok(Parsed { addr: IpAddr::V4(Ipv4Addr::from(octets)), zoned: false });
            }
            ':' => return parse_v6(input),
            '%' => return fail(input, "missing IPv6 address"),
            _ => {}
        }
    }
    fail(input, "unable to parse IP")
}

fn parse_v4(input: &str, text: &str) -> Result<[u8; 4], String> {
    let bytes = text.as_bytes();
    let mut octets = [0u8; 4];
    let (mut value, mut position, mut digits) = (0u32, 0usize, 0u32);
    for (index, byte) in bytes.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                if digits == 1 && value == 0 {
                    return fail(input, "IPv4 field has octet with leading zero");
                }
                value = value * 10 + u32::from(byte - b'0');
                digits += 1;
                if value > 255 {
                    return fail(input, "IPv4 field has value >255");
                }
            }
            b'.' => {
                if index == 0 || index == bytes.len() - 1 || bytes[index - 1] == b'.' {
                    return fail_at(
                        input,
                        "IPv4 field must have at least one digit",
                        &text[index..],
                    );
                }
                if position == 3 {
                    return fail(input, "IPv4 address too long");
                }
                octets[position] = u8::try_from(value).unwrap_or(u8::MAX);
                position += 1;
                (value, digits) = (0, 0);
            }
            _ => return fail_at(input, "unexpected character", &text[index..]),
        }
    }
    if position < 3 {
        return fail(input, "IPv4 address too short");
    }
    octets[3] = u8::try_from(value).unwrap_or(u8::MAX);
    Ok(octets)
}

fn parse_v6(input: &str) -> Result<Parsed, String> {
    let (mut rest, zoned) = match input.split_once('%') {
        Some((_, "")) => return fail(input, "zone must be a non-empty string"),
        Some((addr, _)) => (addr, true),
        None => (input, false),
    };
    let done = |octets: [u8; 16]| Ok(Parsed { addr: IpAddr::V6(Ipv6Addr::from(octets)), zoned });
    let mut octets = [0u8; 16];
    let mut ellipsis = None;
    if let Some(tail) = rest.strip_prefix("::") {
        ellipsis = Some(0);
        rest = tail;
        if rest.is_empty() {
            return done(octets);
        }
    }
    let mut filled = 0;
    while filled < 16 {
        let (group, len) = hex_group(input, rest)?;
        if rest.as_bytes().get(len) == Some(&b'.') {
            if ellipsis.is_none() && filled != 12 {
                let message =
                    "embedded IPv4 address must replace the final 2 fields of the address";
                return fail_at(input, message, rest);
            }
            if filled + 4 > 16 {
                let message =
                    "too many hex fields to fit an embedded IPv4 at the end of the address";
                return fail_at(input, message, rest);
            }
            octets[filled..filled + 4].copy_from_slice(&parse_v4(input, rest)?);
            rest = "";
            filled += 4;
            break;
        }
        octets[filled..filled + 2].copy_from_slice(&group.to_be_bytes());
        filled += 2;
        rest = &rest[len..];
        if rest.is_empty() {
            break;
        }
        if !rest.starts_with(':') {
            return fail_at(input, "unexpected character, want colon", rest);
        }
        if rest.len() == 1 {
            return fail_at(input, "colon must be followed by more characters", rest);
        }
        rest = &rest[1..];
        if rest.starts_with(':') {
            if ellipsis.is_some() {
                return fail_at(input, "multiple :: in address", rest);
            }
            ellipsis = Some(filled);
            rest = &rest[1..];
            if rest.is_empty() {
                break;
            }
        }
    }
    if !rest.is_empty() {
        return fail_at(input, "trailing garbage after address", rest);
    }
    expand(input, &mut octets, ellipsis, filled)?;
    done(octets)
}

/// Puts zeros where `::` stood.
fn expand(
    input: &str,
    octets: &mut [u8; 16],
    ellipsis: Option<usize>,
    filled: usize,
) -> Result<(), String> {
    match ellipsis {
        None if filled < 16 => fail(input, "address string too short"),
        Some(_) if filled >= 16 => fail(input, "the :: must expand to at least one field of zeros"),
        Some(at) => {
            let tail = filled - at;
            octets.copy_within(at..filled, 16 - tail);
            octets[at..16 - tail].fill(0);
            Ok(())
        }
        None => Ok(()),
    }
}

fn hex_group(input: &str, rest: &str) -> Result<(u16, usize), String> {
    let mut group = 0u32;
    let mut len = 0;
    for byte in rest.bytes() {
        let Some(digit) = char::from(byte).to_digit(16) else { break };
        group = group << 4 | digit;
        if len > 3 {
            return fail_at(input, "each group must have 4 or fewer digits", rest);
        }
        len += 1;
    }
    if len == 0 {
        return fail_at(input, "each colon-separated field must have at least one digit", rest);
    }
    Ok((u16::try_from(group).unwrap_or(u16::MAX), len))
}

/// An address with the number of bits that count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prefix {
    pub(super) addr: IpAddr,
    pub(super) bits: u8,
}

/// Reads a prefix.
pub(super) fn parse_prefix(input: &str) -> Result<Prefix, String> {
    let fail = |message: &str| Err(format!("netip.ParsePrefix({}): {message}", go_quote(input)));
    let Some((addr, bits)) = input.rsplit_once('/') else { return fail("no '/'") };
    let parsed = match parse_addr(addr) {
        Ok(parsed) => parsed,
        Err(error) => return fail(&error),
    };
    if parsed.zoned {
        return fail("IPv6 zones cannot be present in a prefix");
    }
    let bad = || fail(&format!("bad bits after slash: {}", go_quote(bits)));
    if bits.len() > 1 && !bits.starts_with(|c: char| ('1'..='9').contains(&c)) {
        return bad();
    }
    let Ok(number) = bits.parse::<i64>() else { return bad() };
    if bits.starts_with('+') {
        return bad();
    }
    let max = if parsed.addr.is_ipv4() { 32 } else { 128 };
    match u8::try_from(number) {
        Ok(bits) if bits <= max => Ok(Prefix { addr: parsed.addr, bits }),
        _ => fail("prefix length out of range"),
    }
}

/// The address as a number, left-aligned in 128 bits.
fn aligned(addr: IpAddr) -> u128 {
    match addr {
        IpAddr::V4(addr) => u128::from(u32::from(addr)) << 96,
        IpAddr::V6(addr) => u128::from(addr),
    }
}

fn mask(bits: u8) -> u128 {
    if bits == 0 { 0 } else { u128::MAX << (128 - u32::from(bits.min(128))) }
}

impl Prefix {
    /// Whether an address is in it; families do not mix.
    pub(super) fn contains(&self, addr: IpAddr) -> bool {
        self.addr.is_ipv4() == addr.is_ipv4()
            && (aligned(self.addr) ^ aligned(addr)) & mask(self.bits) == 0
    }

    /// Whether some address is in both.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let bits = self.bits.min(other.bits);
        self.addr.is_ipv4() == other.addr.is_ipv4()
            && (aligned(self.addr) ^ aligned(other.addr)) & mask(bits) == 0
    }

    /// The prefix without the bits that do not count.
    pub(super) fn masked(&self) -> Self {
        let kept = aligned(self.addr) & mask(self.bits);
        let addr = match self.addr {
            IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::from(u32::try_from(kept >> 96).unwrap_or(0))),
            IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::from(kept)),
        };
        Self { addr, bits: self.bits }
    }
}
