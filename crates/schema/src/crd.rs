//! `CustomResourceDefinition` of `apiextensions.k8s.io/v1`, typed.
//!
//! Lists are options where an absent list and an empty one are told apart by a rule or a message.

use ordain_value::{Map, Text};

use crate::open_api::OpenApi;
use crate::raw::Raw;

/// The finalizer that keeps a definition until its objects are gone.
pub const CLEANUP_FINALIZER: &str = "customresourcecleanup.apiextensions.k8s.io";

/// The annotation that definitions in Kubernetes' own groups need.
pub const APPROVAL_ANNOTATION: &str = "api-approved.kubernetes.io";

/// A definition of a custom resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Crd {
    /// ObjectMeta as JSON.
    pub metadata: Map,
    /// What the author asks for.
    pub spec: CrdSpec,
    /// What the server observed.
    pub status: CrdStatus,
}

/// What is asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CrdSpec {
    /// The API group, a DNS subdomain.
    pub group: Text,
    /// What the resource is called.
    pub names: CrdNames,
    /// `Namespaced` or `Cluster`.
    pub scope: Text,
    /// Every version, served or not; exactly one is stored.
    pub versions: Option<Vec<CrdVersion>>,
    /// How objects get from one version into another; by their apiVersion alone without it.
    pub conversion: Option<Conversion>,
    /// The switch of v1beta1 for whole objects; v1 accepts only false.
    pub preserve_unknown_fields: bool,
}

/// The names of a resource.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrdNames {
    /// The name in URLs.
    pub plural: Text,
    /// The name on the command line.
    pub singular: Text,
    /// Abbreviations for the command line.
    pub short_names: Option<Vec<Text>>,
    /// The name in objects.
    pub kind: Text,
    /// The name of lists of such objects.
    pub list_kind: Text,
    /// Groups that the resource is listed with, such as `all`.
    pub categories: Option<Vec<Text>>,
}

/// One version of a resource.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CrdVersion {
    /// `v1`, `v1beta1`…
    pub name: Text,
    /// Whether requests may use it.
    pub served: bool,
    /// Whether objects are stored in it.
    pub storage: bool,
    /// Whether clients are warned of it.
    pub deprecated: bool,
    /// The words of that warning, where they are not the usual ones.
    pub deprecation_warning: Option<Text>,
    /// What objects look like.
    pub schema: Option<VersionSchema>,
    /// Status and scale.
    pub subresources: Option<Subresources>,
    /// What `kubectl get` shows.
    pub columns: Option<Vec<Column>>,
    /// What field selectors may name besides name and namespace.
    pub selectable_fields: Option<Vec<SelectableField>>,
}

/// `schema` of a version.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VersionSchema {
    /// `openAPIV3Schema`
    pub open_api: Option<OpenApi>,
}

/// `subresources` of a version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subresources {
    /// Whether the status is written apart from the rest.
    pub status: bool,
    /// The scale, if there is one.
    pub scale: Option<Scale>,
}

/// Where the scale subresource reads and writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Scale {
    /// Where the wanted count is, below `.spec`.
    pub spec_replicas_path: Text,
    /// Where the observed count is, below `.status`.
    pub status_replicas_path: Text,
    /// Where the selector is written out as a text.
    pub label_selector_path: Option<Text>,
}

/// One printer column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Column {
    /// The heading.
    pub name: Text,
    /// The OpenAPI type of what is shown.
    pub ty: Text,
    /// The OpenAPI format of what is shown, such as `date`.
    pub format: Text,
    /// What the column means.
    pub description: Text,
    /// 0 is shown always, more only with `-o wide`.
    pub priority: i64,
    /// Where the value is, without braces: `.spec.replicas`.
    pub json_path: Text,
}

/// One field that field selectors may name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SelectableField {
    /// Where the value is: `.spec.color`.
    pub json_path: Text,
}

/// How objects are converted between versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conversion {
    /// `None` or `Webhook`.
    pub strategy: Text,
    /// What is called for `Webhook`.
    pub webhook: Option<Webhook>,
}

/// A conversion webhook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Webhook {
    /// How it is reached.
    pub client: Option<WebhookClient>,
    /// The versions of ConversionReview that it understands, the best first.
    pub review_versions: Option<Vec<Text>>,
}

/// How a webhook is reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WebhookClient {
    /// An HTTPS address; either this or a service.
    pub url: Option<Text>,
    /// A service of the cluster; either this or an address.
    pub service: Option<Service>,
    /// Base64 as written.
    pub ca_bundle: Text,
}

/// The service behind a webhook.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Service {
    /// Its namespace.
    pub namespace: Text,
    /// Its name.
    pub name: Text,
    /// The path of the URL.
    pub path: Option<Text>,
    /// The port; 443 without one.
    pub port: Option<i64>,
}

