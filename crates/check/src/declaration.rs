//! What only kinds that types declare do to an object: zero values, gates, unions, formats, `+k8s:`
//! rules, custom texts and warnings. The steps and their order are those of the server.

use std::sync::Arc;

use ordain_meta::{ObjectMeta, name, object_meta};
use ordain_passes::declared::native::{self, Operation};
use ordain_passes::declared::{DeclaredPlan, format, gate, strip_zero, text, union, warning};
use ordain_schema::declared::{Native, Version};
use ordain_schema::native::Level;
use ordain_value::Value;
use ordain_value::field::{Error, ErrorList, Path};

use crate::features::Features;

/// The declared parts of one version of a kind.
#[derive(Debug)]
pub(crate) struct Declaration {
    plan: DeclaredPlan,
    native: Option<Native>,
    name_rule: Option<name::Rule>,
    features: Arc<Features>,
}

/// A field that is taken out before anything is checked, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    pub field: String,
    pub why: String,
}

impl Declaration {
    /// # Errors
    /// When the format of names is not known; in words.
    pub(crate) fn new(version: &Version, features: &Arc<Features>) -> Result<Declaration, String> {
        let name_rule = match version.name_format.as_deref() {
            Some(format) => Some(
                name::rule_of_format(format)
                    .ok_or_else(|| format!("name format `{format}` is not known"))?,
            ),
            None => None,
        };
        Ok(Declaration {
            plan: DeclaredPlan::compile(&version.schema),
            native: version.native.clone(),
            name_rule,
            features: Arc::clone(features),
        })
    }

    /// Zero values that count as absent go.
    pub(crate) fn strip_zero(&self, object: &mut Value) {
        strip_zero::strip_zero(&self.plan, object);
    }

    /// Whether absent fields get their defaults.
    pub(crate) fn has_defaults(&self) -> bool {
        self.features.declared_defaults
    }

    /// Members of unions that a changed discriminator no longer selects go, and fields whose gate
    /// is off.
    pub(crate) fn settle(&self, object: &mut Value, old: Option<&Value>) -> Vec<Dropped> {
        let mut dropped = Vec::new();
        if let Some(old) = old.filter(|_| self.features.declared_unions) {
            dropped.extend(cleared(&self.plan, object, old));
        }
        let is_on = |name: &str| self.features.is_on(name);
        for place in gate::drop_disabled(&self.plan, &is_on, object, old) {
            let why = "its feature gate is off".to_owned();
            dropped.push(Dropped { field: place.to_string(), why });
        }
        dropped
    }

    /// All that the declaration has against an object, beside what its schema has.
    pub(crate) fn errors(
        &self,
        object: &Value,
        old: Option<&Value>,
        namespaced: bool,
        of_schema: ErrorList,
    ) -> ErrorList {
        let mut errors = of_schema;
        if old.is_none() {
            errors.extend(self.name_errors(object, namespaced));
        }
        errors.extend(format::validate(&self.plan, object, old));
        if self.features.declared_unions {
            errors.extend(union::validate(&self.plan, object, old));
        }
        let found = match &self.native {
            Some(native) => {
                let options = &self.features.enabled;
                let operation = Operation { old, subresource: "/", options };
                native::validate(&native.program, &native.root, object, operation)
            }
            None => Vec::new(),
        };
        // What a `+k8s:` rule says of a place, it says in its own words.
        let said = |error: &Error| {
            found.iter().any(|it| {
                it.level.is_none() && it.error.kind == error.kind && it.error.path == error.path
            })
        };
        let errors: ErrorList = errors.into_iter().filter(|error| !said(error)).collect();
        let mut errors = text::customize(&self.plan, object, errors);
        let is_told = |level: Option<Level>| match level {
            Some(Level::Alpha) => false,
            Some(Level::Beta) => self.features.beta_rules,
            None => true,
        };
        for it in found.into_iter().filter(|it| is_told(it.level)) {
            let twin = errors.iter().any(|known| {
                known.kind == it.error.kind
                    && known.path == it.error.path
                    && known.detail() == it.error.detail()
            });
            if !twin {
                errors.push(it.error);
            }
        }
        errors
    }

    /// What the format of names says beside the rule for all names.
    fn name_errors(&self, object: &Value, namespaced: bool) -> ErrorList {
        let Some(rule) = self.name_rule else { return ErrorList::new() };
        let (meta, path) = (ObjectMeta::of(object), Path::new("metadata"));
        let known = object_meta::validate(meta, namespaced, name::subdomain_rule, &path);
        let found = object_meta::validate(meta, namespaced, rule, &path);
        found.into_iter().filter(|error| !known.iter().any(|it| it == error)).collect()
    }

    /// What comes with an object that is taken.
    pub(crate) fn warnings(&self, object: &Value) -> Vec<String> {
        warning::warnings(&self.plan, object)
    }
}

/// Clears what a changed discriminator no longer selects.
pub(crate) fn cleared(plan: &DeclaredPlan, object: &mut Value, old: &Value) -> Vec<Dropped> {
    let why = "the discriminator of its union no longer selects it".to_owned();
    let places = union::normalize(plan, object, old);
    places.iter().map(|it| Dropped { field: it.to_string(), why: why.clone() }).collect()
}
