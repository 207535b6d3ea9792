//! Cells that several kinds show.

use ordain_meta::time::Time;
use ordain_value::Value;

use crate::object;

/// The description of the column Name.
pub const NAME: &str = "Name must be unique within a namespace. Is required when creating \
    resources, although some resources may allow a client to request the generation of an \
    appropriate name automatically. Name is primarily intended for creation idempotence and \
    configuration definition. Cannot be updated. More info: \
    https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
/// The description of the column Age.
pub const AGE: &str = "CreationTimestamp is a timestamp representing the server time when \
    this object was created. It is not guaranteed to be set in happens-before order across \
    separate operations. Clients may not set this value. It is represented in RFC3339 form and is \
    in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: \
    https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

/// How long ago the object was created.
pub fn age(object: &Value, now: i64) -> Value {
    since(object::text(object, "creationTimestamp"), now)
}

/// How long ago a time was; unknown when there is none.
pub fn since(text: &str, now: i64) -> Value {
    match Time::decode(text) {
        Ok(time) => human(now.saturating_sub(time.seconds)).into(),
        Err(_) => "<unknown>".into(),
    }
}

/// How many entries a map has.
pub fn count(object: &Value, field: &str) -> i64 {
    let map = object.get(field).and_then(Value::as_map);
    map.map_or(0, |map| i64::try_from(map.len()).unwrap_or(i64::MAX))
}

/// A length of time in the short form that people read: the longer, the coarser.
pub fn human(seconds: i64) -> String {
    let parts = |big: i64, unit: char, rest: i64, small: char| {
        if rest == 0 { format!("{big}{unit}") } else { format!("{big}{unit}{rest}{small}") }
    };
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match seconds {
        ..-1 => "<invalid>".to_owned(),
        -1 => "0s".to_owned(),
        0..120 => format!("{seconds}s"),
        120..600 => parts(minutes, 'm', seconds % 60, 's'),
        600..10_800 => format!("{minutes}m"),
        10_800..28_800 => parts(hours, 'h', minutes % 60, 'm'),
        28_800..172_800 => format!("{hours}h"),
        172_800..691_200 => parts(days, 'd', hours % 24, 'h'),
        691_200..63_072_000 => format!("{days}d"),
        63_072_000..252_288_000 => parts(days / 365, 'y', days % 365, 'd'),
        _ => format!("{}y", days / 365),
    }
}
