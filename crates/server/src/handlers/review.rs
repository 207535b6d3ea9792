//! Reviews: questions about the requester, answered at once and never stored.

use ordain_meta::Status;
use ordain_registry::decode::{self, Body};
use ordain_registry::{Change, Part, Target, Warnings, WriteKind, WriteOptions};
use ordain_value::{Value, value};

/// Who everybody is on a connection that is neither encrypted nor authenticated.
const USER: &str = "system:admin";

/// Answers a review. Every request that gets this far is allowed.
pub(super) fn answer(
    target: &Target,
    body: &Body<'_>,
    options: &WriteOptions,
    warnings: &mut Warnings,
) -> Result<Value, Status> {
    options.check(WriteKind::Create)?;
    let mut object = decode::object(target, body, options.field_validation(), warnings)?;
    let change = Change { version: &target.version, part: Part::Main, object: &object, old: None };
    let errors = target.resource.strategy.validate(&change, warnings);
    if !errors.is_empty() {
        return Err(Status::invalid(&target.resource.group_kind(), "", &errors));
    }
    let status = match target.resource.kind.as_str() {
        "SelfSubjectReview" => value!({
            "userInfo": {"username": USER, "groups": ["system:masters", "system:authenticated"]}
        }),
        _ => value!({"allowed": true}),
    };
    object.set_path(&["status"], status);
    Ok(object)
}
