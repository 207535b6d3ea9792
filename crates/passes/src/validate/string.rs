//! `maxLength`, `minLength`, `pattern` (the first that fails), and `format`.

use ordain_value::field::{BadValue, Kind};
use ordain_value::{Text, go_quote};

use super::place::Place;
use super::{Checks, Walk, in_body};

impl Walk<'_> {
    /// Returns how much the checks count.
    pub(super) fn check_string(
        &mut self,
        checks: Option<&Checks>,
        text: &Text,
        place: &Place<'_>,
    ) -> u64 {
        let Some(checks) = checks else {
            return 1;
        };
        if let Some(it) = &checks.string {
            if it.is_too_long(text) {
                let max = it.max_length.unwrap_or_default();
                self.fail(place, |_| (Kind::TooLong, BadValue::Omitted, too_long(max)));
            } else if it.is_too_short(text) {
                let min = it.min_length.unwrap_or_default();
                self.fail_limit(
                    place,
                    || text.into(),
                    &["should be at least ", " chars long"],
                    min,
                );
            } else if let Some(pattern) = it.pattern.as_deref()
                && self.spends(pattern.steps(text))
                && !pattern.matches(text)
            {
                self.fail(place, |name| {
                    let parts = ["should match '", &pattern.shown(), "'"];
                    (Kind::Invalid, text.into(), in_body(name, &parts))
                });
            }
        }
        let Some(format) = checks.string_format else {
            return 1;
        };
        if !format.accepts(text) {
            let wanted = checks.format.as_deref().unwrap_or_default();
            self.fail(place, |name| {
                let parts = ["must be of type ", wanted, ": ", &go_quote(text)];
                (Kind::TypeInvalid, text.into(), in_body(name, &parts))
            });
        }
        2
    }
}

/// Characters are counted although the message says bytes.
fn too_long(max: i64) -> String {
    match max {
        1 => "may not be more than 1 byte".to_owned(),
        0.. => format!("may not be more than {max} bytes"),
        _ => "value is too long".to_owned(),
    }
}

#[inline]
pub(super) fn is_longer(text: &str, max: i64) -> bool {
    // There are never more characters than bytes.
    match usize::try_from(max) {
        Err(_) => max < 0,
        Ok(max) => text.len() > max && text.chars().nth(max).is_some(),
    }
}

#[inline]
pub(super) fn is_shorter(text: &str, min: i64) -> bool {
    match usize::try_from(min) {
        Err(_) => min > 0,
        Ok(0) => false,
        Ok(1) => text.is_empty(),
        Ok(min) => text.len() < min || text.chars().nth(min - 1).is_none(),
    }
}
