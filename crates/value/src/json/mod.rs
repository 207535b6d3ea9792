//! JSON in and out, as Go reads and writes it.
//!
//! Decoding follows the decoder Kubernetes uses: case-sensitive keys, int64 apart from float64,
//! the last of duplicate keys wins (and is reported when asked for), nesting at most
//! [`DEPTH_MAX`](crate::DEPTH_MAX), invalid UTF-8 refused. Encoding gives Go's bytes: sorted keys,
//! Go's number forms, `<`, `>`, `&`, U+2028 and U+2029 escaped.

mod decode;
mod encode;
mod merge;
mod position;
mod reread;

pub use decode::{Duplicate, Error, Limits, decode, decode_merging, decode_reporting, decode_with};
pub use encode::{
    encode, encode_pretty, encode_string, encode_string_to, encode_to, escape_html, fits,
};
pub use position::{Position, Positions, position_of};
pub use reread::reread;
