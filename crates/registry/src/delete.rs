//! The delete verb: preconditions, finalizers, and what to do with dependents.

use ordain_meta::GroupResource;
use ordain_meta::status::Status;
use ordain_storage::Expect;
use ordain_strategy::graceful;
use ordain_value::{Text, Value};

use crate::admission::{Asked, Attributes, Operation};
use crate::definitions::Judging;
use crate::object;
use crate::registry::{Registry, Stored, Target};
use crate::request::{DeleteOptions, Warnings};
use crate::strategy::{GarbageCollection, Part};

pub(crate) const FINALIZER_ORPHAN: &str = "orphan";
pub(crate) const FINALIZER_FOREGROUND: &str = "foregroundDeletion";

const CONFLICT_TRIES: usize = 64;

/// Why an object is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    Asked,
    /// With its collection: admission does not see its name.
    Member,
    /// Its definition goes: nobody is asked.
    Undefined,
    /// Admission has judged its eviction, and is not asked again.
    Evicted,
}

/// How a delete ended.
#[derive(Debug)]
pub enum Deleted {
    /// The object is gone; the answer says so.
    Gone(Status),
    /// The object is gone; the answer is its last state.
    Last(Value),
    /// The object stays until its finalizers are done.
    Marked(Value),
}

impl Registry {
    /// Deletes an object, or marks it as being deleted.
    pub async fn delete(
        &self,
        target: &Target,
        options: &DeleteOptions,
        warnings: &mut Warnings,
    ) -> Result<Deleted, Status> {
        warn_of_orphans(target, options, warnings);
        self.delete_for(target, options, Reason::Asked, warnings).await
    }

    /// The same for some reason.
    pub(crate) async fn delete_for(
        &self,
        target: &Target,
        options: &DeleteOptions,
        why: Reason,
        warnings: &mut Warnings,
    ) -> Result<Deleted, Status> {
        options.check()?;
        let mut judging = Judging::new(target);
        let deleted = loop {
            let deleted = self.delete_one(&judging.target, options, why, warnings).await;
            if let Some(deleted) = self.settled(&mut judging, deleted).await? {
                break deleted;
            }
        };
        self.after_commit(&judging.target).await?;
        Ok(deleted)
    }

    pub(crate) async fn delete_one(
        &self,
        target: &Target,
        options: &DeleteOptions,
        why: Reason,
        warnings: &mut Warnings,
    ) -> Result<Deleted, Status> {
        let key = target.key();
        for _ in 0..CONFLICT_TRIES {
            let current = self.read(&target.resource, &key).await?;
            let current = current.ok_or_else(|| target.not_found())?;
            check_preconditions(target, options, &current.object)?;
            let old = self.present(target, &current).await?;
            let strategy = target.resource.strategy.as_ref();
            let granted = graceful::granted(strategy, &old, options);
            self.admit_delete(target, &old, &granted, why, warnings).await?;
            let done = match self.marked(target, &old, options) {
                Some(marked) => self.mark(target, &current, marked, options).await?,
                None => {
                    // Upstream marks first and deletes what is marked, and asks before either.
                    let now = self.clock.now();
                    let ended = graceful::ended(strategy, &old, options, now);
                    if let Some(ended) = ended.filter(|_| !object::is_deleting(&old)) {
                        self.admit_delete(target, &ended, &granted, why, warnings).await?;
                    }
                    self.take(target, &current, old, options).await?
                }
            };
            if let Some(deleted) = done {
                return Ok(deleted);
            }
        }
        Err(Status::modified(&target.group_resource(), &target.name))
    }

    /// Lets admission judge a deletion.
    async fn admit_delete(
        &self,
        target: &Target,
        old: &Value,
        options: &DeleteOptions,
        why: Reason,
        warnings: &mut Warnings,
    ) -> Result<(), Status> {
        if matches!(why, Reason::Undefined | Reason::Evicted) {
            return Ok(());
        }
        let attributes = Attributes {
            registry: self,
            target,
            name: if why == Reason::Member { "" } else { &target.name },
            part: Part::Main,
            operation: Operation::Delete,
            old: Some(old),
            options: Asked::Delete(options),
            ahead: None,
            encoded: None,
        };
        self.admission.mutate(&attributes, None, warnings).await?;
        self.admission.validate(&attributes, None, warnings).await
    }

