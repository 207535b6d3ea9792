//! The formats of `+k8s:format`.

use ordain_meta::name;
use ordain_schema::native::Format;
use ordain_value::field::{Error, Path};

/// What is wrong with a text in a format.
pub(super) fn check(format: Format, path: &Path<'_>, text: &str) -> Vec<Error> {
    let invalid = |messages: Vec<String>| -> Vec<Error> {
        messages.into_iter().map(|it| Error::invalid(path, text, it)).collect()
    };
    match format {
        Format::ShortName => invalid(in_bytes(name::dns_1123_label(text))),
        Format::LongName => invalid(in_bytes(name::dns_1123_subdomain(text))),
        Format::LongNameCaseless => invalid(long_name_caseless(text)),
        Format::LabelKey => invalid(name::qualified_name(text)),
        Format::LabelValue => invalid(name::label_value(text)),
        Format::PathSegmentName => invalid(name::path_segment_rule(text, false)),
        Format::Uuid => invalid(uuid(text)),
        Format::ResourcePoolName => resource_pool_name(path, text),
        Format::ExtendedResourceName => invalid(extended_resource_name(text)),
        Format::ResourceFullyQualifiedName => fully_qualified_name(path, text),
    }
}

/// These formats tell their limit in bytes.
fn in_bytes(messages: Vec<String>) -> Vec<String> {
    messages
        .into_iter()
        .map(|it| match it.strip_suffix(" characters") {
            Some(limit) if limit.starts_with("must be no more than") => format!("{limit} bytes"),
            _ => it,
        })
        .collect()
}

fn long_name_caseless(text: &str) -> Vec<String> {
    let mut messages = Vec::new();
    if text.len() > name::DNS_SUBDOMAIN_BYTES_MAX {
        messages.push(name::max_len_message(name::DNS_SUBDOMAIN_BYTES_MAX));
    }
    // Go's (?i) also folds the Kelvin sign and the long s to k and s.
    let folded: String = text
        .chars()
        .map(|it| match it {
            '\u{212a}' => 'k',
            '\u{17f}' => 's',
            it => it.to_ascii_lowercase(),
        })
        .collect();
    if !name::matches_dns_1123_subdomain(&folded) {
        messages.push(name::pattern_message(
            "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
            name::DNS_1123_SUBDOMAIN_PATTERN,
            &["Example.com"],
        ));
    }
    messages
}

fn uuid(text: &str) -> Vec<String> {
    let fits = text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        });
    if fits { Vec::new() } else { vec!["must be a lowercase UUID in 8-4-4-4-12 format".into()] }
}

fn resource_pool_name(path: &Path<'_>, text: &str) -> Vec<Error> {
    let mut errors = Vec::new();
    if text.len() > 253 {
        errors.push(Error::too_long(path, 253));
    }
    for (at, part) in text.split('/').enumerate() {
        if part.is_empty() {
            let detail = format!("segment {at}: must not be empty");
            errors.push(Error::invalid(path, text, detail));
            continue;
        }
        for message in in_bytes(name::dns_1123_subdomain(part)) {
            errors.push(Error::invalid(path, part, format!("segment {at}: {message}")));
        }
    }
    errors
}

fn extended_resource_name(text: &str) -> Vec<String> {
    let mut messages = Vec::new();
    if !text.contains('/') {
        messages
            .push("a name must be a domain-prefixed path, such as 'example.com/my-prop'".into());
    } else if text.contains("kubernetes.io/") {
        messages.push("must not have \"kubernetes.io/\" domain".into());
    }
    if text.starts_with("requests.") {
        messages.push("must not have \"requests.\" prefix".into());
    }
    messages.extend(name::qualified_name(&format!("requests.{text}")));
    messages
}

fn fully_qualified_name(path: &Path<'_>, text: &str) -> Vec<Error> {
    let mut errors = Vec::new();
    let parts: Vec<&str> = text.split('/').collect();
    match parts.as_slice() {
        [name] => errors.extend(c_identifier(path, name)),
        [prefix, name] => {
            if prefix.is_empty() {
                errors.push(Error::invalid(path, "", "prefix must not be empty"));
            } else {
                if prefix.len() > 63 {
                    errors.push(Error::too_long(path, 63));
                }
                for message in in_bytes(name::dns_1123_subdomain(prefix)) {
                    errors.push(Error::invalid(path, *prefix, format!("prefix: {message}")));
                }
            }
            if name.is_empty() {
                errors.push(Error::invalid(path, "", "name must not be empty"));
            } else {
                errors.extend(c_identifier(path, name));
            }
        }
        _ => {}
    }
    if !text.contains('/') {
        let detail = "a fully qualified name must be a domain and a name separated by a slash";
        errors.push(Error::invalid(path, text, detail));
    }
    errors
}

fn c_identifier(path: &Path<'_>, text: &str) -> Vec<Error> {
    let mut errors = Vec::new();
    if text.len() > 32 {
        errors.push(Error::too_long(path, 32));
    }
    let word = |it: char| it.is_ascii_alphanumeric() || it == '_';
    let fits = text.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_')
        && text.chars().all(word);
    if !fits {
        let message = name::pattern_message(
            "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_'",
            "[A-Za-z_][A-Za-z0-9_]*",
            &["my_name", "MY_NAME", "MyName"],
        );
        errors.push(Error::invalid(path, text, message));
    }
    errors
}
