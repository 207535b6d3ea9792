//! The create verb.

use ordain_meta::gvk::GroupKind;
use ordain_meta::name;
use ordain_meta::object_meta::{self, ObjectMeta};
use ordain_meta::status::Status;
use ordain_storage::Expect;
use ordain_value::field::Path;
use ordain_value::{Text, Value};

use crate::admission::{Attributes, Operation};
use crate::decode::{self, Body};
use crate::registry::{Registry, Stored, Target};
use crate::request::{Warnings, WriteKind, WriteOptions};
use crate::strategy::{Change, Part};
use crate::{managed_fields, object, source};

/// How often a create with a generated name is tried.
const GENERATED_NAME_TRIES: usize = 8;

impl Registry {
    /// Stores a new object and answers with it.
    pub async fn create(
        &self,
        target: &Target,
        body: &Body<'_>,
        options: &WriteOptions,
        warnings: &mut Warnings,
    ) -> Result<Value, Status> {
        options.check(WriteKind::Create)?;
        let mut object = decode::object(target, body, options.field_validation(), warnings)?;
        wipe_system_fields(&mut object);
        ensure_namespace(target, &mut object)?;
        dedup_owners(&mut object, false, warnings);
        managed_fields::update(self, target, Part::Main, None, &mut object, options);
        let origin = Origin::Posted;
        let dry_run = options.is_dry_run();
        let created = self.create_object(target, object, origin, dry_run, warnings).await?;
        self.after_commit(target).await?;
        Ok(target.present(&created))
    }

    /// The part of a create after the object is read: admission, preparation, validation, commit.
    /// Shared with writes that create what they did not find.
    pub(crate) async fn create_object(
        &self,
        target: &Target,
        mut object: Value,
        origin: Origin,
        dry_run: bool,
        warnings: &mut Warnings,
    ) -> Result<Stored, Status> {
        let name = if target.name.is_empty() {
            Text::from(object::name(&object))
        } else {
            target.name.clone()
        };
        let attributes = Attributes {
            registry: self,
            target,
            name: &name,
            part: Part::Main,
            operation: Operation::Create,
            old: None,
            dry_run,
        };
        self.forbid_while_terminating(target, &name)?;
        self.admission.mutate(&attributes, Some(&mut object), warnings).await?;
        dedup_owners(&mut object, true, warnings);
        let strategy = &target.resource.strategy;
        let before = object.clone();
        if strategy.settle(&target.version, Part::Main, &mut object, None) {
            managed_fields::release(self, target, Part::Main, &before, &mut object, "");
        }
        let generated = object::name(&object).is_empty() && !generate_base(&object).is_empty();
        for attempt in 1.. {
            let mut candidate = object.clone();
            self.fill_system_fields(target, &mut candidate);
            self.before_create(target, &mut candidate, warnings)?;
            self.admission.validate(&attributes, Some(&candidate), warnings).await?;
            if origin == Origin::Posted {
                check_no_version(&candidate)?;
            }
            match self.insert(target, &candidate, dry_run).await? {
                Some(stored) => return Ok(stored),
                None if generated && attempt < GENERATED_NAME_TRIES => {}
                None => return Err(self.exists(target, &candidate).await?),
            }
        }
        Err(Status::internal("the create was tried without end"))
    }

    fn forbid_while_terminating(&self, target: &Target, name: &str) -> Result<(), Status> {
        if !target.resource.terminating {
            return Ok(());
        }
        let why = "create not allowed while custom resource definition is terminating";
        Err(Status::forbidden(&target.group_resource(), name, why))
    }

    /// Gives the object its uid, its birthday and, if it asks for one, its name.
    fn fill_system_fields(&self, target: &Target, object: &mut Value) {
        object::set(object, "creationTimestamp", self.now().into());
        object::set(object, "uid", Value::Str(source::new_uid(self.entropy.as_ref())));
        let base = Text::from(generate_base(object));
        if object::name(object).is_empty() && !base.is_empty() {
            let name = target.resource.strategy.generate_name(self.entropy.as_ref(), &base);
            object::set(object, "name", Value::Str(name));
        }
    }

