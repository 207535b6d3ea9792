//! What a job's status says.

use ordain_passes::declared::written::Asked;
use ordain_value::Value;
use ordain_value::field::{self, Path};

use super::indexes;
use crate::shared::fields;

/// Whether a condition of the job is true.
pub(super) fn is_true(job: &Value, ty: &str) -> bool {
    fields::list(job, &["status", "conditions"])
        .iter()
        .any(|it| fields::text(it, &["type"]) == ty && fields::text(it, &["status"]) == "True")
}

/// The text of the indexes that succeeded is parsed.
pub(crate) fn check_completed(
    asked: &Asked<'_, '_>,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    check(asked, "completedIndexes", path, errors);
}

/// The text of the indexes that failed is parsed.
pub(crate) fn check_failed(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    check(asked, "failedIndexes", path, errors);
}

fn check(asked: &Asked<'_, '_>, name: &str, path: &Path<'_>, errors: &mut field::ErrorList) {
    let value = asked.value();
    let text = value.as_str().unwrap_or("");
    if let Some(Err(why)) = completions(asked).map(|most| indexes::count(text, most)) {
        let why = format!("error parsing {name}: {why}");
        errors.push(field::Error::invalid(path, text, why));
    }
}

fn completions(asked: &Asked<'_, '_>) -> Option<i64> {
    fields::int(&asked.ask("wholeJob"), &["spec", "completions"])
}

/// No index has both succeeded and failed.
pub(crate) fn check_overlap(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut field::ErrorList) {
    let (value, status) = (asked.value(), asked.ask("parent"));
    let failed = value.as_str().unwrap_or("");
    let completed = fields::text(&status, &["completedIndexes"]);
    let overlap = completions(asked).and_then(|most| indexes::overlap(completed, failed, most));
    if let Some(at) = overlap {
        let why = format!("failedIndexes and completedIndexes overlap at index: {at}");
        errors.push(field::Error::invalid(path, failed, why));
    }
}
