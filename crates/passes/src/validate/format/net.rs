//! Formats of the network: host names, addresses, prefixes, hardware addresses.

use std::net::Ipv6Addr;

/// A bound that numbers in addresses never reach.
const BIG: u32 = 0x00ff_ffff;

/// An IPv4 address, or an IPv6 address that ends in one. Leading zeros are tolerated.
pub(super) fn is_ipv4(text: &str) -> bool {
    text.contains('.') && is_ip_sloppy(text)
}

/// An IPv6 address without zone; zeros at the start of an embedded IPv4 address are refused.
pub(super) fn is_ipv6(text: &str) -> bool {
    text.contains(':') && text.parse::<Ipv6Addr>().is_ok()
}

/// An address and a prefix length. Leading zeros are tolerated in both.
pub(super) fn is_cidr(text: &str) -> bool {
    let Some((address, mask)) = text.split_once('/') else {
        return false;
    };
    let bits = if parse_ipv4_sloppy(address) {
        32
    } else if parse_ipv6_sloppy(address) {
        128
    } else {
        return false;
    };
    matches!(decimal(mask), Some((length, "")) if length <= bits)
}

fn is_ip_sloppy(text: &str) -> bool {
    match text.bytes().find(|b| matches!(b, b'.' | b':')) {
        Some(b'.') => parse_ipv4_sloppy(text),
        Some(_) => parse_ipv6_sloppy(text),
        None => false,
    }
}

fn decimal(text: &str) -> Option<(u32, &str)> {
    number(text, 10)
}

/// A number at the start of the text, and what follows it.
fn number(text: &str, radix: u32) -> Option<(u32, &str)> {
    let mut value = 0_u32;
    let mut len = 0;
    for byte in text.bytes() {
        let Some(digit) = char::from(byte).to_digit(radix) else {
            break;
        };
        value = value * radix + digit;
        if value >= BIG {
            return None;
        }
        len += 1;
    }
    (len > 0).then(|| (value, &text[len..]))
}

pub(super) fn parse_ipv4_sloppy(text: &str) -> bool {
    let (mut dots, mut digits, mut value) = (0, 0, 0_u32);
    for byte in text.bytes() {
        match byte {
            b'0'..=b'9' => {
                // Any number of zeros may lead, so it is the value that is bounded.
                value = value * 10 + u32::from(byte - b'0');
                if value > 255 {
                    return false;
                }
                digits += 1;
            }
            b'.' if digits > 0 && dots < 3 => {
                dots += 1;
                (digits, value) = (0, 0);
            }
            _ => return false,
        }
    }
    dots == 3 && digits > 0
}

