//! One whole schema: status restrictions, structure, defaults, then the walk over every node.

use std::cell::Cell;

use ordain_value::field::{BadValue, Error, ErrorList, Path};

use super::walker::{self, Walk};
use super::{AdmissionHooks, Options};
use crate::crd::VersionSchema;
use crate::gojson;
use crate::raw::Raw;
use crate::{resolve, structural};

/// What all schemas of one definition are judged with.
pub(super) struct Scope<'a> {
    pub(super) options: &'a Options,
    pub(super) hooks: &'a dyn AdmissionHooks,
    /// Whether schemas must be structural.
    pub(super) structural: bool,
    /// The weight of the patterns that were looked at.
    pub(super) patterns: Cell<usize>,
}

/// How much the patterns of a definition may weigh together. Upstream has no such bound; each of its
/// patterns may take 128 MiB.
const PATTERNS_WEIGHT_MAX: usize = 1_000_000;

impl Scope<'_> {
    /// Whether a pattern can be used, and is not too much beside the others.
    fn check_pattern(&self, pattern: &str) -> Result<(), String> {
        let weight = self.patterns.get().saturating_add(self.hooks.pattern_weight(pattern));
        self.patterns.set(weight);
        if weight > PATTERNS_WEIGHT_MAX {
            return Err("the patterns of the definition are too large together".to_owned());
        }
        self.hooks.check_pattern(pattern)
    }
}

/// Go names of the keywords that the root may use beside a status subresource, in the order that
/// the message lists them.
const ALLOWED_AT_ROOT: [&str; 22] = [
    "Description",
    "Type",
    "Format",
    "Title",
    "Maximum",
    "ExclusiveMaximum",
    "Minimum",
    "ExclusiveMinimum",
    "MaxLength",
    "MinLength",
    "Pattern",
    "MaxItems",
    "MinItems",
    "UniqueItems",
    "MultipleOf",
    "Required",
    "Items",
    "Properties",
    "ExternalDocs",
    "Example",
    "XPreserveUnknownFields",
    "XValidations",
];

/// The names of types in a schema, sorted as messages list them.
pub(super) const TYPES: [&str; 6] = ["array", "boolean", "integer", "number", "object", "string"];

/// Whether a type has this name.
pub(super) fn is_type(name: &str) -> bool {
    TYPES.contains(&name)
}

/// Judges a schema with its content.
pub(super) fn validate(
    schema: Option<&VersionSchema>,
    status: bool,
    suppress_cost: bool,
    scope: &Scope<'_>,
    path: &Path<'_>,
    out: &mut ErrorList,
) {
    let Some(raw) = schema.and_then(|s| s.open_api.as_deref()) else { return };
    let mut errors = ErrorList::new();
    if status {
        beside_status(raw, path, &mut errors);
    }
    if raw.nullable {
        let path = path.child("openAPIV3Schema.nullable");
        errors.push(Error::forbidden(&path, "nullable cannot be true at the root"));
    }
    let path = &path.child("openAPIV3Schema");
    let mut cannot_convert = None;
    let mut resolved = None;
    if scope.structural {
        match structure(raw, scope, path) {
            Structure::NotConvertible(error) => cannot_convert = Some(error),
            Structure::Wrong(wrong) => errors.extend(wrong),
            Structure::Right(schema) => resolved = schema,
        }
    }
    let session = resolved
        .as_ref()
        .filter(|_| raw.any(&mut |r| !r.rules().is_empty()))
        .map(|schema| (schema, scope.hooks.rules(schema, &scope.options.preexisting)));
    let mut walk = Walk {
        options: scope.options,
        suppress_cost,
        convertible: resolve::convertible(raw).is_ok(),
        rules_in_junctors: scope.hooks.rules_in_junctors(),
        session,
    };
    errors.extend(walker::walk(raw, path, &mut walk));
    // The walk usually says the same in better words.
    if errors.is_empty() {
        errors.extend(cannot_convert);
    }
    if let Some((_, session)) = &mut walk.session {
        errors.extend(session.finish(path));
    }
    out.extend(errors);
}

enum Structure {
    /// Keywords without structural meaning are used.
    NotConvertible(Error),
    Wrong(ErrorList),
    /// Structural with valid defaults; the schema, unless a name in it is unknown.
    Right(Option<crate::model::Schema>),
}

