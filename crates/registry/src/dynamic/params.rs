//! The parameters of policies, read from the store.

use ordain_admission::Request;
use ordain_admission::policy::{Binding, ParamKind, Params, Policy, Selection};
use ordain_value::Value;

use crate::object;
use crate::registry::{Registry, Target};
use crate::request::ListOptions;
use ordain_strategy::Family;

/// Where the parameters of a policy are stored.
pub(super) struct Place {
    target: Target,
    /// Whether the kind is part of the server.
    pub(super) is_native: bool,
}

/// Finds the resource of a policy's parameters; none for a policy without any.
///
/// # Errors
/// When no such kind is served, in words.
pub(super) fn place(registry: &Registry, policy: &Policy) -> Result<Option<Place>, String> {
    let Some(kind) = &policy.param_kind else { return Ok(None) };
    find(registry, kind).map(Some).ok_or_else(|| kind.not_found())
}

fn find(registry: &Registry, kind: &ParamKind) -> Option<Place> {
    let gv = kind.group_version();
    let resource = registry.catalog().by_kind(&gv.group, &kind.kind).cloned()?;
    resource.served(&gv.version)?;
    let is_native = resource.family == Family::BuiltIn;
    let target = Target {
        resource,
        version: gv.version,
        namespace: Default::default(),
        name: Default::default(),
    };
    Some(Place { target, is_native })
}

/// The parameters that a binding gives to a policy for a request. Native ones come without their
/// record of owners, which upstream's caches drop.
///
/// # Errors
/// When the binding does not fit, or wants some and there are none; in words.
pub(super) async fn collect(
    registry: &Registry,
    place: Option<&Place>,
    binding: &Binding,
    request: &Request,
) -> Result<Params, String> {
    let (Some(place), Some(wanted)) = (place, &binding.params) else { return Ok(Params::none()) };
    let namespaced = place.target.resource.namespaced;
    let namespace = wanted.place(namespaced, &request.namespace)?;
    let target = Target { namespace: namespace.into(), ..place.target.clone() };
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
    Ok(if place.is_native {
        without(found, |param| object::remove(param, "managedFields"))
    } else {
        found
    })
}

/// Parameters changed one by one.
fn without(params: Params, strip: impl Fn(&mut Value)) -> Params {
    let strip = |param: Option<Value>| {
        param.map(|mut param| {
            strip(&mut param);
            param
        })
    };
    Params(params.0.into_iter().map(strip).collect())
}

/// Mutating policies get native parameters without their type, as upstream hands them on.
pub(super) fn untyped(params: Params) -> Params {
    without(params, |param| {
        if let Some(map) = param.as_map_mut() {
            map.remove("apiVersion");
            map.remove("kind");
        }
    })
}
