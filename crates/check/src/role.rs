//! What an input is taken for, before it is read.

use crate::foreign::Foreign;

/// What an input is taken for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// A text that is said to hold objects: standard input, what a tool has rendered.
    #[default]
    Given,
    /// A file that was named.
    Named,
    /// A file below a folder: its content says whether it holds manifests.
    Found,
    /// A file that is something else because of its place.
    Foreign(Foreign),
    /// A patch of Kustomize.
    Patch(Target),
}

/// What a patch is for, as far as its kustomization says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    pub group: Option<String>,
    pub version: Option<String>,
    /// Empty when the patch itself names it.
    pub kind: String,
}

impl Role {
    /// Whether the input may turn out to hold no manifests without that being an error.
    pub(crate) fn is_lenient(&self) -> bool {
        matches!(self, Role::Found)
    }

    /// Whether objects of the input are judged as they stand.
    pub(crate) fn is_judged(&self) -> bool {
        matches!(self, Role::Given | Role::Named | Role::Found)
    }
}
