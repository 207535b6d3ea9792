//! What Go's standard library says about texts, for answers that have to be Go's word for word:
//! regular expressions ([`regex`]), times and durations ([`time`]), numbers in texts ([`text`]),
//! URLs ([`url`]) and certificates ([`x509`], [`der`]).
//!
//! Invariant: whatever is accepted or refused here, Go accepts or refuses, with the same message.
//! Values print as Go prints them in `ordain_value::go_format`.

pub mod der;
pub mod regex;
pub mod text;
pub mod time;
pub mod url;
pub mod x509;
