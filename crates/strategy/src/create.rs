//! The spine of create: from a request body to the object that is committed.
//!
//! [`Read`] ▸ mutating admission ▸ [`Admitted`] ▸ [`Admitted::candidate`] ▸ validating admission.

use std::sync::Arc;

use ordain_meta::gvk::GroupKind;
use ordain_meta::name;
use ordain_meta::object_meta::{self, ObjectMeta};
use ordain_meta::status::Status;
use ordain_value::field::{ErrorList, Path};
use ordain_value::{Text, Value};

use crate::context::Context;
use crate::conversion::Conversions;
use crate::decode::{self, Body, Decoded};
use crate::pool::Pool;
use crate::refusal::Refusal;
use crate::request::{FieldValidation, Warnings, WriteKind, WriteOptions};
use crate::rest_config::Family;
use crate::strategy::{Change, Dropped, Known, Part};
use crate::target::Target;
use crate::{managed_fields, object, source};

/// What made an object come into being.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A create.
    Posted,
    /// An update or apply that found nothing.
    Written,
}

/// A new object before mutating admission.
#[derive(Debug, Clone)]
pub struct Read<'a> {
    context: Context<'a>,
    target: &'a Target,
    origin: Origin,
    name: Text,
    /// What reading has shown of the object as it was read.
    known: Option<(Known, Value)>,
    /// What mutating admission may change.
    pub object: Value,
}

impl<'a> Read<'a> {
    /// Reads the body of a create.
    pub fn body(
        context: Context<'a>,
        target: &'a Target,
        body: &Body<'_>,
        options: &WriteOptions,
        warnings: &mut Warnings,
    ) -> Result<Self, Status> {
        options.check(WriteKind::Create)?;
        let object = decode::object(target, body, options.field_validation(), warnings)?;
        decode::report_gated(target, &object, None, options.field_validation(), warnings)?;
        Self::posted(context, target, object, options, warnings)
    }

    /// Reads an object that the server makes itself.
    pub fn value(
        context: Context<'a>,
        target: &'a Target,
        object: Value,
        options: &WriteOptions,
        warnings: &mut Warnings,
    ) -> Result<Self, Status> {
        let decoded = decode::decode_value(target, object, Vec::new(), FieldValidation::Ignore);
        let decoded = decoded.map_err(|error| Status::internal(&error.why))?;
        Self::posted(context, target, decoded.object, options, warnings)
    }

    /// Takes a decoded object, and records its owners.
    fn posted(
        context: Context<'a>,
        target: &'a Target,
        mut object: Value,
        options: &WriteOptions,
        warnings: &mut Warnings,
    ) -> Result<Self, Status> {
        object::check_size(&object)?;
        wipe_system_fields(&mut object);
        ensure_namespace(target, &mut object)?;
        dedup_owners(&mut object, false, warnings);
        managed_fields::update(context, target, Part::Main, None, &mut object, options);
        Self::object(context, target, object, Origin::Posted)
    }

    /// Takes an object that is in shape already.
    pub fn object(
        context: Context<'a>,
        target: &'a Target,
        object: Value,
        origin: Origin,
    ) -> Result<Self, Status> {
        let read = Self::of_any_size(context, target, object, origin)?;
        object::check_size(&read.object)?;
        Ok(read)
    }

    fn of_any_size(
        context: Context<'a>,
        target: &'a Target,
        object: Value,
        origin: Origin,
    ) -> Result<Self, Status> {
        let name = if target.name.is_empty() {
            Text::from(object::name(&object))
        } else {
            target.name.clone()
        };
        forbid_while_terminating(target, &name)?;
        Ok(Self { context, target, origin, name, known: None, object })
    }