    /// The object as it waits for its finalizers; `None` when nothing holds it.
    fn marked(&self, target: &Target, old: &Value, options: &DeleteOptions) -> Option<Value> {
        let strategy = &target.resource.strategy;
        let policy = strategy.policy();
        if policy.delete_marks {
            let mut marked = strategy.mark_deleted(old, &self.now())?;
            let orphans = options.orphan_dependents == Some(true)
                || options.propagation_policy.as_deref() == Some("Orphan");
            if orphans && target.resource.plural == "namespaces" {
                let mut finalizers = object::finalizers(&marked);
                if !finalizers.iter().any(|name| name == FINALIZER_ORPHAN) {
                    finalizers.push(FINALIZER_ORPHAN.into());
                    object::set_finalizers(&mut marked, finalizers);
                }
            }
            return Some(marked);
        }
        let mut object = old.clone();
        let finalizers = gc_finalizers(policy.garbage_collection, &object, options);
        if let Some(held) = graceful::hold(strategy.as_ref(), &object, options, self.clock.now()) {
            object = held;
            object::set_finalizers(&mut object, finalizers);
            return Some(object);
        }
        if finalizers.is_empty() {
            return None;
        }
        object::set_finalizers(&mut object, finalizers);
        if !object::is_deleting(&object) {
            let generation = object::generation(&object);
            if generation > 0 {
                object::set_generation(&mut object, generation + 1);
            }
            object::set(&mut object, "deletionTimestamp", self.now().into());
        }
        object::set(&mut object, "deletionGracePeriodSeconds", Value::Int(0));
        Some(object)
    }

    async fn mark(
        &self,
        target: &Target,
        current: &Stored,
        marked: Value,
        options: &DeleteOptions,
    ) -> Result<Option<Deleted>, Status> {
        let resource = &target.resource;
        let encoded = self.encode(resource, &target.version, &marked).await?;
        if encoded.bytes == current.bytes {
            return Ok(Some(Deleted::Marked(self.present(target, current).await?)));
        }
        let key = target.key();
        let stored = if options.is_dry_run() {
            Some(self.stored(resource, &key, encoded, current.revision)?)
        } else {
            self.commit(resource, &key, Expect::Exact(current.revision), encoded).await?
        };
        match stored {
            Some(stored) => Ok(Some(Deleted::Marked(self.present(target, &stored).await?))),
            None => Ok(None),
        }
    }

    async fn take(
        &self,
        target: &Target,
        current: &Stored,
        mut last: Value,
        options: &DeleteOptions,
    ) -> Result<Option<Deleted>, Status> {
        let strategy = target.resource.strategy.as_ref();
        if let Some(ended) = graceful::ended(strategy, &last, options, self.clock.now()) {
            last = ended;
        }
        if !options.is_dry_run() {
            let removed = self.remove(&target.key(), Expect::Exact(current.revision)).await?;
            let Some(revision) = removed else { return Ok(None) };
            self.after_removal(target, &current.object).await?;
            object::set(&mut last, "resourceVersion", revision.to_string().into());
        }
        if target.resource.strategy.policy().returns_deleted {
            return Ok(Some(Deleted::Last(last)));
        }
        let uid = object::uid(&last);
        Ok(Some(Deleted::Gone(Status::deleted(&target.group_resource(), &target.name, uid))))
    }
}

/// Tells that dependents stay although nobody asked for it, where that surprises people.
pub(crate) fn warn_of_orphans(target: &Target, options: &DeleteOptions, warnings: &mut Warnings) {
    let warning = target.resource.strategy.policy().orphaning_warning;
    let says = options.orphan_dependents.is_some() || options.propagation_policy.is_some();
    if !warning.is_empty() && !says {
        warnings.add(warning.to_owned());
    }
}

