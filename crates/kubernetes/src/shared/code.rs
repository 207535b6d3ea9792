//! The rules in code that declarations name (`+rule:code=`): arithmetic, parsing and the like, which
//! neither a tag nor an expression says well.

use ordain_passes::declared::written::Code;

use crate::core::limit_range;
use crate::networking::network_policy;

/// Every rule in code by its name.
const ALL: &[(&str, Code)] = &[
    ("ip-block-except", network_policy::check_except),
    ("limit-range-amounts", limit_range::compare),
    ("limit-resource-name", limit_range::check_name),
];

/// The rule with this name.
pub fn find(name: &str) -> Option<Code> {
    ALL.iter().find(|it| it.0 == name).map(|it| it.1)
}
