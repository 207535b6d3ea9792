//! DeviceClass: a kind of devices, chosen by expressions.

use ordain_meta::name;
use ordain_strategy::Change;
use ordain_strategy::typed::{COUNT_SPEC, Hooks, rules};
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::request::{self, CONFIG_MAX, Stored};
use crate::native::Native;
use crate::shared::access::{items, part, text_of};
use crate::shared::resources;

pub(crate) fn native() -> Native {
    let mut native = Native::new("resource.k8s.io", "DeviceClass");
    native.policy.returns_deleted = true;
    native.reset = &[];
    native.hooks = Hooks { lifecycle: COUNT_SPEC, ..Hooks::new(validate) };
    native
}

fn validate(change: &Change<'_>) -> field::ErrorList {
    let whole = Change { old: None, ..*change };
    let mut errors = rules::metadata(&whole, false, name::subdomain_rule);
    if change.old.is_some() {
        errors.extend(rules::metadata(change, false, name::subdomain_rule));
    }
    let (spec, path) = (part(change.object, "spec"), Path::new("spec"));
    let stored = |field: &str| {
        let same = |old: &Value| items(part(old, "spec"), field) == items(spec, field);
        if change.old.is_some_and(same) { Stored::Yes } else { Stored::No }
    };
    request::selectors(spec, stored("selectors"), &path.child("selectors"), &mut errors);
    let (list, configs) = (path.child("config"), items(spec, "config"));
    if super::name::fits(configs.len(), CONFIG_MAX, &list, &mut errors) {
        for (at, config) in configs.iter().enumerate() {
            request::configuration(config, stored("config"), &list.index(at), &mut errors);
        }
    }
    if let Some(name) = text_of(spec, "extendedResourceName")
        && !resources::is_extended(name)
    {
        let path = path.child("extendedResourceName");
        errors.push(field::Error::invalid(&path, name, "must be a valid extended resource name"));
    }
    errors
}
