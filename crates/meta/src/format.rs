//! Formats of texts by name, with the words in which the API refuses what does not have them.
//!
//! Whoever only asks whether a text has a format, and whoever explains why not, asks here.

use ordain_value::{Value, go_quote};

use crate::{name, net, resource_name};

/// Checks a text: what is wrong with it, nothing when it has the format.
pub type Problems = fn(&str) -> Vec<String>;

/// Every format of texts, sorted by name.
pub const ALL: [(&str, Problems); 34] = [
    ("canonical-cidr", net::canonical_cidr),
    ("canonical-ip", net::canonical_ip),
    ("condition-reason", condition_reason),
    ("config-key", config_key),
    ("container-resource-name", resource_name::container_problems),
    ("descending-path", descending_path),
    ("dns-1035-label", name::dns_1035_label),
    ("dns-label", name::dns_1123_label),
    ("dns-label-prefix", |text| name::label_rule(text, true)),
    ("dns-search-path", dns_search_path),
    ("dns-subdomain", name::dns_1123_subdomain),
    ("dns-subdomain-prefix", |text| name::subdomain_rule(text, true)),
    ("endpoint-ip", net::endpoint_ip),
    ("env-var-name", env_var_name),
    ("feature-name", feature_name),
    ("http-header-name", http_header_name),
    ("interface-address", net::interface_address),
    ("iscsi-name", iscsi_name),
    ("label-value", name::label_value),
    ("legacy-cidr", net::cidr_problems),
    ("legacy-ip", net::ip_problems),
    ("path-segment-name", |text| name::path_segment_rule(text, false)),
    ("path-without-backsteps", path_without_backsteps),
    ("percent", percent),
    ("port-name", net::port_name),
    (PORT, net::port_name),
    ("qualified-name", name::qualified_name),
    ("quota-resource-name", resource_name::quota_problems),
    ("resource-name", resource_name::problems),
    ("share-id", share_id),
    ("sysctl-name", sysctl_name),
    ("unreserved-path", unreserved_path),
    ("wildcard-dns-subdomain", wildcard_dns_subdomain),
    ("windows-user-name", windows_user_name),
];

/// The one format that numbers may have, too.
const PORT: &str = "port-number-or-name";

/// Where the names with each first letter begin, and where the last of them ends: nearly every rule
/// about a text asks for its format by name.
const FIRST: [usize; 27] = {
    let mut first = [0; 27];
    let mut letter = 0;
    let mut at = 0;
    while letter < 26 {
        first[letter] = at;
        while at < ALL.len() && ALL[at].0.as_bytes()[0] as usize == b'a' as usize + letter {
            at += 1;
        }
        letter += 1;
    }
    assert!(at == ALL.len(), "formats are sorted, and begin with a letter");
    first[26] = ALL.len();
    first
};

/// The format with this name.
#[must_use]
pub fn find(name: &str) -> Option<Problems> {
    let letter = usize::from(name.bytes().next()?.checked_sub(b'a')?);
    let (begin, end) = (*FIRST.get(letter)?, *FIRST.get(letter + 1)?);
    let named = ALL.get(begin..end)?;
    named.iter().find(|it| it.0 == name).map(|it| it.1)
}

/// What is wrong with a value under a format. Only texts and numbers are checked.
#[must_use]
pub fn problems(name: &str, value: &Value) -> Vec<String> {
    match (value, find(name)) {
        (Value::Int(number), Some(_)) if name == PORT => {
            net::port_number(*number).map(str::to_owned).into_iter().collect()
        }
        (Value::Str(text), Some(problems)) => problems(text),
        _ => Vec::new(),
    }
}

/// A key of configuration data.
#[must_use]
pub fn config_key(key: &str) -> Vec<String> {
    const LEN_MAX: usize = 253;
    let mut problems = Vec::new();
    if key.len() > LEN_MAX {
        problems.push(format!("must be no more than {LEN_MAX} characters"));
    }
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    if key.is_empty() || !key.bytes().all(allowed) {
        problems.push(name::pattern_message(
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
            "[-._a-zA-Z0-9]+",
            &["key.name", "KEY_NAME", "key-name"],
        ));
    }
    if key == "." {
        problems.push("must not be '.'".to_owned());
    } else if key == ".." {
        problems.push("must not be '..'".to_owned());
    } else if key.starts_with("..") {
        problems.push("must not start with '..'".to_owned());
    }
    problems
}

