//! Verdicts without a store: the spines for files, editors and tests.
//!
//! Nothing is committed, no record of owners is kept, and every finding is collected: what a strict
//! server would refuse as unreadable, as unknown or as invalid, what it would drop, and what it
//! would advise.

use std::ops::ControlFlow;

use ordain_meta::status::Status;
use ordain_value::field::ErrorList;
use ordain_value::{Text, Value};

use crate::context::{Caller, Context};
use crate::create::{Read, SYSTEM_FIELDS, dedup_owners, ensure_namespace};
use crate::decode::{DecodeError, Decoded};
use crate::object;
use crate::patch::Patch;
use crate::pool::Unlimited;
use crate::refusal::Refusal;
use crate::request::{FieldValidation, Warnings};
use crate::strategy::{Change, Dropped, Known, Part};
use crate::target::Target;
use crate::update::{Proposed, Source, keep_members, missing};

/// What the server would say to one object.
#[derive(Debug, Clone, Default)]
pub struct Verdict {
    /// The object as it would be stored, when it was readable.
    pub object: Option<Value>,
    /// Why the body is no object of the kind (400).
    pub unreadable: Option<DecodeError>,
    /// `unknown field "…"` texts; refused by strict field validation.
    pub unknown: Vec<String>,
    /// Why the object is refused (422).
    pub errors: ErrorList,
    /// Any other refusal.
    pub refusal: Option<Box<Status>>,
    /// Errors that are forgiven because the object had them before.
    pub ratcheted: ErrorList,
    /// Fields that are taken out, though the schema knows them.
    pub dropped: Vec<Dropped>,
    /// Advice that comes with an accepted object.
    pub warnings: Warnings,
}

impl Verdict {
    fn refuse(&mut self, refusal: Refusal) {
        match refusal {
            Refusal::Invalid { errors, object, .. } => {
                self.errors = errors;
                self.object = Some(*object);
            }
            Refusal::Other(status) => self.refusal = Some(status),
        }
    }

    fn read(&mut self, target: &Target, body: Value, old: Option<&Value>) -> Option<Decoded> {
        let strategy = &target.resource.strategy;
        match strategy.decode(&target.version, body, FieldValidation::Strict) {
            Ok(mut decoded) => {
                self.unknown = std::mem::take(&mut decoded.unknown);
                self.unknown.extend(strategy.gated_fields(&decoded.object, old));
                Some(decoded)
            }
            Err(error) => {
                self.unreadable = Some(error);
                None
            }
        }
    }

    /// Judges a new object from mutating admission on.
    fn create(
        &mut self,
        target: &Target,
        read: Result<Read<'_>, Status>,
        warnings: &mut Warnings,
        admission: &mut dyn Admission,
    ) {
        let mut read = match read {
            Ok(read) => read,
            Err(status) => return self.refuse(status.into()),
        };
        let write = Write { target, part: Part::Main, old: None };
        if admission.mutate(write, &mut read.object).is_break() {
            return;
        }
        let mut admitted = read.admitted(warnings);
        self.dropped = std::mem::take(&mut admitted.dropped);
        if let Err(status) = admitted.allocate(&mut Unlimited::default()) {
            return self.refuse(status.into());
        }
        match admitted.judged(warnings) {
            Ok(object) => {
                admission.validate(write, &admitted.with_system_fields(&object));
                self.refusal = admitted.check_committable(&object, false).err().map(Box::new);
                self.object = Some(object);
            }
            Err(refusal) => self.refuse(refusal),
        }
    }

    /// Judges what a source makes of an object.
    fn change(
        &mut self,
        context: Context<'_>,
        write: Write<'_>,
        source: &dyn Source,
        old: &Value,
        warnings: &mut Warnings,
        admission: &mut dyn Admission,
    ) {
        let Write { target, part, .. } = write;
        let mut proposed = match Proposed::new(context, target, part, source, old, warnings) {
            Ok(proposed) => proposed,
            Err(status) => return self.refuse(status.into()),
        };
        if admission.mutate(write, &mut proposed.object).is_break() {
            return;
        }
        let mut settled = match proposed.settled(warnings) {
            Ok(settled) => settled,
            Err(status) => return self.refuse(status.into()),
        };
        if part == Part::Main
            && let Err(status) = settled.allocate(&mut Unlimited::default())
        {
            return self.refuse(status.into());
        }
        match settled.admitted(warnings) {
            Ok(admitted) => {
                admission.validate(write, &admitted.object);
                self.object = Some(admitted.object);
                self.dropped = admitted.dropped;
            }
            Err(refusal) => self.refuse(refusal),
        }
    }
}

/// A write that is judged.
#[derive(Debug, Clone, Copy)]
pub struct Write<'a> {
    /// What is addressed.
    pub target: &'a Target,
    /// What is written.
    pub part: Part,
    /// The object as it is; none on creates.
    pub old: Option<&'a Value>,
}

