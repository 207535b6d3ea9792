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
use crate::create::{Read, dedup_owners, ensure_namespace, wipe_system_fields};
use crate::decode::{DecodeError, Decoded};
use crate::object;
use crate::pool::Unlimited;
use crate::refusal::Refusal;
use crate::request::{FieldValidation, Warnings};
use crate::strategy::{Change, Dropped, Known, Part};
use crate::target::Target;
use crate::update::{Proposed, Source};

/// What the server would say to one object.
#[derive(Debug, Clone, Default)]
pub struct Verdict {
    /// The object as it would be stored, when it was readable.
    pub object: Option<Value>,
    /// Why the body is no object of the kind (400), in the words of the API.
    pub unreadable: Option<String>,
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

    fn read(&mut self, target: &Target, body: Value) -> Option<Decoded> {
        match target.resource.strategy.decode(&target.version, body, FieldValidation::Strict) {
            Ok(mut decoded) => {
                self.unknown = std::mem::take(&mut decoded.unknown);
                Some(decoded)
            }
            Err(DecodeError(why)) => {
                self.unreadable = Some(why);
                None
            }
        }
    }
}

/// A write that is judged.
#[derive(Debug, Clone, Copy)]
pub struct Write<'a> {
    pub target: &'a Target,
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
    let Some(decoded) = verdict.read(target, body) else { return verdict };
    let mut warnings = std::mem::take(&mut verdict.warnings);
    let mut read = match Read::decoded(context, target, decoded, &mut warnings) {
        Ok(read) => read,
        Err(status) => {
            verdict.refusal = Some(Box::new(status));
            return verdict;
        }
    };
    let write = Write { target, part: Part::Main, old: None };
    if admission.mutate(write, &mut read.object).is_break() {
        return verdict;
    }
    let mut admitted = read.admitted(&mut warnings);
    verdict.dropped = std::mem::take(&mut admitted.dropped);
    // What the rules say about the same object has places; it goes first.
    let unallocated = admitted.allocate(&mut Unlimited::default()).err();
    match admitted.judged(&mut warnings) {
        Ok(object) => {
            admission.validate(write, &admitted.with_system_fields(&object));
            verdict.object = Some(object);
            verdict.refusal = unallocated.map(Box::new);
        }
        Err(refusal) => verdict.refuse(refusal),
    }
    verdict.warnings = warnings;
    verdict
}

/// An object as the store would hold it had it been accepted, its status included; `None` for one
/// that cannot be read.
pub fn stored(target: &Target, body: Value) -> Option<Value> {
    let strategy = &target.resource.strategy;
    let decoded = strategy.decode(&target.version, body, FieldValidation::Ignore).ok()?;
    let mut object = decoded.object;
    wipe_system_fields(&mut object);
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
    let Write { target, part, .. } = write;
    let mut verdict = Verdict::default();
    let Some(decoded) = verdict.read(target, body) else { return verdict };
    let mut warnings = std::mem::take(&mut verdict.warnings);
    let mut object = decoded.object;
    dedup_owners(&mut object, false, &mut warnings);
    let source = FromFile(object);
    let mut proposed = Proposed::new(context, target, part, &source, old, &mut warnings);
    if let Ok(proposed) = &mut proposed
        && admission.mutate(write, &mut proposed.object).is_break()
    {
        return verdict;
    }
    let settled =
        proposed.and_then(|proposed| proposed.settled(&mut warnings)).map_err(Refusal::from);
    let mut unallocated = None;
    let admitted = settled.and_then(|mut settled| {
        if part == Part::Main {
            unallocated = settled.allocate(&mut Unlimited::default()).err();
        }
        settled.admitted(&mut warnings)
    });
    match admitted {
        Ok(admitted) => {
            admission.validate(write, &admitted.object);
            verdict.refusal = unallocated.map(Box::new);
            verdict.object = Some(admitted.object);
            verdict.dropped = admitted.dropped;
        }
        Err(refusal) => verdict.refuse(refusal),
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
        _target: &Target,
        old: Option<&Value>,
        _warnings: &mut Warnings,
    ) -> Result<Value, Status> {
        let mut object = self.0.clone();
        if let Some(old) = old {
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
