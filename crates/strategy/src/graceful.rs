//! Graceful deletion: an object whose kind grants it time to end stays, marked, until it is
//! deleted again without any, or its time was cut to nothing.

use ordain_meta::time::Time;
use ordain_value::Value;

use crate::object;
use crate::request::DeleteOptions;
use crate::strategy::Strategy;

/// The object as it waits for its end; `None` when nothing grants it time.
pub fn hold(
    strategy: &dyn Strategy,
    object: &Value,
    options: &DeleteOptions,
    now: Time,
) -> Option<Value> {
    let delete = strategy.delete_strategy()?;
    let seconds = delete.grace_period(object, options.grace_period_seconds)?;
    let seconds = if seconds < 0 { 1 } else { seconds };
    let mut held = object.clone();
    if let Some(end) = object::deletion_timestamp(object) {
        let granted = object::deletion_grace_seconds(object).unwrap_or(0);
        if granted == 0 || seconds == 0 {
            return None;
        }
        // Time may only get shorter.
        if seconds < granted {
            let begin = end.seconds.saturating_sub(granted);
            let moved = begin.saturating_add(seconds).max(now.seconds);
            let left = if moved == now.seconds { 1 } else { seconds };
            set_end(&mut held, moved, left);
        }
        return Some(held);
    }
    if seconds == 0 {
        return None;
    }
    let generation = object::generation(object);
    if generation > 0 {
        object::set_generation(&mut held, generation + 1);
    }
    set_end(&mut held, now.seconds.saturating_add(seconds), seconds);
    Some(held)
}

/// The options with the time that the kind grants, as whoever judges a deletion sees them.
#[must_use]
pub fn granted(strategy: &dyn Strategy, object: &Value, options: &DeleteOptions) -> DeleteOptions {
    let delete = strategy.delete_strategy();
    let seconds = delete.and_then(|it| it.grace_period(object, options.grace_period_seconds));
    let seconds = seconds.map(|it| if it < 0 { 1 } else { it });
    DeleteOptions {
        grace_period_seconds: seconds.or(options.grace_period_seconds),
        ..options.clone()
    }
}

/// An object as it was at its end: a kind that grants time says so even when it was none.
pub fn ended(
    strategy: &dyn Strategy,
    object: &Value,
    options: &DeleteOptions,
    now: Time,
) -> Option<Value> {
    let delete = strategy.delete_strategy()?;
    delete.grace_period(object, options.grace_period_seconds)?;
    let mut ended = object.clone();
    let generation = object::generation(object);
    if generation > 0 && !object::is_deleting(object) {
        object::set_generation(&mut ended, generation + 1);
    }
    set_end(&mut ended, now.seconds, 0);
    Some(ended)
}

fn set_end(object: &mut Value, end: i64, seconds: i64) {
    object::set(object, "deletionTimestamp", Time::from_unix(end, 0).encode().into());
    object::set(object, "deletionGracePeriodSeconds", Value::Int(seconds));
}
