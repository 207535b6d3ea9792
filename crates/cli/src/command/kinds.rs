//! Where kinds come from: the options that all commands share which need schemas.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::Args;
use ordain_check::{Catalog, Disk, Finding, Input, Source, Store, manifest, openapi, source};
use ordain_gen::{LOSS, crd};
use ordain_idl::go::build_constraint::BuildContext;
use ordain_idl::{FileSource, Loader, Universe, lower, packages_named};
use ordain_kubernetes::group_versions;
use ordain_meta::{GroupVersion, GroupVersionKind};
use ordain_schema::declared::Api;
use ordain_value::Value;

use super::gates::GateArgs;
use super::generate::usual_module_cache;
use super::note;
use crate::cluster::Cluster;

/// Where the kinds come from.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Kinds")]
pub(crate) struct Kinds {
    /// Files or directories with CustomResourceDefinitions to use, without validating them
    #[arg(long, value_name = "PATH")]
    pub(crate) crds: Vec<String>,

    /// Directories of tagged Go types that declare kinds; `dir/...` includes all below
    #[arg(long, value_name = "DIR")]
    pub(crate) types: Vec<String>,

    #[command(flatten)]
    pub(crate) tags: Tags,

    /// The Kubernetes release whose kinds to use; an error that lists the built-in releases when it
    /// is none of them
    #[arg(long, value_name = "VERSION", value_parser = group_versions::release)]
    pub(crate) kubernetes_version: Option<&'static str>,

    /// OpenAPI documents, version 3 or 2: files, or directories with them
    #[arg(long, value_name = "PATH")]
    pub(crate) openapi: Vec<String>,

    /// Templates of names of schema files, as kubeconform has them.
    #[arg(skip)]
    pub(crate) templates: Vec<String>,

    /// Directory of the local schema store, which `ordain schemas add` fills
    #[arg(long, value_name = "DIR", env = "ORDAIN_SCHEMAS")]
    pub(crate) schemas: Option<PathBuf>,

    /// Fetch unknown kinds from the cluster of the kubeconfig
    #[arg(long)]
    pub(crate) cluster: bool,

    #[command(flatten)]
    pub(crate) connection: Connection,

    #[command(flatten)]
    pub(crate) gates: GateArgs,
}

/// Which cluster.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct Connection {
    /// The kubeconfig file [default: $KUBECONFIG or ~/.kube/config]
    #[arg(long, value_name = "FILE")]
    pub(crate) kubeconfig: Option<PathBuf>,

    /// The context of the kubeconfig
    #[arg(long, value_name = "NAME")]
    pub(crate) context: Option<String>,
}

impl Connection {
    pub(crate) fn connect(&self) -> Result<Cluster, String> {
        Cluster::connect(self.kubeconfig.as_deref(), self.context.as_deref())
    }
}

/// Kinds that were gathered.
pub(crate) struct Gathered {
    pub(crate) catalog: Catalog,
    /// What of the definitions cannot be read.
    pub(crate) broken: Vec<Finding>,
}

impl Kinds {
    /// The store in use: the one that is named, or the user's when it is there.
    pub(crate) fn store(&self) -> Store {
        Store::new(self.schemas.clone().unwrap_or_else(user_store))
    }

    /// Gathers the kinds. A cluster is asked for the kinds of `inputs` only, or for all.
    ///
    /// # Errors
    /// With a line for each thing that cannot be used.
    pub(crate) fn gather(&self, inputs: Option<&[Input]>) -> Result<Gathered, Vec<String>> {
        let types = read_types(&self.types, self.tags)?;
        let gates = self.gates.gates(Some(&types.api)).map_err(|why| vec![why])?;
        let mut catalog = Catalog::new(gates);
        let mut wrong = Vec::new();
        if self.cluster {
            match self.connection.connect().and_then(|it| it.schemas(inputs.map(versions).as_ref()))
            {
                Ok(schemas) => {
                    wrong.extend(
                        schemas
                            .definitions
                            .iter()
                            .filter_map(|it| catalog.add_definition(it).err()),
                    );
                    for document in schemas.documents {
                        catalog.add_document(document);
                    }
                    schemas.notes.iter().for_each(|note| super::note(note));
                }
                Err(why) => wrong.push(why),
            }
        }
        for (name, document) in documents(&self.openapi, &mut wrong) {
            if catalog.add_document(document) == 0 {
                wrong.push(format!("{name}: the document has no kinds"));
            }
        }
        wrong.extend(types.definitions.iter().filter_map(|it| catalog.add_definition(it).err()));
        catalog.add_declared(&types.api);
        let (texts, failed) = source::read_all(&self.crds);
        wrong.extend(failed.iter().map(ToString::to_string));
        let broken = ordain_check::define(&mut catalog, &texts);
        let is_silent = wrong.is_empty() && broken.is_empty();
        if is_silent && !self.crds.is_empty() && catalog.is_empty() {
            wrong.push(format!("{}: there is no definition in it", self.crds.join(", ")));
        }
        for template in &self.templates {
            match Store::of_template(template) {
                Ok(store) => catalog.add_store(store),
                Err(why) => wrong.push(why),
            }
        }
        let store = self.store();
        if self.schemas.is_some() && !store.root().is_dir() {
            wrong.push(format!("{}: no such directory", store.root().display()));
        }
        catalog.add_store(store);
        if wrong.is_empty() { Ok(Gathered { catalog, broken }) } else { Err(wrong) }
    }
}

