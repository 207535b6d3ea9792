//! Names of drivers, pools, devices and their attributes.

use ordain_meta::name;
use ordain_passes::declared::written::Asked;
use ordain_value::field::{self, Path};

use crate::shared::net;

pub(super) const ID_BYTES_MAX: usize = 32;
const DRIVER_BYTES_MAX: usize = 63;

fn limit(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// A driver is named by a domain, in letters of any case.
fn driver(text: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    if text.len() > DRIVER_BYTES_MAX {
        errors.push(field::Error::too_long(path, limit(DRIVER_BYTES_MAX)));
    }
    let problems = name::dns_1123_subdomain(&text.to_lowercase());
    errors.extend(net::invalid(path, text, problems));
}

/// A pool is named by one or more subdomains with slashes between, each shown by itself.
pub(crate) fn check_pool(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let value = asked.value();
    let parts = value.as_str().unwrap_or("").split('/');
    parts.for_each(|part| errors.extend(net::subdomain(path, part)));
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

/// An identifier with a domain before it; both are judged and shown by themselves.
pub(crate) fn check_fully_qualified(
    asked: &Asked<'_, '_>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let value = asked.value();
    let text = value.as_str().unwrap_or("");
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
