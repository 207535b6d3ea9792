//! The order of validation for a custom resource: one function per kind of write, every step by name.
//!
//! Types first, and nothing else when they are wrong; then metadata, schema, scale, embedded resources, list
//! types and rules. Rules are not asked about an object that is wrong in a way they rely on.

use ordain_meta::{ObjectMeta, name, object_meta};
use ordain_value::Value;
use ordain_value::field::{BadValue, Error, ErrorList, Kind, Path};

use crate::coerce::Known;
use crate::plan::Plan;

/// What validation needs to know about the request's kind besides its schema.
pub struct Context<'a> {
    /// `group/version` of the request.
    pub api_version: &'a str,
    /// The kind of the object.
    pub kind: &'a str,
    /// Whether it lives in a namespace.
    pub namespaced: bool,
    /// Checks of the scale subresource: `spec` (`true`, main resource only), then `status`.
    pub scale: Option<&'a dyn Scale>,
    /// The rules of its schema.
    pub rules: &'a dyn Rules,
}

/// The checks of the fields that a scale subresource points to.
pub trait Scale {
    fn validate_spec(&self, object: &Value) -> ErrorList;
    fn validate_status(&self, object: &Value) -> ErrorList;
}

/// The rules of a schema (`x-kubernetes-validations`).
pub trait Rules {
    /// False when the schema has none: then nothing is said about rules that were not checked.
    fn any(&self) -> bool;
    /// Evaluates all rules on an object and, on update, its old self.
    fn evaluate(&self, object: &Value, old: Option<&Value>) -> Outcome;
}

/// A schema without rules.
pub struct NoRules;

impl Rules for NoRules {
    fn any(&self) -> bool {
        false
    }

    fn evaluate(&self, _object: &Value, _old: Option<&Value>) -> Outcome {
        Outcome::default()
    }
}

/// What validation found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// What is wrong with it.
    pub errors: ErrorList,
    /// Shown to the client, refused by nobody.
    pub warnings: Vec<String>,
}

impl Plan {
    /// Validates a new object.
    #[must_use]
    pub fn validate_create(&self, object: &Value, ctx: &Context<'_>) -> Outcome {
        self.validate_new(object, ctx, Known::default())
    }

    /// Validates a new object of which something is known already.
    #[must_use]
    pub fn validate_new(&self, object: &Value, ctx: &Context<'_>, known: Known) -> Outcome {
        let mut errors = validate_types(object, ctx);
        if !errors.is_empty() {
            return Outcome { errors, warnings: Vec::new() };
        }
        if !known.metadata {
            errors.extend(object_meta::validate(
                ObjectMeta::of(object),
                ctx.namespaced,
                name::subdomain_rule,
                &Path::new("metadata"),
            ));
        }
        if !known.schema {
            errors.extend(self.validate_schema(object, None));
        }
        if let Some(scale) = ctx.scale {
            errors.extend(scale.validate_spec(object));
            errors.extend(scale.validate_status(object));
        }
        errors.extend(self.validate_embedded(object));
        errors.extend(self.validate_list_types(object));
        with_rules(errors, object, None, ctx)
    }

    /// Validates a changed object.
    #[must_use]
    pub fn validate_update(&self, object: &Value, old: &Value, ctx: &Context<'_>) -> Outcome {
        let mut errors = validate_types(object, ctx);
        if !errors.is_empty() {
            return Outcome { errors, warnings: Vec::new() };
        }
        errors.extend(validate_meta_update(object, old));
        errors.extend(self.validate_schema(object, Some(old)));
        if let Some(scale) = ctx.scale {
            errors.extend(scale.validate_spec(object));
            errors.extend(scale.validate_status(object));
        }
        errors.extend(self.validate_embedded(object));
        errors.extend(self.validate_list_types_update(object, old));
        with_rules(errors, object, Some(old), ctx)
    }

    /// Validates a write to the status subresource.
    #[must_use]
    pub fn validate_status_update(
        &self,
        object: &Value,
        old: &Value,
        ctx: &Context<'_>,
    ) -> Outcome {
        let mut errors = validate_types(object, ctx);
        if !errors.is_empty() {
            return Outcome { errors, warnings: Vec::new() };
        }
        errors.extend(validate_meta_update(object, old));
        errors.extend(self.validate_status_schema(object, Some(old)));
        if let Some(scale) = ctx.scale {
            errors.extend(scale.validate_status(object));
        }
        errors.extend(self.validate_list_types_update(object, old));
        with_rules(errors, object, Some(old), ctx)
    }

    /// List types of a changed object: any error in the old one forgives all in the new one.
    fn validate_list_types_update(&self, object: &Value, old: &Value) -> ErrorList {
        let errors = self.validate_list_types(object);
        if !errors.is_empty() && !self.validate_list_types(old).is_empty() {
            return ErrorList::new();
        }
        errors
    }
}

fn validate_types(object: &Value, ctx: &Context<'_>) -> ErrorList {
    let mut errors = ErrorList::new();
    for (field, wanted) in [("kind", ctx.kind), ("apiVersion", ctx.api_version)] {
        let found = object.get(field).and_then(Value::as_str).unwrap_or_default();
        if found != wanted {
            let detail = format!("must be {wanted}");
            errors.push(Error::invalid(&Path::new(field), found, detail));
        }
    }
    errors
}

fn validate_meta_update(object: &Value, old: &Value) -> ErrorList {
    object_meta::validate_update(
        ObjectMeta::of(object),
        ObjectMeta::of(old),
        &Path::new("metadata"),
    )
}

/// The last step: rules, unless what was found makes them meaningless.
fn with_rules(
    mut errors: ErrorList,
    object: &Value,
    old: Option<&Value>,
    ctx: &Context<'_>,
) -> Outcome {
    let mut warnings = Vec::new();
    if ctx.rules.any() {
        match blocks_rules(&errors) {
            Some(error) => errors.push(error),
            None => {
                let outcome = ctx.rules.evaluate(object, old);
                errors.extend(outcome.errors);
                warnings = outcome.warnings;
            }
        }
    }
    Outcome { errors, warnings }
}

/// The origin of the note that rules were not asked; it is about no value.
pub const UNCHECKED: &str = "unchecked-rules";

/// The error that stands for rules which were not checked, when an error of a kind that rules rely on is there.
#[must_use]
pub fn blocks_rules(errors: &ErrorList) -> Option<Error> {
    let blocked = errors.iter().any(|error| {
        matches!(
            error.kind,
            Kind::NotSupported | Kind::Required | Kind::TooLong | Kind::TooMany | Kind::TypeInvalid
        )
    });
    blocked.then(|| {
        Error::at(
            Kind::Invalid,
            "<nil>",
            BadValue::Value(Value::Null),
            "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
        )
        .with_origin(UNCHECKED)
    })
}