/// The name of a feature that nodes declare: words in camel case with slashes between, the first one
/// with a capital.
fn feature_name(text: &str) -> Vec<String> {
    const BYTES_MAX: usize = 253;
    let quoted = go_quote(text);
    if text.len() > BYTES_MAX {
        let why = format!("must be no more than {BYTES_MAX} characters");
        return vec![format!("invalid feature name {quoted}: {why}")];
    }
    let word = |it: &str| {
        it.starts_with(|it: char| it.is_ascii_alphabetic())
            && it.bytes().all(|it| it.is_ascii_alphanumeric())
    };
    let starts = text.starts_with(|it: char| it.is_ascii_uppercase());
    if starts && text.split('/').all(word) {
        return Vec::new();
    }
    vec![format!(
        "invalid feature name {quoted}: must start with an UpperCamelCase segment, with subsequent \
         segments separated by '/' (e.g., MyFeature or MyFeature/mySubFeature), and contain only \
         alphanumeric characters and slashes"
    )]
}

/// Printable ASCII but `=`.
fn env_var_name(text: &str) -> Vec<String> {
    let wrong = text.chars().any(|it| !matches!(it, ' '..='~') || it == '=');
    reported(
        wrong,
        "a valid environment variable name must consist only of printable ASCII characters other \
         than '='",
    )
}

fn http_header_name(text: &str) -> Vec<String> {
    let allowed = |it: u8| it.is_ascii_alphanumeric() || it == b'-';
    if !text.is_empty() && text.bytes().all(allowed) {
        return Vec::new();
    }
    vec![name::pattern_message(
        "a valid HTTP header must consist of alphanumeric characters or '-'",
        "[-A-Za-z0-9]+",
        &["X-Header-Name"],
    )]
}

/// A path does not climb up.
fn path_without_backsteps(text: &str) -> Vec<String> {
    reported(text.split('/').any(|step| step == ".."), "must not contain '..'")
}

/// A relative path that does not climb up.
#[must_use]
pub fn descending_path(text: &str) -> Vec<String> {
    let mut problems = reported(text.starts_with('/'), "must be a relative path");
    problems.extend(path_without_backsteps(text));
    problems
}

/// A relative path that neither climbs up nor starts as the names that volumes keep for themselves.
fn unreserved_path(text: &str) -> Vec<String> {
    let mut problems = descending_path(text);
    let reserved = text.starts_with("..") && !text.starts_with("../");
    problems.extend(reported(reserved, "must not start with '..'"));
    problems
}

/// A share in whole percents.
fn percent(text: &str) -> Vec<String> {
    let digits = text.strip_suffix('%').unwrap_or("");
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Vec::new();
    }
    vec![name::pattern_message(
        "a valid percent string must be a numeric string followed by an ending '%'",
        "[0-9]+%",
        &["1%", "93%"],
    )]
}

/// A domain whose first part is any.
fn wildcard_dns_subdomain(text: &str) -> Vec<String> {
    let mut problems =
        reported(text.len() > name::DNS_SUBDOMAIN_BYTES_MAX, "must be no more than 253 characters");
    if !text.strip_prefix("*.").is_some_and(name::matches_dns_1123_subdomain) {
        problems.push(name::pattern_message(
            "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, \
             which must consist of lower case alphanumeric characters, '-' or '.' and end with an \
             alphanumeric character",
            &format!("\\*\\.{}", name::DNS_1123_SUBDOMAIN_PATTERN),
            &["*.example.com"],
        ));
    }
    problems
}

