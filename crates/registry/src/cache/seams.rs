//! Where the bytes of a stored object are cut to be shown.
//!
//! Stored objects have no resourceVersion, and items of typed lists have no type. Both are a
//! matter of copying the bytes around a few places, found once.

use std::ops::Range;

use bytes::Bytes;
use ordain_storage::Revision;

/// Places in the canonical JSON of an object: keys sorted, no white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seams {
    /// The members `apiVersion` and `kind` with the comma behind them.
    types: [(usize, usize); 2],
    /// Where the resourceVersion goes, and whether a comma stands before or behind it.
    version_at: usize,
    comma_before: bool,
    comma_behind: bool,
}

impl Seams {
    /// Finds the places; none if the bytes are no object with metadata in canonical form.
    pub(crate) fn find(bytes: &[u8]) -> Option<Self> {
        let mut types = [(0, 0); 2];
        let mut members = Members::new(bytes, 0)?;
        // Keys are sorted: what comes behind the metadata has no seams.
        let metadata = loop {
            let (key, value) = members.key()?;
            if key == b"metadata" {
                break value;
            }
            let member = members.member()?;
            let whole = (member.start, member.end + 1);
            match key {
                b"apiVersion" if bytes.get(member.end) == Some(&b',') => types[0] = whole,
                b"kind" if bytes.get(member.end) == Some(&b',') => types[1] = whole,
                _ => {}
            }
        };
        let mut seams = Self { types, version_at: 0, comma_before: false, comma_behind: false };
        let mut end = metadata + 1;
        for member in Members::new(bytes, metadata)? {
            let member = member?;
            if member.key > b"resourceVersion".as_slice() {
                seams.version_at = member.start;
                seams.comma_behind = true;
                return Some(seams);
            }
            if member.key == b"resourceVersion" {
                return None;
            }
            seams.comma_before = true;
            end = member.end;
        }
        seams.version_at = end;
        Some(seams)
    }

    /// Writes the object as it is at a revision.
    pub(crate) fn write(&self, bytes: &[u8], revision: Revision, typed: bool, out: &mut Vec<u8>) {
        out.reserve(bytes.len() + 48);
        self.each(bytes.len(), revision, typed, |part| match part {
            Part::Stored(range) => out.extend_from_slice(bytes.get(range).unwrap_or_default()),
            Part::New(text) => out.extend_from_slice(text),
        });
    }

    /// The object as it is at a revision, in pieces that share the stored bytes.
    pub(crate) fn cut(&self, bytes: &Bytes, revision: Revision, typed: bool) -> Vec<Bytes> {
        let mut pieces = Vec::new();
        self.each(bytes.len(), revision, typed, |part| {
            pieces.push(match part {
                Part::Stored(range) => bytes.slice(range),
                Part::New(text) => Bytes::copy_from_slice(text),
            });
        });
        pieces
    }

    fn each(&self, len: usize, revision: Revision, typed: bool, mut part: impl FnMut(Part<'_>)) {
        let mut at = 0;
        if !typed {
            for (start, end) in self.types {
                if end > start {
                    part(Part::Stored(at..start));
                    at = end;
                }
            }
        }
        part(Part::Stored(at..self.version_at));
        let mut text = [0; MEMBER_BYTES];
        let at = self.write_version(revision, &mut text);
        part(Part::New(&text[at..]));
        part(Part::Stored(self.version_at..len));
    }

    /// Writes the member with the version at the end of a text, from behind; gives where it begins.
    fn write_version(&self, mut revision: Revision, text: &mut [u8; MEMBER_BYTES]) -> usize {
        let mut at = text.len();
        let mut put = |byte| {
            at -= 1;
            text[at] = byte;
        };
        if self.comma_behind {
            put(b',');
        }
        put(b'"');
        loop {
            put(b'0' + u8::try_from(revision % 10).unwrap_or(0));
            revision /= 10;
            if revision == 0 {
                break;
            }
        }
        b"\"resourceVersion\":\"".iter().rev().for_each(|byte| put(*byte));
        if self.comma_before && !self.comma_behind {
            put(b',');
        }
        at
    }
}

/// Room for the member with the largest version and its comma.
const MEMBER_BYTES: usize = 48;

/// A part of an object that is shown.
enum Part<'a> {
    Stored(Range<usize>),
    New(&'a [u8]),
}

/// Whether the bytes of a stored object are those of what a read shows, but for its resourceVersion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Showing {
    /// They may not be.
    Unknown,
    /// They are, and are cut here, if that was looked for.
    Bytes(Option<Seams>),
}

