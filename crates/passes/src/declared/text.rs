//! Custom error texts (`x-kubernetes-validation-errors`): an error that a keyword of a place made
//! gets the text and reason that the declaration wrote for it.

use std::collections::HashMap;

use ordain_schema::{Declared, Keyword};
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Kind};

use super::DeclaredPlan;
use super::walk::walk_values;

/// Gives errors of an object their custom texts.
#[must_use]
pub fn customize(plan: &DeclaredPlan, object: &Value, errors: ErrorList) -> ErrorList {
    if errors.is_empty() || !plan.texts.any(&plan.schema) {
        return errors;
    }
    let mut places: HashMap<String, &Declared> = HashMap::new();
    walk_values(&plan.schema, &plan.texts, object, None, &mut |node, value, _, place| {
        let place: super::walk::Location = place();
        if let Some(declared) = node.declared.as_deref().filter(|it| !it.texts.is_empty()) {
            places.insert(place.to_string(), declared);
        }
        // A required field that is missing is reported at its own place, where nothing is.
        if let Value::Map(map) = value {
            for (name, id) in &node.properties {
                let declared = plan.schema.node(*id).declared.as_deref();
                if let Some(declared) = declared.filter(|it| !it.texts.is_empty())
                    && !map.contains_key(name)
                {
                    places.insert(place.field(name).to_string(), declared);
                }
            }
        }
    });
    let customize = |error: Error| {
        let custom = places.get(&error.path).and_then(|declared| {
            let keyword = keyword(&error)?;
            Some((declared.text(keyword)?, declared.reason(keyword)))
        });
        let Some((text, reason)) = custom else { return error };
        let kind = reason.and_then(|it| kind_of(it)).unwrap_or(error.kind);
        let origin = error.origin;
        Error::at(kind, error.path, error.bad_value, text.as_str()).with_origin(origin)
    };
    errors.into_iter().map(customize).collect()
}

/// Gives errors of keywords their origin, the keyword's name, so that whoever compares validations
/// need not compare texts. Errors that have one keep it.
#[must_use]
pub fn with_origins(errors: ErrorList) -> ErrorList {
    let origin = |error: Error| match keyword(&error) {
        Some(keyword) if error.origin.is_empty() => error.with_origin(keyword.name()),
        _ => error,
    };
    errors.into_iter().map(origin).collect()
}

/// The keyword that made an error, told by its kind and words.
fn keyword(error: &Error) -> Option<Keyword> {
    if error.origin == crate::rules::ORIGIN {
        return None;
    }
    let detail = error.detail();
    let says = |words: &str| detail.contains(words);
    Some(match error.kind {
        Kind::Required => Keyword::Required,
        Kind::NotSupported => Keyword::Enum,
        Kind::TooLong => Keyword::MaxLength,
        Kind::TooMany if says("propert") => Keyword::MaxProperties,
        Kind::TooMany => Keyword::MaxItems,
        Kind::TooShort => Keyword::MinLength,
        Kind::TooFew => Keyword::MinItems,
        Kind::Duplicate => Keyword::UniqueItems,
        Kind::TypeInvalid => Keyword::Type,
        _ if error.origin == "format" => Keyword::Format,
        _ if !error.origin.is_empty() => return Keyword::from_name(error.origin),
        _ if says("should be at least") && says("chars long") => Keyword::MinLength,
        _ if says("should be at most") && says("chars long") => Keyword::MaxLength,
        _ if says("should have at least") && says("properties") => Keyword::MinProperties,
        _ if says("should have at most") && says("properties") => Keyword::MaxProperties,
        _ if says("should have at least") => Keyword::MinItems,
        _ if says("should have at most") => Keyword::MaxItems,
        _ if says("should be greater than") => Keyword::Minimum,
        _ if says("should be less than") => Keyword::Maximum,
        _ if says("should be a multiple of") => Keyword::MultipleOf,
        _ if says("should match") => Keyword::Pattern,
        _ if says("must be of type") => Keyword::Format,
        _ => return None,
    })
}

/// The kind of error with this reason on the wire.
pub(crate) fn kind_of(reason: &str) -> Option<Kind> {
    [
        Kind::NotFound,
        Kind::Required,
        Kind::Duplicate,
        Kind::Invalid,
        Kind::NotSupported,
        Kind::Forbidden,
        Kind::TooLong,
        Kind::TooMany,
    ]
    .into_iter()
    .find(|it| it.reason() == reason)
}
