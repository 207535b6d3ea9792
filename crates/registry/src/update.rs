//! Changes of existing objects: the spine of [`ordain_strategy::update`] with admission and the
//! store, tried again when another writer comes first.

use ordain_meta::status::Status;
use ordain_storage::Expect;
use ordain_strategy::committed;
use ordain_strategy::update::{Proposed, Source, missing, replacement};
use ordain_value::Value;

use crate::admission::{Asked, Attributes, Operation};
use crate::create::Cause;
use crate::decode::Body;
use crate::definitions::Judging;
use crate::object;
use crate::registry::{Registry, Stored, Target};
use crate::request::{Warnings, WriteOptions};
use crate::strategy::Part;

/// An object after a write, and whether the write made it.
#[derive(Debug)]
pub struct Written {
    pub object: Value,
    pub created: bool,
}

/// How often a write is tried against concurrent writers before it is given up.
const CONFLICT_TRIES: usize = 64;

impl Registry {
    /// Replaces an object, or its status, and answers with it.
    pub async fn update(
        &self,
        target: &Target,
        part: Part,
        body: &Body<'_>,
        options: &WriteOptions,
        warnings: &mut Warnings,
    ) -> Result<Written, Status> {
        let mut judging = Judging::new(target);
        loop {
            let target = &judging.target;
            let source = replacement(target, part, body, options, warnings)?;
            let written = self.write(target, part, &source, options, warnings).await;
            if let Some(written) = self.settled(&mut judging, written).await? {
                return Ok(written);
            }
        }
    }

    /// Brings an object to the state its source asks for, against concurrent writers.
    pub(crate) async fn write(
        &self,
        target: &Target,
        part: Part,
        source: &dyn Source,
        options: &WriteOptions,
        warnings: &mut Warnings,
    ) -> Result<Written, Status> {
        let key = target.key();
        for _ in 0..CONFLICT_TRIES {
            let current = self.read(&target.resource, &key).await?;
            let Some(current) = current else {
                return self.create_missing(target, part, source, options, warnings).await;
            };
            let step = self.change(target, part, source, &current, options, warnings).await?;
            if let Some(object) = step {
                self.after_commit(target).await?;
                return Ok(Written { object, created: false });
            }
        }
        Err(Status::modified(&target.group_resource(), &target.name))
    }

    async fn create_missing(
        &self,
        target: &Target,
        part: Part,
        source: &dyn Source,
        options: &WriteOptions,
        warnings: &mut Warnings,
    ) -> Result<Written, Status> {
        let user = crate::caller::current();
        let conversions = self.conversions(target);
        let context =
            self.context(user.as_deref(), conversions.as_ref()).for_real(!options.is_dry_run());
        let made = |warnings: &mut Warnings| missing(context, target, part, source, warnings);
        let read = self.answered(target, conversions.as_ref(), warnings, made).await?;
        let stored = self.create_object(target, Cause::Write, read, options, warnings).await?;
        self.after_commit(target).await?;
        Ok(Written { object: self.present(target, &stored).await?, created: true })
    }

    /// One try: `None` when another writer came first.
    async fn change(
        &self,
        target: &Target,
        part: Part,
        source: &dyn Source,
        current: &Stored,
        options: &WriteOptions,
        warnings: &mut Warnings,
    ) -> Result<Option<Value>, Status> {
        let user = crate::caller::current();
        let conversions = self.conversions(target);
        let context =
            self.context(user.as_deref(), conversions.as_ref()).for_real(!options.is_dry_run());
        let old = self.present(target, current).await?;
        let made =
            |warnings: &mut Warnings| Proposed::new(context, target, part, source, &old, warnings);
        let mut proposed = self.answered(target, conversions.as_ref(), warnings, made).await?;
        let attributes = Attributes {
            registry: self,
            target,
            name: &target.name,
            part: source.admitted_part(part),
            operation: Operation::Update,
            old: Some(&old),
            options: Asked::Write(options),
            ahead: None,
            encoded: None,
        };
        let is_admitted = source.is_admitted();
        let sent = proposed.object.clone();
        if !is_admitted {
            self.admission.mutate(&attributes, Some(&mut proposed.object), warnings).await?;
        }
        let is_mutated = sent != proposed.object;
        let settle = |warnings: &mut Warnings| proposed.clone().settled(warnings);
        let mut settled = self.answered(target, conversions.as_ref(), warnings, settle).await?;
        let mut reservation = self.reserve(target, part, options.is_dry_run());
        if let Some(pool) = &mut reservation {
            settled.allocate(pool)?;
        }
        let mut admitted = settled.admitted(warnings)?;
        self.check_admin_access(target, part, &admitted.object, Some(&old)).await?;
        if !is_admitted {
            self.admission.validate(&attributes, Some(&admitted.object), warnings).await?;
        }
        admitted.object = committed(target, admitted.object, is_mutated);
        if admitted.released {
            return self.release(target, current, admitted.object, options.is_dry_run()).await;
        }
        if !self.claim(&mut reservation, &admitted.object).await? {
            return Ok(None);
        }
        let replaced = self.replace(target, current, &admitted.object, options.is_dry_run()).await;
        match &replaced {
            Ok(Some(_)) => self.keep(reservation).await?,
            _ => self.give_back(reservation).await?,
        }
        replaced
    }

    /// Removes an object whose last finalizer this write took away.
    async fn release(
        &self,
        target: &Target,
        current: &Stored,
        mut object: Value,
        dry_run: bool,
    ) -> Result<Option<Value>, Status> {
        if !dry_run {
            let expect = Expect::Exact(current.revision);
            if self.remove(&target.key(), expect).await?.is_none() {
                return Ok(None);
            }
            self.after_removal(target, &current.object).await?;
        }
        object::set(&mut object, "resourceVersion", current.revision.to_string().into());
        Ok(Some(object))
    }

    /// Commits a change. A write that changes nothing keeps the version of the object.
    pub(crate) async fn replace(
        &self,
        target: &Target,
        current: &Stored,
        object: &Value,
        dry_run: bool,
    ) -> Result<Option<Value>, Status> {
        let resource = &target.resource;
        let encoded = self.encode(resource, &target.version, object).await?;
        if encoded.bytes == current.bytes {
            self.check_definition(resource).await?;
            return self.present(target, current).await.map(Some);
        }
        let key = target.key();
        let stored = if dry_run {
            Some(self.stored(resource, &key, encoded, current.revision)?)
        } else {
            self.commit(resource, &key, Expect::Exact(current.revision), encoded).await?
        };
        match stored {
            Some(stored) => self.present(target, &stored).await.map(Some),
            None => Ok(None),
        }
    }
}