impl Showing {
    /// Looks where the bytes are cut.
    pub(crate) fn prepared(self, bytes: &[u8]) -> Self {
        match self {
            Self::Bytes(None) => {
                Seams::find(bytes).map_or(Self::Unknown, |it| Self::Bytes(Some(it)))
            }
            other => other,
        }
    }

    /// The JSON of the object at a revision, if it is known without writing it anew.
    pub(crate) fn json(self, bytes: &[u8], revision: Revision) -> Option<Vec<u8>> {
        let Self::Bytes(Some(seams)) = self.prepared(bytes) else { return None };
        let mut out = Vec::new();
        seams.write(bytes, revision, true, &mut out);
        Some(out)
    }
}

struct Member<'a> {
    key: &'a [u8],
    start: usize,
    end: usize,
}

/// The members of the JSON object that begins at a place.
struct Members<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Members<'a> {
    fn new(bytes: &'a [u8], at: usize) -> Option<Self> {
        (bytes.get(at) == Some(&b'{')).then_some(Self { bytes, at: at + 1 })
    }

    /// The key of the next member, and where its value begins.
    fn key(&self) -> Option<(&'a [u8], usize)> {
        let key_end = string_end(self.bytes, self.at)?;
        let key = self.bytes.get(self.at + 1..key_end - 1)?;
        (self.bytes.get(key_end) == Some(&b':')).then_some((key, key_end + 1))
    }

    fn member(&mut self) -> Option<Member<'a>> {
        let start = self.at;
        let (key, value) = self.key()?;
        let end = value_end(self.bytes, value)?;
        self.at = match self.bytes.get(end)? {
            b',' => end + 1,
            b'}' => usize::MAX,
            _ => return None,
        };
        Some(Member { key, start, end })
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Option<Member<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.at == usize::MAX || self.bytes.get(self.at) == Some(&b'}') {
            return None;
        }
        let member = self.member();
        if member.is_none() {
            self.at = usize::MAX;
        }
        Some(member)
    }
}

/// The place after the string that begins here.
fn string_end(bytes: &[u8], start: usize) -> Option<usize> {
    if bytes.get(start) != Some(&b'"') {
        return None;
    }
    let mut at = start + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The place after the value that begins here.
fn value_end(bytes: &[u8], start: usize) -> Option<usize> {
    let (mut at, mut depth) = (start, 0_usize);
    loop {
        match bytes.get(at)? {
            b'"' => {
                at = string_end(bytes, at)?;
                if depth == 0 {
                    return Some(at);
                }
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => return Some(at),
            b'}' | b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            b',' if depth == 0 => return Some(at),
            _ => {}
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, typed: bool) -> String {
        let mut out = Vec::new();
        let seams = Seams::find(text.as_bytes()).unwrap();
        seams.write(text.as_bytes(), 1070, typed, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_version_goes_where_a_sorted_encoding_has_it() {
        let stored = r#"{"apiVersion":"v1","data":{"}":"\"{"},"kind":"A","metadata":{"name":"n","uid":"u"}}"#;
        let with = r#"{"apiVersion":"v1","data":{"}":"\"{"},"kind":"A","metadata":{"name":"n","resourceVersion":"1070","uid":"u"}}"#;
        assert_eq!(shown(stored, true), with);
        let bare =
            r#"{"data":{"}":"\"{"},"metadata":{"name":"n","resourceVersion":"1070","uid":"u"}}"#;
        assert_eq!(shown(stored, false), bare);
    }

    #[test]
    fn the_version_may_be_first_or_last() {
        let last = r#"{"metadata":{"name":"n","resourceVersion":"1070"},"x":[1,{"a":2}]}"#;
        assert_eq!(shown(r#"{"metadata":{"name":"n"},"x":[1,{"a":2}]}"#, true), last);
        assert_eq!(shown(r#"{"metadata":{}}"#, true), r#"{"metadata":{"resourceVersion":"1070"}}"#);
        let first = r#"{"metadata":{"resourceVersion":"1070","uid":"u"}}"#;
        assert_eq!(shown(r#"{"metadata":{"uid":"u"}}"#, true), first);
    }

    #[test]
    fn other_bytes_have_no_seams() {
        for text in [
            "",
            "{",
            "[]",
            "{}",
            r#"{"metadata":1}"#,
            r#"{"metadata":{"resourceVersion":"5"}}"#,
            r#"{ "metadata":{}}"#,
        ] {
            assert_eq!(Seams::find(text.as_bytes()), None, "{text}");
        }
    }
}
