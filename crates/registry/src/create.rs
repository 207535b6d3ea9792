//! The create verb: the spine of [`ordain_strategy::create`] with admission and the store.

use ordain_meta::status::Status;
use ordain_storage::Expect;
use ordain_strategy::committed;
use ordain_strategy::create::{Admitted, Read, generate_base};
use ordain_value::Value;

use crate::access;
use crate::admission::{Asked, Attributes, Operation};
use crate::ahead::Foresight;
use crate::caller;
use crate::decode::Body;
use crate::definitions::Judging;
use crate::object;
use crate::registry::{Encoded, Registry, Stored, Target};
use crate::request::{Warnings, WriteOptions};
use crate::strategy::Part;

/// How often a create with a generated name is tried.
const GENERATED_NAME_TRIES: usize = 8;
/// How often a create is tried against other servers that give the same addresses away.
const CREATE_TRIES: usize = 64;

/// What made a new object come about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// A create, which was allowed when the request came in.
    Create,
    /// A write, which creates only because there was nothing to change.
    Write,
}

/// A new object as its creator gets to see it.
#[derive(Debug)]
pub struct Created {
    pub object: Value,
    stored: Stored,
    in_storage_version: bool,
}

impl Created {
    /// The JSON of the object, if it can be copied from what is stored, as that of a read.
    pub fn json(&self) -> Option<Vec<u8>> {
        let Stored { bytes, revision, showing, .. } = &self.stored;
        if self.in_storage_version { showing.json(bytes, *revision) } else { None }
    }
}

impl Registry {
    /// Stores a new object and gives it back.
    pub async fn create(
        &self,
        target: &Target,
        body: &Body<'_>,
        options: &WriteOptions,
        warnings: &mut Warnings,
    ) -> Result<Value, Status> {
        self.create_shown(target, body, options, warnings).await.map(|created| created.object)
    }

    /// Stores a new object and answers with it.
    pub async fn create_shown(
        &self,
        target: &Target,
        body: &Body<'_>,
        options: &WriteOptions,
        warnings: &mut Warnings,
    ) -> Result<Created, Status> {
        let mut judging = Judging::new(target);
        loop {
            let created = self.create_once(&judging.target, body, options, warnings).await;
            if let Some(created) = self.settled(&mut judging, created).await? {
                return Ok(created);
            }
        }
    }

    async fn create_once(
        &self,
        target: &Target,
        body: &Body<'_>,
        options: &WriteOptions,
        warnings: &mut Warnings,
    ) -> Result<Created, Status> {
        let user = caller::current();
        let conversions = self.conversions(target);
        let context =
            self.context(user.as_deref(), conversions.as_ref()).for_real(!options.is_dry_run());
        let body = |warnings: &mut Warnings| Read::body(context, target, body, options, warnings);
        let read = self.answered(target, conversions.as_ref(), warnings, body).await?;
        let stored = self.create_object(target, Cause::Create, read, options, warnings).await?;
        let name = object::name(&stored.object).into();
        self.after_commit(&Target { name, ..target.clone() }).await?;
        let object = self.present(target, &stored).await?;
        let in_storage_version = target.version == target.resource.storage_version;
        Ok(Created { object, stored, in_storage_version })
    }

    /// The part of a create after the object is read: admission, preparation, validation, commit.
    /// Shared with writes that create what they did not find.
    pub(crate) async fn create_object(
        &self,
        target: &Target,
        cause: Cause,
        mut read: Read<'_>,
        options: &WriteOptions,
        warnings: &mut Warnings,
    ) -> Result<Stored, Status> {
        let name = read.name().to_owned();
        let foresight = Foresight::of(self, target, &read);
        let attributes = Attributes {
            registry: self,
            target,
            name: &name,
            part: Part::Main,
            operation: Operation::Create,
            old: None,
            options: Asked::Write(options),
            ahead: Some(&foresight),
            encoded: None,
        };
        let sent = read.object.clone();
        self.admission.mutate(&attributes, Some(&mut read.object), warnings).await?;
        let is_mutated = sent != read.object;
        let (admitted, mut foreseen) = match foresight.take(&read.object, warnings) {
            Some(foreseen) => (foreseen.admitted, Some(foreseen.candidate)),
            None => (self.admitted(target, &read, warnings).await?, None),
        };
        let generated = admitted.has_generated_name();
        for attempt in 1..=CREATE_TRIES {
            let mut reservation = self.reserve(target, Part::Main, options.is_dry_run());
            let mut given = admitted.clone();
            if let Some(pool) = &mut reservation {
                given.allocate(pool)?;
            }
            let candidate = match foreseen.take() {
                Some(candidate) => candidate?,
                None => given.candidate(warnings)?,
            };
            self.check_admin_access(target, Part::Main, &candidate, None).await?;
            if cause == Cause::Write {
                may_create(target)?;
            }
            let seen = candidate.clone();
            let candidate = committed(target, candidate, is_mutated);
            let prepared = self.judge_to_store(&attributes, &seen, &candidate, warnings).await?;
            given.check_committable(&candidate, options.is_dry_run())?;
            if !self.claim(&mut reservation, &candidate).await? {
                continue;
            }
            match self.insert(target, &candidate, prepared, options.is_dry_run()).await {
                Ok(Some(stored)) => {
                    self.keep(reservation).await?;
                    return Ok(stored);
                }
                Ok(None) => {
                    self.give_back(reservation).await?;
                    if !generated || attempt >= GENERATED_NAME_TRIES {
                        return Err(self.exists(target, &candidate).await?);
                    }
                }
                Err(failure) => {
                    self.give_back(reservation).await?;
                    return Err(failure);
                }
            }
        }
        Err(Status::internal("the create was tried without end"))
    }

    /// Goes on with what mutating admission left of an object.
    async fn admitted<'a>(
        &self,
        target: &Target,
        read: &Read<'a>,
        warnings: &mut Warnings,
    ) -> Result<Admitted<'a>, Status> {
        let settled = |warnings: &mut Warnings| Ok(read.clone().admitted(warnings));
        self.answered(target, read.conversions(), warnings, settled).await
    }

    /// Commits a new object; `None` when its name is taken.
    async fn insert(
        &self,
        target: &Target,
        object: &Value,
        prepared: Option<Encoded>,
        dry_run: bool,
    ) -> Result<Option<Stored>, Status> {
        let resource = &target.resource;
        let key = resource.key(&target.namespace, object::name(object));
        let encoded = match prepared {
            Some(encoded) => encoded,
            None => self.encode(resource, &target.version, object).await?,
        };
        if !dry_run {
            return self.commit(resource, &key, Expect::Absent, encoded).await;
        }
        if self.read(resource, &key).await?.is_some() {
            return Ok(None);
        }
        let mut stored = self.stored(resource, &key, encoded, 0)?;
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
        if let Some(stored) = &current {
            // Upstream looks at what is there in the version that was asked for.
            let _ = self.present(target, stored).await;
        }
        if current.is_some_and(|stored| object::is_deleting(&stored.object)) {
            status.message = format!("object is being deleted: {}", status.message);
        }
        Ok(status)
    }
}

/// Refuses a write that turns out to create what its user may only change.
fn may_create(target: &Target) -> Result<(), Status> {
    caller::check(&access::Attributes {
        verb: "create",
        is_resource: true,
        group: &target.resource.group,
        version: &target.version,
        namespace: &target.namespace,
        resource: &target.resource.plural,
        name: &target.name,
        ..access::Attributes::default()
    })
}
