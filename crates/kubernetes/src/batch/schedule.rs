//! Schedules of cron jobs (five fields or a name), and their time zones.

use std::sync::LazyLock;

use jiff::tz::TimeZoneDatabase;
use ordain_value::go_quote;

/// One of the five fields.
struct Bounds {
    least: u64,
    most: u64,
    names: &'static [&'static str],
}

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const FIELDS: [Bounds; 5] = [
    Bounds { least: 0, most: 59, names: &[] },
    Bounds { least: 0, most: 23, names: &[] },
    Bounds { least: 1, most: 31, names: &[] },
    Bounds { least: 1, most: 12, names: &MONTHS },
    Bounds { least: 0, most: 6, names: &DAYS },
];

/// Why a schedule cannot be read, in the words of the parser that upstream uses.
pub(super) fn check(schedule: &str) -> Result<(), String> {
    let mut rest = schedule;
    if schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=") {
        let zone_start = schedule.find('=').map_or(0, |at| at + 1);
        let Some(space) = schedule.find(' ') else {
            let why = "invalid schedule format: runtime error: slice bounds out of range [:-1]";
            return Err(why.to_owned());
        };
        let zone = schedule.get(zone_start..space).unwrap_or("");
        check_zone(zone).map_err(|why| format!("provided bad location {zone}: {why}"))?;
        rest = schedule.get(space..).unwrap_or("").trim();
    }
    if rest.starts_with('@') {
        return named(rest);
    }
    let fields: Vec<&str> = rest.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        return Err(format!(
            "expected exactly {} fields, found {}: [{}]",
            FIELDS.len(),
            fields.len(),
            fields.join(" ")
        ));
    }
    for (field, bounds) in fields.iter().zip(&FIELDS) {
        for range in field.split(',').filter(|range| !range.is_empty()) {
            check_range(range, bounds)?;
        }
    }
    Ok(())
}

fn named(schedule: &str) -> Result<(), String> {
    match schedule {
        "@yearly" | "@annually" | "@monthly" | "@weekly" | "@daily" | "@midnight" | "@hourly" => {
            Ok(())
        }
        other => match other.strip_prefix("@every ") {
            Some(duration) => check_duration(duration)
                .map_err(|why| format!("failed to parse duration {other}: {why}")),
            None => Err(format!("unrecognized descriptor: {other}")),
        },
    }
}

/// `*`, `5`, `1-5`, `*/15`, `1-30/2`.
fn check_range(range: &str, bounds: &Bounds) -> Result<(), String> {
    let parts: Vec<&str> = range.split('/').collect();
    let limits: Vec<&str> = parts.first().map_or(Vec::new(), |part| part.split('-').collect());
    let first = limits.first().copied().unwrap_or("");
    let (start, mut end) = if matches!(first, "*" | "?") {
        (bounds.least, bounds.most)
    } else {
        let start = number(first, bounds.names)?;
        match limits.as_slice() {
            [_] => (start, start),
            [_, last] => (start, number(last, bounds.names)?),
            _ => return Err(format!("too many hyphens: {range}")),
        }
    };
    let step = match parts.as_slice() {
        [_] => 1,
        [_, step] => {
            let step = number(step, &[])?;
            if limits.len() == 1 {
                end = bounds.most;
            }
            step
        }
        _ => return Err(format!("too many slashes: {range}")),
    };
    if start < bounds.least {
        let least = bounds.least;
        return Err(format!("beginning of range ({start}) below minimum ({least}): {range}"));
    }
    if end > bounds.most {
        let most = bounds.most;
        return Err(format!("end of range ({end}) above maximum ({most}): {range}"));
    }
    if start > end {
        return Err(format!("beginning of range ({start}) beyond end of range ({end}): {range}"));
    }
    if step == 0 {
        return Err(format!("step of range should be a positive number: {range}"));
    }
    Ok(())
}

