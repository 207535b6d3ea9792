//! Who owns which field: the place in each verb where ownership is brought up to date.

use ordain_value::Value;

use crate::context::Context;
use crate::object;
use crate::request::WriteOptions;
use crate::strategy::Part;
use crate::target::Target;

/// Records what a create, update or patch changed.
///
/// `old` is the object before, absent on create. Kinds without a field manager keep no record.
pub fn update(
    context: Context<'_>,
    target: &Target,
    part: Part,
    old: Option<&Value>,
    object: &mut Value,
    options: &WriteOptions,
) {
    let strategy = &target.resource.strategy;
    let Some(manager) = strategy.field_manager(&target.version, part) else {
        object::remove(object, "managedFields");
        return;
    };
    let now = context.now();
    let new = std::mem::replace(object, Value::Null);
    *object = match old {
        Some(old) => manager.update(old, new, &options.manager(), now),
        None => {
            let empty = strategy.empty_object(&target.version);
            let empty = empty.unwrap_or_else(|| manager.empty_object());
            manager.update(&empty, new, &options.manager(), now)
        }
    };
}

/// Takes the owners from fields that the server removed after they were recorded.
pub fn release(
    context: Context<'_>,
    target: &Target,
    part: Part,
    before: &Value,
    object: &mut Value,
    manager: &str,
) {
    let strategy = &target.resource.strategy;
    let Some(owners) = strategy.field_manager(&target.version, part) else { return };
    // Removing adds no owner, so nothing is recorded under the name or at the time given here.
    let new = std::mem::replace(object, Value::Null);
    *object = owners.update(before, new, manager, context.now());
}