    /// Takes a decoded object as files are judged: a record of owners is kept if there is one, or
    /// options to keep it by.
    pub fn decoded(
        context: Context<'a>,
        target: &'a Target,
        decoded: Decoded,
        options: Option<&WriteOptions>,
        warnings: &mut Warnings,
    ) -> Result<Self, Status> {
        let Decoded { mut object, known, .. } = decoded;
        wipe_system_fields(&mut object);
        ensure_namespace(target, &mut object)?;
        dedup_owners(&mut object, false, warnings);
        let part = Part::Main;
        managed_fields::update_if_recorded(context, target, part, None, &mut object, options);
        // A record of owners that is made anew adds to the object.
        let known = Known { plain: known.plain && options.is_none(), ..known };
        let mut read = match known.plain {
            true => Self::of_any_size(context, target, object, Origin::Posted)?,
            false => Self::object(context, target, object, Origin::Posted)?,
        };
        read.known = Some((known, read.object.clone()));
        Ok(read)
    }

    /// The name of the object, as far as it is known before one is generated.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The answers that the record of owners has to do with.
    pub fn conversions(&self) -> Option<&'a Arc<Conversions>> {
        self.context.conversions
    }

    /// Goes on after mutating admission.
    pub fn admitted(mut self, warnings: &mut Warnings) -> Admitted<'a> {
        let Self { context, target, .. } = self;
        dedup_owners(&mut self.object, true, warnings);
        let strategy = &target.resource.strategy;
        let before = self.object.clone();
        let dropped = strategy.settle(&target.version, Part::Main, &mut self.object, None);
        if !dropped.is_empty() {
            managed_fields::release(context, target, Part::Main, &before, &mut self.object, "");
        }
        // What was known of the object as it was read says nothing about another one.
        let known = self.known.filter(|(_, read)| *read == self.object);
        let known = known.map(|(known, _)| known).unwrap_or_default();
        Admitted { context, target, origin: self.origin, object: self.object, known, dropped }
    }
}

/// A new object after mutating admission.
#[derive(Debug, Clone)]
pub struct Admitted<'a> {
    context: Context<'a>,
    target: &'a Target,
    origin: Origin,
    object: Value,
    known: Known,
    /// Fields that unions and gates took out.
    pub dropped: Vec<Dropped>,
}

