//! The two sides: the verdict on files, and a registry over a store in memory.
//!
//! Neither has admission plugins: they are a server's own, and files meet them only when they are
//! asked to. What only a server can give (uids, versions, times, owners of fields, addresses from
//! its pools, generated names) is left out of objects on both sides.

use std::sync::Arc;

use ordain_check::{Catalog, Kind};
use ordain_meta::gvk::GroupVersion;
use ordain_meta::status::{Reason, Status};
use ordain_meta::time::Time;
use ordain_registry::admission::Chain;
use ordain_registry::crd::DefinitionHooks;
use ordain_registry::decode::{Body, Media};
use ordain_registry::source::{FixedClock, SeededEntropy};
use ordain_registry::{Options, Part, Registry, Target, Warnings, WriteOptions};
use ordain_storage::MemoryStore;
use ordain_value::{Text, Value, json};
use tokio::runtime::Runtime;

use crate::text;

/// What is asked for.
pub(crate) enum Write<'a> {
    Create { dry_run: bool },
    Update { old: &'a Value, status: bool },
}

/// What was said.
#[derive(Debug, PartialEq)]
struct Told {
    accepted: bool,
    /// The words of a refusal that names no fields.
    refusal: String,
    causes: Vec<(String, String, String)>,
    warnings: Vec<String>,
    object: Value,
}

pub(crate) struct Both {
    catalog: Catalog,
    registry: Registry,
    runtime: Runtime,
}

fn started(runtime: &Runtime, definitions: &[Value]) -> Registry {
    let registry = Registry::new(
        Arc::new(MemoryStore::default()),
        Arc::new(FixedClock(Time::from_unix(1_700_000_000, 0))),
        Arc::new(SeededEntropy::new(1)),
        Chain::new(Vec::new()),
        Arc::new(DefinitionHooks::default()),
        Options { controllers: false },
    );
    runtime.block_on(async {
        registry.start().await.unwrap();
        for definition in definitions {
            let catalog = registry.catalog();
            let resource = catalog.by_kind("apiextensions.k8s.io", "CustomResourceDefinition");
            let target = target(Arc::clone(resource.unwrap()), "v1", "", "");
            let created = create(&registry, &target, definition, &[]).await;
            created.0.unwrap_or_else(|status| panic!("{}", status.message));
        }
    });
    registry
}

fn target(
    resource: Arc<ordain_registry::RestConfig>,
    version: &str,
    namespace: &str,
    name: &str,
) -> Target {
    Target { resource, version: version.into(), namespace: namespace.into(), name: name.into() }
}

fn options(dry_run: &[&str]) -> WriteOptions {
    WriteOptions {
        dry_run: dry_run.iter().map(|it| Text::from(*it)).collect(),
        field_manager: "test".into(),
        ..WriteOptions::default()
    }
}

async fn create(
    registry: &Registry,
    target: &Target,
    object: &Value,
    dry_run: &[&str],
) -> (Result<Value, Status>, Warnings) {
    let bytes = json::encode(object);
    let body = Body { bytes: &bytes, media: Media::Json };
    let mut warnings = Warnings::default();
    let created = registry.create(target, &body, &options(dry_run), &mut warnings).await;
    (created, warnings)
}

