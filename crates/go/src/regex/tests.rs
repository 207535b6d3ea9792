//! Go's syntax, messages and bounds.

use super::*;

fn matches(pattern: &str, text: &str) -> bool {
    GoRegex::new(pattern).expect("a valid expression").is_match(text)
}

fn weight(pattern: &str) -> usize {
    GoPattern::read(pattern).weight()
}

fn fails(pattern: &str) -> String {
    GoRegex::new(pattern).err().map(|e| e.to_string()).unwrap_or_default()
}

#[test]
fn classes_are_ascii_and_quirks_are_gos() {
    assert!(matches(r"^\d+$", "123"));
    assert!(!matches(r"^\d+$", "١٢٣"));
    assert!(!matches(r"^\s$", "\u{b}"));
    assert!(matches(r"^\Qa.b\E$", "a.b"));
    assert!(matches(r"^a{,2}$", "a{,2}"));
    assert!(matches(r"^\101$", "A"));
    assert!(matches("^[a&&b]+$", "a&b"));
    assert!(matches("^[[:alpha:]-]+$", "a-b"));
    assert!(matches(r"^[\d\-a]+$", "1-a"));
    assert!(matches(r"^[a-z0-9-\.]+$", "a-1."));
    assert!(matches(r"(?i)^HELLO$", "hello"));
    assert!(matches(r"^(?P<n>a)(?<m>b)$", "ab"));
    assert!(matches(r"^\p{Greek}\pL$", "αx"));
    assert!(matches(r"\bfoo\b", "a foo"));
    assert!(matches(r"^[^]a]$", "b"));
    assert!(matches("^(a|b)*?c$", "abc"));
    assert!(matches("^é+$", "éé"));
    assert!(matches("^*", "x"));
}

#[test]
fn errors_are_gos() {
    for (pattern, expected) in [
        ("(", "missing closing ): `(`"),
        (")", "unexpected ): `)`"),
        ("*a", "missing argument to repetition operator: `*`"),
        ("a**", "invalid nested repetition operator: `**`"),
        ("[a", "missing closing ]: `[a`"),
        ("[z-a]", "invalid character class range: `z-a`"),
        (r"\8", r"invalid escape sequence: `\8`"),
        (r"\Z", r"invalid escape sequence: `\Z`"),
        ("a{1001}", "invalid repeat count: `{1001}`"),
        ("(a{100}){100}", "invalid repeat count: `{100}`"),
        ("(?<=a)", "invalid or unsupported Perl syntax: `(?<`"),
        ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
        (r"\p{Foo}", r"invalid character class range: `\p{Foo}`"),
        ("(?P<n", "invalid named capture: `(?P<n`"),
        ("\\", "trailing backslash at end of expression: ``"),
    ] {
        assert_eq!(fails(pattern), format!("error parsing regexp: {expected}"), "{pattern}");
    }
}

#[test]
fn sizes_are_those_of_the_programs() {
    assert!(weight("^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$") < 200);
    assert!(weight("[ab]*a[ab]{900}c") > 900);
    assert!(weight(r"(\pL{10}){10}") > 10_000);
    assert!(weight(r"\pN{100}") > weight(r"\p{Greek}{100}"));
    assert_eq!(weight("abc"), 4);
}

#[test]
fn programs_beyond_bounds_are_refused_before_they_are_built() {
    for pattern in [r"^(\pL{1000}|\pN{1000})$".to_owned(), r"\pL".repeat(300_000)] {
        let expected = format!("error parsing regexp: expression too large: `{pattern}`");
        assert_eq!(fails(&pattern), expected);
    }
}
