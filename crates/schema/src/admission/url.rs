//! As much of Go's URL parsing as the rules look at.

use ordain_value::go_quote;

/// The parts of a URL that a rule speaks about.
pub(super) struct Url<'a> {
    pub(super) scheme: String,
    pub(super) user: Option<&'a str>,
    pub(super) host: &'a str,
    pub(super) query: &'a str,
    pub(super) fragment: &'a str,
}

/// Whether a text is a URL with a scheme and a host.
pub(super) fn is_absolute(text: &str) -> bool {
    // A request URI knows no fragment: '#' is part of the path there, as it is of no host.
    parse(text).is_ok_and(|url| !url.scheme.is_empty() && !url.host.is_empty())
}

/// Parses a URL; the error is Go's text.
pub(super) fn parse(text: &str) -> Result<Url<'_>, String> {
    let fail = |why: &str| Err(format!("parse {}: {why}", go_quote(text)));
    if text.bytes().any(|b| b < 0x20 || b == 0x7f) {
        return fail("net/url: invalid control character in URL");
    }
    let (rest, fragment) = text.split_once('#').unwrap_or((text, ""));
    if let Some(bad) = bad_escape(fragment) {
        return fail(&format!("invalid URL escape {}", go_quote(bad)));
    }
    let (scheme, rest) = match split_scheme(rest) {
        Ok(parts) => parts,
        Err(why) => return fail(why),
    };
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let Some(authority) = rest.strip_prefix("//") else {
        let first = rest.split('/').next().unwrap_or_default();
        if scheme.is_empty() && !rest.starts_with('/') && first.contains(':') {
            return fail("first path segment in URL cannot contain colon");
        }
        if let Some(bad) = bad_escape(rest) {
            return fail(&format!("invalid URL escape {}", go_quote(bad)));
        }
        return Ok(Url { scheme, user: None, host: "", query, fragment });
    };
    let end = authority.find('/').unwrap_or(authority.len());
    let (authority, path) = authority.split_at(end);
    let (user, host) = match authority.rsplit_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, authority),
    };
    if let Err(why) = check_host(host) {
        return fail(&why);
    }
    if let Some(bad) = bad_escape(path) {
        return fail(&format!("invalid URL escape {}", go_quote(bad)));
    }
    Ok(Url { scheme, user, host, query, fragment })
}

fn split_scheme(text: &str) -> Result<(String, &str), &'static str> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return Err("missing protocol scheme"),
            b':' => return Ok((text[..at].to_ascii_lowercase(), &text[at + 1..])),
            _ => break,
        }
    }
    Ok((String::new(), text))
}

fn check_host(host: &str) -> Result<(), String> {
    if let Some(rest) = host.strip_prefix('[') {
        let Some((_, after)) = rest.split_once(']') else {
            return Err("missing ']' in host".to_owned());
        };
        return check_port(after);
    }
    if let Some(at) = host.rfind(':') {
        check_port(&host[at..])?;
    }
    if let Some(bad) = bad_escape(host) {
        return Err(format!("invalid URL escape {}", go_quote(bad)));
    }
    match host.chars().find(|c| matches!(c, ' ' | '"' | '\\' | '^' | '`' | '{' | '|' | '}')) {
        Some(c) => {
            Err(format!("invalid character {} in host name", go_quote(c.encode_utf8(&mut [0; 4]))))
        }
        None => Ok(()),
    }
}

fn check_port(text: &str) -> Result<(), String> {
    let digits = text.strip_prefix(':').unwrap_or(text);
    if text.is_empty() || (text.starts_with(':') && digits.bytes().all(|b| b.is_ascii_digit())) {
        return Ok(());
    }
    Err(format!("invalid port {} after host", go_quote(text)))
}

/// The first percent sign that is not followed by two hex digits, with what follows it.
fn bad_escape(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let hex = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    let at = (0..bytes.len()).find(|&at| bytes[at] == b'%' && !(hex(at + 1) && hex(at + 2)))?;
    let end = (at + 3).min(text.len());
    let end = (at..=end).rev().find(|&e| text.is_char_boundary(e))?;
    text.get(at..end)
}
