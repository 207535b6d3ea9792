//! Tags in comments: their grammars, and the registry that says what each of them means.

pub mod codetag;
