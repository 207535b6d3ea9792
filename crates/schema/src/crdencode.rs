//! Writing a [`Crd`] as the server answers it.

use ordain_value::{Map, Text, Value};

use crate::crd::{
    Column, Condition, Conversion, Crd, CrdNames, CrdSpec, CrdStatus, CrdVersion, Scale, Service,
    Subresources, VersionSchema, Webhook, WebhookClient,
};
use crate::open_api::OpenApi;
use crate::raw::{Entries, put, put_flag, put_list, put_text, texts};

impl Crd {
    /// The whole object as JSON.
    #[must_use]
    pub fn encode(&self) -> Value {
        object(vec![
            entry("apiVersion", "apiextensions.k8s.io/v1"),
            entry("kind", "CustomResourceDefinition"),
            entry("metadata", self.metadata.clone()),
            entry("spec", self.spec.encode()),
            entry("status", self.status.encode()),
        ])
    }
}

impl CrdSpec {
    /// The spec as JSON.
    #[must_use]
    pub fn encode(&self) -> Value {
        let mut out = vec![
            entry("group", self.group.clone()),
            entry("names", self.names.encode()),
            entry("scope", self.scope.clone()),
            entry("versions", list_or_null(&self.versions, CrdVersion::encode)),
        ];
        put(&mut out, "conversion", self.conversion.as_ref().map(Conversion::encode));
        put_flag(&mut out, "preserveUnknownFields", self.preserve_unknown_fields);
        object(out)
    }

    /// The spec with an empty list of versions written as none, for comparing.
    pub(crate) fn encode_meaning(&self) -> Value {
        let mut value = self.encode();
        if self.versions().is_empty()
            && let Some(map) = value.as_map_mut()
        {
            map.remove("versions");
        }
        value
    }
}

impl CrdNames {
    /// The names as JSON.
    #[must_use]
    pub fn encode(&self) -> Value {
        let mut out = vec![entry("plural", self.plural.clone()), entry("kind", self.kind.clone())];
        put_text(&mut out, "singular", &self.singular);
        put_text(&mut out, "listKind", &self.list_kind);
        put_list(&mut out, "shortNames", texts(&self.short_names));
        put_list(&mut out, "categories", texts(&self.categories));
        object(out)
    }
}

impl CrdVersion {
    /// The version as JSON.
    #[must_use]
    pub fn encode(&self) -> Value {
        let mut out = vec![
            entry("name", self.name.clone()),
            entry("served", self.served),
            entry("storage", self.storage),
        ];
        put_flag(&mut out, "deprecated", self.deprecated);
        put(&mut out, "deprecationWarning", self.deprecation_warning.clone().map(Value::from));
        put(&mut out, "schema", self.schema.as_ref().map(VersionSchema::encode));
        put(&mut out, "subresources", self.subresources.as_ref().map(Subresources::encode));
        let columns = self.columns.iter().flatten().map(Column::encode);
        put_list(&mut out, "additionalPrinterColumns", columns);
        let selectable = self.selectable_fields.iter().flatten();
        let selectable = selectable.map(|f| object(vec![entry("jsonPath", f.json_path.clone())]));
        put_list(&mut out, "selectableFields", selectable);
        object(out)
    }
}

impl VersionSchema {
    fn encode(&self) -> Value {
        let mut out = Vec::new();
        put(&mut out, "openAPIV3Schema", self.open_api.as_ref().map(OpenApi::encode));
        object(out)
    }
}

impl Subresources {
    fn encode(&self) -> Value {
        let mut out = Vec::new();
        put(&mut out, "status", self.status.then(|| Value::Map(Map::new())));
        put(&mut out, "scale", self.scale.as_ref().map(Scale::encode));
        object(out)
    }
}

impl Scale {
    fn encode(&self) -> Value {
        let mut out = vec![
            entry("specReplicasPath", self.spec_replicas_path.clone()),
            entry("statusReplicasPath", self.status_replicas_path.clone()),
        ];
        put(&mut out, "labelSelectorPath", self.label_selector_path.clone().map(Value::from));
        object(out)
    }
}

impl Column {
    /// As definitions write it.
    #[must_use]
    pub fn encode(&self) -> Value {
        let mut out = vec![
            entry("name", self.name.clone()),
            entry("type", self.ty.clone()),
            entry("jsonPath", self.json_path.clone()),
        ];
        put_text(&mut out, "format", &self.format);
        put_text(&mut out, "description", &self.description);
        put(&mut out, "priority", (self.priority != 0).then(|| Value::from(self.priority)));
        object(out)
    }
}

impl Conversion {
    fn encode(&self) -> Value {
        let mut out = vec![entry("strategy", self.strategy.clone())];
        put(&mut out, "webhook", self.webhook.as_ref().map(Webhook::encode));
        object(out)
    }
}

impl Webhook {
    fn encode(&self) -> Value {
        let versions = list_or_null(&self.review_versions, |v| Value::from(v.clone()));
        let mut out = vec![entry("conversionReviewVersions", versions)];
        put(&mut out, "clientConfig", self.client.as_ref().map(WebhookClient::encode));
        object(out)
    }
}

impl WebhookClient {
    fn encode(&self) -> Value {
        let mut out = Vec::new();
        put(&mut out, "url", self.url.clone().map(Value::from));
        put(&mut out, "service", self.service.as_ref().map(Service::encode));
        put_text(&mut out, "caBundle", &self.ca_bundle);
        object(out)
    }
}

impl Service {
    fn encode(&self) -> Value {
        let mut out =
            vec![entry("namespace", self.namespace.clone()), entry("name", self.name.clone())];
        put(&mut out, "path", self.path.clone().map(Value::from));
        put(&mut out, "port", self.port.map(Value::from));
        object(out)
    }
}

impl CrdStatus {
    /// The status as JSON; its three first members are always there.
    #[must_use]
    pub fn encode(&self) -> Value {
        let mut out = vec![
            entry("acceptedNames", self.accepted_names.encode()),
            entry("conditions", list_or_null(&self.conditions, Condition::encode)),
            entry("storedVersions", list_or_null(&self.stored_versions, |v| v.clone().into())),
        ];
        put_generation(&mut out, self.observed_generation);
        object(out)
    }
}

impl Condition {
    fn encode(&self) -> Value {
        let time = self.last_transition_time.clone().map_or(Value::Null, Value::from);
        let mut out = vec![
            entry("type", self.ty.clone()),
            entry("status", self.status.clone()),
            entry("lastTransitionTime", time),
        ];
        put_text(&mut out, "reason", &self.reason);
        put_text(&mut out, "message", &self.message);
        put_generation(&mut out, self.observed_generation);
        object(out)
    }
}

fn put_generation(out: &mut Entries, generation: i64) {
    put(out, "observedGeneration", (generation != 0).then(|| Value::from(generation)));
}

fn object(entries: Entries) -> Value {
    Value::Map(Map::from_entries(entries))
}

fn entry(key: &'static str, value: impl Into<Value>) -> (Text, Value) {
    (Text::new_static(key), value.into())
}

fn list_or_null<T>(list: &Option<Vec<T>>, encode: impl Fn(&T) -> Value) -> Value {
    match list {
        None => Value::Null,
        Some(list) => Value::from(list.iter().map(encode).collect::<Vec<_>>()),
    }
}
