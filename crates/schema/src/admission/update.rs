//! What an update may keep: rules that the stored definition already breaks are not enforced.

use std::collections::BTreeSet;

use ordain_value::Text;
use ordain_value::field::{Error, ErrorList, Path};

use super::{AdmissionHooks, Expressions, Options, client, conversion, lists};
use crate::crd::{Crd, CrdSpec};
use crate::hoist::View;
use crate::open_api::OpenApi;
use crate::raw::Raw;
use crate::{resolve, structural};

const SELECTABLE_MAX: usize = 8;

/// The rules that hold for this update.
pub(super) fn options(
    old: &Crd,
    view: &View<'_>,
    old_view: &View<'_>,
    hooks: &dyn AdmissionHooks,
) -> Options {
    let has = |test: &dyn Fn(&Raw) -> bool| old_view.schemas().any(|raw| raw.any(&mut |r| test(r)));
    let all_have_schemas =
        old_view.raw().is_some() || old_view.versions.iter().all(|v| v.raw().is_some());
    Options {
        require_recognized_review_version: old_reviews_recognized(&old.spec),
        require_immutable_names: old.is_true("Established"),
        require_schema: all_have_schemas,
        require_valid_types: !has(&|r| !r.ty.is_empty() && !super::root::is_type(&r.ty)),
        require_structural: old_view.schemas().all(|raw| is_structural(raw, hooks)),
        require_pruned_defaults: !old_view.schemas().any(|raw| has_unpruned(raw, hooks)),
        require_atomic_sets: !has(&lists::is_set_of_non_atomic),
        require_list_map_keys: !has(&|r| !lists::keys_and_items(r, &Path::root()).is_empty()),
        allow_invalid_ca_bundle: allow_invalid_ca_bundle(old),
        preexisting: expressions(old_view),
        unchanged: unchanged_versions(view, old_view),
        many_selectable: many_selectable(view, old_view),
    }
}

/// What may never change, or not once names are accepted.
pub(super) fn immutable(spec: &CrdSpec, old: &CrdSpec, options: &Options, errors: &mut ErrorList) {
    let path = Path::new("spec");
    let names = path.child("names");
    let mut check = |given: &Text, old: &Text, path: &Path<'_>| {
        if given != old {
            errors.push(Error::invalid(path, given.clone(), "field is immutable"));
        }
    };
    if options.require_immutable_names {
        check(&spec.scope, &old.scope, &path.child("scope"));
        check(&spec.names.kind, &old.names.kind, &names.child("kind"));
    }
    check(&spec.group, &old.group, &path.child("group"));
    check(&spec.names.plural, &old.names.plural, &names.child("plural"));
}

fn old_reviews_recognized(old: &CrdSpec) -> bool {
    let webhook = old.conversion.as_ref().and_then(|c| c.webhook.as_ref());
    let versions = webhook.and_then(|w| w.review_versions.as_deref()).unwrap_or_default();
    versions.is_empty() || versions.iter().any(|v| client::is_recognized(v))
}

fn is_structural(raw: &Raw, hooks: &dyn AdmissionHooks) -> bool {
    let patterns = |pattern: &str| hooks.check_pattern(pattern);
    let mut wrong = structural::violations(raw, &Path::root(), &patterns);
    if hooks.rules_in_junctors() {
        wrong.retain(|error| !error.path.ends_with(".x-kubernetes-validations"));
    }
    resolve::convertible(raw).is_ok() && wrong.is_empty()
}

fn has_unpruned(raw: &Raw, hooks: &dyn AdmissionHooks) -> bool {
    raw.any(&mut |r| r.default.is_some())
        && is_structural(raw, hooks)
        && resolve::resolve(raw).is_ok_and(|schema| hooks.has_unpruned_defaults(&schema))
}

fn allow_invalid_ca_bundle(old: &Crd) -> bool {
    if !old.is_true("Established") {
        return true;
    }
    let webhook = old.spec.conversion.as_ref().and_then(|c| c.webhook.as_ref());
    let bundle = webhook.and_then(|w| w.client.as_ref()).map_or("", |c| c.ca_bundle.as_str());
    !bundle.is_empty() && conversion::check_ca_bundle(bundle).is_err()
}

fn expressions(old: &View<'_>) -> Expressions {
    let mut found = Expressions::default();
    for raw in old.schemas() {
        raw.any(&mut |r| {
            for rule in r.rules() {
                found.rules.insert(rule.rule.clone());
                if !rule.message_expression.is_empty() {
                    found.messages.insert(rule.message_expression.clone());
                }
            }
            false
        });
    }
    found
}

fn unchanged_versions(view: &View<'_>, old: &View<'_>) -> BTreeSet<Text> {
    let meaning = |schema: Option<&crate::crd::VersionSchema>| {
        schema.map(|s| s.open_api.as_ref().map(OpenApi::encode))
    };
    let names = view.versions.iter().map(|v| &v.version.name);
    let unchanged = names.filter(|name| match (view.schema_of(name), old.schema_of(name)) {
        (Some(new), Some(old)) => meaning(new) == meaning(old),
        _ => false,
    });
    unchanged.cloned().collect()
}

fn many_selectable(view: &View<'_>, old_view: &View<'_>) -> BTreeSet<Text> {
    let mut allowed = BTreeSet::new();
    let hoisted = old_view.selectable.unwrap_or_default();
    if hoisted.len() > SELECTABLE_MAX && view.selectable.unwrap_or_default() == hoisted {
        allowed.insert(Text::default());
    }
    let own = |spec: &View<'_>, name: &str| {
        let version = spec.versions.iter().find(|v| v.version.name == name)?;
        Some(version.selectable.unwrap_or_default().to_vec())
    };
    for version in &view.versions {
        let name = &version.version.name;
        let (new, old) = (own(view, name), own(old_view, name));
        if old.as_ref().is_some_and(|o| o.len() > SELECTABLE_MAX) && new == old {
            allowed.insert(name.clone());
        }
    }
    allowed
}
