//! Rules of metadata as kinds ask for them.
//!
//! Upstream judges the metadata of an update twice for some kinds (as that of a new object, and as
//! a change) and once for others; causes are counted, so each kind says which of the two it runs.

use ordain_meta::object_meta::{self, ObjectMeta};
use ordain_strategy::Change;
use ordain_strategy::typed::rules;
use ordain_value::field::{self, Path};

/// What names of a kind may be.
pub(crate) type NameRule = fn(&str, bool) -> Vec<String>;

/// The rules of a new object, well-known finalizers included; also those of an update for kinds
/// that judge the whole object again.
pub(crate) fn whole(change: &Change<'_>, namespaced: bool, rule: NameRule) -> field::ErrorList {
    rules::metadata(&Change { old: None, ..*change }, namespaced, rule)
}

/// The rules of a change; none for a new object.
pub(crate) fn changed(change: &Change<'_>) -> field::ErrorList {
    match change.old {
        None => field::ErrorList::new(),
        Some(_) => rules::metadata(change, false, ordain_meta::name::path_segment_rule),
    }
}

/// The rules of a new object or those of a change, whichever it is.
pub(crate) fn either(change: &Change<'_>, namespaced: bool, rule: NameRule) -> field::ErrorList {
    rules::metadata(change, namespaced, rule)
}

/// The rules of a change, and then those of the whole object again.
pub(crate) fn changed_and_whole(
    change: &Change<'_>,
    namespaced: bool,
    rule: NameRule,
) -> field::ErrorList {
    let mut errors = changed(change);
    errors.extend(whole(change, namespaced, rule));
    errors
}

/// The rules of the whole object, and then those of a change.
pub(crate) fn whole_and_changed(
    change: &Change<'_>,
    namespaced: bool,
    rule: NameRule,
) -> field::ErrorList {
    let mut errors = whole(change, namespaced, rule);
    errors.extend(changed(change));
    errors
}

/// [`whole`] for kinds that take any finalizer.
pub(crate) fn whole_any_finalizer(
    change: &Change<'_>,
    namespaced: bool,
    rule: NameRule,
) -> field::ErrorList {
    let path = Path::new("metadata");
    object_meta::validate(ObjectMeta::of(change.object), namespaced, rule, &path)
}

/// [`changed`] for kinds that take any finalizer.
pub(crate) fn changed_any_finalizer(change: &Change<'_>) -> field::ErrorList {
    let Some(old) = change.old else { return field::ErrorList::new() };
    let (new, old) = (ObjectMeta::of(change.object), ObjectMeta::of(old));
    object_meta::validate_update(new, old, &Path::new("metadata"))
}