fn number(text: &str, names: &[&str]) -> Result<u64, String> {
    let lower = text.to_lowercase();
    if let Some(at) = names.iter().position(|name| *name == lower) {
        // Months count from 1, days from 0.
        return Ok(at as u64 + u64::from(names.len() == MONTHS.len()));
    }
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let failed = |why: &str| {
        let quoted = go_quote(text);
        Err(format!("failed to parse int from {text}: strconv.Atoi: parsing {quoted}: {why}"))
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return failed("invalid syntax");
    }
    let Ok(number) = text.parse::<i64>() else { return failed("value out of range") };
    u64::try_from(number).map_err(|_| format!("negative number ({number}) not allowed: {text}"))
}

const UNITS: [&str; 8] = ["ns", "us", "µs", "μs", "ms", "s", "m", "h"];

/// Go's `time.ParseDuration`, as far as its errors go.
fn check_duration(text: &str) -> Result<(), String> {
    let invalid = || Err(format!("time: invalid duration {}", go_quote(text)));
    let mut rest = text.strip_prefix(['+', '-']).unwrap_or(text);
    if rest == "0" {
        return Ok(());
    }
    if rest.is_empty() {
        return invalid();
    }
    while !rest.is_empty() {
        let is_number = |c: char| c.is_ascii_digit() || c == '.';
        let end = rest.find(|c| !is_number(c)).unwrap_or(rest.len());
        let (digits, after) = rest.split_at(end);
        let dots = digits.bytes().filter(|byte| *byte == b'.').count();
        if digits.len() == dots || dots > 1 {
            return invalid();
        }
        let end = after.find(is_number).unwrap_or(after.len());
        let (unit, after) = after.split_at(end);
        if unit.is_empty() {
            return Err(format!("time: missing unit in duration {}", go_quote(text)));
        }
        if !UNITS.contains(&unit) {
            let (unit, text) = (go_quote(unit), go_quote(text));
            return Err(format!("time: unknown unit {unit} in duration {text}"));
        }
        rest = after;
    }
    Ok(())
}

/// Zones by name; the ones inside the binary, so that no file decides.
static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

/// Why a time zone is not known.
pub(super) fn check_zone(zone: &str) -> Result<(), String> {
    if matches!(zone, "" | "UTC" | "Local") {
        return Ok(());
    }
    // Names count by their letters' case, unlike in the database.
    let found = ZONES.get(zone).ok();
    if found.is_some_and(|it| it.iana_name() == Some(zone)) {
        return Ok(());
    }
    Err(format!("unknown time zone {zone}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schedules_are_judged_as_cron_does() {
        for fine in
            ["* * * * *", "*/15 1-5 1,15 jan-MAR 0", "@daily", "@every 1h30m", "5/10 * ? * sun"]
        {
            assert_eq!(check(fine), Ok(()), "{fine}");
        }
        for (wrong, why) in [
            ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
            ("60 * * * *", "end of range (60) above maximum (59): 60"),
            ("* * 0 * *", "beginning of range (0) below minimum (1): 0"),
            ("5-1 * * * *", "beginning of range (5) beyond end of range (1): 5-1"),
            ("*/0 * * * *", "step of range should be a positive number: */0"),
            ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
            ("1/2/3 * * * *", "too many slashes: 1/2/3"),
            (
                "x * * * *",
                "failed to parse int from x: strconv.Atoi: parsing \"x\": invalid syntax",
            ),
            ("@often", "unrecognized descriptor: @often"),
            ("@every 5", "failed to parse duration @every 5: time: missing unit in duration \"5\""),
            ("TZ=Nowhere * * * * *", "provided bad location Nowhere: unknown time zone Nowhere"),
        ] {
            assert_eq!(check(wrong), Err(why.to_owned()), "{wrong}");
        }
    }

    #[test]
    fn zones_are_known_by_their_exact_name() {
        assert_eq!(check_zone("Europe/Paris"), Ok(()));
        assert!(check_zone("europe/paris").is_err());
        assert!(check_zone("Europe/Nowhere").is_err());
    }
}
