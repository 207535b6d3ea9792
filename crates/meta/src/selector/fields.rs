//! Field selectors.

use ordain_value::Text;

use super::SelectorError;

/// One condition on one field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldRequirement {
    /// The field that is looked at, such as `metadata.name`.
    pub field: Text,
    /// What it is compared with.
    pub value: Text,
    /// Whether the field must have the value, or must not.
    pub equal: bool,
}

/// Conditions on fields that must all hold. The default selects everything.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldSelector {
    /// All of them have to be fulfilled.
    pub requirements: Vec<FieldRequirement>,
}

impl FieldSelector {
    /// Whether it selects every object.
    pub fn is_everything(&self) -> bool {
        self.requirements.is_empty()
    }

    /// Whether an object is selected, given a way to read its fields as text.
    pub fn matches<'a>(&self, mut read: impl FnMut(&str) -> std::borrow::Cow<'a, str>) -> bool {
        self.requirements.iter().all(|requirement| {
            (read(&requirement.field) == requirement.value.as_str()) == requirement.equal
        })
    }

    /// The value a field must have, if the selector names just one.
    pub fn exact(&self, field: &str) -> Option<&str> {
        self.requirements
            .iter()
            .find(|requirement| requirement.equal && requirement.field == field)
            .map(|requirement| requirement.value.as_str())
    }

    /// Parses the text form: `a.b=c,d!=e`, with `\` before a comma, equals sign or backslash
    /// that belongs to a value.
    pub fn decode(text: &str) -> Result<Self, SelectorError> {
        let mut requirements = Vec::new();
        let mut parts = split_terms(text);
        parts.sort_unstable();
        for part in parts {
            if part.is_empty() {
                continue;
            }
            let refused =
                || SelectorError(format!("invalid selector: '{text}'; can't understand '{part}'"));
            let (field, equal, value) = split_term(part).ok_or_else(refused)?;
            let value = unescape(value).map_err(SelectorError)?;
            requirements.push(FieldRequirement { field: field.into(), value, equal });
        }
        Ok(Self { requirements })
    }
}

pub(super) fn split_terms(text: &str) -> Vec<&str> {
    let mut terms = Vec::new();
    let (mut start, mut escaped) = (0, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b',' => {
                terms.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    terms.push(&text[start..]);
    terms
}

pub(super) fn split_term(term: &str) -> Option<(&str, bool, &str)> {
    for at in 0..term.len() {
        let Some(rest) = term.get(at..) else { continue };
        for (operator, equal) in [("!=", false), ("==", true), ("=", true)] {
            if let Some(value) = rest.strip_prefix(operator) {
                return Some((&term[..at], equal, value));
            }
        }
    }
    None
}

pub(super) fn unescape(text: &str) -> Result<Text, String> {
    if !text.contains(['\\', ',', '=']) {
        return Ok(text.into());
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(next) = chars.next() {
        match next {
            '\\' => match chars.next() {
                Some(escaped @ ('\\' | ',' | '=')) => out.push(escaped),
                Some(other) => {
                    return Err(format!(
                        "invalid field selector: invalid escape sequence: \\{other}"
                    ));
                }
                None => {
                    return Err("invalid field selector: invalid escape sequence: \\".to_owned());
                }
            },
            ',' | '=' => {
                let code = u32::from(next);
                return Err(format!(
                    "invalid field selector: unescaped character in value: {code}"
                ));
            }
            other => out.push(other),
        }
    }
    Ok(out.into())
}
