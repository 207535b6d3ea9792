//! Who owns which field: the place in each verb where ownership is brought up to date.

use std::borrow::Cow;

use ordain_merge::FieldManager;
use ordain_value::Value;

use crate::context::Context;
use crate::conversion;
use crate::object;
use crate::request::WriteOptions;
use crate::strategy::Part;
use crate::target::Target;

/// Who keeps the record of owners during a write.
pub(crate) fn manager<'a>(
    context: Context<'_>,
    target: &'a Target,
    part: Part,
) -> Option<Cow<'a, FieldManager>> {
    let strategy = &target.resource.strategy;
    let manager = strategy.field_manager(&target.version, part)?;
    match context.conversions.filter(|_| strategy.conversion_webhook().is_some()) {
        Some(conversions) => {
            let hub = target.group_version().to_string();
            Some(Cow::Owned(conversion::converting(manager, conversions, &hub)))
        }
        None => Some(Cow::Borrowed(manager)),
    }
}

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
    let Some(manager) = manager(context, target, part) else {
        object::remove(object, "managedFields");
        return;
    };
    let now = context.now();
    let recorded = |new: Value| match old {
        Some(old) => manager.update(old, new, &options.manager(), now),
        None => {
            let empty = strategy.empty_object(&target.version);
            let empty = empty.unwrap_or_else(|| manager.empty_object());
            manager.update(&empty, new, &options.manager(), now)
        }
    };
    match strategy.written(&target.version, object) {
        // Fields that are not written have no owner.
        Some(written) => object::copy(object, &recorded(written), "managedFields"),
        None => *object = recorded(std::mem::replace(object, Value::Null)),
    }
}

/// The same for a verdict without a request: who owns a field decides nothing about an object, so
/// that a record is only brought up to date where one is asked for or was sent.
pub(crate) fn update_if_recorded(
    context: Context<'_>,
    target: &Target,
    part: Part,
    old: Option<&Value>,
    object: &mut Value,
    options: Option<&WriteOptions>,
) {
    let is_sent = object::metadata(object).is_some_and(|it| it.contains_key("managedFields"));
    match options {
        Some(options) => update(context, target, part, old, object, options),
        None if is_sent => update(context, target, part, old, object, &WriteOptions::default()),
        None => {
            if let Some(old) = old {
                object::copy(object, old, "managedFields");
            }
        }
    }
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
    let Some(owners) = self::manager(context, target, part) else { return };
    // Removing adds no owner, so nothing is recorded under the name or at the time given here.
    let new = std::mem::replace(object, Value::Null);
    *object = owners.update(before, new, manager, context.now());
}
