//! Names of drivers, pools, devices and their attributes.

use ordain_meta::name;
use ordain_value::field::{self, Path};
use ordain_value::go_quote;

use crate::shared::net;

pub(super) const ID_BYTES_MAX: usize = 32;
const DRIVER_BYTES_MAX: usize = 63;
const POOL_BYTES_MAX: usize = 253;

fn limit(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// A driver is named by a domain, in letters of any case.
pub(super) fn driver(text: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    if text.is_empty() {
        errors.push(field::Error::required(path, ""));
        return;
    }
    if text.len() > DRIVER_BYTES_MAX {
        errors.push(field::Error::too_long(path, limit(DRIVER_BYTES_MAX)));
    }
    let problems = name::dns_1123_subdomain(&text.to_lowercase());
    errors.extend(net::invalid(path, text, problems));
}

/// A pool is named by one or more subdomains with slashes between.
pub(super) fn pool(text: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    if text.is_empty() {
        errors.push(field::Error::required(path, ""));
        return;
    }
    if text.len() > POOL_BYTES_MAX {
        errors.push(field::Error::too_long(path, limit(POOL_BYTES_MAX)));
    }
    text.split('/').for_each(|part| errors.extend(net::subdomain(path, part)));
}

/// An identifier, perhaps with a domain before it.
pub(super) fn qualified(text: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    match text.split('/').collect::<Vec<_>>().as_slice() {
        [id] => identifier(id, path, errors),
        [domain, id] => {
            if domain.is_empty() {
                errors.push(field::Error::invalid(path, "", "the domain must not be empty"));
            } else {
                driver(domain, path, errors);
            }
            if id.is_empty() {
                errors.push(field::Error::invalid(path, "", "the name must not be empty"));
            } else {
                identifier(id, path, errors);
            }
        }
        // More slashes have always been let through.
        _ => {}
    }
}

/// An identifier with a domain before it.
pub(super) fn fully_qualified(text: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    qualified(text, path, errors);
    if !text.contains('/') {
        let why = "a fully qualified name must be a domain and a name separated by a slash";
        errors.push(field::Error::invalid(path, text, why));
    }
}

fn identifier(text: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    if text.len() > ID_BYTES_MAX {
        errors.push(field::Error::too_long(path, limit(ID_BYTES_MAX)));
    }
    let first = text.bytes().next().is_some_and(|it| it.is_ascii_alphabetic() || it == b'_');
    if !first || !text.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_') {
        let why = name::pattern_message(
            "a valid C identifier must start with alphabetic character or '_', followed by a \
             string of alphanumeric characters or '_'",
            "[A-Za-z_][A-Za-z0-9_]*",
            &["my_name", "MY_NAME", "MyName"],
        );
        errors.push(field::Error::invalid(path, text, why));
    }
}

/// What an identifier of 36 lower case characters has against it.
pub(super) fn uuid(text: &str) -> Option<String> {
    let bare = match text.len() {
        36 | 32 => Ok(text),
        45 => match text.split_at_checked(9) {
            Some((prefix, rest)) if prefix.eq_ignore_ascii_case("urn:uuid:") => Ok(rest),
            Some((prefix, _)) => Err(format!("invalid urn prefix: {}", go_quote(prefix))),
            None => Err("invalid UUID format".to_owned()),
        },
        38 => {
            let inner = text.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
            inner.ok_or_else(|| "invalid bracketed UUID format".to_owned())
        }
        len => Err(format!("invalid UUID length: {len}")),
    };
    let hyphens = |it: &str| {
        it.len() == 32 || [8, 13, 18, 23].iter().all(|at| it.as_bytes().get(*at) == Some(&b'-'))
    };
    let digits = |it: &str| it.bytes().filter(u8::is_ascii_hexdigit).count() == 32;
    let checked = bare.and_then(|it| {
        let sound = it.is_ascii() && hyphens(it) && digits(it);
        if sound { Ok(()) } else { Err("invalid UUID format".to_owned()) }
    });
    match checked {
        Err(why) => Some(format!("error validating uid: {why}")),
        Ok(()) if text.len() != 36 || text.bytes().any(|it| it.is_ascii_uppercase()) => Some(
            "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with \
             lowercase hexadecimal characters"
                .to_owned(),
        ),
        Ok(()) => None,
    }
}

/// A key of a map as paths show it: the middle of a long one is left out.
pub(super) fn shown_key(key: &str, bytes_max: usize) -> String {
    const ELLIPSIS: &str = "...";
    let bytes_max = bytes_max.max(16);
    if key.len() <= bytes_max {
        return key.to_owned();
    }
    let kept = bytes_max - ELLIPSIS.len();
    let bytes = key.as_bytes();
    let (head, tail) = (kept.div_ceil(2), bytes.len() - kept / 2);
    let part = |range: &[u8]| String::from_utf8_lossy(range).into_owned();
    let (head, tail) = (bytes.get(..head).unwrap_or(b""), bytes.get(tail..).unwrap_or(b""));
    format!("{}{ELLIPSIS}{}", part(head), part(tail))
}

/// A list that is too long is not looked at further. Tells whether it may be.
pub(super) fn fits(
    count: usize,
    max: usize,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) -> bool {
    if count > max {
        errors.push(field::Error::too_many(path, limit(count), limit(max)));
    }
    count <= max
}
