//! Indexes of pods in their compressed text form: `1,3-5,7`.

use ordain_value::go_quote;

/// First and last index of a part.
type Interval = (i64, i64);

/// How many indexes a text names, or why it is wrong.
pub(super) fn count(text: &str, completions: i64) -> Result<i64, String> {
    if text.is_empty() {
        return Ok(0);
    }
    let mut last: Option<i64> = None;
    let mut total = 0_i64;
    for part in text.split(',') {
        let (first, end) = interval(part, completions)?;
        if let Some(last) = last.filter(|last| *last >= first) {
            return Err(not_increasing(last, first));
        }
        total = total.saturating_add(end.saturating_sub(first).saturating_add(1));
        last = Some(end);
    }
    Ok(total)
}

/// The first index that two texts both name; parts that are wrong are passed over.
pub(super) fn overlap(completed: &str, failed: &str, completions: i64) -> Option<i64> {
    if completed.is_empty() || failed.is_empty() {
        return None;
    }
    let parts = |text: &str| -> Vec<Interval> {
        text.split(',').filter_map(|part| interval(part, completions).ok()).collect()
    };
    let (completed, failed) = (parts(completed), parts(failed));
    let (mut at, mut other) = (0, 0);
    while let (Some(one), Some(two)) = (completed.get(at), failed.get(other)) {
        if one.0 <= two.1 && two.0 <= one.1 {
            return Some(one.0.max(two.0));
        }
        if one.0 <= two.0 {
            at += 1;
        } else {
            other += 1;
        }
    }
    None
}

fn interval(part: &str, completions: i64) -> Result<Interval, String> {
    let limits: Vec<&str> = part.split('-').collect();
    let number = |text: &str| {
        let parsed = parse(text).ok_or_else(|| {
            format!("cannot convert string to integer for index: {}", go_quote(text))
        });
        parsed.and_then(|number| {
            if number >= completions {
                return Err(format!("too large index: {}", go_quote(text)));
            }
            Ok(number)
        })
    };
    match limits.as_slice() {
        [one] => number(one).map(|one| (one, one)),
        [first, last] => {
            let (first, last) = (number(first)?, number(last)?);
            if first >= last { Err(not_increasing(first, last)) } else { Ok((first, last)) }
        }
        _ => Err(format!(
            "the fragment {} violates the requirement that an index interval can have at most two \
             parts separated by '-'",
            go_quote(part)
        )),
    }
}

/// Go's `strconv.Atoi`: a sign and digits.
fn parse(text: &str) -> Option<i64> {
    text.parse().ok()
}

fn not_increasing(previous: i64, current: i64) -> String {
    format!("non-increasing order, previous: {previous}, current: {current}")
}
