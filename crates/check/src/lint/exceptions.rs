//! Exceptions: a file that says which finding stands where, by whom, why and until when.
//!
//! ```yaml
//! apiVersion: ordain.dev/v1alpha1
//! kind: LintExceptions
//! exceptions:
//! - rule: list-type-missing
//!   path: widgets.shop.example.com/v1:spec.*   # a star stands for anything
//!   owner: team-widgets
//!   reason: published since 2021
//!   expires: 2027-06-30
//! ```

use ordain_value::Value;
use ordain_value::yaml::{self, Span};

use super::{Lint, rules};
use crate::source::Source;

/// The exceptions of a file.
#[derive(Clone, Debug)]
pub struct Exceptions {
    source: Source,
    list: Vec<Exception>,
}

#[derive(Clone, Debug)]
struct Exception {
    rule: String,
    path: String,
    owner: String,
    /// `2027-06-30`; dates of this form sort by time.
    expires: Option<String>,
    span: Span,
}

const KEYS: [&str; 5] = ["rule", "path", "owner", "reason", "expires"];

impl Exceptions {
    /// Reads a file.
    ///
    /// # Errors
    /// When it is none, or an exception lacks rule, path, owner or reason.
    pub fn decode(source: Source) -> Result<Exceptions, String> {
        Exceptions::decode_as(source, "LintExceptions", &|rule| rules::find(rule).is_some())
    }

    /// Reads a file of another kind, with rules of its own.
    ///
    /// # Errors
    /// As for [`Exceptions::decode`].
    pub fn decode_as(
        source: Source,
        kind: &str,
        is_rule: &dyn Fn(&str) -> bool,
    ) -> Result<Exceptions, String> {
        let document = yaml::decode_first(&source.text, yaml::Options { marks: true })
            .map_err(|error| error.to_string())?;
        let value = document.value.map_err(|error| error.to_string())?;
        if value.get("kind").and_then(Value::as_str) != Some(kind) {
            return Err(format!("kind must be {kind}"));
        }
        let entries = value.get("exceptions").and_then(Value::as_list).ok_or("no exceptions")?;
        let mut list = Vec::new();
        for (at, entry) in entries.iter().enumerate() {
            let place = document.marks.find(&format!("exceptions[{at}].rule"));
            let span = place.map(|it| it.mark.value.clone()).unwrap_or_default();
            let exception =
                read(entry, span, is_rule).map_err(|why| format!("exception {}: {why}", at + 1))?;
            list.push(exception);
        }
        Ok(Exceptions { source, list })
    }

    /// Whether a rule is excepted at a path on a day.
    #[must_use]
    pub fn excepts(&self, rule: &str, path: &str, today: &str) -> bool {
        self.list.iter().any(|it| {
            let stands = it.expires.as_deref().is_none_or(|day| day >= today);
            stands && it.rule == rule && matches(&it.path, path)
        })
    }

    /// Drops what is excepted on a day (`2026-11-16`), and returns which exceptions are past their
    /// day or match nothing. Returns how many findings went.
    pub fn apply(&self, lints: &mut Vec<Lint>, today: &str) -> usize {
        let before = lints.len();
        let mut reported = Vec::new();
        for exception in &self.list {
            let fits = |lint: &Lint| {
                lint.finding.id == exception.rule && matches(&exception.path, &lint.finding.field)
            };
            let owner = &exception.owner;
            let report = |id: &'static str, message: String| {
                Lint::new(id, &self.source, &exception.span, exception.path.clone(), message)
            };
            if !lints.iter().any(fits) {
                let message = format!("no {} is found there any more", exception.rule);
                reported.push(
                    report("exception-unused", message).help(format!("ask {owner}, remove it")),
                );
            } else if let Some(day) = exception.expires.as_deref().filter(|it| *it < today) {
                let message = format!("the exception for {} ended on {day}", exception.rule);
                reported
                    .push(report("exception-expired", message).help(format!("{owner} has to act")));
            } else {
                lints.retain(|lint| !fits(lint));
            }
        }
        let dropped = before - lints.len();
        lints.extend(reported);
        dropped
    }
}

fn read(entry: &Value, span: Span, is_rule: &dyn Fn(&str) -> bool) -> Result<Exception, String> {
    let map = entry.as_map().ok_or("no mapping")?;
    if let Some(unknown) = map.keys().find(|it| !KEYS.contains(&it.as_str())) {
        return Err(format!("unknown key {unknown}"));
    }
    let text = |key: &str| {
        let found = map.get(key).and_then(Value::as_str).filter(|it| !it.trim().is_empty());
        found.map(ToOwned::to_owned).ok_or_else(|| format!("{key} is missing"))
    };
    let rule = text("rule")?;
    if !is_rule(&rule) {
        return Err(format!("there is no rule {rule}"));
    }
    text("reason")?;
    let expires = match map.get("expires") {
        None => None,
        Some(Value::Str(day)) if is_day(day) => Some(day.to_string()),
        // YAML 1.1 reads a plain date as a time of day.
        Some(Value::Str(time)) if time.get(..10).is_some_and(is_day) => Some(time[..10].to_owned()),
        Some(_) => return Err("expires is a day such as 2027-06-30".to_owned()),
    };
    Ok(Exception { rule, path: text("path")?, owner: text("owner")?, expires, span })
}

fn is_day(text: &str) -> bool {
    let form = |(at, it): (usize, u8)| match at {
        4 | 7 => it == b'-',
        _ => it.is_ascii_digit(),
    };
    text.len() == 10 && text.bytes().enumerate().all(form)
}

/// Whether a pattern with stars fits a path.
fn matches(pattern: &str, path: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_anything() {
        assert!(matches("a.b/v1:spec.x", "a.b/v1:spec.x"));
        assert!(!matches("a.b/v1:spec", "a.b/v1:spec.x"));
        assert!(matches("a.b/*:spec.*", "a.b/v1:spec.x"));
        assert!(matches("*.Ports", "p/v1.Spec.Ports"));
        assert!(!matches("*.Ports", "p/v1.Spec.Portsx"));
    }
}