/// A word in the style of constants: letters first, no mark at the end.
fn condition_reason(text: &str) -> Vec<String> {
    let inner = |it: &u8| it.is_ascii_alphanumeric() || matches!(it, b'_' | b',' | b':');
    let bytes = text.as_bytes();
    let sound = bytes.first().is_some_and(u8::is_ascii_alphabetic)
        && bytes.last().is_some_and(|it| it.is_ascii_alphanumeric() || *it == b'_')
        && bytes.iter().all(inner);
    if sound {
        return Vec::new();
    }
    vec![name::pattern_message(
        "a condition reason must start with alphabetic character, optionally followed by a string \
         of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
        "[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?",
        &["my_name", "MY_NAME", "MyName", "ReasonA,ReasonB", "ReasonA:ReasonB"],
    )]
}

/// An identifier of 36 lower case characters.
fn share_id(text: &str) -> Vec<String> {
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
        Err(why) => vec![format!("error validating uid: {why}")],
        Ok(()) if text.len() != 36 || text.bytes().any(|it| it.is_ascii_uppercase()) => vec![
            "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with \
             lowercase hexadecimal characters"
                .to_owned(),
        ],
        Ok(()) => Vec::new(),
    }
}

/// The name of a parameter of the kernel.
fn sysctl_name(text: &str) -> Vec<String> {
    const LEN_MAX: usize = 253;
    reported(
        text.len() > LEN_MAX || !is_sysctl(text),
        "must have at most 253 characters and match regex \
         ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$",
    )
}

fn is_sysctl(name: &str) -> bool {
    let is_word = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit();
    name.split(['.', '/']).all(|part| {
        let bytes = part.as_bytes();
        bytes.first().is_some_and(|it| is_word(*it))
            && bytes.last().is_some_and(|it| is_word(*it))
            && bytes.iter().all(|it| is_word(*it) || matches!(it, b'-' | b'_'))
    })
}

/// The name of an iSCSI node, which has one of three forms.
fn iscsi_name(text: &str) -> Vec<String> {
    let all_alphanumeric = |rest: &str, len: usize| {
        let mut chars = rest.chars();
        let separator = chars.next().is_some_and(|it| it != '\n');
        let rest = chars.as_str();
        separator && rest.len() == len && rest.bytes().all(|it| it.is_ascii_alphanumeric())
    };
    let sound = match text.get(..3) {
        Some("iqn") => has_iqn(text),
        Some("eui") => all_alphanumeric(&text[3..], 16),
        Some("naa") => all_alphanumeric(&text[3..], 32),
        _ => return reported(true, "must be valid format starting with iqn, eui, or naa"),
    };
    reported(!sound, "must be valid format")
}

/// Whether a text ends in `iqn.<year>-<month>.<authority>:<name>`.
fn has_iqn(text: &str) -> bool {
    let is_date = |date: &str| {
        let bytes = date.as_bytes();
        bytes.len() == 8
            && bytes[4] == b'-'
            && bytes[7] == b'.'
            && [0, 1, 2, 3, 5, 6].iter().all(|at| bytes[*at].is_ascii_digit())
    };
    let is_rest = |rest: &str| {
        let authority = |it: &str| {
            !it.is_empty()
                && it.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte))
        };
        let is_name = |it: &str| {
            let bad =
                |c: char| ",;*&$|".contains(c) || matches!(c, '\t' | '\n' | '\x0c' | '\r' | ' ');
            !it.is_empty() && !it.contains(bad)
        };
        rest.split_once(':').is_some_and(|(before, after)| authority(before) && is_name(after))
    };
    text.match_indices("iqn.").any(|(at, _)| {
        let rest = &text[at + 4..];
        rest.get(..8).is_some_and(is_date) && rest.get(8..).is_some_and(is_rest)
    })
}

