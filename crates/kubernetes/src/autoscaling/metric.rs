//! Conditions of an autoscaler as text.

use ordain_value::Value;

use crate::shared::{fields, internal};

/// The JSON text of conditions, with the order of the Go type.
pub(super) fn encode_conditions(conditions: &[Value]) -> String {
    internal::list(conditions, |condition| {
        let names = ["type", "status", "lastTransitionTime", "reason", "message"];
        let required = ["type", "status", "lastTransitionTime"];
        let members: Vec<(&str, String)> = names
            .into_iter()
            .filter(|name| required.contains(name) || fields::at(condition, &[name]).is_some())
            .map(|name| (name, internal::plain(condition.get(name))))
            .collect();
        internal::structure_text(&members)
    })
}
