//! URLs as Go's `net/url` reads them.

use ordain_value::go_quote;

/// A parsed URL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoUrl {
    /// What stands before the first colon, in lower case.
    pub scheme: String,
    opaque: String,
    user: Option<String>,
    /// The host with its port, as it was written.
    pub host: String,
    path: Vec<u8>,
    raw_path: String,
    omit_host: bool,
    force_query: bool,
    raw_query: String,
    fragment: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Path,
    Query,
    Host,
    Zone,
    User,
    Fragment,
}

fn wrap(url: &str, error: &str) -> String {
    format!("parse {}: {error}", go_quote(url))
}

/// `url.ParseRequestURI`
pub fn parse_request_uri(url: &str) -> Result<GoUrl, String> {
    parse_part(url, true).map_err(|error| wrap(url, &error))
}

/// `url.Parse`
pub fn parse(url: &str) -> Result<GoUrl, String> {
    let (rest, fragment) = url.split_once('#').unwrap_or((url, ""));
    let mut parsed = parse_part(rest, false).map_err(|error| wrap(rest, &error))?;
    parsed.fragment = unescape(fragment, Mode::Fragment).map_err(|error| wrap(url, &error))?;
    Ok(parsed)
}

fn parse_part(url: &str, via_request: bool) -> Result<GoUrl, String> {
    if url.bytes().any(|b| b < b' ' || b == 0x7f) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    if url.is_empty() && via_request {
        return Err("empty url".to_owned());
    }
    let mut out = GoUrl::default();
    if url == "*" {
        out.path = b"*".to_vec();
        return Ok(out);
    }
    let (scheme, mut rest) = split_scheme(url)?;
    out.scheme = scheme.to_lowercase();
    if rest.ends_with('?') && rest.matches('?').count() == 1 {
        out.force_query = true;
        rest = &rest[..rest.len() - 1];
    } else if let Some((before, query)) = rest.split_once('?') {
        out.raw_query = query.to_owned();
        rest = before;
    }
    if !rest.starts_with('/') {
        if !out.scheme.is_empty() {
            out.opaque = rest.to_owned();
            return Ok(out);
        }
        if via_request {
            return Err("invalid URI for request".to_owned());
        }
        if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
            return Err("first path segment in URL cannot contain colon".to_owned());
        }
    }
    let authority_allowed = !out.scheme.is_empty() || (!via_request && !rest.starts_with("///"));
    if authority_allowed && let Some(after) = rest.strip_prefix("//") {
        let end = after.find('/').unwrap_or(after.len());
        set_authority(&mut out, &after[..end])?;
        rest = &after[end..];
    } else if !out.scheme.is_empty() && rest.starts_with('/') {
        out.omit_host = true;
    }
    out.path = unescape(rest, Mode::Path)?;
    if escape(&out.path, Mode::Path) != rest {
        out.raw_path = rest.to_owned();
    }
    Ok(out)
}

fn split_scheme(url: &str) -> Result<(&str, &str), String> {
    for (index, c) in url.char_indices() {
        match c {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if index > 0 => {}
            ':' if index == 0 => return Err("missing protocol scheme".to_owned()),
            ':' => return Ok((&url[..index], &url[index + 1..])),
            _ => return Ok(("", url)),
        }
    }
    Ok(("", url))
}

fn set_authority(out: &mut GoUrl, authority: &str) -> Result<(), String> {
    let Some((user, host)) = authority.rsplit_once('@') else {
        out.host = parse_host(authority)?;
        return Ok(());
    };
    out.host = parse_host(host)?;
    let valid = |c: char| c.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(c);
    if !user.chars().all(valid) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    let (name, password) = user.split_once(':').map_or((user, None), |(a, b)| (a, Some(b)));
    let name = escape(&unescape(name, Mode::User)?, Mode::User);
    out.user = Some(match password {
        None => name,
        Some(password) => {
            format!("{name}:{}", escape(&unescape(password, Mode::User)?, Mode::User))
        }
    });
    Ok(())
}

fn check_port(port: &str) -> Result<(), String> {
    let valid = match port.strip_prefix(':') {
        None => port.is_empty(),
        Some(digits) => digits.bytes().all(|b| b.is_ascii_digit()),
    };
    if valid { Ok(()) } else { Err(format!("invalid port {} after host", go_quote(port))) }
}

fn parse_host(host: &str) -> Result<String, String> {
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    if host.starts_with('[') {
        let Some(end) = host.rfind(']') else { return Err("missing ']' in host".to_owned()) };
        check_port(&host[end + 1..])?;
        if let Some(zone) = host[..end].find("%25") {
            let parts = [
                unescape(&host[..zone], Mode::Host)?,
                unescape(&host[zone..end], Mode::Zone)?,
                unescape(&host[end..], Mode::Host)?,
            ];
            return Ok(text(parts.concat()));
        }
    } else if let Some(colon) = host.rfind(':') {
        check_port(&host[colon..])?;
    }
    unescape(host, Mode::Host).map(text)
}