/// What acts at the seams of a spine. It keeps what it has to say.
pub trait Admission {
    /// May change the object before it is prepared and validated, or end the matter.
    fn mutate(&mut self, _write: Write<'_>, _object: &mut Value) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Looks at the object as it would be committed.
    fn validate(&mut self, _write: Write<'_>, _object: &Value) {}
}

/// No admission.
#[derive(Debug, Default)]
pub struct NoAdmission;

impl Admission for NoAdmission {}

/// The verdict on a new object.
pub fn judge_create(
    context: Context<'_>,
    target: &Target,
    body: Value,
    admission: &mut dyn Admission,
) -> Verdict {
    let mut verdict = Verdict::default();
    let Some(decoded) = verdict.read(target, body, None) else { return verdict };
    let mut warnings = Warnings::default();
    let read = Read::decoded(context, target, decoded, &mut warnings);
    verdict.create(target, read, &mut warnings, admission);
    verdict.warnings = warnings;
    verdict
}

/// An accepted object as it is read back in the version of its request, with the defaults of what was
/// dropped on the way.
pub fn read_back(target: &Target, object: Value) -> Value {
    let strategy = &target.resource.strategy;
    let read = strategy.read(object);
    if object::gvk(&read).version == target.version {
        return read;
    }
    strategy.convert(&read, &target.version).unwrap_or(read)
}

/// An object as the store would hold it had it been accepted, its status included; `None` for one
/// that cannot be read.
pub fn stored(target: &Target, body: Value) -> Option<Value> {
    let strategy = &target.resource.strategy;
    let decoded = strategy.decode(&target.version, body, FieldValidation::Ignore).ok()?;
    let mut object = decoded.object;
    object::remove(&mut object, "selfLink");
    ensure_namespace(target, &mut object).ok()?;
    dedup_owners(&mut object, false, &mut Warnings::default());
    let status = object.get("status").cloned();
    let generation = object::generation(&object);
    strategy.prepare_for_create(&target.version, &mut object, &Caller::default());
    if generation > 0 {
        object::set_generation(&mut object, generation);
    }
    if let (Some(status), Value::Map(map)) = (status, &mut object) {
        map.insert("status", status);
    }
    object::set(&mut object, "resourceVersion", "1".into());
    Some(object)
}

/// The verdict on a change of an object that was accepted before.
pub fn judge_update(
    context: Context<'_>,
    target: &Target,
    body: Value,
    old: &Value,
    admission: &mut dyn Admission,
) -> Verdict {
    let write = Write { target, part: Part::Main, old: Some(old) };
    let mut verdict = judge_part(context, write, body, old, admission);
    // What a create of the same object would be refused for, and this change is not.
    if let Some(object) = &verdict.object {
        let version = &target.version;
        let change = Change {
            version,
            part: Part::Main,
            object,
            old: None,
            known: Known::default(),
            caller: context.caller(),
        };
        let strategy = &target.resource.strategy;
        verdict.ratcheted = strategy.validate(&change, &mut Warnings::default());
    }
    verdict
}

/// The verdict on a write to the status of an object that was accepted before.
pub fn judge_status(
    context: Context<'_>,
    target: &Target,
    body: Value,
    old: &Value,
    admission: &mut dyn Admission,
) -> Verdict {
    let write = Write { target, part: Part::Status, old: Some(old) };
    judge_part(context, write, body, old, admission)
}

fn judge_part(
    context: Context<'_>,
    write: Write<'_>,
    body: Value,
    old: &Value,
    admission: &mut dyn Admission,
) -> Verdict {
    let mut verdict = Verdict::default();
    let Some(decoded) = verdict.read(write.target, body, Some(old)) else { return verdict };
    let mut warnings = Warnings::default();
    let mut object = decoded.object;
    dedup_owners(&mut object, false, &mut warnings);
    verdict.change(context, write, &FromFile(object), old, &mut warnings, admission);
    verdict.warnings = warnings;
    verdict
}

/// The verdict on a patch of an object as a server shows it, or on an apply, which may make a new
/// one. The record of owners is kept as a server keeps it.
pub fn judge_patch(
    context: Context<'_>,
    target: &Target,
    patch: &Patch<'_>,
    old: Option<&Value>,
    admission: &mut dyn Admission,
) -> Verdict {
    let mut verdict = Verdict::default();
    let source = match patch.source(target, old.is_some()) {
        Ok(source) => source,
        Err(status) => {
            verdict.refusal = Some(Box::new(status));
            return verdict;
        }
    };
    let mut warnings = Warnings::default();
    match old {
        Some(old) => {
            let write = Write { target, part: patch.part, old: Some(old) };
            verdict.change(context, write, source.as_ref(), old, &mut warnings, admission);
        }
        None => {
            let read = missing(context, target, patch.part, source.as_ref(), &mut warnings);
            verdict.create(target, read, &mut warnings, admission);
        }
    }
    verdict.warnings = warnings;
    verdict
}

/// The new state of an object as a file has it: without a version, and owners stay as they are.
struct FromFile(Value);

impl Source for FromFile {
    fn updated(
        &self,
        _context: Context<'_>,
        target: &Target,
        old: Option<&Value>,
        warnings: &mut Warnings,
    ) -> Result<Value, Status> {
        let mut object = self.0.clone();
        if let Some(old) = old {
            keep_members(target, &mut object, old, warnings);
            // A file that was taken from a server may say what the one before did not.
            let known = object::metadata(old);
            let is_new = |it: &&str| known.is_none_or(|map| !map.contains_key(it));
            for field in SYSTEM_FIELDS.into_iter().filter(is_new) {
                object::remove(&mut object, field);
            }
            for field in ["resourceVersion", "managedFields"] {
                object::copy(&mut object, old, field);
            }
        }
        Ok(object)
    }

    fn manager(&self) -> Text {
        Text::default()
    }
}