impl Admitted<'_> {
    /// The object prepared and validated without what only a commit needs: uid and time, which only
    /// native kinds look at. It is taken, so that nothing of it has to be copied.
    pub fn judged(&mut self, warnings: &mut Warnings) -> Result<Value, Refusal> {
        let mut object = std::mem::take(&mut self.object);
        match self.target.resource.family {
            Family::BuiltIn => self.fill_system_fields(&mut object),
            Family::Custom => self.fill_name(&mut object),
        }
        self.prepare(&mut object, warnings);
        self.validate(&object, warnings)?;
        self.target.resource.strategy.canonicalize(Part::Main, &mut object, self.known);
        Ok(object)
    }

    /// A judged object with all that validating admission sees of it.
    pub fn with_system_fields(&self, judged: &Value) -> Value {
        let mut object = judged.clone();
        if self.target.resource.family == Family::Custom {
            self.fill_system_fields(&mut object);
        }
        object
    }

    /// Whether the object is surely read back as it is stored: there is no float in it.
    pub fn is_plain(&self) -> bool {
        self.known.plain
    }

    /// Gives the object what it needs from pools.
    pub fn allocate(&mut self, pool: &mut dyn Pool) -> Result<(), Status> {
        self.target.resource.strategy.allocate(&mut self.object, None, pool)
    }

    /// Whether the server makes up the name, so that another try may find a free one.
    pub fn has_generated_name(&self) -> bool {
        object::name(&self.object).is_empty() && !generate_base(&self.object).is_empty()
    }

    /// The object with its system fields, prepared and validated: what validating admission sees.
    pub fn candidate(&self, warnings: &mut Warnings) -> Result<Value, Status> {
        let mut object = self.named()?;
        self.prepare(&mut object, warnings);
        self.validate(&object, warnings)?;
        self.target.resource.strategy.canonicalize(Part::Main, &mut object, self.known);
        Ok(object)
    }

    /// The object with its namespace and its system fields.
    fn named(&self) -> Result<Value, Status> {
        let mut object = self.object.clone();
        ensure_namespace(self.target, &mut object)?;
        self.fill_system_fields(&mut object);
        Ok(object)
    }

    fn prepare(&self, object: &mut Value, warnings: &mut Warnings) {
        let strategy = &self.target.resource.strategy;
        strategy.warn_unprepared(object, warnings);
        strategy.prepare_for_create(&self.target.version, object, &self.context.caller());
        strategy.stamp(&self.context, Part::Main, object, None);
    }

    /// The last look before the commit, after validating admission.
    /// A dry run commits nothing, so a version is allowed there.
    pub fn check_committable(&self, candidate: &Value, dry_run: bool) -> Result<(), Status> {
        match (self.origin, object::resource_version(candidate)) {
            (Origin::Written, _) | (_, "" | "0") => Ok(()),
            _ if dry_run => Ok(()),
            _ => {
                let message = "resourceVersion should not be set on objects to be created";
                Err(Status::unclassified(message))
            }
        }
    }

    /// Gives the object its uid, its creationTimestamp and, if it asks for one, its name.
    fn fill_system_fields(&self, object: &mut Value) {
        let entropy = self.context.entropy;
        object::set(object, "creationTimestamp", self.context.now().encode().into());
        object::set(object, "uid", Value::Str(source::new_uid(entropy)));
        self.fill_name(object);
    }

    fn fill_name(&self, object: &mut Value) {
        let entropy = self.context.entropy;
        let base = Text::from(generate_base(object));
        if object::name(object).is_empty() && !base.is_empty() {
            let name = self.target.resource.strategy.generate_name(entropy, &base);
            object::set(object, "name", Value::Str(name));
        }
    }

    fn validate(&self, object: &Value, warnings: &mut Warnings) -> Result<(), Refusal> {
        let target = self.target;
        let strategy = &target.resource.strategy;
        let caller = self.context.caller();
        let (version, known) = (&target.version, self.known);
        let change = Change { version, part: Part::Main, object, old: None, known, caller };
        let mut errors = strategy.validate(&change, warnings);
        // Usual metadata has a name that is one segment of a path.
        if errors.is_empty() && !known.metadata {
            errors = object_meta::validate(
                ObjectMeta::of(object),
                target.resource.namespaced,
                name::path_segment_rule,
                &Path::new("metadata"),
            );
        }
        if !errors.is_empty() {
            return Err(invalid(target, object, errors));
        }
        strategy.warn(&change, warnings);
        Ok(())
    }
}

/// A refusal for what is wrong with an object.
pub(crate) fn invalid(target: &Target, object: &Value, errors: ErrorList) -> Refusal {
    Refusal::Invalid { kind: kind_of(target, object), errors, object: Box::new(object.clone()) }
}

fn forbid_while_terminating(target: &Target, name: &str) -> Result<(), Status> {
    if !target.resource.terminating {
        return Ok(());
    }
    let why = "create not allowed while custom resource definition is terminating";
    Err(Status::forbidden(&target.group_resource(), name, why))
}

/// The `generateName` of an object; empty when it has none.
pub fn generate_base(object: &Value) -> &str {
    object::text(object, "generateName")
}

/// Kind and group as the object names them: refusals speak of what was sent.
pub fn kind_of(target: &Target, object: &Value) -> GroupKind {
    // A kind whose stored form is none of its versions is another form of a core kind, and goes
    // by its name.
    if target.resource.version(&target.resource.storage_version).is_none() {
        return GroupKind::new("", target.resource.kind.clone());
    }
    let kind = object::gvk(object).group_kind();
    if kind.kind.is_empty() { target.resource.group_kind() } else { kind }
}

/// What only the server may set.
const SYSTEM_FIELDS: [&str; 5] =
    ["uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"];

/// Removes what only the server may set.
pub(crate) fn wipe_system_fields(object: &mut Value) {
    let given = object::metadata(object);
    // Hardly any new object has one of them.
    if given.is_some_and(|it| it.keys().any(|key| SYSTEM_FIELDS.contains(&key.as_str()))) {
        for field in SYSTEM_FIELDS {
            object::remove(object, field);
        }
    }
}

/// Puts the object into the namespace of the request, or refuses another one.
pub fn ensure_namespace(target: &Target, object: &mut Value) -> Result<(), Status> {
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
