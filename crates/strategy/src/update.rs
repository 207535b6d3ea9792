//! The spine of every change of an existing object: PUT, patches, apply and subresources.
//!
//! [`Source`] ▸ [`Proposed`] ▸ mutating admission ▸ [`Admitted`] ▸ validating admission.

use ordain_merge::keep_old_times_if_equal;
use ordain_meta::gvk::GroupKind;
use ordain_meta::name;
use ordain_meta::object_meta::{self, ObjectMeta};
use ordain_meta::status::Status;
use ordain_value::field::{self, Path};
use ordain_value::{Text, Value};

use crate::context::Context;
use crate::create::{dedup_owners, ensure_namespace, invalid};
use crate::decode::{self, Body};
use crate::pool::Pool;
use crate::refusal::Refusal;
use crate::request::{Warnings, WriteKind, WriteOptions};
use crate::strategy::{Change, Dropped, Known, Part};
use crate::target::Target;
use crate::{create, managed_fields, object};

/// Where the new state of an object comes from: a whole body, or a patch of what is there.
pub trait Source: Send + Sync {
    /// The object to be written over `old` (in the requested version), managed fields included.
    /// `None` for `old` asks for an object to create.
    fn updated(
        &self,
        context: Context<'_>,
        target: &Target,
        old: Option<&Value>,
        warnings: &mut Warnings,
    ) -> Result<Value, Status>;

    /// The uid the object must have.
    fn expected_uid(&self) -> Option<&str> {
        None
    }

    /// Whether an absent object is created although the kind does not create on update.
    fn creates(&self) -> bool {
        false
    }

    /// Who writes, for the record of owners.
    fn manager(&self) -> Text {
        Text::default()
    }

    /// Whether admission has judged the request by another object than the one that is written.
    fn is_admitted(&self) -> bool {
        false
    }

    /// As a write to which part admission sees it.
    fn admitted_part(&self, part: Part) -> Part {
        part
    }
}

/// The body of a PUT.
struct Replacement<'a> {
    object: Value,
    part: Part,
    uid: Text,
    options: &'a WriteOptions,
}

impl Source for Replacement<'_> {
    fn updated(
        &self,
        context: Context<'_>,
        target: &Target,
        old: Option<&Value>,
        warnings: &mut Warnings,
    ) -> Result<Value, Status> {
        let mut object = self.object.clone();
        if let Some(old) = old {
            let validation = self.options.field_validation();
            decode::report_gated(target, &object, Some(old), validation, warnings)?;
            keep_members(target, &mut object, old, warnings);
        }
        managed_fields::update(context, target, self.part, old, &mut object, self.options);
        Ok(object)
    }

    fn expected_uid(&self) -> Option<&str> {
        Some(self.uid.as_str()).filter(|uid| !uid.is_empty())
    }

    fn manager(&self) -> Text {
        self.options.manager()
    }
}

/// Keeps members of unions that a replacement left out without meaning to, and says so.
pub(crate) fn keep_members(
    target: &Target,
    object: &mut Value,
    old: &Value,
    warnings: &mut Warnings,
) {
    for place in target.resource.strategy.keep_members(&target.version, object, old) {
        warnings.add(format!(
            "{place}: kept, since the discriminator of its union still selects it; a patch or \
             another value of the discriminator clears it"
        ));
    }
}

/// Reads the body of a PUT.
pub fn replacement<'a>(
    target: &Target,
    part: Part,
    body: &Body<'_>,
    options: &'a WriteOptions,
    warnings: &mut Warnings,
) -> Result<impl Source + use<'a>, Status> {
    options.check(WriteKind::Update)?;
    let mut object = decode::object(target, body, options.field_validation(), warnings)?;
    object::check_size(&object)?;
    ensure_namespace(target, &mut object)?;
    check_name(target, &object)?;
    dedup_owners(&mut object, false, warnings);
    let uid = Text::from(object::uid(&object));
    Ok(Replacement { object, part, uid, options })
}