/// Whether a byte cannot stand for itself in this part of a URL.
fn should_escape(c: u8, mode: Mode) -> bool {
    if c.is_ascii_alphanumeric() {
        return false;
    }
    if matches!(mode, Mode::Host | Mode::Zone) && b"!$&'()*+,;=:[]<>\"".contains(&c) {
        return false;
    }
    match c {
        b'-' | b'_' | b'.' | b'~' => return false,
        b'$' | b'&' | b'+' | b',' | b'/' | b':' | b';' | b'=' | b'?' | b'@' => {
            return match mode {
                Mode::Path => c == b'?',
                Mode::User => matches!(c, b'@' | b'/' | b'?' | b':'),
                Mode::Query => true,
                Mode::Fragment => false,
                Mode::Host | Mode::Zone => true,
            };
        }
        _ => {}
    }
    !(mode == Mode::Fragment && b"!()*".contains(&c))
}

fn unescape(text: &str, mode: Mode) -> Result<Vec<u8>, String> {
    let bytes = text.as_bytes();
    let hex = |at: usize| bytes.get(at).and_then(|b| char::from(*b).to_digit(16));
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte == b'%' {
            let (Some(high), Some(low)) = (hex(at + 1), hex(at + 2)) else {
                let end = (at + 3).min(bytes.len());
                let shown = String::from_utf8_lossy(&bytes[at..end]).into_owned();
                return Err(format!("invalid URL escape {}", go_quote(&shown)));
            };
            let escape = &text[at..at + 3];
            if mode == Mode::Host && high < 8 && escape != "%25" {
                return Err(format!("invalid URL escape {}", go_quote(escape)));
            }
            let value = u8::try_from(high << 4 | low).unwrap_or(0);
            if mode == Mode::Zone
                && escape != "%25"
                && value != b' '
                && should_escape(value, Mode::Host)
            {
                return Err(format!("invalid URL escape {}", go_quote(escape)));
            }
            out.push(value);
            at += 3;
            continue;
        }
        if matches!(mode, Mode::Host | Mode::Zone) && byte < 0x80 && should_escape(byte, mode) {
            let shown = char::from(byte).to_string();
            return Err(format!("invalid character {} in host name", go_quote(&shown)));
        }
        out.push(if byte == b'+' && mode == Mode::Query { b' ' } else { byte });
        at += 1;
    }
    Ok(out)
}

fn escape(bytes: &[u8], mode: Mode) -> String {
    let mut out = String::with_capacity(bytes.len());
    for byte in bytes {
        if *byte == b' ' && mode == Mode::Query {
            out.push('+');
        } else if should_escape(*byte, mode) {
            out.push_str(&format!("%{byte:02X}"));
        } else {
            out.push(char::from(*byte));
        }
    }
    out
}

impl GoUrl {
    /// The host without port and brackets.
    pub fn hostname(&self) -> &str {
        self.split_port().0
    }

    /// The port.
    pub fn port(&self) -> &str {
        self.split_port().1
    }

    fn split_port(&self) -> (&str, &str) {
        let host = self.host.as_str();
        let (host, port) = match host.rfind(':') {
            Some(colon) if check_port(&host[colon..]).is_ok() => {
                (&host[..colon], &host[colon + 1..])
            }
            _ => (host, ""),
        };
        let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        (bare.unwrap_or(host), port)
    }

    /// The path as it was written, if that is a valid form, else escaped anew.
    pub fn escaped_path(&self) -> String {
        let valid = |c: u8| b"!$&'()*+,;=:@[]%".contains(&c) || !should_escape(c, Mode::Path);
        if !self.raw_path.is_empty() && self.raw_path.bytes().all(valid) {
            return self.raw_path.clone();
        }
        if self.path == b"*" {
            return "*".to_owned();
        }
        escape(&self.path, Mode::Path)
    }

    /// The query's keys with their values, sorted by key.
    pub fn query(&self) -> Vec<(String, Vec<String>)> {
        let mut out: Vec<(String, Vec<String>)> = Vec::new();
        for pair in self.raw_query.split('&') {
            if pair.is_empty() || pair.contains(';') {
                continue;
            }
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (Ok(key), Ok(value)) = (unescape(key, Mode::Query), unescape(value, Mode::Query))
            else {
                continue;
            };
            let key = String::from_utf8_lossy(&key).into_owned();
            let value = String::from_utf8_lossy(&value).into_owned();
            match out.iter_mut().find(|(known, _)| *known == key) {
                Some((_, values)) => values.push(value),
                None => out.push((key, vec![value])),
            }
        }
        out.sort();
        out
    }

    /// The URL put together again.
    pub fn text(&self) -> String {
        let mut out = String::new();
        if !self.scheme.is_empty() {
            out.push_str(&self.scheme);
            out.push(':');
        }
        if self.opaque.is_empty() {
            let path = self.escaped_path();
            let empty_host = self.host.is_empty() && self.user.is_none();
            if !(empty_host && (self.scheme.is_empty() || self.omit_host)) {
                if !path.is_empty() || !empty_host {
                    out.push_str("//");
                }
                if let Some(user) = &self.user {
                    out.push_str(user);
                    out.push('@');
                }
                out.push_str(&escape(self.host.as_bytes(), Mode::Host));
            }
            if !path.is_empty() && !path.starts_with('/') && !self.host.is_empty() {
                out.push('/');
            }
            out.push_str(&path);
        } else {
            out.push_str(&self.opaque);
        }
        if self.force_query || !self.raw_query.is_empty() {
            out.push('?');
            out.push_str(&self.raw_query);
        }
        if !self.fragment.is_empty() {
            out.push('#');
            out.push_str(&escape(&self.fragment, Mode::Fragment));
        }
        out
    }
}
