//! Go's `strconv.Quote`, which Kubernetes' messages use for every quoted value.

use std::fmt::Write as _;

/// Quotes text as Go's `%q` does: printable characters stay, others become Go escapes.
pub fn go_quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\x07' => out.push_str("\\a"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x0b' => out.push_str("\\v"),
            c if is_print(c) => out.push(c),
            c if (c as u32) < 0x80 => {
                let _ = write!(out, "\\x{:02x}", c as u32);
            }
            c if (c as u32) < 0x1_0000 => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => {
                let _ = write!(out, "\\U{:08x}", c as u32);
            }
        }
    }
    out.push('"');
    out
}

/// Go's `unicode.IsPrint`, approximated by what Rust's debug escaping leaves alone: letters,
/// marks, numbers, punctuation, symbols and the ASCII space.
fn is_print(c: char) -> bool {
    match c {
        ' '..='~' => true,
        c if (c as u32) < 0xa1 => false,
        '\u{ad}' => false,
        // Grapheme extenders are escaped by Rust but printable (category M) in Go.
        c => {
            let mut escaped = c.escape_debug();
            escaped.next() == Some(c) || is_mark(c)
        }
    }
}

/// Combining marks that `escape_debug` escapes although Go prints them.
fn is_mark(c: char) -> bool {
    matches!(c as u32, 0x300..=0x36f | 0x483..=0x489 | 0x591..=0x5bd | 0x610..=0x61a
        | 0x64b..=0x65f | 0x900..=0x903 | 0x93a..=0x94f | 0xe31 | 0xe34..=0xe3a | 0xe47..=0xe4e
        | 0x1ab0..=0x1aff | 0x1dc0..=0x1dff | 0x20d0..=0x20f0 | 0x302a..=0x302f
        | 0x3099..=0x309a | 0xfe00..=0xfe0f | 0xfe20..=0xfe2f | 0xe0100..=0xe01ef)
}