fn structure(raw: &Raw, scope: &Scope<'_>, path: &Path<'_>) -> Structure {
    if let Err(error) = resolve::convertible(raw) {
        return Structure::NotConvertible(Error::invalid(path, "", error.to_string()));
    }
    let patterns = |pattern: &str| scope.check_pattern(pattern);
    let mut wrong = structural::violations(raw, path, &patterns);
    if scope.hooks.rules_in_junctors() {
        // The only complaint about rules is that they stand in a branch.
        wrong.retain(|error| !error.path.ends_with(".x-kubernetes-validations"));
    }
    if !wrong.is_empty() {
        return Structure::Wrong(wrong);
    }
    let Ok(schema) = resolve::resolve_leniently(raw) else { return Structure::Right(None) };
    if raw.any(&mut |r| r.default.is_some()) {
        let pruned = scope.options.require_pruned_defaults;
        let wrong = scope.hooks.validate_defaults(&schema, path, pruned);
        if !wrong.is_empty() {
            return Structure::Wrong(wrong);
        }
    }
    Structure::Right(Some(schema))
}

/// With a status subresource the schema of `status` is taken out of the root, so the root may not
/// constrain it in any other way. The first offender is reported.
fn beside_status(raw: &Raw, path: &Path<'_>, errors: &mut ErrorList) {
    for (keyword, used) in keywords_in_order(raw) {
        if !used {
            continue;
        }
        if keyword == "Type" {
            if raw.ty != "object" {
                let detail = "only \"object\" is allowed as the type at the root of the schema if \
                              the status subresource is enabled";
                let path = path.child("openAPIV3Schema.type");
                return errors.push(Error::invalid(&path, raw.ty.clone(), detail));
            }
        } else if !ALLOWED_AT_ROOT.contains(&keyword) {
            let detail = format!(
                "only [{}] fields are allowed at the root of the schema if the status subresource \
                 is enabled",
                ALLOWED_AT_ROOT.join(" ")
            );
            let shown = BadValue::Json(gojson::schema(raw));
            return errors.push(Error::invalid(&path.child("openAPIV3Schema"), shown, detail));
        }
    }
}

/// Which keywords are written, by Go name, in the order of the Go struct.
fn keywords_in_order(raw: &Raw) -> [(&'static str, bool); 44] {
    [
        ("ID", !raw.id.is_empty()),
        ("Schema", !raw.schema.is_empty()),
        ("Ref", raw.reference.is_some()),
        ("Description", !raw.description.is_empty()),
        ("Type", !raw.ty.is_empty()),
        ("Nullable", raw.nullable),
        ("Format", !raw.format.is_empty()),
        ("Title", !raw.title.is_empty()),
        ("Default", raw.default.is_some()),
        ("Maximum", raw.maximum.is_some()),
        ("ExclusiveMaximum", raw.exclusive_maximum),
        ("Minimum", raw.minimum.is_some()),
        ("ExclusiveMinimum", raw.exclusive_minimum),
        ("MaxLength", raw.max_length.is_some()),
        ("MinLength", raw.min_length.is_some()),
        ("Pattern", !raw.pattern.is_empty()),
        ("MaxItems", raw.max_items.is_some()),
        ("MinItems", raw.min_items.is_some()),
        ("UniqueItems", raw.unique_items),
        ("MultipleOf", raw.multiple_of.is_some()),
        ("Enum", raw.enumeration.is_some()),
        ("MaxProperties", raw.max_properties.is_some()),
        ("MinProperties", raw.min_properties.is_some()),
        ("Required", raw.required.is_some()),
        ("Items", raw.items.is_some()),
        ("AllOf", raw.all_of.is_some()),
        ("OneOf", raw.one_of.is_some()),
        ("AnyOf", raw.any_of.is_some()),
        ("Not", raw.not.is_some()),
        ("Properties", raw.properties.is_some()),
        ("AdditionalProperties", raw.additional_properties.is_some()),
        ("PatternProperties", raw.pattern_properties.is_some()),
        ("Dependencies", raw.dependencies.is_some()),
        ("AdditionalItems", raw.additional_items.is_some()),
        ("Definitions", raw.definitions.is_some()),
        ("ExternalDocs", raw.external_docs.is_some()),
        ("Example", raw.example.is_some()),
        ("XPreserveUnknownFields", raw.preserve_unknown_fields.is_some()),
        ("XEmbeddedResource", raw.embedded_resource),
        ("XIntOrString", raw.int_or_string),
        ("XListMapKeys", raw.list_map_keys.is_some()),
        ("XListType", raw.list_type.is_some()),
        ("XMapType", raw.map_type.is_some()),
        ("XValidations", raw.validations.is_some()),
    ]
}