/// What has been accepted so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CrdStatus {
    /// Established, NamesAccepted and the others.
    pub conditions: Option<Vec<Condition>>,
    /// The names that no other definition had first.
    pub accepted_names: CrdNames,
    /// Versions that objects may still be stored in.
    pub stored_versions: Option<Vec<Text>>,
    /// The generation that the status is about.
    pub observed_generation: i64,
}

/// One condition of a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition {
    /// `Established`, `NamesAccepted`, `NonStructuralSchema`…
    pub ty: Text,
    /// `True`, `False` or `Unknown`.
    pub status: Text,
    /// RFC 3339, or none when it was never set.
    pub last_transition_time: Option<Text>,
    /// A word for machines.
    pub reason: Text,
    /// A sentence for people.
    pub message: Text,
    /// The generation that the condition is about.
    pub observed_generation: i64,
}

impl Crd {
    /// `metadata.name`
    #[must_use]
    pub fn name(&self) -> &str {
        self.metadata.get("name").and_then(|v| v.as_str()).unwrap_or_default()
    }

    /// One annotation.
    #[must_use]
    pub fn annotation(&self, key: &str) -> Option<&str> {
        self.metadata.get("annotations")?.get(key)?.as_str()
    }

    /// `metadata.generation`
    #[must_use]
    pub fn generation(&self) -> i64 {
        self.metadata.get("generation").and_then(|v| v.as_int()).unwrap_or_default()
    }

    /// The condition of this type.
    #[must_use]
    pub fn condition(&self, ty: &str) -> Option<&Condition> {
        self.status.conditions.iter().flatten().find(|c| c.ty == ty)
    }

    /// Whether the condition of this type is there and `True`.
    #[must_use]
    pub fn is_true(&self, ty: &str) -> bool {
        self.condition(ty).is_some_and(|c| c.status == "True")
    }

    /// Fills in what may be left out.
    pub fn set_defaults(&mut self) {
        self.spec.set_defaults();
        if self.status.stored_versions.as_ref().is_none_or(Vec::is_empty)
            && let Some(version) = self.spec.storage_version()
        {
            self.status.stored_versions = Some(vec![version.name.clone()]);
        }
    }

    /// What a create does to the object before it is checked: the status is the server's.
    pub fn prepare_for_create(&mut self) {
        self.status = CrdStatus::default();
        self.metadata.insert("generation", 1i64.into());
        self.record_storage_version();
    }

    /// What an update does to the object before it is checked: the status is kept, a changed spec
    /// is a new generation, and a new storage version is remembered.
    pub fn prepare_for_update(&mut self, old: &Crd) {
        self.status = old.status.clone();
        let changed = !self.spec.same_meaning(&old.spec);
        let generation = old.generation().saturating_add(i64::from(changed));
        self.metadata.insert("generation", generation.into());
        self.record_storage_version();
    }

    fn record_storage_version(&mut self) {
        let Some(name) = self.spec.storage_version().map(|v| v.name.clone()) else { return };
        let stored = self.status.stored_versions.get_or_insert_default();
        if !stored.contains(&name) {
            stored.push(name);
        }
    }
}

impl CrdSpec {
    /// The versions, none when the list is absent.
    #[must_use]
    pub fn versions(&self) -> &[CrdVersion] {
        self.versions.as_deref().unwrap_or_default()
    }

    /// The first version that objects are stored in.
    #[must_use]
    pub fn storage_version(&self) -> Option<&CrdVersion> {
        self.versions().iter().find(|v| v.storage)
    }

    /// The version with this name.
    #[must_use]
    pub fn version(&self, name: &str) -> Option<&CrdVersion> {
        self.versions().iter().find(|v| v.name == name)
    }

    /// Equality where an empty list is the same as none.
    #[must_use]
    pub fn same_meaning(&self, other: &CrdSpec) -> bool {
        self.encode_meaning() == other.encode_meaning()
    }

    fn set_defaults(&mut self) {
        let names = &mut self.names;
        if names.singular.is_empty() {
            names.singular = Text::from(names.kind.to_lowercase());
        }
        if names.list_kind.is_empty() && !names.kind.is_empty() {
            names.list_kind = Text::from(format!("{}List", names.kind));
        }
        let conversion = self.conversion.get_or_insert_with(|| Conversion {
            strategy: Text::new_static("None"),
            webhook: None,
        });
        // A webhook that says nothing does not survive being read.
        if conversion.webhook == Some(Webhook::default()) {
            conversion.webhook = None;
        }
        let client = conversion.webhook.as_mut().and_then(|w| w.client.as_mut());
        if let Some(service) = client.and_then(|c| c.service.as_mut()) {
            service.port.get_or_insert(443);
        }
    }
}

impl CrdVersion {
    /// The schema as written.
    #[must_use]
    pub fn raw(&self) -> Option<&Raw> {
        self.schema.as_ref()?.open_api.as_deref()
    }

    /// Whether `status` is a subresource.
    #[must_use]
    pub fn has_status(&self) -> bool {
        self.subresources.as_ref().is_some_and(|s| s.status)
    }
}