/// `$XDG_DATA_HOME/ordain/schemas`, by default below `~/.local/share`.
fn user_store() -> PathBuf {
    let data = std::env::var_os("XDG_DATA_HOME").map(PathBuf::from).filter(|it| it.is_absolute());
    let data = data.or_else(|| {
        std::env::var_os("HOME").map(|home| Path::new(&home).join(".local").join("share"))
    });
    data.unwrap_or_else(|| PathBuf::from(".")).join("ordain").join("schemas")
}

/// The group versions of all objects.
fn versions(inputs: &[Input]) -> BTreeSet<GroupVersion> {
    objects(inputs).into_iter().map(|(gvk, _, _)| gvk.group_version()).collect()
}

/// Kind, namespace and name of all objects.
pub(crate) fn objects(inputs: &[Input]) -> BTreeSet<(GroupVersionKind, String, String)> {
    let mut found = BTreeSet::new();
    for source in inputs.iter().filter_map(|it| it.read().ok()) {
        for it in manifest::read(0, &source).manifests {
            found.insert((it.gvk.clone(), it.namespace().to_owned(), it.name().to_owned()));
        }
    }
    found
}

/// The OpenAPI documents below some paths.
pub(crate) fn documents(
    paths: &[String],
    wrong: &mut Vec<String>,
) -> Vec<(String, openapi::Document)> {
    let (texts, failed) = source::read_all(paths);
    wrong.extend(failed.iter().map(ToString::to_string));
    let mut documents = Vec::new();
    for text in texts {
        match value(&text).and_then(|it| openapi::read(&it)) {
            Ok(document) => documents.push((text.name, document)),
            Err(why) => wrong.push(format!("{}: {why}", text.name)),
        }
    }
    documents
}

/// The one value of a text.
pub(crate) fn value(text: &Source) -> Result<Value, String> {
    if text.media == source::Media::Json {
        return ordain_value::json::decode(&text.text).map_err(|error| error.to_string());
    }
    let first =
        ordain_value::yaml::decode_first(&text.text, ordain_value::yaml::Options::default());
    first.and_then(|it| it.value).map_err(|error| error.to_string())
}

/// How the tags of Go types are read.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct Tags {
    /// Reject `+k8s:` tags that only newer Kubernetes releases know; by default they are warnings
    /// and have no effect.
    #[arg(long)]
    pub(crate) strict_tags: bool,
    /// Drop tags that a CRD cannot express, with a warning; by default they are errors.
    #[arg(long)]
    pub(crate) allow_loss: bool,
    /// Ignore unknown or misplaced +kubebuilder: markers with a warning (controller-gen ignores
    /// them silently); by default they are errors.
    #[arg(long)]
    pub(crate) allow_unknown_markers: bool,
}

impl Tags {
    /// A loader that reads tags so.
    pub(crate) fn loader(self, files: &dyn FileSource) -> Loader<'_> {
        Loader::new(files)
            .strict_tags(self.strict_tags)
            .forgive_markers(self.allow_unknown_markers)
            .bundle(ordain_kubernetes::declarations::package)
    }
}

/// Packages of Go files, loaded: of those that a pattern matches, the ones that declare an API.
pub(crate) fn load_types(files: &dyn FileSource, paths: &[String], tags: Tags) -> Universe {
    load_packages(files, paths, tags, true)
}

