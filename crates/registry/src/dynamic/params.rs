//! The parameters of policies, read from the store.

use ordain_admission::Request;
use ordain_admission::policy::{Binding, Params, Policy, Selection};

use crate::object;
use crate::registry::{Registry, Target};
use crate::request::ListOptions;
use ordain_strategy::Family;

/// Where the parameters of a policy are stored; none for a policy without any.
fn place(registry: &Registry, policy: &Policy) -> Option<Target> {
    let kind = policy.param_kind.as_ref()?.gvk();
    let resource = registry.catalog().by_kind(&kind.group, &kind.kind).cloned()?;
    resource.served(&kind.version)?;
    Some(Target {
        resource,
        version: kind.version,
        namespace: Default::default(),
        name: Default::default(),
    })
}

/// Whether the parameters of a policy are of a kind that is part of the server.
pub(super) fn are_native(registry: &Registry, policy: &Policy) -> bool {
    place(registry, policy).is_some_and(|it| it.resource.family == Family::BuiltIn)
}

/// The parameters that a binding gives to a policy for a request. Native ones come without their
/// record of owners, which upstream's caches drop.
///
/// # Errors
/// When the binding does not fit, or wants some and there are none; in words.
pub(super) async fn collect(
    registry: &Registry,
    policy: &Policy,
    binding: &Binding,
    request: &Request,
) -> Result<Params, String> {
    let (Some(mut target), Some(wanted)) = (place(registry, policy), &binding.params) else {
        return Ok(Params::none());
    };
    let namespace = wanted.place(target.resource.namespaced, &request.namespace)?;
    target.namespace = namespace.into();
    let objects = match &wanted.selection {
        Selection::Name(name) => {
            let key = target.resource.key(namespace, name);
            let read = registry.read(&target.resource, &key).await;
            match read.map_err(|status| status.message)? {
                Some(stored) => {
                    let shown = registry.present(&target, &stored).await;
                    vec![shown.map_err(|status| status.message)?]
                }
                None => Vec::new(),
            }
        }
        Selection::Labels(selector) => {
            let listed = registry.list(&target, &ListOptions::default()).await;
            let mut items = listed.map_err(|status| status.message)?.items;
            items.retain(|item| selector.matches(object::labels(item)));
            items
        }
    };
    let found = wanted.found(objects)?;
    let is_native = target.resource.family == Family::BuiltIn;
    Ok(if is_native { found.without_owners() } else { found })
}
