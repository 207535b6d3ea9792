//! When an indexed job has succeeded before all of its pods have: what its indexes say.

use ordain_passes::declared::written::Asked;
use ordain_value::field::{self, Path};

use super::indexes;
use crate::shared::fields;

/// The text of the indexes is parsed.
pub(crate) fn check_indexes(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let value = asked.value();
    let text = value.as_str().unwrap_or("");
    if let Err(why) = indexes::count(text, fields::count(&asked.ask("job"), &["completions"])) {
        let why = format!("error parsing succeededIndexes: {why}");
        errors.push(field::Error::invalid(path, text, why));
    }
}

/// No more pods than there are indexes.
pub(crate) fn check_count(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let (rule, job) = (asked.ask("parent"), asked.ask("job"));
    let Some(text) = fields::at(&rule, &["succeededIndexes"]).and_then(|it| it.as_str()) else {
        return;
    };
    let total = indexes::count(text, fields::count(&job, &["completions"])).unwrap_or(0);
    let wanted = asked.value().as_int().unwrap_or(0);
    if wanted > total {
        let why = format!(
            "must be less than or equal to {total} (the number of indexes in the specified \
             succeededIndexes field)"
        );
        errors.push(field::Error::invalid(path, wanted, why));
    }
}
