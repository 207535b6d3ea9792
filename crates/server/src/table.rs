//! The table form.

use ordain_meta::Status;
use ordain_registry::{Listed, Target};
use ordain_value::Value;

use crate::negotiate::{MEDIA_TYPES, MetaVersion};
use crate::router::Exchange;

pub(crate) fn of_object(
    _exchange: &Exchange<'_>,
    _target: &Target,
    _object: &Value,
    _version: MetaVersion,
) -> Result<Value, Status> {
    Err(Status::not_acceptable(&MEDIA_TYPES))
}

pub(crate) fn of_list(
    _exchange: &Exchange<'_>,
    _target: &Target,
    _listed: Listed,
    _version: MetaVersion,
) -> Result<Value, Status> {
    Err(Status::not_acceptable(&MEDIA_TYPES))
}
