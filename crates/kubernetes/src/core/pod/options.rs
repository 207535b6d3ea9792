//! What the old object used already, and may go on using.

use ordain_value::Value;

use super::annotations;
use crate::shared::access::{items, part, text};

/// What a pod or template is, and what it was before: rules are relaxed where the object that is
/// replaced broke them.
#[derive(Debug, Clone, Default)]
pub(crate) struct PodOptions {
    /// The spec before.
    pub(super) old: Option<Value>,
    pub(super) allow_invalid_deletion_cost: bool,
    pub(super) allow_comparing_tolerations: bool,
}

impl PodOptions {
    /// What an old pod or template (metadata and spec) lets a new one do.
    pub(crate) fn of(_new: Option<&Value>, old: Option<&Value>) -> Self {
        let Some(old) = old else { return Self::default() };
        let spec = part(old, "spec");
        Self {
            old: Some(spec.clone()),
            allow_invalid_deletion_cost: annotations::has_invalid_deletion_cost(old),
            allow_comparing_tolerations: items(spec, "tolerations")
                .iter()
                .any(|it| matches!(text(it, "operator"), "Lt" | "Gt")),
        }
    }
}
