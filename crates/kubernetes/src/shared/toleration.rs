//! Tolerations of taints where code reads them: their rules are declared.

use ordain_passes::declared::written::Write;
use ordain_value::Value;
use ordain_value::field::{self, Kind, Path};

use super::access::text;
use super::written;

/// What the rules of tolerations have against a list of them; comparing operators are taken only
/// where the old object has some.
pub(crate) fn validate(
    tolerations: &[Value],
    comparing: bool,
    path: &Path<'_>,
    errors: &mut field::ErrorList,
) {
    let write = Write { kind: "", old: None, part: "main" };
    for (at, toleration) in tolerations.iter().enumerate() {
        let compares = comparing && matches!(text(toleration, "operator"), "Lt" | "Gt");
        let found = written::structure("v1.Toleration", toleration, write, &path.index(at));
        let refused =
            |it: &field::Error| it.kind == Kind::NotSupported && it.path.ends_with("operator");
        errors.extend(found.into_iter().filter(|it| !(compares && refused(it))));
    }
}
