//! How much of a text may be indents. What a value is nested in is written before each of its
//! lines, so that a value which is deep and wide has a text as large as the product of both.

/// Spaces that are written in any case, and for each byte of the rest.
const FREE: usize = 16 << 20;
const PER_BYTE: usize = 4;

/// Whether so many spaces of indents are too many beside so many other bytes.
pub(crate) fn is_hollow(spaces: usize, others: usize) -> bool {
    spaces > FREE + PER_BYTE * others
}
