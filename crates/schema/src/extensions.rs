//! Extensions of schemas that the proposals have and Kubernetes does not: unions (KEP-1027),
//! stripping of zero values and custom error texts (KEP-4153).
//!
//! In definitions each stands behind a gate. While it is off the extension counts as an unknown
//! field and is taken out again, as Kubernetes does with all that it does not know.

use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use crate::crd::Crd;
use crate::model::{Keyword, Node};
use crate::open_api::has_key;
use crate::raw::{BoolOr, Items, Raw};
use crate::unions;

pub(crate) const STRIP_ZERO: &str = "x-kubernetes-strip-zero";
pub(crate) const VALIDATION_ERRORS: &str = "x-kubernetes-validation-errors";

/// Which extensions definitions may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extensions {
    /// Unions that are normalized, `x-kubernetes-unions`.
    pub unions: bool,
    /// Fields that a request loses when they hold their zero value.
    pub strip_zero: bool,
    /// Error texts of the author's own.
    pub validation_errors: bool,
    /// Conversion that an annotation declares.
    pub conversion: bool,
}

/// The feature gate of an extension, by the path of the field that is one.
#[must_use]
pub fn gate_of(path: &str) -> Option<&'static str> {
    Some(match path.rsplit('.').next()? {
        unions::KEY => "APIUnions",
        STRIP_ZERO => "CRDStripZero",
        VALIDATION_ERRORS => "CRDValidationErrors",
        _ => return None,
    })
}

/// Whether a definition may use some extension; false is certain.
#[must_use]
pub fn may_be_in(definition: &Value) -> bool {
    has_key(definition, &[unions::KEY, STRIP_ZERO, VALIDATION_ERRORS])
}

impl Extensions {
    /// Whether an unknown field is an extension that is known here.
    #[must_use]
    pub fn know(self, path: &str) -> bool {
        match path.rsplit('.').next() {
            Some(unions::KEY) => self.unions,
            Some(STRIP_ZERO) => self.strip_zero,
            Some(VALIDATION_ERRORS) => self.validation_errors,
            _ => false,
        }
    }

    /// These, and those that an object with these unknown fields has already: what was stored while
    /// a gate was on stays when it goes off.
    #[must_use]
    pub fn or_in_use(self, unknown: &[String]) -> Self {
        let used = |key: &str| unknown.iter().any(|it| it.rsplit('.').next() == Some(key));
        Extensions {
            unions: self.unions || used(unions::KEY),
            strip_zero: self.strip_zero || used(STRIP_ZERO),
            validation_errors: self.validation_errors || used(VALIDATION_ERRORS),
            // Its annotation is kept by servers that do not know it, so nothing is in use.
            conversion: self.conversion,
        }
    }

    fn all(self) -> bool {
        self.unions && self.strip_zero && self.validation_errors
    }

    /// Takes the others out of all schemas of a definition.
    pub fn strip(self, crd: &mut Crd) {
        for version in crd.spec.versions.iter_mut().flatten().filter(|_| !self.all()) {
            if let Some(schema) = version.schema.as_mut().and_then(|it| it.open_api.as_mut()) {
                schema.change(|raw| self.strip_schema(raw));
            }
        }
    }

    fn strip_schema(self, raw: &mut Raw) {
        let mut pending = vec![raw];
        while let Some(raw) = pending.pop() {
            if !self.unions {
                raw.unions = None;
            }
            if !self.strip_zero {
                raw.strip_zero = None;
            }
            if !self.validation_errors {
                raw.validation_errors = None;
            }
            pending.extend(children_mut(raw));
        }
    }

    /// What is wrong with the extensions of a definition.
    #[must_use]
    pub fn validate(self, crd: &Crd) -> ErrorList {
        let mut errors = ErrorList::new();
        if self == Extensions::default() {
            return errors;
        }
        for (at, version) in crd.spec.versions().iter().enumerate() {
            if let Some(raw) = version.raw() {
                let versions = Path::new("spec.versions");
                let version = versions.index(at);
                let schema = version.child("schema.openAPIV3Schema");
                walk(raw, &schema, &mut errors);
            }
        }
        errors
    }
}

