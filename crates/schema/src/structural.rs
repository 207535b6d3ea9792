//! The rules that make a schema structural: every value has one place that says its type, and the
//! branches of junctors only validate.

use ordain_value::field::{Error, ErrorList, Path};

use crate::raw::{BoolOr, Items, Raw};

/// Compiles a pattern or says why it does not compile, in Go's words.
pub type PatternCheck<'a> = &'a dyn Fn(&str) -> Result<(), String>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Root,
    Item,
    Field,
}

/// All violations, sorted by their text.
#[must_use]
pub fn violations(raw: &Raw, path: &Path<'_>, patterns: PatternCheck<'_>) -> ErrorList {
    let mut check = Check { errors: Vec::new(), patterns };
    check.invariants(raw, Level::Root, path);
    check.completeness(raw, Some(raw), path, path);
    let mut keyed: Vec<(String, Error)> =
        check.errors.into_iter().map(|e| (e.to_string(), e)).collect();
    keyed.sort_by(|a, b| a.0.cmp(&b.0));
    keyed.into_iter().map(|(_, error)| error).collect()
}

struct Check<'p> {
    errors: Vec<Error>,
    patterns: PatternCheck<'p>,
}

impl Check<'_> {
    fn required(&mut self, path: &Path<'_>, detail: &str) {
        self.errors.push(Error::required(path, detail));
    }

    fn forbidden(&mut self, path: &Path<'_>, detail: &str) {
        self.errors.push(Error::forbidden(path, detail));
    }

    fn invariants(&mut self, raw: &Raw, level: Level, path: &Path<'_>) {
        if raw.ty == "array" && raw.item().is_none() {
            self.required(&path.child("items"), "must be specified");
        }
        if let Some(item) = raw.item() {
            self.invariants(item, Level::Item, &path.child("items"));
        }
        for (name, property) in raw.properties() {
            self.invariants(property, Level::Field, &path.child("properties").key(name));
        }
        if let Some(additional) = &raw.additional_properties {
            let path = path.child("additionalProperties");
            if level == Level::Root {
                self.forbidden(&path, "must not be used at the root");
            }
            if let Some(additional) = additional.schema() {
                self.invariants(additional, Level::Field, &path);
            }
        }
        self.extensions(raw, path);
        let skip = Skip {
            any_of: is_int_or_string(raw.any_of()),
            first_all_of: raw.all_of().first().is_some_and(|b| is_int_or_string(b.any_of())),
        };
        self.value_validation(raw, skip, path);
        self.type_invariants(raw, level, path);
        self.resource_invariants(raw, level, path);
    }

    fn extensions(&mut self, raw: &Raw, path: &Path<'_>) {
        const DETAIL: &str = "must be false if x-kubernetes-int-or-string is true";
        if raw.int_or_string && raw.preserve_unknown_fields == Some(true) {
            let path = path.child("x-kubernetes-preserve-unknown-fields");
            self.errors.push(Error::invalid(&path, true, DETAIL));
        }
        if raw.int_or_string && raw.embedded_resource {
            let path = path.child("x-kubernetes-embedded-resource");
            self.errors.push(Error::invalid(&path, true, DETAIL));
        }
    }

    fn type_invariants(&mut self, raw: &Raw, level: Level, path: &Path<'_>) {
        let ty = path.child("type");
        if raw.embedded_resource && raw.ty != "object" {
            let detail = "must be object if x-kubernetes-embedded-resource is true";
            self.errors.push(if raw.ty.is_empty() {
                Error::required(&ty, detail)
            } else {
                Error::invalid(&ty, raw.ty.clone(), detail)
            });
        } else if raw.ty.is_empty()
            && !raw.int_or_string
            && raw.preserve_unknown_fields != Some(true)
        {
            let detail = match level {
                Level::Root => "must not be empty at the root",
                Level::Item => "must not be empty for specified array items",
                Level::Field => "must not be empty for specified object fields",
            };
            self.required(&ty, detail);
        }
        if raw.embedded_resource && raw.additional_properties.is_some() {
            let path = path.child("additionalProperties");
            self.forbidden(&path, "must not be used if x-kubernetes-embedded-resource is set");
        }
        if level == Level::Root && !raw.ty.is_empty() && raw.ty != "object" {
            self.errors.push(Error::invalid(&ty, raw.ty.clone(), "must be object at the root"));
        }
    }

    fn resource_invariants(&mut self, raw: &Raw, level: Level, path: &Path<'_>) {
        let resource = level == Level::Root || raw.embedded_resource;
        let properties = path.child("properties");
        for name in ["kind", "apiVersion"] {
            if let Some(property) = raw.property(name).filter(|p| resource && p.ty != "string") {
                let path = properties.key(name);
                let error =
                    Error::invalid(&path.child("type"), property.ty.clone(), "must be string");
                self.errors.push(error);
            }
        }
        if let Some(metadata) = raw.property("metadata") {
            let path = properties.key("metadata");
            if resource && metadata.ty != "object" {
                let error =
                    Error::invalid(&path.child("type"), metadata.ty.clone(), "must be object");
                self.errors.push(error);
            }
            if level == Level::Root && !is_plain_metadata(metadata) {
                let detail = "must not specify anything other than name and generateName, \
                              but metadata is implicitly specified";
                self.forbidden(&path, detail);
            }
        }
        if raw.embedded_resource
            && raw.preserve_unknown_fields != Some(true)
            && !raw.has_properties()
        {
            let detail = "must not be empty if x-kubernetes-embedded-resource is true \
                          without x-kubernetes-preserve-unknown-fields";
            self.required(&properties, detail);
        }
    }

    fn value_validation(&mut self, raw: &Raw, skip: Skip, path: &Path<'_>) {
        if !skip.any_of {
            for (at, branch) in raw.any_of().iter().enumerate() {
                self.nested(branch, Skip::default(), &path.child("anyOf").index(at));
            }
        }
        for (at, branch) in raw.all_of().iter().enumerate() {
            let skip = Skip { any_of: skip.first_all_of && at == 0, first_all_of: false };
            self.nested(branch, skip, &path.child("allOf").index(at));
        }
        for (at, branch) in raw.one_of().iter().enumerate() {
            self.nested(branch, Skip::default(), &path.child("oneOf").index(at));
        }
        if let Some(not) = &raw.not {
            self.nested(not, Skip::default(), &path.child("not"));
        }
        if !raw.pattern.is_empty()
            && let Err(why) = (self.patterns)(&raw.pattern)
        {
            let detail = format!("must be a valid regular expression, but isn't: {why}");
            let path = path.child("pattern");
            self.errors.push(Error::invalid(&path, raw.pattern.clone(), detail));
        }
    }

    /// Checks a branch of a junctor: value validation and nothing else.
    fn nested(&mut self, raw: &Raw, skip: Skip, path: &Path<'_>) {
        self.value_validation(raw, skip, path);
        if let Some(item) = raw.item() {
            self.nested(item, Skip::default(), &path.child("items"));
        }
        for (name, property) in raw.properties() {
            self.nested(property, Skip::default(), &path.child("properties").key(name));
        }
        for (keyword, used, must) in forbidden_in_branches(raw) {
            if used {
                self.forbidden(&path.child(keyword), &format!("must be {must} to be structural"));
            }
        }
        if raw.property("metadata").is_some() {
            let path = path.child("properties");
            self.forbidden(&path.key("metadata"), "must not be specified in a nested context");
        }
    }

    /// Every place that a junctor at the root mentions must exist outside of it. Junctors further
    /// inside are not asked, as upstream does not ask them.
    fn completeness(
        &mut self,
        branch: &Raw,
        outside: Option<&Raw>,
        outside_path: &Path<'_>,
        path: &Path<'_>,
    ) {
        if let Some(not) = &branch.not {
            self.nested_completeness(not, outside, outside_path, &path.child("not"));
        }
        let junctors =
            [("allOf", branch.all_of()), ("anyOf", branch.any_of()), ("oneOf", branch.one_of())];
        for (keyword, list) in junctors {
            for (at, nested) in list.iter().enumerate() {
                let path = path.child(keyword);
                self.nested_completeness(nested, outside, outside_path, &path.index(at));
            }
        }
    }

    fn nested_completeness(
        &mut self,
        branch: &Raw,
        outside: Option<&Raw>,
        outside_path: &Path<'_>,
        path: &Path<'_>,
    ) {
        let Some(outside) = outside else {
            let error = Error::required(outside_path, format!("because it is defined in {path}"));
            return self.errors.push(error);
        };
        self.completeness(branch, Some(outside), outside_path, path);
        if let Some(item) = branch.item() {
            let at = outside_path.child("items");
            self.nested_completeness(item, outside.item(), &at, &path.child("items"));
        }
        let (at, path) = (outside_path.child("properties"), path.child("properties"));
        for (name, nested) in branch.properties() {
            self.nested_completeness(
                nested,
                outside.property(name),
                &at.key(name),
                &path.key(name),
            );
        }
    }
}

