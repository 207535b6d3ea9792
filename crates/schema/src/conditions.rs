//! The conditions and names that the controllers of a definition would write, as pure functions of
//! the definition and its neighbours. Times are handed in.

use std::collections::BTreeSet;

use ordain_value::field::{Error, ErrorList, Path};
use ordain_value::{List, Text, Value, go_quote};

use crate::admission::{Approval, approval, check_ca_bundle, is_protected_group};
use crate::crd::{CLEANUP_FINALIZER, Condition, Crd, CrdNames};
use crate::structural::PatternCheck;
use crate::{resolve, structural};

/// Why objects of a definition that is being deleted are, or are no longer, in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cleanup {
    /// Deletion was asked for.
    Pending,
    /// Objects are being deleted.
    InProgress,
    /// Deleting them failed: the words say how.
    Failed(String),
    /// Whether they are gone could not be determined.
    Unconfirmed(String),
    /// They are gone.
    Completed,
    /// There never were any.
    NeverEstablished,
    /// They belong to a built-in resource.
    Overlapping,
}

/// Brings all conditions and the accepted names up to date. `group` holds every definition of the
/// same API group, this one too or not. Returns whether anything changed.
pub fn settle<'a>(
    crd: &mut Crd,
    group: impl Iterator<Item = &'a Crd>,
    patterns: PatternCheck<'_>,
    now: &str,
) -> bool {
    let before = crd.status.clone();
    accept_names(crd, group, now);
    establish(crd, now);
    match non_structural(crd, patterns) {
        Some(condition) => set_condition(crd, condition, now),
        None => remove_condition(crd, "NonStructuralSchema"),
    }
    if let Some(condition) = approval_policy(crd) {
        set_condition(crd, condition, now);
    }
    crd.status != before
}

/// Accepts the names that no neighbour holds.
pub fn accept_names<'a>(crd: &mut Crd, group: impl Iterator<Item = &'a Crd>, now: &str) {
    if crd.spec.names.encode() == crd.status.accepted_names.encode() {
        return;
    }
    let taken = Taken::new(crd, group);
    let (names, accepted) = taken.judge(&crd.spec.names, &crd.status.accepted_names);
    let unchanged = names == crd.status.accepted_names
        && crd.condition("NamesAccepted").is_some_and(|old| same_words(old, &accepted));
    if unchanged {
        return;
    }
    let all_accepted = accepted.status == "True";
    crd.status.accepted_names = names;
    set_condition(crd, accepted, now);
    let established = match crd.condition("Established") {
        Some(old) if old.status == "True" || !all_accepted => old.clone(),
        _ if all_accepted => {
            condition("Established", "False", "Installing", "the initial names have been accepted")
        }
        _ => condition("Established", "False", "NotAccepted", "not all names are accepted"),
    };
    set_condition(crd, established, now);
}

/// Lets a definition whose names are accepted be served.
pub fn establish(crd: &mut Crd, now: &str) {
    if !crd.is_true("NamesAccepted") || crd.is_true("Established") {
        return;
    }
    let webhook = crd.spec.conversion.as_ref().and_then(|c| c.webhook.as_ref());
    let bundle = webhook.and_then(|w| w.client.as_ref()).map_or("", |c| c.ca_bundle.as_str());
    let condition = if !bundle.is_empty() && check_ca_bundle(bundle).is_err() {
        let message = "The conversion webhook CABundle is invalid";
        condition("Established", "False", "InvalidCABundle", message)
    } else {
        let message = "the initial names have been accepted";
        condition("Established", "True", "InitialNamesAccepted", message)
    };
    set_condition(crd, condition, now);
}

