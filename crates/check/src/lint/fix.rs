//! Changes to texts that mend a finding without changing what the text means.

/// One change: a range of bytes of a file and what takes its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    pub file: String,
    pub bytes: std::ops::Range<usize>,
    pub text: String,
}

/// A text with changes made; those that overlap an earlier one are left out.
#[must_use]
pub fn apply(text: &[u8], fixes: &[&Fix]) -> (Vec<u8>, usize) {
    let mut fixes: Vec<&Fix> = fixes.to_vec();
    fixes.sort_by_key(|it| (it.bytes.start, it.bytes.end));
    let (mut out, mut at, mut made) = (Vec::with_capacity(text.len()), 0, 0);
    for fix in fixes {
        if fix.bytes.start < at || fix.bytes.end > text.len() || fix.bytes.start > fix.bytes.end {
            continue;
        }
        out.extend_from_slice(&text[at..fix.bytes.start]);
        out.extend_from_slice(fix.text.as_bytes());
        at = fix.bytes.end;
        made += 1;
    }
    out.extend_from_slice(&text[at..]);
    (out, made)
}
