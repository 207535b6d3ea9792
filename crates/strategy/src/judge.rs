//! Verdicts without a store: the spines for files, editors and tests.
//!
//! Nothing is committed, and every finding is collected: what a strict server would refuse as
//! unreadable, as unknown or as invalid, what it would drop, and what it would advise. The record of
//! owners is kept where a verdict depends on it ([`Judging::options`]).

use std::cell::OnceCell;
use std::ops::ControlFlow;

use ordain_meta::status::Status;
use ordain_value::field::ErrorList;
use ordain_value::{Text, Value, json};

use crate::context::{Caller, Context};
use crate::create::{Read, dedup_owners, ensure_namespace, wipe_system_fields};
use crate::decode::{DecodeError, Decoded};
use crate::patch::Patch;
use crate::pool::{Pool, Unlimited};
use crate::refusal::Refusal;
use crate::request::{FieldValidation, Warnings, WriteOptions};
use crate::strategy::{Change, Dropped, Known, Part};
use crate::target::Target;
use crate::update::{Proposed, Source, keep_members, missing};
use crate::{managed_fields, object};

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
    /// Whether the object surely has no float in it, so that it is read back as it is stored.
    pub is_plain: bool,
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
        is_requested: bool,
    ) {
        let mut read = match read {
            Ok(read) => read,
            Err(status) => return self.refuse(status.into()),
        };
        let write = Write { target, part: Part::Main, old: None };
        let sent = read.object.clone();
        if admission.mutate(write, &mut read.object).is_break() {
            return;
        }
        let is_mutated = sent != read.object;
        // What nobody else holds is changed in place from here on.
        drop(sent);
        let mut admitted = read.admitted(warnings);
        self.dropped = std::mem::take(&mut admitted.dropped);
        if target.resource.strategy.allocates()
            && let Err(status) = admitted.allocate(&mut *admission.pool())
        {
            return self.refuse(status.into());
        }
        match admitted.judged(warnings) {
            Ok(object) => {
                let whole = OnceCell::new();
                let whole = || whole.get_or_init(|| admitted.with_system_fields(&object)).clone();
                admission.validate(write, &whole);
                self.refusal = admitted.check_committable(&object, false).err().map(Box::new);
                let object = if is_requested { whole() } else { object };
                self.is_plain = admitted.is_plain() && !is_mutated && !is_requested;
                self.object = Some(committed(target, object, is_mutated));
            }
            Err(refusal) => self.refuse(refusal),
        }
    }

    /// Judges what a source makes of an object.
    fn change(
        &mut self,
        judging: Judging<'_>,
        write: Write<'_>,
        source: &dyn Source,
        old: &Value,
        warnings: &mut Warnings,
    ) {
        let Write { target, part, .. } = write;
        let Judging { context, admission, .. } = judging;
        let mut proposed = match Proposed::new(context, target, part, source, old, warnings) {
            Ok(proposed) => proposed,
            Err(status) => return self.refuse(status.into()),
        };
        let sent = proposed.object.clone();
        if admission.mutate(write, &mut proposed.object).is_break() {
            return;
        }
        let is_mutated = sent != proposed.object;
        let mut settled = match proposed.settled(warnings) {
            Ok(settled) => settled,
            Err(status) => return self.refuse(status.into()),
        };
        if part == Part::Main
            && target.resource.strategy.allocates()
            && let Err(status) = settled.allocate(&mut *admission.pool())
        {
            return self.refuse(status.into());
        }
        match settled.admitted(warnings) {
            Ok(admitted) => {
                admission.validate(write, &|| admitted.object.clone());
                self.object = Some(committed(target, admitted.object, is_mutated));
                self.dropped = admitted.dropped;
            }
            Err(refusal) => self.refuse(refusal),
        }
    }
}

/// What is committed of an object that validating admission saw.
pub fn committed(target: &Target, object: Value, is_mutated: bool) -> Value {
    match is_mutated {
        true => target.resource.strategy.shape_admitted(&target.version, object),
        false => object,
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

    /// Looks at the object as it would be committed. It is made when it is asked for: nobody looks at
    /// most objects, and a uid and a time are a quarter of the work of a verdict.
    fn validate(&mut self, _write: Write<'_>, _object: &dyn Fn() -> Value) {}

    /// What addresses and ports are given from.
    fn pool(&mut self) -> Box<dyn Pool + '_> {
        Box::new(Unlimited::default())
    }
}

/// No admission.
#[derive(Debug, Default)]
pub struct NoAdmission;

impl Admission for NoAdmission {}

/// What a verdict depends on besides the object.
#[expect(missing_debug_implementations, reason = "admission is anything")]
pub struct Judging<'a> {
    /// Time, names and the user.
    pub context: Context<'a>,
    /// What a request asks for, where an object is wanted as a server answers with it, with its uid
    /// and the record of its owners. Both decide nothing about an object, so files go without.
    pub options: Option<&'a WriteOptions>,
    /// What acts at the seams.
    pub admission: &'a mut dyn Admission,
}

/// Whether [`judge_create`] surely has nothing to say about a new object where nothing acts at the seams:
/// no errors, no advice, nothing unknown or dropped. Nearly every object of a file is so, and what a
/// create would make of it is not asked for then.
pub fn surely_takes(target: &Target, object: &Value) -> bool {
    !target.resource.terminating && target.resource.strategy.surely_takes(&target.version, object)
}

