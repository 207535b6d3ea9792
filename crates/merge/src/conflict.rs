//! Conflicts between an applied configuration and other owners.

use std::collections::BTreeMap;

use ordain_value::go_quote;

use crate::managed::{ManagerId, Managers, OPERATION_UPDATE};
use crate::path::{Path, display_path};
use crate::set::Set;

/// One field that another manager owns with a different value.
#[derive(Clone, Debug)]
pub struct Conflict {
    pub(crate) manager: ManagerId,
    /// The field.
    pub path: Path,
}

impl Conflict {
    /// The `message` of the cause: `conflict with "m"`.
    pub fn message(&self) -> String {
        format!("conflict with {}", display_manager(&self.manager))
    }

    /// The `field` of the cause.
    pub fn field(&self) -> String {
        display_path(&self.path)
    }
}

/// All conflicts of one request.
#[derive(Clone, Debug, Default)]
pub struct Conflicts(pub Vec<Conflict>);

impl Conflicts {
    pub(crate) fn of_managers(conflicts: &Managers) -> Self {
        let mut out = Vec::new();
        for (manager, fields) in conflicts {
            fields.set.for_each(&mut |path| {
                out.push(Conflict { manager: manager.clone(), path: path.to_vec() });
            });
        }
        Conflicts(out)
    }

    pub(crate) fn to_set(&self) -> Set {
        let mut set = Set::new();
        for conflict in &self.0 {
            set.insert(&conflict.path);
        }
        set
    }

    pub(crate) fn without(self, set: &Set) -> Self {
        Conflicts(self.0.into_iter().filter(|it| !set.has(&it.path)).collect())
    }

    /// The message of the Status.
    pub fn message(&self) -> String {
        if let [only] = self.0.as_slice() {
            return format!(
                "Apply failed with 1 conflict: {}: {}",
                only.message(),
                display_path(&only.path)
            );
        }
        let mut by_manager: BTreeMap<&ManagerId, Vec<&Path>> = BTreeMap::new();
        for conflict in &self.0 {
            by_manager.entry(&conflict.manager).or_default().push(&conflict.path);
        }
        let mut lines = Vec::new();
        for (manager, paths) in by_manager {
            lines.push(format!("conflicts with {}:", display_manager(manager)));
            lines.extend(paths.into_iter().map(|it| format!("- {}", display_path(it))));
        }
        format!("Apply failed with {} conflicts: {}", self.0.len(), lines.join("\n"))
    }
}

fn display_manager(id: &ManagerId) -> String {
    let mut text = go_quote(&id.manager);
    if !id.subresource.is_empty() {
        text = format!("{text} with subresource {}", go_quote(&id.subresource));
    }
    if id.operation == OPERATION_UPDATE {
        text = format!("{text} using {}", id.api_version);
    }
    text
}
