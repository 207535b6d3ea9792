//! What a server begins with: kinds with their hooks, gates, objects.

use std::path::PathBuf;
use std::sync::Arc;

use ordain_conventions::{self as conventions, Report};
use ordain_host::manifest;
use ordain_idl::declare;
use ordain_registry::declarations::UngatedField;
use ordain_registry::declared::Resource as Declared;
use ordain_registry::gates::Gates;
use ordain_registry::{Registry, RestConfig, rollout};
use ordain_schema::declared::{Api, Kind};

use crate::declare::Kinds;
use crate::hooks::{Extras, Hooks, by_version};
use crate::kind::Resource;

/// Kinds and objects on their way to a registry.
#[derive(Clone, Debug)]
pub(crate) struct Served {
    kinds: Kinds,
    declared: Vec<Kind>,
    hooks: Vec<Hooked>,
    gates: Vec<String>,
    /// Known differences between hand-written and declared validation, as text.
    known: Vec<String>,
    /// Granted deviations from conventions, as text; none when nobody reviews them.
    reviewed: Option<String>,
    pub(crate) controllers: bool,
    pub(crate) texts: Vec<String>,
    pub(crate) paths: Vec<PathBuf>,
}

impl Default for Served {
    fn default() -> Self {
        Served {
            kinds: Kinds::default(),
            declared: Vec::new(),
            hooks: Vec::new(),
            gates: Vec::new(),
            known: Vec::new(),
            reviewed: None,
            controllers: true,
            texts: Vec::new(),
            paths: Vec::new(),
        }
    }
}

/// The methods of a builder that has a field `served`: the same for servers and for servers in
/// tests.
macro_rules! served_methods {
    () => {
        /// Serves a kind of your own, or one more version of it, with its hooks.
        #[must_use]
        pub fn kind<T: $crate::Resource>(mut self, hooks: $crate::Hooks<T>) -> Self {
            self.served.kind(hooks);
            self
        }

        /// Serves kinds that were declared elsewhere, such as in Go.
        #[must_use]
        pub fn declared(mut self, api: ::ordain_schema::declared::Api) -> Self {
            self.served.declared(api);
            self
        }

        /// Sets feature gates, as in `WidgetPriority=true,APIUnions=false`.
        #[must_use]
        pub fn feature_gates(mut self, gates: impl Into<String>) -> Self {
            self.served.gates(gates.into());
            self
        }

        /// Known differences between hand-written and declared validation, of all kinds: the lines of
        /// the reviewed file, `kind field origin owner reason`. They are neither reported nor counted.
        #[must_use]
        pub fn validation_exceptions(mut self, text: impl Into<String>) -> Self {
            self.served.known(text.into());
            self
        }

        /// Deviations from conventions that were reviewed: lines of `kind rule owner reason`. A
        /// server with such a list refuses to start with a new field that no feature gate stands
        /// before, unless the rule `new-field-gated` is granted to its kind; without one it warns.
        #[must_use]
        pub fn convention_exceptions(mut self, text: impl Into<String>) -> Self {
            self.served.review(text.into());
            self
        }

        /// The kinds of Rust types as tagged Go types, text by the path of their package, for the
        /// commands that read those: `ordain cost`, `lint`, `diff`, `gen`, `validate --types`.
        #[must_use]
        pub fn go_types(&self) -> Vec<(String, String)> {
            self.served.go_types()
        }

        /// Writes [`Self::go_types`] below a folder, a folder for each package.
        ///
        /// # Errors
        /// When a file cannot be written.
        pub fn write_go_types(&self, dir: impl AsRef<::std::path::Path>) -> ::std::io::Result<()> {
            for (path, text) in self.go_types() {
                let folder = dir.as_ref().join(path);
                ::std::fs::create_dir_all(&folder)?;
                ::std::fs::write(folder.join("types.go"), text)?;
            }
            Ok(())
        }

        /// Objects to begin with, as YAML or JSON: definitions, namespaces, roles, anything. What
        /// is there already stays as it is.
        #[must_use]
        pub fn manifests(mut self, text: impl Into<String>) -> Self {
            self.served.texts.push(text.into());
            self
        }

        /// A file or folder of objects to begin with.
        #[must_use]
        pub fn manifests_at(mut self, path: impl Into<::std::path::PathBuf>) -> Self {
            self.served.paths.push(path.into());
            self
        }

        /// Runs the suite of conventions (KEP-5975) over the kinds of this server, on a registry of
        /// its own in memory: what writes wipe and keep, generation, gates, versions. `exceptions`
        /// are the lines of the reviewed file, `kind rule owner reason`.
        ///
        /// # Errors
        /// When a declaration cannot be served, a manifest is refused or an exception cannot be read.
        pub async fn conventions(
            &self,
            exceptions: &str,
        ) -> Result<$crate::conventions::Report, $crate::server::ServeError> {
            Ok(self.served.conventions(exceptions).await?)
        }

        /// Whether dependents of deleted owners are collected and terminating namespaces emptied.
        #[must_use]
        pub fn controllers(mut self, on: bool) -> Self {
            self.served.controllers = on;
            self
        }
    };
}