/// The object that a write makes when it finds none; refused unless kind or source allow it.
pub fn missing<'a>(
    context: Context<'a>,
    target: &'a Target,
    part: Part,
    source: &dyn Source,
    warnings: &mut Warnings,
) -> Result<create::Read<'a>, Status> {
    let allowed = target.resource.strategy.policy().create_on_update || source.creates();
    if !allowed {
        return Err(target.not_found());
    }
    if !source.creates() {
        check_uid(target, source, &Value::Null)?;
    }
    let mut object = source.updated(context, target, None, warnings)?;
    if part != Part::Main {
        return Err(target.not_found());
    }
    ensure_namespace(target, &mut object)?;
    check_name(target, &object)?;
    let uid = object::uid(&object);
    if !uid.is_empty() {
        let why = format!(
            "uid mismatch: the provided object specified uid {uid}, and no existing object was \
             found"
        );
        return Err(Status::conflict(&target.group_resource(), &target.name, &why));
    }
    create::Read::object(context, target, object, create::Origin::Written)
}

/// A changed object before mutating admission.
#[derive(Clone)]
pub struct Proposed<'a> {
    context: Context<'a>,
    target: &'a Target,
    part: Part,
    source: &'a dyn Source,
    /// What is there, in the requested version.
    pub old: &'a Value,
    /// What mutating admission may change.
    pub object: Value,
}

impl<'a> Proposed<'a> {
    /// What the source makes of the object that is there.
    pub fn new(
        context: Context<'a>,
        target: &'a Target,
        part: Part,
        source: &'a dyn Source,
        old: &'a Value,
        warnings: &mut Warnings,
    ) -> Result<Self, Status> {
        check_uid(target, source, old)?;
        let mut object = source.updated(context, target, Some(old), warnings)?;
        object::check_size(&object)?;
        ensure_namespace(target, &mut object)?;
        check_name(target, &object)?;
        Ok(Self { context, target, part, source, old, object })
    }

    /// Goes on after mutating admission: the object that is to replace the old one.
    pub fn settled(self, warnings: &mut Warnings) -> Result<Settled<'a>, Status> {
        let Self { context, target, part, source, old, mut object } = self;
        ensure_namespace(target, &mut object)?;
        dedup_owners(&mut object, true, warnings);
        let before = object.clone();
        let strategy = &target.resource.strategy;
        let dropped = strategy.settle(&target.version, part, &mut object, Some(old));
        if !dropped.is_empty() {
            let manager = source.manager();
            managed_fields::release(context, target, part, &before, &mut object, &manager);
        }
        check_version(target, &mut object, old)?;
        Ok(Settled { context, target, part, old, object, dropped })
    }
}

/// A changed object after mutating admission.
pub struct Settled<'a> {
    context: Context<'a>,
    target: &'a Target,
    part: Part,
    old: &'a Value,
    object: Value,
    dropped: Vec<Dropped>,
}

impl Settled<'_> {
    /// Gives the object what it needs from pools, and gives up what it no longer needs.
    pub fn allocate(&mut self, pool: &mut dyn Pool) -> Result<(), Status> {
        self.target.resource.strategy.allocate(&mut self.object, Some(self.old), pool)
    }

    /// The object prepared and validated, as validating admission sees it.
    pub fn admitted(self, warnings: &mut Warnings) -> Result<Admitted, Refusal> {
        let Self { context, target, part, old, mut object, dropped } = self;
        validate(context, target, part, &mut object, old, warnings)?;
        keep_old_times_if_equal(&mut object, old);
        let released = is_released(&object, old);
        Ok(Admitted { object, released, dropped })
    }
}

/// A changed object after validation.
#[derive(Debug)]
pub struct Admitted {
    /// The object to commit.
    pub object: Value,
    /// The write takes the last hold from an object that was waiting to go: it is removed.
    pub released: bool,
    /// Fields that unions and gates took out.
    pub dropped: Vec<Dropped>,
}

fn check_uid(target: &Target, source: &dyn Source, old: &Value) -> Result<(), Status> {
    let (Some(expected), actual) = (source.expected_uid(), object::uid(old)) else {
        return Ok(());
    };
    if expected == actual {
        return Ok(());
    }
    let why = format!(
        "StorageError: invalid object, Code: 4, Key: {}, ResourceVersion: 0, \
         AdditionalErrorMsg: Precondition failed: UID in precondition: {expected}, UID in object \
         meta: {actual}",
        target.key()
    );
    Err(Status::conflict(&target.group_resource(), &target.name, &why))
}

