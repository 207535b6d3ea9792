//! Names of properties as expressions write them.

use ordain_cel::syntax::is_reserved;

/// The identifier that stands for a property; none when expressions cannot name it.
pub(crate) fn escape(name: &str) -> Option<String> {
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    if is_reserved(name) {
        return Some(format!("__{name}__"));
    }
    let mut out = String::with_capacity(name.len());
    let mut chars = name.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '_' if chars.next_if_eq(&'_').is_some() => out.push_str("__underscores__"),
            '.' => out.push_str("__dot__"),
            '-' => out.push_str("__dash__"),
            '/' => out.push_str("__slash__"),
            '_' => out.push('_'),
            c if c.is_ascii_alphanumeric() => out.push(c),
            _ => return None,
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn names_are_escaped_as_rules_write_them() {
        let cases = [
            ("a", Some("a")),
            ("a_b", Some("a_b")),
            ("a__b", Some("a__underscores__b")),
            ("a___b", Some("a__underscores___b")),
            ("a-b.c/d", Some("a__dash__b__dot__c__slash__d")),
            ("namespace", Some("__namespace__")),
            ("namespaces", Some("namespaces")),
            (".a", Some("__dot__a")),
            ("1a", None),
            ("a b", None),
            ("é", None),
            ("", None),
        ];
        for (name, escaped) in cases {
            assert_eq!(escape(name).as_deref(), escaped, "{name}");
        }
    }
}
