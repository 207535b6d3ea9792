//! What an autoscaler goes by: names of resources, and conditions as text.

use ordain_passes::declared::written::Asked;
use ordain_value::Value;
use ordain_value::field::{ErrorList, Path};

use crate::shared::{fields, internal, resources};

/// The name of a resource of containers; what they have is a list in code.
pub(crate) fn check_resource(asked: &Asked<'_, '_>, path: &Path<'_>, errors: &mut ErrorList) {
    resources::check_container_name(asked.value().as_str().unwrap_or(""), path, errors);
}

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
