//! Patches as a source of change: JSON, merge and strategic merge.

use ordain_merge::patch::json::JsonPatch;
use ordain_merge::patch::{PatchError, Strictness, json_merge, json_merge_text, strategic};
use ordain_merge::types::Types;
use ordain_meta::GroupKind;
use ordain_meta::status::Status;
use ordain_value::field::{self, Path};
use ordain_value::{Text, Value, json};

use crate::apply::Applied;
use crate::context::Context;
use crate::decode;
use crate::managed_fields;
use crate::request::{FieldValidation, Warnings, WriteKind, WriteOptions};
use crate::strategy::Part;
use crate::target::Target;
use crate::update::Source;

/// The formats of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchType {
    /// RFC 6902: a list of operations.
    Json,
    /// RFC 7386: fields to set, and null for those to remove.
    Merge,
    /// A merge that knows which lists have keys; for built-in kinds.
    Strategic,
    /// Server-side apply.
    Apply,
}

/// A patch as a request brings it.
#[derive(Debug, Clone, Copy)]
pub struct Patch<'a> {
    /// What it writes.
    pub part: Part,
    /// Its format.
    pub ty: PatchType,
    /// Its text.
    pub bytes: &'a [u8],
    /// What the request asks for besides.
    pub options: &'a WriteOptions,
}

impl<'a> Patch<'a> {
    /// Reads the patch. A missing object is reported before a malformed patch; an apply creates it.
    ///
    /// # Errors
    /// When the options or the patch are refused, or there is nothing to change.
    pub fn source(&self, target: &Target, is_there: bool) -> Result<Box<dyn Source + 'a>, Status> {
        let Patch { part, ty, bytes, options } = *self;
        options.check(WriteKind::Patch { apply: ty == PatchType::Apply })?;
        if ty == PatchType::Apply {
            return Ok(Box::new(Applied { bytes, part, options }));
        }
        if !is_there {
            return Err(target.not_found());
        }
        Ok(Box::new(patched(part, ty, bytes, options)?))
    }
}

/// A parsed patch that is no apply.
enum Parsed {
    Json(JsonPatch),
    Merge(Value, Vec<u8>),
    Strategic(Value),
}

struct Patched<'a> {
    patch: Parsed,
    /// What strict validation reports about the patch document itself.
    findings: Vec<String>,
    part: Part,
    options: &'a WriteOptions,
}

fn patched<'a>(
    part: Part,
    ty: PatchType,
    bytes: &[u8],
    options: &'a WriteOptions,
) -> Result<Patched<'a>, Status> {
    let strictness = match options.field_validation() {
        FieldValidation::Ignore => Strictness::Ignore,
        _ => Strictness::Report,
    };
    let (patch, findings) = match ty {
        PatchType::Json => {
            let (patch, findings) = JsonPatch::decode(bytes, strictness).map_err(refused)?;
            (Parsed::Json(patch), findings)
        }
        PatchType::Merge => {
            let (patch, findings) = json_merge::decode(bytes, strictness).map_err(refused)?;
            (Parsed::Merge(patch, bytes.to_vec()), findings)
        }
        PatchType::Strategic | PatchType::Apply => {
            let (patch, findings) = strategic::decode(bytes, strictness).map_err(refused)?;
            (Parsed::Strategic(patch), findings)
        }
    };
    Ok(Patched { patch, findings, part, options })
}

impl Source for Patched<'_> {
    fn updated(
        &self,
        context: Context<'_>,
        target: &Target,
        old: Option<&Value>,
        warnings: &mut Warnings,
    ) -> Result<Value, Status> {
        let Some(old) = old else { return Err(target.not_found()) };
        let (patched, refusal) = match &self.patch {
            Parsed::Json(patch) => {
                let patched = patch.apply(old).map_err(refused)?;
                (patched, Refusal::Patched { metadata: patch.touches("metadata") })
            }
            Parsed::Merge(patch, text) => {
                (json_merge::apply(old, patch), Refusal::Merged { old, patch: text })
            }
            Parsed::Strategic(patch) => {
                let manager = target.resource.strategy.field_manager(&target.version, self.part);
                let Some(types) = manager.and_then(|it| it.types()) else {
                    return Err(Status::bad_request(
                        "strategic merge patch format is not supported",
                    ));
                };
                let patched = strategic::apply(types, old, patch).map_err(refused)?;
                (patched, Refusal::Converted { types, old, patch })
            }
        };
        let validation = self.options.field_validation();
        let findings = &self.findings;
        let mut object =
            decode_patched(target, &patched, &refusal, findings, validation, warnings)?;
        decode::report_gated(target, &object, Some(old), validation, warnings)?;
        managed_fields::update(context, target, self.part, Some(old), &mut object, self.options);
        Ok(object)
    }

    fn manager(&self) -> Text {
        self.options.manager()
    }
}

