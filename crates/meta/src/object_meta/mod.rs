//! ObjectMeta: reading it, bringing it into shape, and the rules every kind shares.

mod coerce;
mod rules;
mod usual;

use std::borrow::Cow;

use ordain_value::{List, Map, Value};

pub use coerce::{Coerced, coerce, coerce_dropping_invalid};
pub use rules::{
    ANNOTATIONS_BYTES_MAX, FINALIZER_FOREGROUND, FINALIZER_ORPHAN, annotations, field_manager,
    finalizers, labels, managed_fields, owner_references, validate, validate_update,
};
pub use usual::is_usual;

/// A view of an object's metadata that reads absent and misshapen fields as empty.
#[derive(Clone, Copy, Debug)]
pub struct ObjectMeta<'a>(Option<&'a Map>);

impl<'a> ObjectMeta<'a> {
    /// Of an object.
    #[must_use]
    pub fn of(object: &'a Value) -> Self {
        ObjectMeta(object.get("metadata").and_then(Value::as_map))
    }

    /// Of a metadata value.
    #[must_use]
    pub fn new(metadata: &'a Value) -> Self {
        ObjectMeta(metadata.as_map())
    }

    /// A field as it is.
    #[must_use]
    pub fn get(self, field: &str) -> Option<&'a Value> {
        self.0.and_then(|map| map.get(field))
    }

    fn text(self, field: &str) -> &'a str {
        self.get(field).and_then(Value::as_str).unwrap_or_default()
    }

    fn map(self, field: &str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let entries = self.get(field).and_then(Value::as_map);
        entries
            .into_iter()
            .flat_map(Map::iter)
            .map(|(key, value)| (key.as_str(), value.as_str().unwrap_or_default()))
    }

    fn list(self, field: &str) -> &'a [Value] {
        self.get(field).and_then(Value::as_list).map_or(&[], List::as_slice)
    }

    /// `metadata.name`.
    #[must_use]
    pub fn name(self) -> &'a str {
        self.text("name")
    }

    /// `metadata.generateName`.
    #[must_use]
    pub fn generate_name(self) -> &'a str {
        self.text("generateName")
    }

    /// `metadata.namespace`.
    #[must_use]
    pub fn namespace(self) -> &'a str {
        self.text("namespace")
    }

    /// `metadata.uid`.
    #[must_use]
    pub fn uid(self) -> &'a str {
        self.text("uid")
    }

    /// `metadata.resourceVersion`.
    #[must_use]
    pub fn resource_version(self) -> &'a str {
        self.text("resourceVersion")
    }

    /// `metadata.generation`, zero when absent.
    #[must_use]
    pub fn generation(self) -> i64 {
        self.get("generation").and_then(Value::as_int).unwrap_or_default()
    }

    /// `metadata.deletionTimestamp`, when set.
    #[must_use]
    pub fn deletion_timestamp(self) -> Option<&'a str> {
        self.get("deletionTimestamp").and_then(Value::as_str)
    }

    /// `metadata.labels` in key order.
    pub fn labels(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.map("labels")
    }

    /// `metadata.annotations` in key order.
    pub fn annotations(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.map("annotations")
    }

    /// `metadata.finalizers`.
    pub fn finalizers(self) -> impl Iterator<Item = &'a str> {
        self.list("finalizers").iter().map(|it| it.as_str().unwrap_or_default())
    }

    /// `metadata.ownerReferences`.
    #[must_use]
    pub fn owner_references(self) -> &'a [Value] {
        self.list("ownerReferences")
    }

    /// `metadata.managedFields`.
    #[must_use]
    pub fn managed_fields(self) -> &'a [Value] {
        self.list("managedFields")
    }
}

/// The group and version of an `apiVersion`; `None` with more than one slash.
#[must_use]
pub fn split_api_version(api_version: &str) -> Option<(&str, &str)> {
    match api_version.split_once('/') {
        None => Some(("", api_version)),
        Some((_, version)) if version.contains('/') => None,
        Some(parts) => Some(parts),
    }
}

/// Texts with lower-case ASCII and Unicode letters; borrowed when nothing changes.
fn lower_case(text: &str) -> Cow<'_, str> {
    if text.chars().any(char::is_uppercase) { text.to_lowercase().into() } else { text.into() }
}
