//! A registry over memory, with declared kinds from Go text.
#![allow(dead_code, reason = "every test takes what it needs")]

use std::sync::Arc;

use ordain_idl::lower::lower;
use ordain_idl::{Loader, MemorySource};
use ordain_meta::KubeVersion;
use ordain_meta::status::Status;
use ordain_meta::time::Time;
use ordain_registry::admission::Chain;
use ordain_registry::declared::{Resource, build};
use ordain_registry::decode::{Body, Media};
use ordain_registry::gates::Gates;
use ordain_registry::namespace::NamespaceLifecycle;
use ordain_registry::source::{FixedClock, SeededEntropy};
use ordain_registry::{
    DeleteOptions, Deleted, Options, Part, PatchType, Registry, Target, Warnings, WriteOptions,
};
use ordain_schema::declared::Api;
use ordain_storage::MemoryStore;
use ordain_value::{Value, json};

/// Declares kinds from the body of a Go file of group `shop.example.com`, version `v1`.
pub(crate) fn api(body: &str) -> Api {
    api_of(&[("v1", body)])
}

/// Declares kinds from several versions.
pub(crate) fn api_of(versions: &[(&str, &str)]) -> Api {
    let mut source = MemorySource::new();
    for (version, body) in versions {
        let text = format!(
            "// +groupName=shop.example.com\npackage {version}\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n{body}"
        );
        source.insert(format!("{version}/types.go"), text);
    }
    let loader = versions.iter().fold(Loader::new(&source), |loader, (version, _)| {
        loader.package_as(*version, format!("example.com/shop/{version}"))
    });
    let universe = loader.load();
    let lowered = lower(&universe);
    let shown: Vec<String> =
        lowered.diagnostics.iter().map(|it| universe.locate(it).to_string()).collect();
    assert!(!lowered.has_errors(), "{shown:#?}");
    lowered.api
}

/// The head of a kind: type and metadata.
pub(crate) fn kind(name: &str, fields: &str) -> String {
    format!(
        "type {name} struct {{\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty,omitzero\"`\n\n{fields}\n}}\n\n"
    )
}

pub(crate) struct World {
    pub(crate) registry: Registry,
    store: Arc<MemoryStore>,
    pub(crate) gates: Arc<Gates>,
}

impl World {
    pub(crate) async fn new(gates: &str) -> Self {
        Self::with(&Api::default(), gates).await
    }

    pub(crate) async fn with(api: &Api, gates: &str) -> Self {
        let world = Self::empty(api, gates).await;
        let configs = build(api, &world.gates).expect("kinds build");
        world.registry.serve_declared(configs);
        world
    }

    pub(crate) async fn with_resource(api: &Api, gates: &str, resource: Resource) -> Self {
        let world = Self::empty(api, gates).await;
        let config = resource.build(&world.gates).expect("the kind builds");
        world.registry.serve_declared(vec![config]);
        world
    }

    async fn empty(api: &Api, gates: &str) -> Self {
        Self::over(Arc::new(MemoryStore::default()), api, gates, KubeVersion::CURRENT).await
    }

    /// A server with other gates over the same store.
    pub(crate) async fn restarted(&self, gates: &str) -> Self {
        Self::over(Arc::clone(&self.store), &Api::default(), gates, KubeVersion::CURRENT).await
    }

    /// A server that behaves as another release over the same store.
    pub(crate) async fn emulating(&self, api: &Api, release: KubeVersion) -> Self {
        let world = Self::over(Arc::clone(&self.store), api, "", release).await;
        world.registry.serve_declared(build(api, &world.gates).expect("kinds build"));
        world
    }

    async fn over(store: Arc<MemoryStore>, api: &Api, gates: &str, release: KubeVersion) -> Self {
        let mut known = Gates::default();
        known.emulate(release);
        known.register_declared(api);
        known.set_from(gates).expect("gates");
        let gates = Arc::new(known);
        let kept = Arc::clone(&store);
        let registry = Registry::new(
            store,
            Arc::new(FixedClock(Time::from_unix(1_700_000_000, 0))),
            Arc::new(SeededEntropy::new(7)),
            Chain::new(vec![Arc::new(NamespaceLifecycle)]),
            Arc::new(ordain_registry::crd::DefinitionHooks::default()),
            Options::default(),
        )
        .with_gates(Arc::clone(&gates));
        registry.start().await.expect("starts");
        Self { registry, store: kept, gates }
    }

    pub(crate) fn target(&self, plural: &str, name: &str) -> Target {
        self.target_in(plural, "v1", name)
    }

    pub(crate) fn target_in(&self, plural: &str, version: &str, name: &str) -> Target {
        let catalog = self.registry.catalog();
        let resource = catalog.get("shop.example.com", plural).cloned().expect("served");
        let namespace = if resource.namespaced { "default" } else { "" };
        Target { resource, version: version.into(), namespace: namespace.into(), name: name.into() }
    }

    pub(crate) async fn create(&self, plural: &str, object: Value) -> Result<Value, Status> {
        self.create_warned(plural, object).await.0
    }

