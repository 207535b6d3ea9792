//! Server-side apply: a configuration merged into what is there, or made into a new object.

use ordain_merge::patch::apply;
use ordain_merge::{ApplyError, Conflicts};
use ordain_meta::status::{Cause, Status};
use ordain_value::{Text, Value};

use crate::context::Context;
use crate::decode;
use crate::managed_fields;
use crate::object;
use crate::patch::refused;
use crate::request::{FieldValidation, Warnings, WriteOptions};
use crate::strategy::Part;
use crate::target::Target;
use crate::update::Source;

/// An apply request.
pub(crate) struct Applied<'a> {
    pub bytes: &'a [u8],
    pub part: Part,
    pub options: &'a WriteOptions,
}

/// Whether two objects are the same but for the record of owners.
fn is_equal_but_owners(old: &Value, new: &Value) -> bool {
    let rest = |object: &Value| {
        let mut object = object.clone();
        object::remove(&mut object, "managedFields");
        object
    };
    rest(old) == rest(new)
}

impl Source for Applied<'_> {
    fn updated(
        &self,
        context: Context<'_>,
        target: &Target,
        old: Option<&Value>,
        warnings: &mut Warnings,
    ) -> Result<Value, Status> {
        let (config, strict) = apply::decode(self.bytes).map_err(refused)?;
        let strategy = &target.resource.strategy;
        let Some(manager) = managed_fields::manager(context, target, self.part) else {
            return Err(Status::unclassified("this kind keeps no record of field owners"));
        };
        let empty = strategy.empty_object(&target.version);
        let empty = empty.unwrap_or_else(|| manager.empty_object());
        let live = old.unwrap_or(&empty);
        let force = self.options.force.unwrap_or(false);
        let now = context.now();
        let merged = manager
            .apply_over(&empty, live, &config, &self.options.field_manager, force, now)
            .map_err(not_applied)?;
        // What changes nothing is not read anew: an object that was converted keeps lacking the
        // defaults of this version.
        let object = match old.is_some_and(|old| is_equal_but_owners(old, &merged)) {
            true => merged,
            false => strategy.default_applied(&target.version, merged).map_err(|error| {
                let gvk = object::gvk(&config);
                let why = &error.why;
                let why = format!("unable to convert unstructured object to {gvk}: {why}");
                not_converted(&config, &why)
            })?,
        };
        // Upstream reads strictly only after the merge has succeeded.
        if let Some(finding) = strict {
            match self.options.field_validation() {
                FieldValidation::Ignore => {}
                FieldValidation::Warn => decode::warn_strict(&finding, warnings),
                FieldValidation::Strict => {
                    let why = format!("error strict decoding YAML: {finding}");
                    return Err(Status::bad_request(why));
                }
            }
        }
        Ok(object)
    }

    fn creates(&self) -> bool {
        true
    }

    fn manager(&self) -> Text {
        self.options.manager()
    }
}

/// The merged object is no object of its kind: merging takes any scalar for a time or a quantity.
pub(crate) fn not_converted(config: &Value, why: &str) -> Status {
    let (namespace, name) = (object::namespace(config), object::name(config));
    let gvk = object::gvk(config);
    Status::unclassified(format!(
        "failed to convert new object ({namespace}/{name}; {gvk}) to proper version: {why}"
    ))
}

pub(crate) fn not_applied(error: ApplyError) -> Status {
    match error {
        ApplyError::BadRequest(message) => Status::bad_request(message),
        ApplyError::Internal(message) => Status::unclassified(message),
        ApplyError::Conflicts(conflicts) => {
            let message = conflicts.message();
            Status::apply_conflict(causes(&conflicts), message)
        }
    }
}

fn causes(conflicts: &Conflicts) -> Vec<Cause> {
    let cause = |it: &ordain_merge::Conflict| Cause {
        reason: "FieldManagerConflict".into(),
        message: it.message(),
        field: it.field(),
    };
    conflicts.0.iter().map(cause).collect()
}