/// What is not structural in a stored definition; none when all is well.
#[must_use]
pub fn non_structural(crd: &Crd, patterns: PatternCheck<'_>) -> Option<Condition> {
    let spec = Path::new("spec");
    let mut errors = ErrorList::new();
    if crd.spec.preserve_unknown_fields {
        let path = spec.child("preserveUnknownFields");
        errors.push(Error::invalid(&path, true, "must be false"));
    }
    let versions = spec.child("versions");
    for (at, version) in crd.spec.versions().iter().enumerate() {
        let Some(raw) = version.raw() else { continue };
        if let Err(error) = resolve::convertible(raw) {
            let name = &version.name;
            let message = format!("failed to check validation schema for version {name}: {error}");
            return Some(condition("NonStructuralSchema", "Unknown", "StructuralError", &message));
        }
        let path = versions.index(at);
        let path = path.child("schema");
        let path = path.child("openAPIV3Schema");
        errors.extend(structural::violations(raw, &path, patterns));
    }
    let message = ordain_meta::status::aggregate(&errors)?;
    Some(condition("NonStructuralSchema", "True", "Violations", &message))
}

/// Whether a definition in a protected group is approved; none in other groups.
#[must_use]
pub fn approval_policy(crd: &Crd) -> Option<Condition> {
    if !is_protected_group(&crd.spec.group) {
        return None;
    }
    let (state, message) = approval(crd);
    let (status, reason) = match state {
        Approval::Invalid => ("False", "InvalidAnnotation"),
        Approval::Missing => ("False", "MissingAnnotation"),
        Approval::Approved => ("True", "ApprovedAnnotation"),
        Approval::Bypassed => ("False", "UnapprovedAnnotation"),
    };
    Some(condition("KubernetesAPIApprovalPolicyConformant", status, reason, &message))
}

/// Marks a definition for deletion: the first answer to a DELETE.
pub fn mark_for_deletion(crd: &mut Crd, now: &str) {
    if crd.metadata.get("deletionTimestamp").is_none_or(Value::is_null) {
        crd.metadata.insert("deletionTimestamp", Value::str(now));
    }
    let finalizers = crd.metadata.get_or_insert_null("finalizers");
    if finalizers.as_list().is_none() {
        *finalizers = Value::List(List::default());
    }
    if let Some(list) = finalizers.as_list_mut()
        && !list.iter().any(|f| f.as_str() == Some(CLEANUP_FINALIZER))
    {
        list.push(Value::str(CLEANUP_FINALIZER));
    }
    set_cleanup(crd, &Cleanup::Pending, now);
}

/// Records how far deleting the objects has come. Once nothing is in the way any more, the
/// finalizer goes too.
pub fn set_cleanup(crd: &mut Crd, cleanup: &Cleanup, now: &str) {
    let (status, reason, message) = match cleanup {
        Cleanup::Pending => (
            "True",
            "InstanceDeletionPending",
            "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
        ),
        Cleanup::InProgress => {
            ("True", "InstanceDeletionInProgress", "CustomResource deletion is in progress")
        }
        Cleanup::Failed(why) => ("True", "InstanceDeletionFailed", why.as_str()),
        Cleanup::Unconfirmed(why) => ("True", "InstanceDeletionCheck", why.as_str()),
        Cleanup::Completed => ("False", "InstanceDeletionCompleted", "removed all instances"),
        Cleanup::NeverEstablished => {
            ("False", "NeverEstablished", "resource was never established")
        }
        Cleanup::Overlapping => (
            "False",
            "OverlappingBuiltInResource",
            "instances overlap with built-in resources in storage",
        ),
    };
    set_condition(crd, condition("Terminating", status, reason, message), now);
    if status == "False"
        && let Some(list) = crd.metadata.get_mut("finalizers").and_then(Value::as_list_mut)
    {
        list.to_mut().retain(|f| f.as_str() != Some(CLEANUP_FINALIZER));
        if list.is_empty() {
            crd.metadata.remove("finalizers");
        }
    }
}

/// Sets a condition; its time moves only when its status changes.
pub fn set_condition(crd: &mut Crd, mut new: Condition, now: &str) {
    let list = crd.status.conditions.get_or_insert_default();
    match list.iter_mut().find(|c| c.ty == new.ty) {
        Some(old) => {
            if old.status != new.status || old.last_transition_time.is_none() {
                old.last_transition_time = Some(Text::from(now));
            }
            (old.status, old.reason, old.message) = (new.status, new.reason, new.message);
        }
        None => {
            new.last_transition_time = Some(Text::from(now));
            list.push(new);
        }
    }
}

fn remove_condition(crd: &mut Crd, ty: &str) {
    if let Some(list) = &mut crd.status.conditions {
        list.retain(|c| c.ty != ty);
    }
}