    pub(crate) async fn create_warned(
        &self,
        plural: &str,
        object: Value,
    ) -> (Result<Value, Status>, Vec<String>) {
        let bytes = json::encode(&object);
        let body = Body { bytes: &bytes, media: Media::Json };
        let mut warnings = Warnings::default();
        let target = self.target(plural, "");
        let options = options("creator");
        let made = self.registry.create(&target, &body, &options, &mut warnings).await;
        (made, warnings.texts().to_vec())
    }

    /// Creates a definition.
    pub(crate) async fn define(&self, crd: &Value) -> Result<Value, Status> {
        self.define_warned(crd).await.0
    }

    pub(crate) fn definition_target(&self, name: &str) -> Target {
        let catalog = self.registry.catalog();
        let found = catalog.get("apiextensions.k8s.io", "customresourcedefinitions");
        Target {
            resource: found.cloned().expect("served"),
            version: "v1".into(),
            namespace: Default::default(),
            name: name.into(),
        }
    }

    pub(crate) async fn define_warned(&self, crd: &Value) -> (Result<Value, Status>, Vec<String>) {
        let target = self.definition_target("");
        let bytes = json::encode(crd);
        let body = Body { bytes: &bytes, media: Media::Json };
        let mut warnings = Warnings::default();
        let made = self.registry.create(&target, &body, &options("author"), &mut warnings).await;
        (made, warnings.texts().to_vec())
    }

    /// Replaces a definition.
    pub(crate) async fn redefine(&self, crd: &Value) -> (Result<Value, Status>, Vec<String>) {
        let name = crd.get_path(&["metadata", "name"]).and_then(Value::as_str).unwrap_or("");
        let target = self.definition_target(name);
        let bytes = json::encode(crd);
        let body = Body { bytes: &bytes, media: Media::Json };
        let mut warnings = Warnings::default();
        let options = options("author");
        let made = self.registry.update(&target, Part::Main, &body, &options, &mut warnings).await;
        (made.map(|it| it.object), warnings.texts().to_vec())
    }

    pub(crate) async fn update(&self, plural: &str, object: Value) -> Result<Value, Status> {
        self.update_part(plural, Part::Main, object).await
    }

    pub(crate) async fn update_part(
        &self,
        plural: &str,
        part: Part,
        object: Value,
    ) -> Result<Value, Status> {
        self.update_part_warned(plural, part, object).await.0
    }

    pub(crate) async fn update_warned(
        &self,
        plural: &str,
        object: Value,
    ) -> (Result<Value, Status>, Vec<String>) {
        self.update_part_warned(plural, Part::Main, object).await
    }

    async fn update_part_warned(
        &self,
        plural: &str,
        part: Part,
        object: Value,
    ) -> (Result<Value, Status>, Vec<String>) {
        let name = object.get_path(&["metadata", "name"]).and_then(Value::as_str).unwrap_or("");
        let target = self.target(plural, name);
        let bytes = json::encode(&object);
        let body = Body { bytes: &bytes, media: Media::Json };
        let mut warnings = Warnings::default();
        let options = options("updater");
        let written = self.registry.update(&target, part, &body, &options, &mut warnings).await;
        (written.map(|it| it.object), warnings.texts().to_vec())
    }

    pub(crate) async fn patch(
        &self,
        plural: &str,
        name: &str,
        patch: Value,
    ) -> Result<Value, Status> {
        self.patch_with(plural, name, PatchType::Merge, &patch).await
    }

    pub(crate) async fn patch_with(
        &self,
        plural: &str,
        name: &str,
        ty: PatchType,
        patch: &Value,
    ) -> Result<Value, Status> {
        let (target, bytes) = (self.target(plural, name), json::encode(patch));
        let (options, mut warnings) = (options("patcher"), Warnings::default());
        let part = Part::Main;
        let written =
            self.registry.patch(&target, part, ty, &bytes, &options, &mut warnings).await?;
        Ok(written.object)
    }

    pub(crate) async fn apply(
        &self,
        plural: &str,
        name: &str,
        manager: &str,
        object: Value,
    ) -> Result<Value, Status> {
        let target = self.target(plural, name);
        let bytes = json::encode(&object);
        let mut warnings = Warnings::default();
        let options = WriteOptions { force: Some(true), ..options(manager) };
        let written = self
            .registry
            .patch(&target, Part::Main, PatchType::Apply, &bytes, &options, &mut warnings)
            .await?;
        Ok(written.object)
    }

    pub(crate) async fn get(&self, plural: &str, name: &str) -> Result<Value, Status> {
        let target = self.target(plural, name);
        self.registry.get(&target, "").await
    }

    pub(crate) async fn delete(
        &self,
        plural: &str,
        name: &str,
        options: &DeleteOptions,
    ) -> Result<Deleted, Status> {
        let target = self.target(plural, name);
        self.registry.delete(&target, options, &mut Warnings::default()).await
    }
}

pub(crate) fn options(manager: &str) -> WriteOptions {
    WriteOptions { field_manager: manager.into(), ..WriteOptions::default() }
}

pub(crate) fn object(kind: &str, name: &str, spec: Value) -> Value {
    ordain_value::value!({
        "apiVersion": "shop.example.com/v1",
        "kind": (kind),
        "metadata": {"name": (name), "namespace": "default"},
        "spec": (spec)
    })
}
