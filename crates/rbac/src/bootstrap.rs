//! Creates the roles and bindings that every server begins with
//! ([`ordain_kubernetes::bootstrap::roles`]).

use ordain_meta::status::Status;
use ordain_registry::{Initial, Registry};

use super::{GROUP, RESOURCES};

/// Creates what is missing; what is there stays as it is.
pub(super) async fn create_missing(registry: &Registry) -> Result<(), Status> {
    let catalog = registry.catalog();
    if let Some(plural) =
        RESOURCES.iter().map(|it| it.0).find(|it| catalog.get(GROUP, it).is_none())
    {
        return Err(Status::internal(&format!("{plural} are not served")));
    }
    let roles = ordain_kubernetes::bootstrap::roles().into_iter();
    let roles = roles.map(|(plural, object)| Initial {
        group: GROUP,
        plural,
        object,
        manager: "kube-apiserver",
    });
    registry.create_initial_objects(roles.collect()).await
}
