//! The watch verb.

use http::Response;
use ordain_meta::Status;
use ordain_registry::Target;

use crate::response::Body;
use crate::router::Exchange;

pub(crate) async fn watch(
    _exchange: &mut Exchange<'_>,
    target: &Target,
) -> Result<Response<Body>, Status> {
    Err(Status::method_not_supported(&target.group_resource(), "watch"))
}