/// `DOMAIN\user` or `user`
fn windows_user_name(text: &str) -> Vec<String> {
    if text.is_empty() {
        return reported(true, "runAsUserName cannot be an empty string");
    }
    if text.bytes().any(|it| it.is_ascii_control()) {
        return reported(true, "runAsUserName cannot contain control characters");
    }
    let parts: Vec<&str> = text.split('\\').collect();
    let (domain, user) = match parts[..] {
        [user] => (None, user),
        [domain, user] => (Some(domain), user),
        _ => return reported(true, "runAsUserName cannot contain more than one backslash"),
    };
    let domain_len = domain.map_or(0, str::len);
    let only_dots = !user.is_empty() && user.chars().all(|it| matches!(it, '.' | ' '));
    let problems = [
        (domain_len >= 256, "runAsUserName's Domain length must be under 256 characters"),
        (
            domain.is_some_and(|it| !is_net_bios(it) && !is_dns(it)),
            "runAsUserName's Domain doesn't match the NetBios nor the DNS format",
        ),
        (user.is_empty(), "runAsUserName's User cannot be empty"),
        (user.len() > 104, "runAsUserName's User length must not be longer than 104 characters"),
        (only_dots, "runAsUserName's User cannot contain only periods or spaces"),
        (
            user.contains(|it| "\"/\\:;|=,+*?<>@[]".contains(it)),
            "runAsUserName's User cannot contain the following characters: \"/\\:;|=,+*?<>@[]",
        ),
    ];
    problems.into_iter().filter(|it| it.0).map(|it| it.1.to_owned()).collect()
}

fn is_net_bios(text: &str) -> bool {
    let bad = |it: char| "\\/:*?\"<>|".contains(it);
    let count = text.chars().count();
    (1..=15).contains(&count) && !text.starts_with('.') && !text.contains(bad)
}

fn is_dns(text: &str) -> bool {
    text.split('.').all(|label| {
        let bytes = label.as_bytes();
        (1..=63).contains(&bytes.len())
            && bytes.iter().all(|it| it.is_ascii_alphanumeric() || *it == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    })
}

/// A subdomain whose labels may begin with and have underscores; a dot may end it, or be all of it.
fn dns_search_path(text: &str) -> Vec<String> {
    if text == "." {
        return Vec::new();
    }
    let text = text.strip_suffix('.').unwrap_or(text);
    let is_word = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit();
    let is_label = |label: &str| {
        let bytes = label.strip_prefix('_').unwrap_or(label).as_bytes();
        bytes.first().is_some_and(|it| is_word(*it))
            && bytes.last().is_some_and(|it| is_word(*it))
            && bytes.iter().all(|it| is_word(*it) || matches!(it, b'-' | b'_'))
    };
    let mut problems = Vec::new();
    if text.len() > name::DNS_SUBDOMAIN_BYTES_MAX {
        problems.push(name::max_len_message(name::DNS_SUBDOMAIN_BYTES_MAX));
    }
    if !text.split('.').all(is_label) {
        problems.push(name::pattern_message(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, \
             '_', '-' or '.', and must start and end with an alphanumeric character",
            "_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*",
            &["example.com"],
        ));
    }
    problems
}

fn reported(wrong: bool, problem: &str) -> Vec<String> {
    if wrong { vec![problem.to_owned()] } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_names_in_order() {
        assert!(ALL.windows(2).all(|it| it[0].0 < it[1].0));
        for (name, problems) in ALL {
            assert!(find(name).is_some_and(|it| std::ptr::fn_addr_eq(it, problems)), "{name}");
        }
        for name in ["", "z", "Z", "dns", "dns-labels", "\u{e4}"] {
            assert!(find(name).is_none(), "{name}");
        }
    }

    #[test]
    fn texts_are_judged_by_the_name_of_a_format() {
        let cases = [
            ("dns-label", "a.b", 1),
            ("dns-label", "ab", 0),
            ("config-key", "..data", 1),
            ("descending-path", "/a/..", 2),
            ("unreserved-path", "..a", 1),
            ("unreserved-path", "../a", 1),
            ("env-var-name", "A=B", 1),
            ("http-header-name", "", 1),
            (PORT, "http", 0),
            ("share-id", "123e4567-e89b-12d3-a456-426614174000", 0),
            ("share-id", "123E4567-e89b-12d3-a456-426614174000", 1),
            ("share-id", "abc", 1),
            ("wildcard-dns-subdomain", "*.example.com", 0),
            ("wildcard-dns-subdomain", "*example.com", 1),
        ];
        for (format, text, count) in cases {
            assert_eq!(problems(format, &text.into()).len(), count, "{format} {text}");
        }
        assert_eq!(problems(PORT, &0.into()), ["must be between 1 and 65535, inclusive"]);
        assert!(problems(PORT, &80.into()).is_empty());
    }
}
