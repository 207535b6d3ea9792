//! Pod: the unit that is scheduled and run; its spec is the largest of all, and templates of it
//! are part of every workload.

mod default;
mod gates;
mod image;
mod options;
mod spec;
pub(crate) mod template;
mod warn;

use ordain_strategy::typed::Hooks;
use ordain_value::Value;

use crate::native::Native;

pub(crate) fn native() -> Native {
    let mut native = Native::new("", "Pod");
    native.hooks = Hooks { default: default_pod, ..Hooks::default() };
    native
}

fn default_pod(object: &mut Value) {
    template::default(object);
    if let Some(spec) = object.get_mut("spec") {
        default::pod(spec);
    }
}
