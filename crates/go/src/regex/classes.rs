//! Classes of characters and escaped characters.

use std::collections::BTreeMap;

use super::{GoRegexError, error};

/// States of a class of nearly all characters.
pub(super) const WIDE_STATES: usize = 10;
/// States of one range of characters beyond ASCII.
pub(super) const RANGE_STATES: usize = 3;

pub(super) fn perl_class(c: char) -> Option<&'static str> {
    Some(match c {
        'd' => "0-9",
        'D' => "^0-9",
        's' => "\\t\\n\\x0C\\r\\x20",
        'S' => "^\\t\\n\\x0C\\r\\x20",
        'w' => "0-9A-Za-z_",
        'W' => "^0-9A-Za-z_",
        _ => return None,
    })
}

pub(super) fn posix_class(name: &str) -> Option<String> {
    const NAMES: &[&str] = &[
        "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
        "space", "upper", "word", "xdigit",
    ];
    let inner = name.strip_prefix("[:")?.strip_suffix(":]")?;
    let plain = inner.strip_prefix('^').unwrap_or(inner);
    NAMES.contains(&plain).then(|| format!("[:{inner}:]"))
}

/// One character of a class, escaped or not.
pub(super) fn class_char<'p>(
    rest: &'p str,
    class: &'p str,
) -> Result<(char, &'p str), GoRegexError> {
    match rest.chars().next() {
        None => Err(error("missing closing ]", class)),
        Some('\\') => escaped_char(rest),
        Some(c) => Ok((c, &rest[c.len_utf8()..])),
    }
}

/// `\` and what follows, as one character.
pub(super) fn escaped_char(text: &str) -> Result<(char, &str), GoRegexError> {
    let rest = &text[1..];
    let Some(c) = rest.chars().next() else {
        return Err(error("trailing backslash at end of expression", ""));
    };
    let tail = &rest[c.len_utf8()..];
    let invalid =
        |tail: &str| Err(error("invalid escape sequence", &text[..text.len() - tail.len()]));
    match c {
        '1'..='7' => {
            // A single digit would be a backreference.
            if !tail.starts_with(|c: char| ('0'..='7').contains(&c)) {
                return invalid(tail);
            }
            Ok(octal(rest))
        }
        '0' => Ok(octal(rest)),
        'x' => hex(text, tail),
        'a' => Ok(('\x07', tail)),
        'f' => Ok(('\x0c', tail)),
        'n' => Ok(('\n', tail)),
        'r' => Ok(('\r', tail)),
        't' => Ok(('\t', tail)),
        'v' => Ok(('\x0b', tail)),
        c if c.is_ascii() && !c.is_ascii_alphanumeric() => Ok((c, tail)),
        _ => invalid(tail),
    }
}

/// Up to three octal digits.
pub(super) fn octal(rest: &str) -> (char, &str) {
    let len = rest.bytes().take(3).take_while(|b| (b'0'..=b'7').contains(b)).count();
    let code = u32::from_str_radix(&rest[..len], 8).unwrap_or(0);
    (char::from_u32(code).unwrap_or('\u{fffd}'), &rest[len..])
}

/// `\x41` and `\x{41}`.
pub(super) fn hex<'p>(text: &'p str, rest: &'p str) -> Result<(char, &'p str), GoRegexError> {
    let upto = |tail: &str| Err(error("invalid escape sequence", &text[..text.len() - tail.len()]));
    let after_one = |rest: &'p str| {
        let mut chars = rest.chars();
        chars.next();
        chars.as_str()
    };
    if let Some(braced) = rest.strip_prefix('{') {
        let len = braced.bytes().take_while(u8::is_ascii_hexdigit).count();
        let tail = &braced[len..];
        let code = u32::from_str_radix(&braced[..len.min(8)], 16).ok().and_then(char::from_u32);
        return match (tail.strip_prefix('}'), code) {
            (Some(tail), Some(c)) if len > 0 => Ok((c, tail)),
            (Some(tail), _) => upto(tail),
            (None, _) => upto(after_one(tail)),
        };
    }
    let len = rest.bytes().take(2).take_while(u8::is_ascii_hexdigit).count();
    if len < 2 {
        return upto(after_one(&rest[len..]));
    }
    let code = u32::from_str_radix(&rest[..2], 16).unwrap_or(0);
    Ok((char::from_u32(code).unwrap_or('\u{fffd}'), &rest[2..]))
}

/// `\pL`, `\p{Greek}`, `\P{^Greek}` at the start of the text, and how many states it has; those of
/// known classes are not counted again.
pub(super) fn unicode_class<'p>(
    text: &'p str,
    known: &mut BTreeMap<String, usize>,
) -> Result<(String, usize, &'p str), GoRegexError> {
    let mut negate = text.starts_with("\\P");
    let rest = &text[2..];
    let (name, tail) = match rest.strip_prefix('{') {
        Some(braced) => {
            let Some(end) = braced.find('}') else {
                return Err(error("invalid character class range", text));
            };
            (&braced[..end], &braced[end + 1..])
        }
        None => {
            let len = rest.chars().next().map_or(0, char::len_utf8);
            (&rest[..len], &rest[len..])
        }
    };
    let whole = &text[..text.len() - tail.len()];
    let name = match name.strip_prefix('^') {
        Some(name) => {
            negate = !negate;
            name
        }
        None => name,
    };
    let p = if negate { 'P' } else { 'p' };
    if name == "Any" {
        return Ok((
            if negate { "[^\\x{0}-\\x{10ffff}]" } else { "[\\x{0}-\\x{10ffff}]" }.into(),
            WIDE_STATES,
            tail,
        ));
    }
    let class = if CATEGORIES.contains(&name) {
        format!("\\{p}{{{name}}}")
    } else {
        format!("\\{p}{{sc={name}}}")
    };
    // Go knows scripts by their exact names only.
    let exact = name.split('_').all(|part| part.starts_with(|c: char| c.is_ascii_uppercase()))
        && (name.len() > 4 || CATEGORIES.contains(&name) || SHORT_SCRIPTS.contains(&name));
    let states = match known.get(&class) {
        Some(states) => Some(*states),
        None if exact => states_of(&class),
        None => None,
    };
    let Some(states) = states else {
        return Err(error("invalid character class range", whole));
    };
    if !known.contains_key(&class) {
        known.insert(class.clone(), states);
    }
    Ok((class, states, tail))
}

/// About how many states a class of the other syntax has; none if there is no such class. Ranges
/// share their ends, so there are fewer states than ranges when there are many.
fn states_of(class: &str) -> Option<usize> {
    use regex_syntax::hir::{Class, HirKind};
    let parsed = regex_syntax::parse(class).ok()?;
    let ranges = match parsed.kind() {
        HirKind::Class(Class::Unicode(class)) => class.ranges().len(),
        _ => 1,
    };
    Some(RANGE_STATES * ranges.min(8) + ranges / 2)
}

const CATEGORIES: &[&str] = &[
    "C", "Cc", "Cf", "Co", "Cs", "L", "Ll", "Lm", "Lo", "Lt", "Lu", "M", "Mc", "Me", "Mn", "N",
    "Nd", "Nl", "No", "P", "Pc", "Pd", "Pe", "Pf", "Pi", "Po", "Ps", "S", "Sc", "Sk", "Sm", "So",
    "Z", "Zl", "Zp", "Zs",
];

/// Scripts whose names are as short as the abbreviations that Go does not know.
const SHORT_SCRIPTS: &[&str] =
    &["Cham", "Han", "Lao", "Lisu", "Mro", "Nko", "Thai", "Vai", "Yi", "Ahom"];