pub(crate) use served_methods;

/// The hooks of one version of a kind.
#[derive(Clone, Debug)]
struct Hooked {
    group: &'static str,
    kind: &'static str,
    api_version: String,
    hooks: Extras,
}

impl Served {
    pub(crate) fn kind<T: Resource>(&mut self, hooks: Hooks<T>) {
        self.kinds.add::<T>();
        let (group, kind, api_version) = (T::GROUP, T::KIND, T::api_version());
        self.hooks.push(Hooked { group, kind, api_version, hooks: hooks.extras });
    }

    pub(crate) fn declared(&mut self, api: Api) {
        self.declared.extend(api.kinds);
    }

    pub(crate) fn gates(&mut self, gates: String) {
        self.gates.push(gates);
    }

    pub(crate) fn known(&mut self, text: String) {
        self.known.push(text);
    }

    pub(crate) fn review(&mut self, text: String) {
        let before = self.reviewed.get_or_insert_default();
        before.push_str(&text);
        before.push('\n');
    }

    pub(crate) fn go_types(&self) -> Vec<(String, String)> {
        self.kinds.packages().map(|it| (it.path.clone(), declare::go_text(it))).collect()
    }

    /// Compares the kinds with those that the store was served with last: new fields that no gate
    /// stands before are refused where deviations are reviewed, and else given back.
    pub(crate) async fn review_fields(
        &self,
        registry: &Registry,
    ) -> Result<Vec<UngatedField>, String> {
        let reviewed = self.reviewed.as_deref().map(conventions::exceptions).transpose()?;
        conventions::review(registry, &self.api()?, reviewed.as_deref()).await
    }

    /// The declarations of all kinds.
    pub(crate) fn api(&self) -> Result<Api, String> {
        let mut api = self.kinds.lower().map_err(|error| error.to_string())?;
        api.kinds.extend(self.declared.iter().cloned());
        Ok(api)
    }

    /// The gates, and the kinds as a registry serves them.
    pub(crate) fn build(&self) -> Result<(Arc<Gates>, Vec<RestConfig>), String> {
        let api = self.api()?;
        let mut gates = Gates::default();
        gates.register_declared(&api);
        for text in &self.gates {
            gates.set_from(text)?;
        }
        let gates = Arc::new(gates);
        let known = rollout::exceptions(&self.known.join("\n"))?;
        let mut configs = Vec::new();
        for kind in api.kinds {
            let own = self.hooks.iter().filter(|it| kind.group == it.group && kind.kind == it.kind);
            let own: Vec<Hooked> = own.cloned().collect();
            let config = hooked(kind, own).exceptions(&known).build(&gates);
            configs.push(config.map_err(|error| error.to_string())?);
        }
        Ok((gates, configs))
    }
}

impl Served {
    pub(crate) async fn conventions(&self, exceptions: &str) -> Result<Report, String> {
        let (gates, configs) = self.build()?;
        let registry = Registry::repeatable().with_gates(gates);
        registry.start().await.map_err(|status| status.message)?;
        registry.serve_declared(configs);
        load(&registry, &self.paths, &self.texts).await?;
        let exceptions = conventions::exceptions(exceptions)?;
        let mut report = conventions::run(&registry, &exceptions).await;
        report.keep_custom_kinds(&registry);
        Ok(report)
    }
}

/// A declared kind with the hooks of its versions.
fn hooked(kind: Kind, hooks: Vec<Hooked>) -> Declared {
    let mut declared = Declared::new(kind);
    let mut configs = Vec::new();
    for it in hooks {
        declared = it.hooks.apply(declared);
        configs.push((it.api_version, it.hooks.config));
    }
    declared.config(by_version(configs))
}

/// Creates the objects of files, folders and texts, and returns how many are new.
pub(crate) async fn load(
    registry: &Registry,
    paths: &[PathBuf],
    texts: &[String],
) -> Result<usize, String> {
    let mut loaded = manifest::load(registry, paths).await?;
    for text in texts {
        loaded += manifest::load_text(registry, "manifest", text).await?;
    }
    Ok(loaded)
}
