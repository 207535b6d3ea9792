//! When an indexed job has succeeded before all of its pods have.

use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::indexes;
use crate::shared::{amount, fields};

type Errors = field::ErrorList;

const RULES_MAX: i64 = 20;
const INDEXES_BYTES_MAX: i64 = 64 * 1024;

pub(super) fn validate(spec: &Value, path: &Path<'_>, errors: &mut Errors) {
    let path = path.child("rules");
    let rules = fields::list(spec, &["successPolicy", "rules"]);
    if rules.is_empty() {
        let why = "at least one rules must be specified when the successPolicy is specified";
        errors.push(field::Error::required(&path, why));
    }
    let count = i64::try_from(rules.len()).unwrap_or(i64::MAX);
    if count > RULES_MAX {
        errors.push(field::Error::too_many(&path, count, RULES_MAX));
    }
    let completions = fields::count(spec, &["completions"]);
    for (at, rule) in rules.iter().enumerate() {
        self::rule(rule, completions, &path.index(at), errors);
    }
}

fn rule(rule: &Value, completions: i64, path: &Path<'_>, errors: &mut Errors) {
    let wanted = fields::int(rule, &["succeededCount"]);
    let indexes = fields::at(rule, &["succeededIndexes"]).and_then(Value::as_str);
    if wanted.is_none() && indexes.is_none() {
        let why = "at least one of succeededCount or succeededIndexes must be specified";
        errors.push(field::Error::required(path, why));
    }
    let total = indexes.map(|text| {
        let path = path.child("succeededIndexes");
        if i64::try_from(text.len()).unwrap_or(i64::MAX) > INDEXES_BYTES_MAX {
            errors.push(field::Error::too_long(&path, INDEXES_BYTES_MAX));
        }
        indexes::count(text, completions).unwrap_or_else(|why| {
            let why = format!("error parsing succeededIndexes: {why}");
            errors.push(field::Error::invalid(&path, text, why));
            0
        })
    });
    let Some(wanted) = wanted else { return };
    let path = path.child("succeededCount");
    amount::not_negative(Some(wanted), &path, errors);
    let limits = [
        (Some(completions), "the number of specified completions"),
        (total, "the number of indexes in the specified succeededIndexes field"),
    ];
    for (limit, what) in limits {
        if let Some(limit) = limit.filter(|limit| wanted > *limit) {
            let why = format!("must be less than or equal to {limit} ({what})");
            errors.push(field::Error::invalid(&path, wanted, why));
        }
    }
}
