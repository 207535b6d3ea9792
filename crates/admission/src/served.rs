//! The served kinds as admission sees them, by the resources of a server or of a set of files.

use std::sync::Arc;

use ordain_merge::types::Types;
use ordain_meta::gvk::{GroupVersionKind, GroupVersionResource};
use ordain_strategy::decode::strict_error;
use ordain_strategy::{Family, FieldValidation, Part, RestConfig, VersionConfig, object};
use ordain_value::{Value, go_quote, json};

use crate::kinds::{Kinds, Unreadable};
use crate::request::Addressed;

/// The resources that are served, by their names.
pub trait Resources: Send + Sync {
    fn by_resource(&self, group: &str, plural: &str) -> Option<Arc<RestConfig>>;
    fn by_kind(&self, group: &str, kind: &str) -> Option<Arc<RestConfig>>;
}

/// What is served during one request.
#[derive(Debug)]
pub struct Served<R>(pub R);

/// The kind of a subresource's objects.
pub fn kind_of(resource: &RestConfig, version: &str, subresource: &str) -> GroupVersionKind {
    let (group, version, kind) = match (resource.plural.as_str(), subresource) {
        (_, "scale") => ("autoscaling", "v1", "Scale"),
        ("pods", "binding") => ("", "v1", "Binding"),
        ("pods", "eviction") => ("policy", "v1", "Eviction"),
        ("pods", "attach") => ("", "v1", "PodAttachOptions"),
        ("pods", "exec") => ("", "v1", "PodExecOptions"),
        ("pods", "portforward") => ("", "v1", "PodPortForwardOptions"),
        ("pods", "proxy") => ("", "v1", "PodProxyOptions"),
        ("services", "proxy") => ("", "v1", "ServiceProxyOptions"),
        ("nodes", "proxy") => ("", "v1", "NodeProxyOptions"),
        ("serviceaccounts", "token") => ("authentication.k8s.io", "v1", "TokenRequest"),
        _ => return resource.gvk(version),
    };
    GroupVersionKind::new(group, version, kind)
}

/// An object in another version. Custom resources only change their name for it: what the other
/// version does not know is still there for admission to see.
///
/// # Errors
/// When someone else converts the objects of the kind, in words.
pub fn converted(config: &RestConfig, object: &Value, version: &str) -> Result<Value, String> {
    let strategy = &config.strategy;
    let is_named = strategy.conversion_webhook().is_none() && !strategy.converts_fields();
    if config.family == Family::BuiltIn || !is_named {
        return config.strategy.convert(object, version);
    }
    let mut object = object.clone();
    if let Some(map) = object.as_map_mut() {
        map.insert("apiVersion", config.group_version(version).to_string().into());
    }
    Ok(object)
}

impl<R: Resources> Served<R> {
    /// The resource of a kind. Scales and other views have none.
    fn resource(&self, kind: &GroupVersionKind) -> Option<Arc<RestConfig>> {
        let found = self.0.by_kind(&kind.group, &kind.kind)?;
        found.version(&kind.version).is_some().then_some(found)
    }
}

impl<R: Resources> Kinds for Served<R> {
    fn equivalents(&self, resource: &GroupVersionResource, subresource: &str) -> Vec<Addressed> {
        let Some(config) = self.0.by_resource(&resource.group, &resource.resource) else {
            return Vec::new();
        };
        let served = config.versions.iter().filter(|version| version.served);
        let addressed = |version: &VersionConfig| Addressed {
            resource: GroupVersionResource::new(
                config.group.clone(),
                version.name.clone(),
                config.plural.clone(),
            ),
            kind: kind_of(&config, &version.name, subresource),
        };
        served.map(addressed).collect()
    }

    fn is_served(&self, kind: &GroupVersionKind) -> bool {
        self.resource(kind).is_some_and(|it| it.served(&kind.version).is_some())
    }

    fn is_native(&self, kind: &GroupVersionKind) -> bool {
        self.resource(kind).is_some_and(|it| it.family == Family::BuiltIn)
    }

    fn types(&self, kind: &GroupVersionKind) -> Option<Arc<Types>> {
        let resource = self.resource(kind)?;
        resource.strategy.field_manager(&kind.version, Part::Main)?.shared_types()
    }

    fn reread(
        &self,
        kind: &GroupVersionKind,
        object: Value,
        strict: bool,
    ) -> Result<Value, Unreadable> {
        let Some(resource) = self.resource(kind) else { return Ok(object) };
        match resource.family {
            Family::Custom => check_custom_type(&resource, kind, &object)?,
            Family::BuiltIn => self.check_native_type(kind, &object)?,
        }
        let validation = if strict { FieldValidation::Strict } else { FieldValidation::Ignore };
        // A patch may make it an object of another version, whose defaults it then gets.
        let own = object::gvk(&object).version;
        let version = if resource.version(&own).is_some() { &own } else { &kind.version };
        let decoded = resource
            .strategy
            .reread(version, object, validation)
            .map_err(|error| Unreadable::Decode(error.why))?;
        if strict && !decoded.unknown.is_empty() {
            return Err(Unreadable::Decode(strict_error(&decoded.unknown)));
        }
        Ok(decoded.object)
    }
}

fn check_custom_type(
    resource: &RestConfig,
    kind: &GroupVersionKind,
    object: &Value,
) -> Result<(), Unreadable> {
    let own = object::gvk(object);
    if own.kind.is_empty() {
        let text = json::encode_string(object);
        return Err(Unreadable::Decode(format!("Object 'Kind' is missing in '{text}'")));
    }
    let is_own = own.group == kind.group && resource.version(&own.version).is_some();
    if !is_own {
        return Err(Unreadable::Convert(format!(
            "{own} is unstructured and is not suitable for converting to {}",
            go_quote(&kind.group_version().to_string())
        )));
    }
    Ok(())
}

impl<R: Resources> Served<R> {
    fn check_native_type(&self, kind: &GroupVersionKind, object: &Value) -> Result<(), Unreadable> {
        let own = object::gvk(object);
        if own == *kind || own.kind.is_empty() {
            return Ok(());
        }
        let Some(other) = self.resource(&own) else {
            return Err(Unreadable::Decode(format!(
                "no kind {} is registered for version {} in scheme \
                 \"pkg/api/legacyscheme/scheme.go:30\"",
                go_quote(&own.kind),
                go_quote(&own.group_version().to_string())
            )));
        };
        // It is read as what it says it is, before anybody asks what it should be.
        let read = other.strategy.reread(&own.version, object.clone(), FieldValidation::Ignore);
        read.map_err(|error| Unreadable::Decode(error.why))?;
        let group = kind.group.split('.').next().filter(|it| !it.is_empty()).unwrap_or("core");
        Err(Unreadable::Convert(format!(
            "converting ({}.{}) to ({group}.{}): unknown conversion",
            own.version, own.kind, kind.kind
        )))
    }
}