fn condition(
    ty: &'static str,
    status: &'static str,
    reason: &'static str,
    message: &str,
) -> Condition {
    Condition {
        ty: Text::new_static(ty),
        status: Text::new_static(status),
        reason: Text::new_static(reason),
        message: Text::from(message),
        ..Condition::default()
    }
}

fn same_words(a: &Condition, b: &Condition) -> bool {
    (&a.status, &a.reason, &a.message) == (&b.status, &b.reason, &b.message)
}

/// Names that a definition wants and that definitions of its group hold.
struct Taken {
    resources: BTreeSet<Text>,
    kinds: BTreeSet<Text>,
}

impl Taken {
    fn new<'a>(crd: &Crd, group: impl Iterator<Item = &'a Crd>) -> Taken {
        let wanted = &crd.spec.names;
        let short = wanted.short_names.iter().flatten();
        let resources: BTreeSet<&Text> =
            [&wanted.plural, &wanted.singular].into_iter().chain(short).collect();
        let mut taken = Taken { resources: BTreeSet::new(), kinds: BTreeSet::new() };
        let mut add = |names: &CrdNames| {
            let short = names.short_names.iter().flatten();
            let held = [&names.plural, &names.singular].into_iter().chain(short);
            taken.resources.extend(held.filter(|name| resources.contains(name)).cloned());
            let held = [&names.kind, &names.list_kind].into_iter();
            let is_wanted = |name: &&Text| **name == wanted.kind || **name == wanted.list_kind;
            taken.kinds.extend(held.filter(is_wanted).cloned());
        };
        add(&crd.status.accepted_names);
        let own = crd.name();
        for other in group {
            if other.spec.group == crd.spec.group && other.name() != own {
                add(&other.status.accepted_names);
            }
        }
        taken
    }

    /// The names that can be accepted, and the condition that says so. Of several conflicts the last
    /// one is reported.
    fn judge(&self, wanted: &CrdNames, held: &CrdNames) -> (CrdNames, Condition) {
        let mut names = held.clone();
        let mut verdict = condition("NamesAccepted", "True", "NoConflicts", "no conflicts found");
        let taken = &self.resources;
        claim(&wanted.plural, &mut names.plural, taken, "PluralConflict", &mut verdict);
        let taken = &self.resources;
        claim(&wanted.singular, &mut names.singular, taken, "SingularConflict", &mut verdict);
        let conflicts = self.short_name_conflicts(wanted, held);
        if conflicts.is_empty() {
            names.short_names.clone_from(&wanted.short_names);
        } else {
            let message = match conflicts.as_slice() {
                [only] => only.clone(),
                many => format!("[{}]", many.join(", ")),
            };
            verdict = condition("NamesAccepted", "False", "ShortNamesConflict", &message);
        }
        let taken = &self.kinds;
        claim(&wanted.kind, &mut names.kind, taken, "KindConflict", &mut verdict);
        let taken = &self.kinds;
        claim(&wanted.list_kind, &mut names.list_kind, taken, "ListKindConflict", &mut verdict);
        names.categories.clone_from(&wanted.categories);
        (names, verdict)
    }

    fn short_name_conflicts(&self, wanted: &CrdNames, held: &CrdNames) -> Vec<String> {
        let mut conflicts: Vec<String> = Vec::new();
        if wanted.short_names == held.short_names {
            return conflicts;
        }
        let mut passed: BTreeSet<&Text> = held.short_names.iter().flatten().collect();
        for name in wanted.short_names.iter().flatten() {
            if passed.insert(name) && self.resources.contains(name) {
                conflicts.push(in_use(name));
            }
        }
        conflicts
    }
}

/// Takes a name over, or reports that it is taken.
fn claim(
    wanted: &Text,
    held: &mut Text,
    taken: &BTreeSet<Text>,
    reason: &'static str,
    verdict: &mut Condition,
) {
    if wanted != held && taken.contains(wanted) {
        *verdict = condition("NamesAccepted", "False", reason, &in_use(wanted));
    } else {
        held.clone_from(wanted);
    }
}

fn in_use(name: &str) -> String {
    format!("{} is already in use", go_quote(name))
}