fn parse_ipv6_sloppy(text: &str) -> bool {
    let mut rest = text;
    let mut ellipsis = false;
    if let Some(after) = rest.strip_prefix("::") {
        if after.is_empty() {
            return true;
        }
        ellipsis = true;
        rest = after;
    }
    let mut bytes = 0;
    while bytes < 16 {
        let Some((value, after)) = number(rest, 16) else {
            return false;
        };
        if value > 0xffff {
            return false;
        }
        if after.starts_with('.') {
            if (!ellipsis && bytes != 12) || bytes + 4 > 16 || !parse_ipv4_sloppy(rest) {
                return false;
            }
            rest = "";
            bytes += 4;
            break;
        }
        bytes += 2;
        rest = after;
        if rest.is_empty() {
            break;
        }
        match rest.strip_prefix(':') {
            Some(after) if !after.is_empty() => rest = after,
            _ => return false,
        }
        if let Some(after) = rest.strip_prefix(':') {
            if ellipsis {
                return false;
            }
            ellipsis = true;
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
    }
    // An ellipsis stands for at least one group of zeros.
    rest.is_empty() && (bytes < 16) == ellipsis
}

/// 6, 8 or 20 bytes in pairs joined by colons or dashes, or in fours joined by dots.
pub(super) fn is_mac(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() < 14 {
        return false;
    }
    let (separator, width) = match (bytes[2], bytes[4]) {
        (b':' | b'-', _) => (bytes[2], 2),
        (_, b'.') => (b'.', 4),
        _ => return false,
    };
    if !(bytes.len() + 1).is_multiple_of(width + 1) {
        return false;
    }
    let total = (bytes.len() + 1) / (width + 1) * width / 2;
    matches!(total, 6 | 8 | 20)
        && bytes.iter().enumerate().all(|(i, b)| {
            if i % (width + 1) == width { *b == separator } else { b.is_ascii_hexdigit() }
        })
}

/// One label, or labels of letters, digits, symbols and dashes that end in a label of letters only.
pub(super) fn is_hostname(text: &str) -> bool {
    if let Some(verdict) = is_plain_hostname(text) {
        return verdict;
    }
    if text.len() > 255 || text.split('.').any(|label| label.len() > 63) {
        return false;
    }
    if is_single_label(text) {
        return true;
    }
    let Some((rest, last)) = text.rsplit_once('.') else {
        return false;
    };
    let is_letter = |c: char| c.is_ascii_alphabetic() || is_unicode_letter(c);
    let last_len = last.chars().count();
    (2..=63).contains(&last_len)
        && last.chars().all(is_letter)
        && rest.split('.').all(is_inner_label)
}

/// What a byte is in a host name.
#[derive(Clone, Copy, PartialEq)]
enum Class {
    Other,
    Letter,
    Digit,
    Dash,
    Dot,
}

static CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
            b'0'..=b'9' => Class::Digit,
            b'-' => Class::Dash,
            b'.' => Class::Dot,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

/// The verdict on a name of letters, digits, dashes and dots; `None` for any other.
fn is_plain_hostname(text: &str) -> Option<bool> {
    if text.len() > 255 {
        return Some(false);
    }
    let (mut labels, mut len, mut good) = (0_u32, 0_u32, true);
    // The last label has letters only, and one label alone at most one dash, as its second byte.
    let (mut letters_only, mut dashes, mut second_dash) = (true, 0_u32, false);
    let mut previous = Class::Dot;
    for byte in text.bytes() {
        let class = CLASSES[usize::from(byte)];
        match class {
            Class::Letter => len += 1,
            Class::Digit => {
                letters_only = false;
                len += 1;
            }
            Class::Dash => {
                letters_only = false;
                dashes += 1;
                second_dash |= len == 1;
                good &= previous != Class::Dot;
                len += 1;
            }
            Class::Dot => {
                good &= len <= 63 && !matches!(previous, Class::Dot | Class::Dash);
                labels += 1;
                (len, letters_only) = (0, true);
            }
            Class::Other => return None,
        }
        previous = class;
    }
    if labels == 0 {
        return Some((1..=63).contains(&len) && (dashes == 0 || (dashes == 1 && second_dash)));
    }
    Some(good && letters_only && (2..=63).contains(&len))
}

fn is_host_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || is_unicode_letter(c) || is_symbol(c)
}

/// A first character, then perhaps a dash, then up to 62 more: no other dashes.
fn is_single_label(text: &str) -> bool {
    let mut chars = text.chars();
    if !chars.next().is_some_and(is_host_char) {
        return false;
    }
    let rest = chars.as_str();
    let rest = rest.strip_prefix('-').unwrap_or(rest);
    rest.chars().count() <= 62 && rest.chars().all(is_host_char)
}

/// Starts and ends with a host character, dashes inside, at most 63 characters.
fn is_inner_label(label: &str) -> bool {
    let mut count = 0;
    let mut last = '-';
    for (i, c) in label.chars().enumerate() {
        if !(is_host_char(c) || (c == '-' && i > 0)) {
            return false;
        }
        count = i + 1;
        last = c;
    }
    (1..=63).contains(&count) && last != '-'
}

/// Unicode letters beyond ASCII (general category L).
fn is_unicode_letter(c: char) -> bool {
    !c.is_ascii() && category(c).0
}

/// Symbols (general category S).
fn is_symbol(c: char) -> bool {
    if c.is_ascii() {
        return matches!(c, '$' | '+' | '<' | '=' | '>' | '^' | '`' | '|' | '~');
    }
    category(c).1
}

/// Whether a character is a letter, and whether it is a symbol. The tables live in the regex library, which is
/// asked one character at a time: host names beyond ASCII are rare.
fn category(c: char) -> (bool, bool) {
    use std::sync::LazyLock;
    static LETTER: LazyLock<Option<regex::Regex>> =
        LazyLock::new(|| regex::Regex::new(r"^\p{L}$").ok());
    static SYMBOL: LazyLock<Option<regex::Regex>> =
        LazyLock::new(|| regex::Regex::new(r"^\p{S}$").ok());
    let mut buffer = [0; 4];
    let text = c.encode_utf8(&mut buffer);
    let is = |table: &Option<regex::Regex>| table.as_ref().is_some_and(|it| it.is_match(text));
    (is(&LETTER), is(&SYMBOL))
}