/// What the refusal of a patched object shows.
enum Refusal<'a> {
    /// The text that a merge patch makes of the text of the old object.
    Merged { old: &'a Value, patch: &'a [u8] },
    /// The object as text; whether the patch changed its metadata.
    Patched { metadata: bool },
    /// What is left of a strategic merge patch, which never makes a text of the object.
    Converted { types: &'a Types, old: &'a Value, patch: &'a Value },
}

impl Refusal<'_> {
    fn show(&self, target: &Target, patched: &Value) -> String {
        let strategy = &target.resource.strategy;
        match self {
            Refusal::Merged { old, patch } => {
                json_merge_text::apply_text(&strategy.text(&target.version, old), patch)
            }
            Refusal::Converted { types, old, patch } => strategic::display(types, old, patch),
            Refusal::Patched { metadata: false }
                if target.resource.family == crate::Family::BuiltIn =>
            {
                strategy.text(&target.version, patched)
            }
            Refusal::Patched { .. } => json::encode_string(patched),
        }
    }
}

/// Reads the patched object as a body is read.
fn decode_patched(
    target: &Target,
    patched: &Value,
    refusal: &Refusal<'_>,
    findings: &[String],
    validation: FieldValidation,
    warnings: &mut Warnings,
) -> Result<Value, Status> {
    let refuse = |why: &str| {
        let text = refusal.show(target, patched);
        let error = field::Error::invalid(&Path::new("patch"), text, why);
        Status::invalid(&GroupKind::default(), "", &error.into())
    };
    let mut findings = findings.to_vec();
    let mut value = patched.clone();
    if matches!(refusal, Refusal::Converted { .. }) {
        let converted = target.resource.strategy.convert_patched(&target.version, &value);
        let converted = converted.map_err(|error| refuse(&error.why))?;
        findings.extend(converted.unknown);
        value = converted.object;
    }
    check_type(target, &value).map_err(|why| refuse(&why))?;
    check_api_version(target, &value)?;
    let decoded = decode::decode_value(target, value, findings, validation)
        .map_err(|error| refuse(&error.why))?;
    decode::report(decoded.unknown, validation, warnings).map_err(|why| refuse(&why))?;
    Ok(decoded.object)
}

fn check_type(target: &Target, value: &Value) -> Result<(), String> {
    if target.resource.family == crate::Family::BuiltIn {
        return Ok(());
    }
    match value.get("kind").and_then(Value::as_str) {
        Some("") | None => {
            let text = json::encode_string(value);
            Err(format!("Object 'Kind' is missing in '{text}'"))
        }
        Some(_) => Ok(()),
    }
}

/// A custom resource that a patch took the apiVersion from cannot be converted, which upstream
/// takes for its own fault.
fn check_api_version(target: &Target, value: &Value) -> Result<(), Status> {
    let missing = value.get("apiVersion").and_then(Value::as_str).unwrap_or("").is_empty();
    if missing && target.resource.family == crate::Family::Custom {
        let why = "Object 'apiVersion' is missing in 'object has no apiVersion field'";
        return Err(Status::internal(why));
    }
    Ok(())
}

/// The answer to a patch that cannot be applied.
pub fn refused(error: PatchError) -> Status {
    match error {
        PatchError::BadRequest(message) => Status::bad_request(message),
        PatchError::TooLarge(message) => Status::request_entity_too_large(&message),
        PatchError::Rejected(_) => Status::unprocessable(),
        PatchError::Internal(message) => Status::unclassified(message),
    }
}
