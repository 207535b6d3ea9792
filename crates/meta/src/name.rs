//! The name formats of the API: DNS labels and subdomains, qualified names, label values, path segments.
//!
//! Every rule returns the messages a client sees, and an empty list (no allocation) when the text is fine.

/// Longest DNS label in bytes.
pub const DNS_LABEL_BYTES_MAX: usize = 63;
/// Longest DNS subdomain in bytes.
pub const DNS_SUBDOMAIN_BYTES_MAX: usize = 253;
/// Longest label value in bytes.
pub const LABEL_VALUE_BYTES_MAX: usize = 63;
/// Longest name part of a label key in bytes.
pub const LABEL_KEY_NAME_BYTES_MAX: usize = 63;

/// Regular expression quoted in messages about DNS-1123 labels.
pub const DNS_1123_LABEL_PATTERN: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
/// Regular expression quoted in messages about DNS-1123 subdomains.
pub const DNS_1123_SUBDOMAIN_PATTERN: &str =
    r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
/// Regular expression quoted in messages about DNS-1035 labels.
pub const DNS_1035_LABEL_PATTERN: &str = "[a-z]([-a-z0-9]*[a-z0-9])?";

const LABEL_KEY_PATTERN: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_KEY_MESSAGE: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

/// How a name is checked. The second argument says that the text is a `generateName` prefix.
pub type Rule = fn(&str, bool) -> Vec<String>;

/// "must be no more than N bytes".
#[must_use]
pub fn max_len_message(bytes_max: usize) -> String {
    format!("must be no more than {bytes_max} bytes")
}

/// "must be no more than N characters", as the DNS formats say it, though they count bytes too.
fn max_len_characters(bytes_max: usize) -> String {
    format!("must be no more than {bytes_max} characters")
}

/// Explains a failed pattern, with examples.
#[must_use]
pub fn pattern_message(message: &str, pattern: &str, examples: &[&str]) -> String {
    let mut out = String::from(message);
    if examples.is_empty() {
        out.push_str(" (regex used for validation is '");
    } else {
        out.push_str(" (e.g. ");
        for (i, example) in examples.iter().enumerate() {
            if i > 0 {
                out.push_str(" or ");
            }
            out.push('\'');
            out.push_str(example);
            out.push_str("', ");
        }
        out.push_str("regex used for validation is '");
    }
    out.push_str(pattern);
    out.push_str("')");
    out
}

/// Whether the text has the shape of a DNS-1123 label, whatever its length.
#[must_use]
pub fn matches_dns_1123_label(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return false;
    };
    is_lower_alphanumeric(*first)
        && is_lower_alphanumeric(*last)
        && bytes.iter().all(|b| is_lower_alphanumeric(*b) || *b == b'-')
}

/// Whether the text has the shape of a DNS-1123 subdomain, whatever its length.
#[must_use]
pub fn matches_dns_1123_subdomain(text: &str) -> bool {
    text.split('.').all(matches_dns_1123_label)
}

/// A DNS-1123 label.
#[must_use]
pub fn dns_1123_label(text: &str) -> Vec<String> {
    let mut messages = Vec::new();
    if text.len() > DNS_LABEL_BYTES_MAX {
        messages.push(max_len_characters(DNS_LABEL_BYTES_MAX));
    }
    if !matches_dns_1123_label(text) {
        messages.push(if matches_dns_1123_subdomain(text) {
            "must not contain dots".to_owned()
        } else {
            pattern_message(
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
                DNS_1123_LABEL_PATTERN,
                &["my-name", "123-abc"],
            )
        });
    }
    messages
}

/// A DNS-1123 subdomain: labels joined by dots, each label of any length.
#[must_use]
pub fn dns_1123_subdomain(text: &str) -> Vec<String> {
    subdomain_messages(text, max_len_characters)
}

fn subdomain_messages(text: &str, max_len: fn(usize) -> String) -> Vec<String> {
    let mut messages = Vec::new();
    if text.len() > DNS_SUBDOMAIN_BYTES_MAX {
        messages.push(max_len(DNS_SUBDOMAIN_BYTES_MAX));
    }
    if !matches_dns_1123_subdomain(text) {
        messages.push(pattern_message(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
            DNS_1123_SUBDOMAIN_PATTERN,
            &["example.com"],
        ));
    }
    messages
}

/// A DNS-1035 label: as DNS-1123, but it starts with a letter.
#[must_use]
pub fn dns_1035_label(text: &str) -> Vec<String> {
    let mut messages = Vec::new();
    if text.len() > DNS_LABEL_BYTES_MAX {
        messages.push(max_len_characters(DNS_LABEL_BYTES_MAX));
    }
    let starts_with_letter = text.bytes().next().is_some_and(|b| b.is_ascii_lowercase());
    if !starts_with_letter || !matches_dns_1123_label(text) {
        messages.push(pattern_message(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
            DNS_1035_LABEL_PATTERN,
            &["my-name", "abc-123"],
        ));
    }
    messages
}

/// A qualified name, which is a label key: an optional DNS subdomain, a slash, and a name.
#[must_use]
pub fn qualified_name(text: &str) -> Vec<String> {
    let mut messages = Vec::new();
    let name = match text.split_once('/') {
        None => text,
        Some((_, rest)) if rest.contains('/') => {
            messages.push(format!(
                "a valid label key {} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
                label_key_pattern_message()
            ));
            return messages;
        }
        Some((prefix, rest)) => {
            if prefix.is_empty() {
                messages.push("prefix part must be non-empty".to_owned());
            } else {
                messages.extend(
                    subdomain_messages(prefix, max_len_message)
                        .into_iter()
                        .map(|message| format!("prefix part {message}")),
                );
            }
            rest
        }
    };
    if name.is_empty() {
        messages.push("name part must be non-empty".to_owned());
    } else if name.len() > LABEL_KEY_NAME_BYTES_MAX {
        messages.push(format!("name part {}", max_len_message(LABEL_KEY_NAME_BYTES_MAX)));
    }
    if !matches_label_text(name) {
        messages.push(format!("name part {}", label_key_pattern_message()));
    }
    messages
}

