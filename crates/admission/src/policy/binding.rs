//! Bindings: which requests a policy judges, with which parameters, and what follows.

use ordain_meta::gvk::{GroupVersion, GroupVersionKind};
use ordain_meta::selector::LabelSelector;
use ordain_strategy::object;
use ordain_value::{Text, Value};

use crate::matching::{Constraints, items};

/// The kind of a policy's parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamKind {
    pub api_version: Text,
    pub kind: Text,
}

impl ParamKind {
    pub(super) fn read(value: &Value) -> Self {
        let text = |field: &str| value.get(field).and_then(Value::as_text).cloned();
        Self {
            api_version: text("apiVersion").unwrap_or_default(),
            kind: text("kind").unwrap_or_default(),
        }
    }

    /// Group, version and kind; the first two empty if they cannot be read.
    pub fn gvk(&self) -> GroupVersionKind {
        let version = GroupVersion::decode(&self.api_version).unwrap_or_default();
        version.with_kind(self.kind.clone())
    }

    /// The complaint about a kind that is not served.
    pub fn not_found(&self) -> String {
        format!(
            "failed to find resource referenced by paramKind: '{}, Kind={}'",
            self.api_version, self.kind
        )
    }
}

/// Which objects are parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    Name(Text),
    Labels(LabelSelector),
}

/// The parameters that a binding names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamRef {
    /// Empty for that of the request.
    pub namespace: Text,
    pub selection: Selection,
    /// Whether a request is refused when there are none.
    pub deny_missing: bool,
}

impl ParamRef {
    fn read(value: &Value) -> Self {
        let text = |field: &str| value.get(field).and_then(Value::as_text).cloned();
        let selection = match text("name").filter(|name| !name.is_empty()) {
            Some(name) => Selection::Name(name),
            None => {
                let selector = value.get("selector").and_then(|it| LabelSelector::read(it).ok());
                Selection::Labels(selector.unwrap_or_default())
            }
        };
        Self {
            namespace: text("namespace").unwrap_or_default(),
            selection,
            deny_missing: text("parameterNotFoundAction").as_deref() == Some("Deny"),
        }
    }

    /// Where the parameters of a request are.
    ///
    /// # Errors
    /// When the binding cannot tell, in words.
    pub fn place<'a>(&'a self, namespaced: bool, requested: &'a str) -> Result<&'a str, String> {
        match (namespaced, self.namespace.as_str()) {
            (false, "") => Ok(""),
            (false, _) => {
                Err("paramRef.namespace must not be provided for a cluster-scoped `paramKind`"
                    .to_owned())
            }
            (true, "") if requested.is_empty() => {
                Err("cannot use namespaced paramRef in policy binding that matches cluster-scoped \
                     resources"
                    .to_owned())
            }
            (true, "") => Ok(requested),
            (true, own) => Ok(own),
        }
    }

    /// What the found objects are as parameters.
    ///
    /// # Errors
    /// When there are none and the binding does not want that.
    pub fn found(&self, objects: Vec<Value>) -> Result<Params, String> {
        if objects.is_empty() && self.deny_missing {
            return Err(
                "no params found for policy binding with `Deny` parameterNotFoundAction".to_owned()
            );
        }
        Ok(Params(objects.into_iter().map(Some).collect()))
    }
}

/// The parameters to evaluate a policy with, one after the other.
#[derive(Debug, Clone, PartialEq)]
pub struct Params(pub Vec<Option<Value>>);

impl Params {
    /// One evaluation without parameters.
    pub fn none() -> Self {
        Self(vec![None])
    }

    /// Native parameters as upstream's caches hold them: without their record of owners.
    #[must_use]
    pub fn without_owners(self) -> Self {
        self.changed(|param| object::remove(param, "managedFields"))
    }

    /// Native parameters as upstream hands them to mutating policies: without their type.
    #[must_use]
    pub fn without_type(self) -> Self {
        self.changed(|param| {
            if let Some(map) = param.as_map_mut() {
                map.remove("apiVersion");
                map.remove("kind");
            }
        })
    }

    fn changed(self, change: impl Fn(&mut Value)) -> Self {
        let change = |mut param: Value| {
            change(&mut param);
            param
        };
        Self(self.0.into_iter().map(|param| param.map(&change)).collect())
    }
}

/// What follows from a violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    Deny,
    Warn,
    Audit,
}

/// What follows, in the order of the binding.
pub type Actions = Vec<Action>;

/// A binding of a policy.
#[derive(Debug, Clone)]
pub struct Binding {
    pub name: Text,
    pub policy: Text,
    /// All requests that the policy matches if absent.
    pub constraints: Option<Constraints>,
    pub params: Option<ParamRef>,
    pub actions: Actions,
}

impl Binding {
    /// Reads a binding of either kind.
    pub fn read(object: &Value) -> Self {
        let null = Value::Null;
        let spec = object.get("spec").unwrap_or(&null);
        let text = |value: &Value, field: &str| {
            value.get(field).and_then(Value::as_text).cloned().unwrap_or_default()
        };
        let some = |field: &str| spec.get(field).filter(|it| !it.is_null());
        let action = |value: &Value| match value.as_str()? {
            "Deny" => Some(Action::Deny),
            "Warn" => Some(Action::Warn),
            "Audit" => Some(Action::Audit),
            _ => None,
        };
        Self {
            name: text(object.get("metadata").unwrap_or(&null), "name"),
            policy: text(spec, "policyName"),
            constraints: some("matchResources").map(Constraints::read),
            params: some("paramRef").map(ParamRef::read),
            actions: items(spec, "validationActions").filter_map(action).collect(),
        }
    }
}
