//! PEM blocks in a text, as Go finds them: what stands before and between them is passed over.

use ordain_schema::base64;

/// A block.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) kind: String,
    pub(super) has_headers: bool,
    pub(super) bytes: Vec<u8>,
}

const BEGIN: &str = "-----BEGIN ";
const END: &str = "-----END ";
const DASHES: &str = "-----";

/// The first block and what follows it; `None` when there is none.
pub(super) fn decode(text: &str) -> Option<(Block, &str)> {
    let mut rest = text;
    loop {
        let at = find_begin(rest)?;
        let after = &rest[at + BEGIN.len()..];
        match block(after) {
            Some(found) => return Some(found),
            None => rest = after,
        }
    }
}

/// Where a line begins that opens a block.
fn find_begin(text: &str) -> Option<usize> {
    text.match_indices(BEGIN)
        .map(|it| it.0)
        .find(|at| *at == 0 || text.as_bytes().get(at.wrapping_sub(1)) == Some(&b'\n'))
}

fn block(after: &str) -> Option<(Block, &str)> {
    let (line, body) = after.split_once('\n').unwrap_or((after, ""));
    let kind = line.trim_end_matches([' ', '\t', '\r']).strip_suffix(DASHES)?;
    let end = format!("{END}{kind}{DASHES}");
    let at = if body.starts_with(&end) { 0 } else { body.find(&format!("\n{end}"))? + 1 };
    let (content, tail) = (&body[..at], &body[at + end.len()..]);
    let (closing, rest) = tail.split_once('\n').unwrap_or((tail, ""));
    if !closing.trim_matches([' ', '\t', '\r']).is_empty() {
        return None;
    }
    let is_header = |line: &&str| line.contains(':');
    let headers = content.lines().take_while(is_header).count();
    let data: String = content
        .lines()
        .skip(headers)
        .flat_map(str::chars)
        .filter(|it| !matches!(it, ' ' | '\t' | '\r'))
        .collect();
    let bytes = base64::decode(&data).ok()?;
    Some((Block { kind: kind.to_owned(), has_headers: headers > 0, bytes }, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_among_other_text() {
        let text = "hello\n-----BEGIN A B-----\nAQI=\n-----END A B-----\nrest";
        let (block, rest) = decode(text).unwrap();
        assert_eq!(
            (block.kind.as_str(), block.bytes.as_slice(), rest),
            ("A B", &[1, 2][..], "rest")
        );
        assert!(decode("-----BEGIN A-----\nAQI=\n-----END B-----\n").is_none());
        assert!(decode("x -----BEGIN A-----\nAQI=\n-----END A-----\n").is_none());
        let empty = "-----BEGIN A-----\n-----END A-----";
        assert_eq!(decode(empty).unwrap().0.bytes, Vec::<u8>::new());
    }
}
