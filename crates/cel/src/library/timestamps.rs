//! Parts of points and spans of time.

use super::{Args, Function};
use crate::types::Type;
use crate::value::{Error, Result, Val};
use ordain_go::time::{Civil, Timestamp};

macro_rules! part {
    ($name:ident, $civil:ident => $value:expr) => {
        fn $name<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
            let $civil = civil(args)?;
            Ok(Val::Int($value))
        }
    };
}

part!(full_year, civil => civil.year);
part!(month, civil => civil.month - 1);
part!(day_of_year, civil => civil.day_of_year - 1);
part!(day_of_month, civil => civil.day - 1);
part!(date, civil => civil.day);
part!(day_of_week, civil => civil.weekday);
part!(hours, civil => civil.hour);
part!(minutes, civil => civil.minute);
part!(seconds, civil => civil.second);
part!(milliseconds, civil => i64::from(civil.nanos / 1_000_000));

fn civil(args: Args<'_, '_>) -> Result<Civil> {
    let Val::Timestamp(time) = args.at(0) else { return Err(Error::no_such_overload()) };
    let time: &Timestamp = time;
    match args.at(1) {
        Val::Str(zone) => time.in_zone(zone.as_str()).map_err(Error::new),
        _ => Ok(time.civil(0)),
    }
}

fn span(args: Args<'_, '_>, unit: i64) -> Result<Val<'static>> {
    match args.at(0) {
        Val::Duration(nanos) => Ok(Val::Int(nanos / unit)),
        _ => Err(Error::no_such_overload()),
    }
}

fn span_hours<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    span(args, 3_600_000_000_000)
}

fn span_minutes<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    span(args, 60_000_000_000)
}

fn span_seconds<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    span(args, 1_000_000_000)
}

fn span_milliseconds<'a>(args: Args<'_, 'a>) -> Result<Val<'a>> {
    span(args, 1_000_000)
}

/// The accessors of timestamps and durations.
pub(super) fn functions() -> Vec<Function> {
    let accessor = |name: &str, id: &str, call: super::Call| {
        Function::new(name)
            .member(&format!("timestamp_to_{id}"), [Type::Timestamp], Type::Int, call)
            .member(&with_tz(id), [Type::Timestamp, Type::String], Type::Int, call)
    };
    let span = |function: Function, id: &str, call: super::Call| {
        function.member(id, [Type::Duration], Type::Int, call)
    };
    vec![
        accessor("getFullYear", "year", full_year),
        accessor("getMonth", "month", month),
        accessor("getDayOfYear", "day_of_year", day_of_year),
        accessor("getDayOfMonth", "day_of_month", day_of_month),
        accessor("getDate", "day_of_month_1_based", date),
        accessor("getDayOfWeek", "day_of_week", day_of_week),
        span(accessor("getHours", "hours", hours), "duration_to_hours", span_hours),
        span(accessor("getMinutes", "minutes", minutes), "duration_to_minutes", span_minutes),
        span(accessor("getSeconds", "seconds", seconds), "duration_to_seconds", span_seconds),
        span(
            accessor("getMilliseconds", "milliseconds", milliseconds),
            "duration_to_milliseconds",
            span_milliseconds,
        ),
    ]
}

/// One of the ids breaks the pattern.
fn with_tz(id: &str) -> String {
    if id == "seconds" {
        return "timestamp_to_seconds_tz".to_owned();
    }
    format!("timestamp_to_{id}_with_tz")
}
