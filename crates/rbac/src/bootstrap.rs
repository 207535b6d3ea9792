//! Creates the roles and bindings that every server begins with.

use ordain_meta::status::Status;
use ordain_registry::Registry;

use super::{GROUP, RESOURCES};

/// They are prepared as the registry's own initial objects are; those that gather others have what
/// they gather.
const ROLES: &str = include_str!("bootstrap/roles.txt");

/// Creates what is missing; what is there stays as it is.
pub(super) async fn create_missing(registry: &Registry) -> Result<(), Status> {
    let catalog = registry.catalog();
    if let Some(plural) =
        RESOURCES.iter().map(|it| it.0).find(|it| catalog.get(GROUP, it).is_none())
    {
        return Err(Status::internal(&format!("{plural} are not served")));
    }
    let lines: Vec<&str> = ROLES.lines().collect();
    registry.create_prepared(&lines, &[]).await.map(drop)
}
