//! The text that a merge patch makes of the text of an object, as refusals show it.
//!
//! The library that kube-apiserver uses opens only what the patch reaches into: there members are
//! sorted, and everything else keeps the text that it had, in the object or in the patch.

use std::collections::BTreeMap;

use ordain_value::json;

use super::{PATCH_DEPTH_MAX, raw};

/// Applies a merge patch to a text. Both are well-formed.
pub fn apply_text(current: &str, patch: &[u8]) -> String {
    let mut out = String::new();
    merge(current.as_bytes(), patch, &mut out, 0);
    json::escape_html(&out)
}

fn merge(current: &[u8], patch: &[u8], out: &mut String, depth: usize) {
    if !is_object(current) {
        return pruned(patch, out, depth);
    }
    if !is_object(patch) || depth > PATCH_DEPTH_MAX {
        return copy(patch, out);
    }
    let mut members: BTreeMap<String, (Option<&[u8]>, Option<&[u8]>)> = BTreeMap::new();
    for entry in raw::entries(current, 0) {
        members.entry(entry.key).or_default().0 = Some(entry.text).filter(|it| !is_null(it));
    }
    for entry in raw::entries(patch, 0) {
        if is_null(entry.text) {
            members.remove(&entry.key);
        } else {
            members.entry(entry.key).or_default().1 = Some(entry.text);
        }
    }
    braced(out, members.into_iter(), |(key, (old, new)), out| {
        write_key(&key, out);
        match (old, new) {
            (Some(old), Some(new)) => merge(old, new, out, depth + 1),
            (None, Some(new)) => pruned(new, out, depth + 1),
            (Some(old), None) => copy(old, out),
            (None, None) => out.push_str("null"),
        }
    });
}

/// A text without the null members of its objects.
fn pruned(text: &[u8], out: &mut String, depth: usize) {
    let first = text.trim_ascii_start().first();
    match first {
        _ if depth > PATCH_DEPTH_MAX => copy(text, out),
        Some(b'{') => {
            let members: BTreeMap<String, &[u8]> =
                raw::entries(text, 0).into_iter().map(|it| (it.key, it.text)).collect();
            let members = members.into_iter().filter(|it| !is_null(it.1));
            braced(out, members, |(key, text), out| {
                write_key(&key, out);
                pruned(text, out, depth + 1);
            });
        }
        Some(b'[') => {
            out.push('[');
            for (at, (_, item)) in raw::items(text, 0).into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                pruned(item, out, depth + 1);
            }
            out.push(']');
        }
        _ => copy(text, out),
    }
}

fn braced<T>(
    out: &mut String,
    members: impl Iterator<Item = T>,
    mut write: impl FnMut(T, &mut String),
) {
    out.push('{');
    for (at, member) in members.enumerate() {
        if at > 0 {
            out.push(',');
        }
        write(member, out);
    }
    out.push('}');
}

fn write_key(key: &str, out: &mut String) {
    out.push_str(&json::encode_string(&key.into()));
    out.push(':');
}

/// The text without the blanks between its tokens.
fn copy(text: &[u8], out: &mut String) {
    let mut in_string = false;
    let mut escaped = false;
    let kept = text.iter().copied().filter(|byte| {
        let is_text = in_string;
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ => {}
        }
        is_text || !byte.is_ascii_whitespace()
    });
    out.push_str(&String::from_utf8_lossy(&kept.collect::<Vec<u8>>()));
}

fn is_object(text: &[u8]) -> bool {
    text.trim_ascii_start().first() == Some(&b'{')
}

fn is_null(text: &[u8]) -> bool {
    text.trim_ascii() == b"null"
}

#[cfg(test)]
mod tests {
    use super::apply_text;

    #[test]
    fn what_a_patch_does_not_reach_keeps_its_text() {
        let current = r#"{"b":{"z":1,"a":2},"a":[{"y":1,"x":2}]}"#;
        assert_eq!(
            apply_text(current, br#"{"c": {"z": 1.0, "y": null}}"#),
            r#"{"a":[{"y":1,"x":2}],"b":{"z":1,"a":2},"c":{"z":1.0}}"#
        );
    }

    #[test]
    fn what_it_reaches_into_is_sorted() {
        let current = r#"{"b":{"z":{"y":1,"x":2},"a":2}}"#;
        assert_eq!(
            apply_text(current, br#"{"b": {"a": "\u00e9"}}"#),
            r#"{"b":{"a":"\u00e9","z":{"y":1,"x":2}}}"#
        );
        assert_eq!(
            apply_text(current, br#"{"b": {"a": null, "c": [null, {"e": 1, "d": null}]}}"#),
            r#"{"b":{"c":[null,{"e":1}],"z":{"y":1,"x":2}}}"#
        );
    }

    #[test]
    fn an_object_that_gives_way_takes_the_text_of_the_patch() {
        assert_eq!(apply_text(r#"{"a":{"b":1}}"#, br#"{"a": [1, null]}"#), r#"{"a":[1,null]}"#);
        assert_eq!(
            apply_text(r#"{"a":"<"}"#, br#"{"b": "x & y"}"#),
            r#"{"a":"\u003c","b":"x \u0026 y"}"#
        );
    }
}