    fn before_create(
        &self,
        target: &Target,
        object: &mut Value,
        warnings: &mut Warnings,
    ) -> Result<(), Status> {
        let strategy = &target.resource.strategy;
        strategy.prepare_for_create(&target.version, object);
        let change = Change { version: &target.version, part: Part::Main, object, old: None };
        let errors = strategy.validate(&change, warnings);
        let kind = kind_of(target, object);
        if !errors.is_empty() {
            return Err(Status::invalid(&kind, object::name(object), &errors));
        }
        let errors = object_meta::validate(
            ObjectMeta::of(object),
            target.resource.namespaced,
            name::path_segment_rule,
            &Path::new("metadata"),
        );
        if !errors.is_empty() {
            return Err(Status::invalid(&kind, object::name(object), &errors));
        }
        strategy.warn(&change, warnings);
        strategy.canonicalize(object);
        Ok(())
    }

    /// Commits a new object; `None` when its name is taken.
    async fn insert(
        &self,
        target: &Target,
        object: &Value,
        dry_run: bool,
    ) -> Result<Option<Stored>, Status> {
        let resource = &target.resource;
        let key = resource.key(&target.namespace, object::name(object));
        let bytes = self.encode(resource, &target.version, object);
        if !dry_run {
            return self.commit(resource, &key, Expect::Absent, bytes).await;
        }
        if self.read(resource, &key).await?.is_some() {
            return Ok(None);
        }
        let mut stored = self.stored(resource, &key, bytes, 0)?;
        object::remove(&mut stored.object, "resourceVersion");
        Ok(Some(stored))
    }

    async fn exists(&self, target: &Target, object: &Value) -> Result<Status, Status> {
        let (resource, name) = (target.group_resource(), object::name(object));
        if !generate_base(object).is_empty() {
            return Ok(Status::generate_name_conflict(&resource, name));
        }
        let mut status = Status::already_exists(&resource, name);
        let key = target.resource.key(&target.namespace, name);
        let current = self.read(&target.resource, &key).await?;
        if current.is_some_and(|stored| object::is_deleting(&stored.object)) {
            status.message = format!("object is being deleted: {}", status.message);
        }
        Ok(status)
    }
}

/// What made an object come into being.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    Posted,
    /// An update or apply that found nothing.
    Written,
}

fn check_no_version(object: &Value) -> Result<(), Status> {
    match object::resource_version(object) {
        "" | "0" => Ok(()),
        _ => {
            let message = "resourceVersion should not be set on objects to be created";
            Err(Status::unclassified(message))
        }
    }
}

fn generate_base(object: &Value) -> &str {
    object::text(object, "generateName")
}

/// Kind and group as the object names them: refusals speak of what was sent.
pub(crate) fn kind_of(target: &Target, object: &Value) -> GroupKind {
    let kind = object::gvk(object).group_kind();
    if kind.kind.is_empty() { target.resource.group_kind() } else { kind }
}

/// Removes what only the server may set.
pub(crate) fn wipe_system_fields(object: &mut Value) {
    for field in
        ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"]
    {
        object::remove(object, field);
    }
}

/// Puts the object into the namespace of the request, or refuses another one.
pub(crate) fn ensure_namespace(target: &Target, object: &mut Value) -> Result<(), Status> {
    let expected = if target.resource.namespaced { target.namespace.as_str() } else { "" };
    let given = object::namespace(object);
    if given == expected {
        return Ok(());
    }
    if given.is_empty() {
        object::set(object, "namespace", expected.into());
        return Ok(());
    }
    if expected.is_empty() {
        object::remove(object, "namespace");
        return Ok(());
    }
    Err(Status::bad_request(
        "the namespace of the provided object does not match the namespace sent on the request",
    ))
}

/// Drops repeated owner references and says so.
pub(crate) fn dedup_owners(object: &mut Value, after_mutation: bool, warnings: &mut Warnings) {
    let repeated = object::dedup_owner_references(object);
    if repeated.is_empty() {
        return;
    }
    let when = if after_mutation { " after mutating admission happens" } else { "" };
    warnings.add(format!(
        ".metadata.ownerReferences contains duplicate entries{when}; API server dedups owner \
         references in 1.20+, and may reject such requests as early as 1.24; please fix your \
         requests; duplicate UID(s) observed: {}",
        repeated.join(", ")
    ));
}