/// Packages of Go files, loaded; of those that a pattern matches all, or the ones that declare an
/// API.
pub(crate) fn load_packages(
    files: &dyn FileSource,
    paths: &[String],
    tags: Tags,
    apis_only: bool,
) -> Universe {
    let mut loader = tags.loader(files).apis_only(apis_only);
    let cache = std::env::var("GOMODCACHE").ok().or_else(usual_module_cache);
    if let Some(cache) = cache {
        loader = loader.module_cache(cache);
    }
    if let Ok(root) = std::env::var("GOROOT") {
        loader = loader.go_root(root);
    }
    for path in paths {
        loader = loader.named(path);
    }
    loader.load()
}

/// What finds the Go packages that a path names: a pattern as it stands, a folder with all below
/// it. None when there are none.
pub(crate) fn go_pattern(files: &dyn FileSource, path: &str) -> Option<String> {
    let pattern = match path {
        _ if path.contains("...") => path.to_owned(),
        _ => format!("{}/...", path.trim_end_matches('/')),
    };
    let found = packages_named(files, &BuildContext::default(), &pattern);
    (!found.is_empty()).then_some(pattern)
}

/// What Go types declare.
#[derive(Default)]
pub(crate) struct ReadTypes {
    pub(crate) api: Api,
    /// What packages with kubebuilder's markers make.
    pub(crate) definitions: Vec<Value>,
}

/// Reads Go types: packages with kubebuilder's markers as the definitions that they make, others as
/// what their tags declare.
///
/// # Errors
/// With each thing that is wrong with the types.
pub(crate) fn read_types(paths: &[String], tags: Tags) -> Result<ReadTypes, Vec<String>> {
    if paths.is_empty() {
        return Ok(ReadTypes::default());
    }
    let universe = load_types(&Disk, paths, tags);
    let lowered = lower::lower(&universe);
    let reported: Vec<String> = lowered
        .diagnostics
        .iter()
        .filter(|it| it.is_error())
        .map(|it| universe.locate(it).to_string())
        .collect();
    if !reported.is_empty() {
        return Err(reported);
    }
    let custom = universe.requested().any(|package| lower::is_custom_style(&universe, package));
    let made = custom || lowered.api.kinds.is_empty();
    let definitions = if made { definitions_of(&universe, tags)? } else { Vec::new() };
    Ok(ReadTypes { api: lowered.api, definitions })
}

/// The definitions that tagged Go types on the disk make, for those who compare or keep them: kinds
/// of the core group are among them, and tags that no definition can express are reported and left out.
///
/// # Errors
/// With each thing that is wrong with the types.
pub(crate) fn definitions_of_types(
    paths: &[String],
    tags: Tags,
) -> Result<Vec<Value>, Vec<String>> {
    if paths.is_empty() { Ok(Vec::new()) } else { schemas_of(&load_types(&Disk, paths, tags)) }
}

/// The definitions that loaded types make, for those who compare or keep them.
///
/// # Errors
/// With each thing that is wrong with the types.
pub(crate) fn schemas_of(universe: &Universe) -> Result<Vec<Value>, Vec<String>> {
    let options = crd::Options { allow_loss: true, core_group: true, ..crd::Options::default() };
    let output = crd::generate(universe, &options);
    for lost in output.diagnostics.iter().filter(|it| it.code == LOSS) {
        note(&universe.locate(lost).to_string());
    }
    made(universe, output)
}

/// The definitions that loaded types make.
///
/// # Errors
/// With each thing that is wrong with the types.
pub(crate) fn definitions_of(universe: &Universe, tags: Tags) -> Result<Vec<Value>, Vec<String>> {
    let options = crd::Options { allow_loss: tags.allow_loss, ..crd::Options::default() };
    made(universe, crd::generate(universe, &options))
}

fn made(universe: &Universe, output: crd::Output) -> Result<Vec<Value>, Vec<String>> {
    if output.has_errors() {
        let wrong = output.diagnostics.iter().filter(|it| it.is_error());
        return Err(wrong.map(|it| universe.locate(it).to_string()).collect());
    }
    if output.files.is_empty() {
        return Err(vec!["no kind is declared in the types".to_owned()]);
    }
    Ok(output.files.into_iter().map(|file| file.crd).collect())
}
