//! IP addresses, CIDRs and ports.
//!
//! Addresses are read twice: as leniently as Go once did (leading zeros, IPv4 inside IPv6), since
//! stored objects may have such texts, and strictly, which decides what a new text may be.

use ordain_meta::name;
pub(crate) use ordain_meta::net::{Cidr, canonical_ip, parse_cidr, parse_ip};
use ordain_meta::net::{cidr_problems, ip_problems, is_mapped, strict_cidr, strict_ip};
use ordain_value::field::{self, Path};
use ordain_value::go_quote;

/// An address in a field that is older than strict reading; texts of the old object pass.
pub(crate) fn legacy_ip(path: &Path<'_>, text: &str, known: &[&str]) -> field::ErrorList {
    if known.contains(&text) {
        return field::ErrorList::new();
    }
    ip_problems(text)
        .into_iter()
        .map(|problem| field::Error::invalid(path, text, problem).with_origin("format=ip-sloppy"))
        .collect()
}

/// A CIDR in a field that is older than strict reading; texts of the old object pass.
pub(crate) fn legacy_cidr(path: &Path<'_>, text: &str, known: &[&str]) -> field::ErrorList {
    if known.contains(&text) {
        return field::ErrorList::new();
    }
    let problems = cidr_problems(text).into_iter();
    problems.map(|problem| field::Error::invalid(path, text, problem)).collect()
}

/// Advice on an address that was accepted in an unusual form.
pub(crate) fn ip_warning(path: &Path<'_>, text: &str) -> Option<String> {
    let lenient = parse_ip(text)?;
    match strict_ip(text) {
        Some(ip) if !is_mapped(ip) => {
            let canonical = ip.to_string();
            (ip.is_ipv6() && canonical != text).then(|| {
                format!(
                    "{path}: IPv6 address {} should be in RFC 5952 canonical format ({})",
                    go_quote(text),
                    go_quote(&canonical)
                )
            })
        }
        _ => Some(format!(
            "{path}: non-standard IP address {} is invalid: use {}",
            go_quote(text),
            go_quote(&lenient.to_string())
        )),
    }
}

/// Advice on a CIDR that was accepted in an unusual form.
pub(crate) fn cidr_warnings(path: &Path<'_>, text: &str) -> Vec<String> {
    let Some(lenient) = parse_cidr(text) else { return Vec::new() };
    let quoted = go_quote(text);
    let mut warnings = Vec::new();
    if lenient.ip != lenient.network() {
        let bits = if lenient.ip.is_ipv4() { 32 } else { 128 };
        warnings.push(format!(
            "{path}: CIDR value {quoted} is ambiguous in this context (should be {} or {}?)",
            go_quote(&lenient.canonical()),
            go_quote(&format!("{}/{bits}", lenient.ip))
        ));
    }
    let strict = strict_cidr(text).filter(|it| !is_mapped(it.ip));
    match strict {
        None => warnings.push(format!(
            "{path}: non-standard CIDR value {quoted} is invalid: use {}",
            go_quote(&lenient.canonical())
        )),
        Some(cidr) if warnings.is_empty() && cidr.ip.is_ipv6() => {
            let canonical = format!("{}/{}", cidr.ip, cidr.bits);
            if canonical != text {
                warnings.push(format!(
                    "{path}: IPv6 CIDR value {quoted} should be in RFC 5952 canonical format ({})",
                    go_quote(&canonical)
                ));
            }
        }
        Some(_) => {}
    }
    warnings
}

/// One error for each problem of a text.
pub(crate) fn invalid(
    path: &Path<'_>,
    shown: impl Into<field::BadValue>,
    problems: Vec<String>,
) -> field::ErrorList {
    let shown = shown.into();
    let error = |problem| field::Error::invalid(path, shown.clone(), problem);
    problems.into_iter().map(error).collect()
}

/// A text that is a DNS label.
pub(crate) fn label(path: &Path<'_>, text: &str) -> field::ErrorList {
    invalid(path, text, name::dns_1123_label(text))
}

/// A text that is a DNS subdomain.
pub(crate) fn subdomain(path: &Path<'_>, text: &str) -> field::ErrorList {
    invalid(path, text, name::dns_1123_subdomain(text))
}

/// A text that is a name with an optional domain.
pub(crate) fn qualified_name(path: &Path<'_>, text: &str) -> field::ErrorList {
    invalid(path, text, name::qualified_name(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unusual_forms_are_warned_about() {
        let path = Path::new("spec");
        let warning = ip_warning(&path, "2001:0db8::1").unwrap();
        let said = "spec: IPv6 address \"2001:0db8::1\" should be in RFC 5952 canonical format \
                    (\"2001:db8::1\")";
        assert_eq!(warning, said);
        assert_eq!(ip_warning(&path, "10.0.0.1"), None);
        assert_eq!(cidr_warnings(&path, "10.0.0.1/8").len(), 1);
    }
}