/// Which branches are the way `int-or-string` is written, where types are welcome.
#[derive(Clone, Copy, Default)]
struct Skip {
    any_of: bool,
    first_all_of: bool,
}

/// `anyOf: [{type: integer}, {type: string}]`, in this order and nothing more.
fn is_int_or_string(branches: &[Raw]) -> bool {
    match branches {
        [first, second] => is_only_type(first, "integer") && is_only_type(second, "string"),
        _ => false,
    }
}

fn is_only_type(raw: &Raw, ty: &str) -> bool {
    raw.ty == ty
        && raw.properties.is_none()
        && !has_nested_additional(raw)
        && says_nothing_else(raw)
}

fn has_nested_additional(raw: &Raw) -> bool {
    !matches!(raw.additional_properties, None | Some(BoolOr::Bool(false)))
}

/// Metadata at the root may be typed, and constrain `name` and `generateName`, no more.
fn is_plain_metadata(raw: &Raw) -> bool {
    let only_names = raw.properties().all(|(name, _)| name == "name" || name == "generateName");
    let no_default = Raw { default: None, ..raw.clone() };
    only_names && raw.additional_properties.is_none() && says_nothing_else(&no_default)
}

/// Whether nothing is written besides `type`, `properties` and `additionalProperties`. Empty
/// lists count as written where upstream's conversion keeps them.
fn says_nothing_else(raw: &Raw) -> bool {
    let empty = |list: &Option<Vec<Raw>>| list.as_ref().is_none_or(Vec::is_empty);
    let mut rest = raw.clone();
    rest.ty = Default::default();
    rest.properties = None;
    rest.additional_properties = None;
    if empty(&raw.all_of) && empty(&raw.any_of) && empty(&raw.one_of) {
        (rest.all_of, rest.any_of, rest.one_of) = (None, None, None);
    }
    if raw.enumeration.as_ref().is_none_or(Vec::is_empty) {
        rest.enumeration = None;
    }
    if !matches!(raw.items, Some(Items::One(_))) {
        rest.items = None;
    }
    // Keywords that have no place in the converted form were refused before.
    rest.reference = None;
    rest.definitions = None;
    rest.dependencies = None;
    rest.pattern_properties = None;
    rest == Raw::default()
}

/// Keyword, whether it is used, and what it must be, for everything a branch may not say.
fn forbidden_in_branches(raw: &Raw) -> [(&'static str, bool, &'static str); 13] {
    let some = |list: &[ordain_value::Text]| !list.is_empty();
    [
        ("type", !raw.ty.is_empty(), "empty"),
        ("additionalProperties", has_nested_additional(raw), "undefined"),
        ("default", raw.default.is_some(), "undefined"),
        ("title", !raw.title.is_empty(), "empty"),
        ("description", !raw.description.is_empty(), "empty"),
        ("nullable", raw.nullable, "false"),
        (
            "x-kubernetes-preserve-unknown-fields",
            raw.preserve_unknown_fields == Some(true),
            "false",
        ),
        ("x-kubernetes-embedded-resource", raw.embedded_resource, "false"),
        ("x-kubernetes-int-or-string", raw.int_or_string, "false"),
        ("x-kubernetes-list-map-keys", some(raw.list_map_keys()), "empty"),
        ("x-kubernetes-list-type", raw.list_type.is_some(), "undefined"),
        ("x-kubernetes-map-type", raw.map_type.is_some(), "undefined"),
        ("x-kubernetes-validations", !raw.rules().is_empty(), "empty"),
    ]
}