/// Compares the version the writer saw with the one that is there.
fn check_version(target: &Target, object: &mut Value, old: &Value) -> Result<(), Status> {
    let given = parse_version(object::resource_version(object))?;
    let current = parse_version(object::resource_version(old))?;
    if given == 0 {
        if !target.resource.strategy.policy().unconditional_update {
            let path = Path::new("metadata.resourceVersion");
            let error = field::Error::invalid(&path, 0, "must be specified for an update");
            let resource =
                GroupKind::new(target.resource.group.clone(), target.resource.plural.clone());
            return Err(Status::invalid(&resource, &target.name, &error.into()));
        }
        object::copy(object, old, "resourceVersion");
        return Ok(());
    }
    if given != current {
        return Err(Status::modified(&target.group_resource(), &target.name));
    }
    Ok(())
}

fn validate(
    context: Context<'_>,
    target: &Target,
    part: Part,
    object: &mut Value,
    old: &Value,
    warnings: &mut Warnings,
) -> Result<(), Refusal> {
    let strategy = &target.resource.strategy;
    object::set_generation(object, object::generation(old));
    let caller = context.caller();
    strategy.prepare_for_update(&target.version, part, object, old, &caller);
    strategy.stamp(&context, part, object, Some(old));
    restore_system_fields(object, old);
    let path = Path::new("metadata");
    let (new_meta, old_meta) = (ObjectMeta::of(object), ObjectMeta::of(old));
    let mut errors =
        object_meta::validate(new_meta, target.resource.namespaced, name::path_segment_rule, &path);
    errors.extend(object_meta::validate_update(new_meta, old_meta, &path));
    let known = Known::default();
    let change = Change { version: &target.version, part, object, old: Some(old), known, caller };
    errors.extend(strategy.validate(&change, warnings));
    if !errors.is_empty() {
        return Err(invalid(target, object, errors));
    }
    strategy.warn(&change, warnings);
    strategy.canonicalize(part, object, Known::default());
    Ok(())
}

/// Reads a resourceVersion as the server numbers them; the empty text is zero.
pub fn parse_version(text: &str) -> Result<u64, Status> {
    if text.is_empty() {
        return Ok(0);
    }
    parse_uint(text).map_err(Status::unclassified)
}

/// Go's `strconv.ParseUint`, error texts included.
pub fn parse_uint(text: &str) -> Result<u64, String> {
    let quoted = ordain_value::go_quote(text);
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("strconv.ParseUint: parsing {quoted}: invalid syntax"));
    }
    text.parse().map_err(|_| format!("strconv.ParseUint: parsing {quoted}: value out of range"))
}

/// Refuses a body that names another object than the path.
pub fn check_name(target: &Target, object: &Value) -> Result<(), Status> {
    let (name, expected) = (object::name(object), &target.name);
    if name.is_empty() {
        return Err(Status::bad_request(format!(
            "the name of the object ({expected} based on URL) was undeterminable: name must be \
             provided"
        )));
    }
    if name != expected {
        return Err(Status::bad_request(format!(
            "the name of the object ({name}) does not match the name on the URL ({expected})"
        )));
    }
    Ok(())
}

/// An update cannot change what only the server sets.
fn restore_system_fields(object: &mut Value, old: &Value) {
    if object::uid(object).is_empty() {
        object::copy(object, old, "uid");
    }
    if !object::text(old, "creationTimestamp").is_empty() {
        object::copy(object, old, "creationTimestamp");
    }
    if object::is_deleting(old) {
        object::copy(object, old, "deletionTimestamp");
    }
    if object::deletion_grace_seconds(object).is_none()
        && object::deletion_grace_seconds(old).is_some()
    {
        object::copy(object, old, "deletionGracePeriodSeconds");
    }
}

/// Whether a write takes the last hold from an object that was waiting to go.
fn is_released(object: &Value, old: &Value) -> bool {
    let graceless = |object: &Value| object::deletion_grace_seconds(object).unwrap_or(0) == 0;
    object::finalizers(object).is_empty()
        && object::is_deleting(old)
        && graceless(old)
        && graceless(object)
}