/// The verdict on a new object.
pub fn judge_create(judging: Judging<'_>, target: &Target, body: Value) -> Verdict {
    let Judging { context, options, admission } = judging;
    let mut verdict = Verdict::default();
    let Some(decoded) = verdict.read(target, body, None) else { return verdict };
    let mut warnings = Warnings::default();
    let read = Read::decoded(context, target, decoded, options, &mut warnings);
    verdict.create(target, read, &mut warnings, admission, options.is_some());
    verdict.warnings = warnings;
    verdict
}

/// An accepted object as a server answers with it: stored, read with the defaults of what was dropped
/// on the way, and shown in the version of its request.
///
/// What is plain ([`Verdict::is_plain`]) is read as it was written.
///
/// A version that only a webhook converts from or to is not gone through: none can be asked here.
pub fn read_back(target: &Target, object: Value, is_plain: bool) -> Value {
    let Target { resource, version, .. } = target;
    let strategy = &resource.strategy;
    let revision = object::metadata(&object).and_then(|it| it.get("resourceVersion")).cloned();
    let mut stored = object::to_store(object);
    if *version != resource.storage_version {
        stored = strategy.convert(&stored, &resource.storage_version).unwrap_or(stored);
    }
    let mut read = match is_plain {
        true => strategy.read(stored),
        false => strategy.read(json::reread(&stored).unwrap_or(stored)),
    };
    if !resource.is_shown_as_read(version) {
        read = strategy.convert(&read, version).unwrap_or(read);
    }
    if let Some(revision) = revision {
        object::set(&mut read, "resourceVersion", revision);
    }
    read
}

/// An object as the store would hold it had it been accepted, its status included; `None` for one
/// that cannot be read.
pub fn stored(target: &Target, body: Value) -> Option<Value> {
    let strategy = &target.resource.strategy;
    let decoded = strategy.decode(&target.version, body, FieldValidation::Ignore).ok()?;
    let mut object = decoded.object;
    object::remove(&mut object, "selfLink");
    ensure_namespace(target, &mut object).ok()?;
    // What a server has given a uid is as it was stored.
    if object::uid(&object).is_empty() {
        dedup_owners(&mut object, false, &mut Warnings::default());
        let status = object.get("status").cloned();
        let generation = object::generation(&object);
        strategy.prepare_for_create(&target.version, &mut object, &Caller::default());
        if generation > 0 {
            object::set_generation(&mut object, generation);
        }
        if status.is_some() {
            object::set_status(&mut object, status);
        }
    }
    object::set(&mut object, "resourceVersion", "1".into());
    Some(object)
}

/// The verdict on a change of an object that was accepted before.
pub fn judge_update(judging: Judging<'_>, target: &Target, body: Value, old: &Value) -> Verdict {
    let caller = judging.context.caller();
    let write = Write { target, part: Part::Main, old: Some(old) };
    let mut verdict = judge_part(judging, write, body, old);
    // What a create of the same object would be refused for, and this change is not.
    if let Some(object) = &verdict.object {
        let (version, part, known) = (&target.version, Part::Main, Known::default());
        let change = Change { version, part, object, old: None, known, caller };
        let strategy = &target.resource.strategy;
        verdict.ratcheted = strategy.validate(&change, &mut Warnings::default());
    }
    verdict
}

/// The verdict on a write to the status of an object that was accepted before.
pub fn judge_status(judging: Judging<'_>, target: &Target, body: Value, old: &Value) -> Verdict {
    judge_part(judging, Write { target, part: Part::Status, old: Some(old) }, body, old)
}

fn judge_part(judging: Judging<'_>, write: Write<'_>, body: Value, old: &Value) -> Verdict {
    let mut verdict = Verdict::default();
    let Some(decoded) = verdict.read(write.target, body, Some(old)) else { return verdict };
    let mut warnings = Warnings::default();
    let mut object = decoded.object;
    dedup_owners(&mut object, false, &mut warnings);
    let source = FromFile { object, part: write.part, options: judging.options };
    verdict.change(judging, write, &source, old, &mut warnings);
    verdict.warnings = warnings;
    verdict
}

/// The verdict on a patch of an object as a server shows it, or on an apply, which may make a new
/// one. The record of owners is kept as a server keeps it.
pub fn judge_patch(
    judging: Judging<'_>,
    target: &Target,
    patch: &Patch<'_>,
    old: Option<&Value>,
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
            verdict.change(judging, write, source.as_ref(), old, &mut warnings);
        }
        None => {
            let Judging { context, admission, .. } = judging;
            let read = missing(context, target, patch.part, source.as_ref(), &mut warnings);
            verdict.create(target, read, &mut warnings, admission, true);
        }
    }
    verdict.warnings = warnings;
    verdict
}

/// The new state of an object as a file has it: without a version.
struct FromFile<'a> {
    object: Value,
    part: Part,
    options: Option<&'a WriteOptions>,
}

impl Source for FromFile<'_> {
    fn updated(
        &self,
        context: Context<'_>,
        target: &Target,
        old: Option<&Value>,
        warnings: &mut Warnings,
    ) -> Result<Value, Status> {
        let mut object = self.object.clone();
        let Some(old) = old else { return Ok(object) };
        keep_members(target, &mut object, old, warnings);
        // What no server has given a uid has nothing else of a server's either, and a file that was
        // taken from one may have both.
        if object::uid(old).is_empty() {
            wipe_system_fields(&mut object);
        }
        object::copy(&mut object, old, "resourceVersion");
        let part = self.part;
        managed_fields::update_if_recorded(
            context,
            target,
            part,
            Some(old),
            &mut object,
            self.options,
        );
        Ok(object)
    }

    fn manager(&self) -> Text {
        self.options.map(WriteOptions::manager).unwrap_or_default()
    }
}