/// A label value: empty, or the same characters as the name part of a key.
#[must_use]
pub fn label_value(text: &str) -> Vec<String> {
    let mut messages = Vec::new();
    if text.len() > LABEL_VALUE_BYTES_MAX {
        messages.push(max_len_message(LABEL_VALUE_BYTES_MAX));
    }
    if !text.is_empty() && !matches_label_text(text) {
        messages.push(pattern_message(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
            "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?",
            &["MyValue", "my_value", "12345"],
        ));
    }
    messages
}

/// Rule for names that are DNS subdomains (most kinds, and every custom resource).
#[must_use]
pub fn subdomain_rule(text: &str, prefix: bool) -> Vec<String> {
    if prefix { dns_1123_subdomain(&mask_trailing_dash(text)) } else { dns_1123_subdomain(text) }
}

/// The same rule for kinds whose declaration states it: it speaks of bytes.
#[must_use]
pub fn declared_subdomain_rule(text: &str, prefix: bool) -> Vec<String> {
    let said = max_len_characters(DNS_SUBDOMAIN_BYTES_MAX);
    let problems = subdomain_rule(text, prefix).into_iter();
    problems
        .map(|it| if it == said { max_len_message(DNS_SUBDOMAIN_BYTES_MAX) } else { it })
        .collect()
}

/// Rule for names that are DNS-1123 labels (namespaces).
#[must_use]
pub fn label_rule(text: &str, prefix: bool) -> Vec<String> {
    if prefix { dns_1123_label(&mask_trailing_dash(text)) } else { dns_1123_label(text) }
}

/// Rule for names that are DNS-1035 labels (services).
#[must_use]
pub fn label_1035_rule(text: &str, prefix: bool) -> Vec<String> {
    if prefix { dns_1035_label(&mask_trailing_dash(text)) } else { dns_1035_label(text) }
}

/// Rule for names that only have to be usable as one segment of a URL path.
#[must_use]
pub fn path_segment_rule(text: &str, prefix: bool) -> Vec<String> {
    if !prefix && (text == "." || text == "..") {
        return vec![format!("may not be '{text}'")];
    }
    ["/", "%"]
        .into_iter()
        .filter(|forbidden| text.contains(forbidden))
        .map(|forbidden| format!("may not contain '{forbidden}'"))
        .collect()
}

/// The rule for names of a format, as tags name it.
#[must_use]
pub fn rule_of_format(format: &str) -> Option<Rule> {
    Some(match format.trim_matches('\'') {
        "dns1123subdomain" => subdomain_rule,
        "dns1123label" => label_rule,
        "dns1035label" => label_1035_rule,
        "pathsegment" => path_segment_rule,
        _ => return None,
    })
}

/// Stands in for the suffix that a generated name will get. The last *two* bytes give way to one `a`: that is
/// what the API has always done, and it shows in which prefixes pass.
fn mask_trailing_dash(text: &str) -> std::borrow::Cow<'_, str> {
    if text.len() > 1 && text.ends_with('-') {
        let mut bytes = text.as_bytes()[..text.len() - 2].to_vec();
        bytes.push(b'a');
        String::from_utf8_lossy(&bytes).into_owned().into()
    } else {
        text.into()
    }
}

fn label_key_pattern_message() -> String {
    pattern_message(LABEL_KEY_MESSAGE, LABEL_KEY_PATTERN, &["MyName", "my.name", "123-abc"])
}

fn matches_label_text(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (Some(first), Some(last)) = (bytes.first(), bytes.last()) else {
        return false;
    };
    first.is_ascii_alphanumeric()
        && last.is_ascii_alphanumeric()
        && bytes.iter().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
}

fn is_lower_alphanumeric(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_with_dots_is_told_apart_from_a_malformed_one() {
        assert_eq!(dns_1123_label("a.b"), ["must not contain dots"]);
        assert!(dns_1123_label("A")[0].starts_with("a lowercase RFC 1123 label"));
        assert!(dns_1123_label("a-b").is_empty());
    }

    #[test]
    fn qualified_names_explain_prefix_and_name_apart() {
        assert!(qualified_name("example.com/a").is_empty());
        assert_eq!(qualified_name("/a"), ["prefix part must be non-empty"]);
        assert_eq!(qualified_name("a/").len(), 2);
        assert!(qualified_name("a/b/c")[0].starts_with("a valid label key must consist"));
    }

    #[test]
    fn a_generated_name_may_end_in_a_dash() {
        assert!(subdomain_rule("abc-", true).is_empty());
        assert!(!subdomain_rule("abc-", false).is_empty());
        // Two bytes are replaced, so a double dash passes too.
        assert!(subdomain_rule("ab--", true).is_empty());
        assert!(!subdomain_rule("-", true).is_empty());
    }

    #[test]
    fn path_segments_refuse_dots_slashes_and_percent_signs() {
        assert_eq!(path_segment_rule("..", false), ["may not be '..'"]);
        assert!(path_segment_rule("..", true).is_empty());
        assert_eq!(path_segment_rule("a/%", false), ["may not contain '/'", "may not contain '%'"]);
    }
}
