//! The spec of a definition.

use std::cell::Cell;
use std::collections::BTreeSet;

use ordain_meta::name::{dns_1035_label, dns_1123_subdomain};
use ordain_value::Text;
use ordain_value::field::{BadValue, Error, ErrorList, Path};

use super::{AdmissionHooks, Options, conversion, parts, root};
use crate::gojson;
use crate::hoist::{VersionView, View};
use crate::raw::Raw;

/// Judges the spec and everything below it.
pub(super) fn validate(
    view: &View<'_>,
    options: &Options,
    hooks: &dyn AdmissionHooks,
    errors: &mut ErrorList,
) {
    let path = &Path::new("spec");
    let spec = view.spec;
    group(&spec.group, &path.child("group"), errors);
    parts::one_of(&spec.scope, &["Cluster", "Namespaced"], &path.child("scope"), errors);
    schemas_present(view, options, path, errors);
    let has_defaults = view.schemas().any(|raw| raw.any(&mut |r| r.default.is_some()));
    if has_defaults && spec.preserve_unknown_fields {
        let detail = "must be false in order to use defaults in the schema";
        errors.push(Error::invalid(&path.child("preserveUnknownFields"), true, detail));
    }
    let scope = root::Scope {
        options,
        hooks,
        structural: options.require_structural
            || !spec.preserve_unknown_fields
            || has_defaults
            || view.schemas().any(uses_extensions),
        patterns: Cell::new(0),
    };
    versions(view, &scope, path, errors);
    let names = path.child("names");
    let required = [
        ("plural", &spec.names.plural),
        ("singular", &spec.names.singular),
        ("kind", &spec.names.kind),
        ("listKind", &spec.names.list_kind),
    ];
    for (field, given) in required {
        if given.is_empty() {
            errors.push(Error::required(&names.child(field), ""));
        }
    }
    parts::names(&spec.names, &names, errors);
    hoisted(view, &scope, path, errors);
    let conversion = spec.conversion.as_ref();
    if let Some(conversion) = conversion.filter(|_| spec.preserve_unknown_fields)
        && conversion.strategy != "None"
    {
        let detail = "must be None if spec.preserveUnknownFields is true";
        let path = path.child("conversion");
        errors.push(Error::invalid(&path.child("strategy"), conversion.strategy.clone(), detail));
    }
    if let Some(conversion) = conversion {
        conversion::validate(conversion, options, &path.child("conversion"), errors);
    }
}

fn group(group: &Text, path: &Path<'_>, errors: &mut ErrorList) {
    if group.is_empty() {
        errors.push(Error::required(path, ""));
        return;
    }
    let wrong = dns_1123_subdomain(group);
    if !wrong.is_empty() {
        errors.push(Error::invalid(path, group.clone(), wrong.join(",")));
    } else if !group.contains('.') {
        errors.push(Error::invalid(
            path,
            group.clone(),
            "should be a domain with at least one dot",
        ));
    }
}

fn schemas_present(view: &View<'_>, options: &Options, path: &Path<'_>, errors: &mut ErrorList) {
    if view.raw().is_some() {
        return;
    }
    let detail = if options.require_schema {
        ""
    } else if !view.spec.preserve_unknown_fields {
        "because otherwise all fields are pruned"
    } else {
        return;
    };
    for (at, version) in view.versions.iter().enumerate() {
        if version.raw().is_none() && (options.require_schema || version.version.served) {
            let path = path.child("versions");
            let path = path.index(at);
            let path = path.child("schema");
            errors.push(Error::required(&path.child("openAPIV3Schema"), detail));
        }
    }
}

/// Extensions that only make sense in a structural schema.
fn uses_extensions(raw: &Raw) -> bool {
    raw.any(&mut |r| {
        r.embedded_resource
            || r.preserve_unknown_fields.is_some()
            || r.int_or_string
            || !r.list_map_keys().is_empty()
            || r.list_type.is_some()
            || !r.rules().is_empty()
    })
}

fn versions(view: &View<'_>, scope: &root::Scope<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    let list = path.child("versions");
    let mut seen = BTreeSet::new();
    let mut unique = true;
    for (at, version) in view.versions.iter().enumerate() {
        let path = list.index(at);
        let name = &version.version.name;
        unique &= seen.insert(name);
        label(name, &path.child("name"), errors);
        one_version(view, version, scope, &path, errors);
    }
    let shown = || {
        BadValue::Json(gojson::versions(view.spec.versions.as_ref().map(|_| &view.versions[..])))
    };
    if !unique {
        errors.push(Error::invalid(&list, shown(), "must contain unique version names"));
    }
    if view.versions.iter().filter(|v| v.version.storage).count() != 1 {
        let detail = "must have exactly one version marked as storage version";
        errors.push(Error::invalid(&list, shown(), detail));
    }
    // The first version also stands at the top of the view.
    if let Some(first) = view.versions.first().filter(|v| !v.version.name.is_empty()) {
        label(&first.version.name, &path.child("version"), errors);
    }
}

fn label(name: &Text, path: &Path<'_>, errors: &mut ErrorList) {
    let wrong = dns_1035_label(name);
    if !wrong.is_empty() {
        errors.push(Error::invalid(path, name.clone(), wrong.join(",")));
    }
}

fn one_version(
    view: &View<'_>,
    version: &VersionView<'_>,
    scope: &root::Scope<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let name = &version.version.name;
    parts::deprecation(version.version, &path.child("deprecationWarning"), errors);
    let status = view.subresources_of(name).is_some_and(|s| s.status);
    let suppress_cost = scope.options.unchanged.contains(name);
    root::validate(version.schema, status, suppress_cost, scope, &path.child("schema"), errors);
    parts::subresources(version.subresources, &path.child("subresources"), errors);
    parts::columns(version.columns, &path.child("additionalPrinterColumns"), errors);
    let selectable = version.selectable.unwrap_or_default();
    if selectable.is_empty() {
        return;
    }
    let fields = path.child("selectableFields");
    let Some(raw) = version.raw() else {
        let detail = "may only be set when `version.schema.openAPIV3Schema` is not included";
        return errors.push(Error::invalid(&fields, "", detail));
    };
    let allowed = scope.options.many_selectable.contains(name);
    let schema = path.child("schema.openAPIV3Schema");
    parts::selectable(selectable, raw, allowed, &fields, &schema, errors);
}

fn hoisted(view: &View<'_>, scope: &root::Scope<'_>, path: &Path<'_>, errors: &mut ErrorList) {
    let first = view.versions.first().map(|v| v.version.name.clone()).unwrap_or_default();
    let suppress_cost = scope.options.unchanged.contains(&first);
    let validation = path.child("validation");
    root::validate(view.schema, view.any_status(), suppress_cost, scope, &validation, errors);
    parts::subresources(view.subresources, &path.child("subresources"), errors);
    parts::columns(view.columns, &path.child("additionalPrinterColumns"), errors);
    let selectable = view.selectable.unwrap_or_default();
    if selectable.is_empty() {
        return;
    }
    let fields = path.child("selectableFields");
    match (view.schema, view.raw()) {
        (None, _) => {
            let detail = "may only be set when validations.schema is included";
            errors.push(Error::invalid(&fields, "", detail));
        }
        (Some(_), Some(raw)) => {
            let allowed = scope.options.many_selectable.contains("");
            let schema = path.child("schema.openAPIV3Schema");
            parts::selectable(selectable, raw, allowed, &fields, &schema, errors);
        }
        // A schema without content has been refused above.
        (Some(_), None) => {}
    }
}
