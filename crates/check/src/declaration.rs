//! What only kinds that types declare do to an object: zero values, unions, `+k8s:` rules.

use std::sync::Arc;

use ordain_passes::declared::native::{self, Operation};
use ordain_passes::declared::{DeclaredPlan, strip_zero, union};
use ordain_schema::declared::{Native, Version};
use ordain_schema::native::Level;
use ordain_value::Value;
use ordain_value::field::ErrorList;

/// The declared parts of one version of a kind.
#[derive(Debug)]
pub(crate) struct Declaration {
    plan: DeclaredPlan,
    native: Option<Native>,
}

impl Declaration {
    pub(crate) fn new(version: &Version) -> Declaration {
        let plan = DeclaredPlan::compile(&Arc::clone(&version.schema));
        Declaration { plan, native: version.native.clone() }
    }

    /// Zero values that count as absent go.
    pub(crate) fn strip_zero(&self, object: &mut Value) {
        strip_zero::strip_zero(&self.plan, object);
    }

    /// Members of unions that a changed discriminator no longer selects go.
    pub(crate) fn normalize(&self, object: &mut Value, old: &Value) {
        union::normalize(&self.plan, object, old);
    }

    /// What unions and `+k8s:` rules say.
    pub(crate) fn errors(&self, object: &Value, old: Option<&Value>) -> ErrorList {
        let mut errors = union::validate(&self.plan, object, old);
        if let Some(native) = &self.native {
            let operation = Operation { old, subresource: "/", options: &[] };
            let found = native::validate(&native.program, &native.root, object, operation);
            // Rules that are still being tried out refuse nothing.
            let told = found.into_iter().filter(|it| it.level != Some(Level::Alpha));
            errors.extend(told.map(|it| it.error));
        }
        errors
    }
}