fn children_mut(raw: &mut Raw) -> Vec<&mut Raw> {
    let mut out: Vec<&mut Raw> = Vec::new();
    for map in [&mut raw.properties, &mut raw.pattern_properties, &mut raw.definitions] {
        out.extend(map.iter_mut().flat_map(|it| it.values_mut()).map(|it| &mut **it));
    }
    for list in [&mut raw.all_of, &mut raw.any_of, &mut raw.one_of] {
        out.extend(list.iter_mut().flatten());
    }
    match &mut raw.items {
        Some(Items::One(item)) => out.push(item),
        Some(Items::Many(items)) => out.extend(items),
        _ => {}
    }
    for either in [&mut raw.additional_properties, &mut raw.additional_items] {
        if let Some(BoolOr::Schema(schema)) = either {
            out.push(schema);
        }
    }
    out.extend(raw.not.as_deref_mut());
    out
}

fn walk(raw: &Raw, path: &Path<'_>, errors: &mut ErrorList) {
    if let Some(value) = &raw.validation_errors {
        check_texts(value, &path.child(VALIDATION_ERRORS), errors);
    }
    if let Some(value) = &raw.strip_zero
        && value.as_bool().is_none()
    {
        errors.push(Error::invalid(&path.child(STRIP_ZERO), "", "must be true or false"));
    }
    for (name, property) in raw.properties() {
        let properties = path.child("properties");
        let here = properties.key(name);
        if let Some(value) = &property.unions {
            let at = here.child(unions::KEY);
            unions::check(raw, name, property, value, &at, errors);
        }
        walk(property, &here, errors);
    }
    if let Some(item) = raw.item() {
        walk(item, &path.child("items"), errors);
    }
    if let Some(value) = raw.additional() {
        walk(value, &path.child("additionalProperties"), errors);
    }
}

/// The reasons of field errors, as rules may give them.
const REASONS: [&str; 4] =
    ["FieldValueRequired", "FieldValueForbidden", "FieldValueInvalid", "FieldValueDuplicate"];

/// The words for them in KEP-4153's example.
fn wire_reason(text: &str) -> Option<&'static str> {
    REASONS.into_iter().find(|it| *it == text || it.strip_prefix("FieldValue") == Some(text))
}

fn check_texts(value: &Value, path: &Path<'_>, errors: &mut ErrorList) {
    let Value::Map(map) = value else {
        errors.push(Error::invalid(path, "", "must be a map of keywords to texts"));
        return;
    };
    for (keyword, text) in map.iter() {
        let at = path.key(keyword);
        if Keyword::from_name(keyword).is_none() {
            errors.push(Error::invalid(&at, keyword.as_str(), "is no keyword of schemas"));
        }
        let message = text.get("message").and_then(Value::as_str).unwrap_or("");
        if message.trim().is_empty() {
            errors.push(Error::required(&at.child("message"), "the text of the error"));
        }
        let reason = text.get("reason").and_then(Value::as_str);
        if let Some(reason) = reason.filter(|it| wire_reason(it).is_none()) {
            let known: Vec<&str> = REASONS.to_vec();
            let error = Error::not_supported(&at.child("reason"), reason, &known);
            errors.push(error);
        }
    }
}

/// Puts the extensions of a schema on its node.
pub(crate) fn put(raw: &Raw, node: &mut Node) {
    if raw.strip_zero.as_ref().and_then(Value::as_bool) == Some(true) {
        node.declared_mut().strip_zero = true;
    }
    let Some(Value::Map(map)) = &raw.validation_errors else { return };
    for (name, text) in map.iter() {
        let message = text.get("message").and_then(Value::as_str).unwrap_or("");
        let Some(keyword) = Keyword::from_name(name).filter(|_| !message.is_empty()) else {
            continue;
        };
        let declared = node.declared_mut();
        declared.texts.push((keyword, message.into()));
        let reason = text.get("reason").and_then(Value::as_str).and_then(wire_reason);
        declared.reasons.extend(reason.map(|it| (keyword, it.into())));
    }
}