impl Both {
    pub(crate) fn new(definitions: &[Value]) -> Self {
        let mut catalog = Catalog::default();
        for definition in definitions {
            catalog.add_definition(definition).unwrap();
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let registry = started(&runtime, definitions);
        Both { catalog, registry, runtime }
    }

    /// Begins again with an empty store.
    pub(crate) fn refresh(&mut self, definitions: &[Value]) {
        self.registry = started(&self.runtime, definitions);
    }

    /// All kinds that can be created, in all their versions.
    pub(crate) fn kinds(&self) -> Vec<Arc<Kind>> {
        let mut kinds = Vec::new();
        let catalog = self.registry.catalog();
        for resource in catalog.iter() {
            if !resource.verbs.read || !resource.verbs.create {
                continue;
            }
            for version in resource.versions.iter().filter(|it| it.served) {
                kinds.extend(self.catalog.find(&resource.gvk(&version.name)));
            }
        }
        kinds
    }

    pub(crate) fn kind_of(&self, object: &Value) -> Option<Arc<Kind>> {
        let version = GroupVersion::decode(text(object, "apiVersion")).ok()?;
        let kind = self.catalog.find(&version.with_kind(text(object, "kind"))).ok()?;
        let served = self.registry.catalog().by_kind(&kind.group, &kind.kind).is_some();
        served.then_some(kind)
    }

    /// Judges a write on both sides. Tells whether it is accepted, and what is stored by a create
    /// that is for real.
    pub(crate) fn judge(
        &mut self,
        kind: &Kind,
        write: &Write<'_>,
        object: &Value,
        wrong: &mut Vec<String>,
    ) -> (bool, Option<Value>) {
        let mut object = object.clone();
        if let Write::Update { .. } = write {
            for field in ["uid", "resourceVersion", "creationTimestamp", "managedFields"] {
                object.remove_path(&["metadata", field]);
            }
        }
        let offline = offline(kind, write, &object);
        let (server, stored) = self.served(kind, write, &object);
        if !same(&offline, &server) {
            wrong.push(format!(
                "{} {} {}\n  sent    {}\n  offline {offline:?}\n  server  {server:?}",
                match write {
                    Write::Create { .. } => "create",
                    Write::Update { status: true, .. } => "status",
                    Write::Update { .. } => "update",
                },
                kind.api_version(),
                kind.kind,
                json::encode_string(&object),
            ));
        }
        (server.accepted, stored)
    }

    fn served(&self, kind: &Kind, write: &Write<'_>, object: &Value) -> (Told, Option<Value>) {
        let catalog = self.registry.catalog();
        let resource = Arc::clone(catalog.by_kind(&kind.group, &kind.kind).unwrap());
        let given = object.get_path(&["metadata", "namespace"]).and_then(Value::as_str);
        let namespace = match (kind.namespaced, given.unwrap_or_default()) {
            (false, _) => "",
            (true, "") => "default",
            (true, given) => given,
        };
        let (answered, warnings, kept) = match write {
            Write::Create { dry_run } => {
                let target = target(resource, &kind.version, namespace, "");
                let all: &[&str] = if *dry_run { &["All"] } else { &[] };
                let made = create(&self.registry, &target, object, all);
                let (created, warnings) = self.runtime.block_on(made);
                let kept = created.as_ref().ok().filter(|_| !dry_run).cloned();
                (created, warnings, kept)
            }
            Write::Update { old, status } => {
                let name = old.get_path(&["metadata", "name"]).and_then(Value::as_str).unwrap();
                let target = target(resource, &kind.version, namespace, name);
                let bytes = json::encode(object);
                let body = Body { bytes: &bytes, media: Media::Json };
                let (mut warnings, options) = (Warnings::default(), options(&["All"]));
                let part = if *status { Part::Status } else { Part::Main };
                let written = self.registry.update(&target, part, &body, &options, &mut warnings);
                let written = self.runtime.block_on(written);
                (written.map(|it| it.object), warnings, None)
            }
        };
        let told = match answered {
            Ok(object) => Told {
                accepted: true,
                refusal: String::new(),
                causes: Vec::new(),
                warnings: sorted(warnings.texts().to_vec()),
                object: content(&object),
            },
            Err(status) => refused(&status),
        };
        (told, kept)
    }
}

fn offline(kind: &Kind, write: &Write<'_>, object: &Value) -> Told {
    let verdict = match write {
        Write::Create { .. } => kind.judge_create(object),
        Write::Update { old, status: false } => kind.judge_update(object, old),
        Write::Update { old, status: true } => kind.judge_status(object, old),
    };
    if let Some(why) = verdict.unreadable {
        return Told { refusal: why, ..nothing() };
    }
    if !verdict.errors.is_empty() {
        let cause = |error: &ordain_value::field::Error| {
            (error.path.clone(), error.kind.reason().to_owned(), error.body())
        };
        return Told { causes: verdict.errors.iter().map(cause).collect(), ..nothing() };
    }
    let unknown = verdict.unknown.iter().map(|it| format!("unknown field \"{it}\""));
    let warnings = unknown.chain(verdict.warnings).collect();
    let object = content(&verdict.object.unwrap_or_default());
    Told { accepted: true, warnings: sorted(warnings), object, ..nothing() }
}

fn refused(status: &Status) -> Told {
    let causes = status.details.iter().flat_map(|it| &it.causes);
    let causes: Vec<_> =
        causes.map(|it| (it.field.clone(), it.reason.to_string(), it.message.clone())).collect();
    if status.reason == Reason::Invalid && !causes.is_empty() {
        return Told { causes, ..nothing() };
    }
    Told { refusal: status.message.clone(), ..nothing() }
}

fn nothing() -> Told {
    Told {
        accepted: false,
        refusal: String::new(),
        causes: Vec::new(),
        warnings: Vec::new(),
        object: Value::Null,
    }
}

/// Files are told why an object cannot be read; the server says of which kind, too.
fn same(offline: &Told, server: &Told) -> bool {
    if !offline.refusal.is_empty() && !server.refusal.is_empty() {
        return server.refusal.ends_with(offline.refusal.as_str());
    }
    offline == server
}

fn sorted(mut warnings: Vec<String>) -> Vec<String> {
    warnings.sort();
    warnings
}

fn content(object: &Value) -> Value {
    let mut object = object.clone();
    let is_named = object.get_path(&["metadata", "generateName"]).is_none();
    for field in ["uid", "resourceVersion", "creationTimestamp", "managedFields"] {
        object.remove_path(&["metadata", field]);
    }
    if !is_named {
        object.remove_path(&["metadata", "name"]);
    }
    if text(&object, "kind") == "Service" {
        for field in ["clusterIP", "clusterIPs", "healthCheckNodePort"] {
            object.remove_path(&["spec", field]);
        }
        if let Some(Value::List(ports)) = object.get_mut("spec").and_then(|it| it.get_mut("ports"))
        {
            ports.to_mut().iter_mut().for_each(|it| {
                it.remove_path(&["nodePort"]);
            });
        }
    }
    object
}