/// The finalizers an object has once its deletion is asked for in this way.
fn gc_finalizers(policy: GarbageCollection, object: &Value, options: &DeleteOptions) -> Vec<Text> {
    let finalizers = object::finalizers(object);
    let (orphan, foreground) = dependents(policy, &finalizers, options);
    let is_gc = |name: &Text| name == FINALIZER_ORPHAN || name == FINALIZER_FOREGROUND;
    let mut wanted: Vec<Text> = finalizers.iter().filter(|name| !is_gc(name)).cloned().collect();
    if orphan {
        wanted.push(FINALIZER_ORPHAN.into());
    }
    if foreground {
        wanted.push(FINALIZER_FOREGROUND.into());
    }
    let mut unchanged = finalizers.clone();
    unchanged.sort();
    unchanged.dedup();
    let mut sorted = wanted.clone();
    sorted.sort();
    sorted.dedup();
    if sorted == unchanged { finalizers } else { wanted }
}

/// Whether dependents are orphaned, or deleted first. The request decides before the object's
/// own finalizers, and these before the kind.
fn dependents(
    policy: GarbageCollection,
    finalizers: &[Text],
    options: &DeleteOptions,
) -> (bool, bool) {
    if policy == GarbageCollection::Unsupported {
        return (false, false);
    }
    if let Some(orphan) = options.orphan_dependents {
        return (orphan, false);
    }
    match options.propagation_policy.as_deref() {
        Some("Orphan") => return (true, false),
        Some("Foreground") => return (false, true),
        Some("Background") => return (false, false),
        _ => {}
    }
    for finalizer in finalizers {
        match finalizer.as_str() {
            FINALIZER_ORPHAN => return (true, false),
            FINALIZER_FOREGROUND => return (false, true),
            _ => {}
        }
    }
    (policy == GarbageCollection::OrphanDependents, false)
}

fn check_preconditions(
    target: &Target,
    options: &DeleteOptions,
    object: &Value,
) -> Result<(), Status> {
    let marks = target.resource.strategy.policy().delete_marks;
    let kind = if marks {
        target.group_resource()
    } else {
        GroupResource::new(target.resource.group.clone(), target.resource.kind.clone())
    };
    if let Some(expected) = &options.uid {
        let actual = object::uid(object);
        if expected != actual {
            let why = if marks {
                format!(
                    "Precondition failed: UID in precondition: {expected}, UID in object meta: \
                     {actual}"
                )
            } else {
                format!(
                    "the UID in the precondition ({expected}) does not match the UID in record \
                 ({actual}). The object might have been deleted and then recreated"
                )
            };
            return Err(Status::conflict(&kind, &target.name, &why));
        }
    }
    if let Some(expected) = &options.resource_version {
        let actual = object::resource_version(object);
        if expected != actual {
            let why = if marks {
                format!(
                    "Precondition failed: ResourceVersion in precondition: {expected}, \
                     ResourceVersion in object meta: {actual}"
                )
            } else {
                format!(
                    "the ResourceVersion in the precondition ({expected}) does not match the \
                 ResourceVersion in record ({actual}). The object might have been modified"
                )
            };
            return Err(Status::conflict(&kind, &target.name, &why));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(policy: Option<&str>, orphan: Option<bool>, held: &[&str]) -> Vec<String> {
        let mut object = ordain_value::value!({});
        object::set_finalizers(&mut object, held.iter().map(|name| Text::from(*name)).collect());
        let options = DeleteOptions {
            propagation_policy: policy.map(Text::from),
            orphan_dependents: orphan,
            ..DeleteOptions::default()
        };
        let names = gc_finalizers(GarbageCollection::DeleteDependents, &object, &options);
        names.into_iter().map(|name| name.to_string()).collect()
    }

    #[test]
    fn the_request_decides_about_dependents_before_the_object() {
        assert_eq!(asked(Some("Foreground"), None, &[]), ["foregroundDeletion"]);
        assert_eq!(asked(Some("Background"), None, &["orphan"]), Vec::<String>::new());
        assert_eq!(asked(None, Some(true), &["a/b"]), ["a/b", "orphan"]);
        assert_eq!(asked(None, None, &["orphan"]), ["orphan"]);
        assert_eq!(asked(None, None, &[]), Vec::<String>::new());
    }
}
