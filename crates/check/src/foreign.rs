//! Files in a folder that hold no manifests, and what they are instead.
//!
//! They are recognized by their place ([`crate::surroundings`]) or content. Nothing here is a verdict: who is
//! found in a folder is counted, who was named on the command line is an error.

use std::collections::BTreeMap;
use std::path::Path;

use ordain_meta::GroupVersionKind;
use ordain_value::Value;

use crate::manifest::{Contents, Manifest};
use crate::source::Source;

/// What a file is that holds no manifests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Foreign {
    Kustomization,
    Patch,
    KustomizeConfiguration,
    GeneratorInput,
    Chart,
    Values,
    Template,
    Workflow,
    Compose,
    Cases,
    /// What a test tool compares with: a part of an object.
    Expectation,
    /// The configuration of a program that no API server takes.
    Configuration,
    /// Nothing that is known, and without `apiVersion` and `kind`.
    Untyped,
}

/// One and several of a sort, in words.
const NAMES: [(Foreign, &str, &str); 13] = [
    (Foreign::Kustomization, "kustomization", "kustomizations"),
    (Foreign::Patch, "kustomize patch", "kustomize patches"),
    (Foreign::KustomizeConfiguration, "kustomize configuration", "kustomize configurations"),
    (Foreign::GeneratorInput, "kustomize generator input", "kustomize generator inputs"),
    (Foreign::Chart, "Helm chart", "Helm charts"),
    (Foreign::Values, "Helm values file", "Helm values files"),
    (Foreign::Template, "template", "templates"),
    (Foreign::Workflow, "workflow", "workflows"),
    (Foreign::Compose, "compose file", "compose files"),
    (Foreign::Cases, "table of cases", "tables of cases"),
    (Foreign::Expectation, "expectation of a test", "expectations of tests"),
    (Foreign::Configuration, "configuration of a program", "configurations of programs"),
    (
        Foreign::Untyped,
        "document without apiVersion and kind",
        "documents without apiVersion and kind",
    ),
];

impl Foreign {
    /// One of the sort in words.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.names().0
    }

    fn names(self) -> (&'static str, &'static str) {
        let found = NAMES.iter().find(|it| it.0 == self);
        found.map_or(("file", "files"), |it| (it.1, it.2))
    }

    /// What to do with a file that was named as if it were a manifest.
    pub(crate) fn help(self) -> Option<&'static str> {
        Some(match self {
            Foreign::Kustomization => "check what it makes with --kustomize DIR",
            Foreign::Chart | Foreign::Values | Foreign::Template => {
                "check what it makes with --helm CHART"
            }
            Foreign::Cases => "run it with `ordain test`",
            Foreign::Patch => "a patch is checked when its folder is named",
            _ => return None,
        })
    }
}

/// A file, or a document of one, that is no manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    pub file: String,
    /// Where the document starts, when the file has manifests beside it.
    pub line: Option<usize>,
    pub what: Foreign,
}

/// `12 files are not manifests: 5 kustomize patches, 1 workflow`; nothing when there are none.
#[must_use]
pub fn summary(others: &[Other]) -> Option<String> {
    let mut counts: BTreeMap<Foreign, usize> = BTreeMap::new();
    for other in others {
        *counts.entry(other.what).or_default() += 1;
    }
    let mut counts: Vec<(Foreign, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(what, count)| (std::cmp::Reverse(*count), *what));
    let listed: Vec<String> = counts
        .iter()
        .map(|(what, count)| {
            let (one, many) = what.names();
            format!("{count} {}", if *count == 1 { one } else { many })
        })
        .collect();
    match others.len() {
        0 => None,
        1 => Some(format!("1 file is not a manifest: {}", listed.join(", "))),
        many => Some(format!("{many} files are not manifests: {}", listed.join(", "))),
    }
}

/// The names of the file that Kustomize reads in a folder.
pub(crate) const KUSTOMIZATIONS: [&str; 3] =
    ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// Whether a file's name is one that Kustomize reads in a folder.
#[must_use]
pub fn is_kustomization(path: &Path) -> bool {
    let name = path.file_name().and_then(|it| it.to_str());
    name.is_some_and(|name| KUSTOMIZATIONS.contains(&name))
}

/// Whether a file is a table of cases, which `ordain test` reads.
pub(crate) fn is_table(path: &Path) -> bool {
    let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
    name.ends_with(".cases.yaml") || name.ends_with(".cases.yml")
}

/// Groups of files that programs read and no API server has, beside all of `*.config.k8s.io`.
const PROGRAMS: [&str; 16] = [
    "ordain.dev",
    "kubeadm.k8s.io",
    "kind.x-k8s.io",
    "audit.k8s.io",
    "client.authentication.k8s.io",
    "krew.googlecontainertools.github.com",
    "k3d.io",
    "skaffold",
    "ctlptl.dev",
    "kuttl.dev",
    "chainsaw.kyverno.io",
    "cli.kyverno.io",
    "kpt.dev",
    "eksctl.io",
    "backstage.io",
    "scorecard.operatorframework.io",
];

/// What objects of a kind are that a program reads and nobody sends to a server.
pub(crate) fn of_kind(gvk: &GroupVersionKind) -> Option<Foreign> {
    let group = gvk.group.as_str();
    match group {
        "kustomize.config.k8s.io" => Some(Foreign::Kustomization),
        // Plugins that are built into Kustomize have no group.
        "" if gvk.version == "builtin" => Some(Foreign::KustomizeConfiguration),
        "" if gvk.version == "v1" && gvk.kind == "Config" => Some(Foreign::Configuration),
        // What a release of a provider says of itself, beside kinds of the same group.
        "clusterctl.cluster.x-k8s.io" if gvk.kind == "Metadata" => Some(Foreign::Configuration),
        _ if PROGRAMS.contains(&group) || group.ends_with(".config.k8s.io") => {
            Some(Foreign::Configuration)
        }
        _ => None,
    }
}

/// What a text holds instead of manifests; nothing when it has, or was to have, at least one.
pub(crate) fn of_contents(source: &Source, contents: &Contents) -> Option<Foreign> {
    let path = Path::new(&source.name);
    if is_table(path) {
        return Some(Foreign::Cases);
    }
    let speaks_of = |word: &[u8]| memchr::memmem::find(&source.text, word).is_some();
    let is_template = || speaks_of(b"{{") || speaks_of(b"{%") || has_gap(&source.text);
    let Some(first) = contents.manifests.first() else {
        if contents.broken.is_empty() {
            return None;
        }
        return match shape(source) {
            _ if is_template() => Some(Foreign::Template),
            Some(value) if operations(&value).is_some() => Some(Foreign::Patch),
            Some(_) => Some(Foreign::Untyped),
            // A manifest that cannot be read is one still.
            None if speaks_of(b"apiVersion") || speaks_of(b"kind:") => None,
            None => Some(Foreign::Untyped),
        };
    };
    if !contents.broken.is_empty() && is_template() {
        return Some(Foreign::Template);
    }
    let all = contents.manifests.iter().all(|it| of_manifest(source, it).is_some());
    if all && contents.broken.is_empty() { of_manifest(source, first) } else { None }
}

/// Whether a text has a `{NAME}` to be replaced, which YAML takes for a mapping.
fn has_gap(text: &[u8]) -> bool {
    memchr::memchr_iter(b'{', text).any(|at| {
        let rest = text.get(at + 1..).unwrap_or_default();
        let of_name = |it: &&u8| it.is_ascii_uppercase() || it.is_ascii_digit() || **it == b'_';
        let length = rest.iter().take_while(of_name).count();
        length > 1 && rest.get(length) == Some(&b'}')
    })
}

/// Whether manifests are to be filled in before anybody sends them: a name, namespace or label of one
/// is a placeholder, which no server takes.
pub(crate) fn is_to_fill_in(contents: &Contents) -> bool {
    contents.manifests.iter().any(|manifest| {
        let Some(metadata) = manifest.value.get("metadata") else { return false };
        let named = ["name", "generateName", "namespace"].into_iter();
        let named = named.filter_map(|it| metadata.get(it)?.as_str());
        let labels = metadata.entries("labels");
        named.chain(labels.filter_map(|(_, it)| it.as_str())).any(is_placeholder)
    })
}

fn is_placeholder(text: &str) -> bool {
    let has = |it: &str| text.contains(it);
    let opened = ["${", "$(", "($", "{{"].into_iter().any(has);
    text.starts_with('$') || opened || (has("<") && has(">"))
}

/// What a document is instead of a manifest.
pub(crate) fn of_manifest(source: &Source, manifest: &Manifest) -> Option<Foreign> {
    let value = &manifest.value;
    if is_kustomization(Path::new(&source.name)) {
        return Some(Foreign::Kustomization);
    }
    let has = |key: &str| value.get(key).is_some_and(|it| !it.is_null());
    if has("apiVersion") && has("kind") {
        return of_kind(&manifest.gvk);
    }
    if value.get("metadata").is_some_and(|it| it.as_map().is_some()) && (has("kind") || has("spec"))
    {
        // It was to be a manifest.
        return None;
    }
    let is_map = |key: &str| value.get(key).is_some_and(|it| it.as_map().is_some());
    Some(match () {
        // YAML 1.1 reads the key `on` as a truth.
        () if is_map("jobs") && (has("on") || has("true")) => Foreign::Workflow,
        () if is_map("services") => Foreign::Compose,
        () if has("apiVersion") && has("name") && has("version") => Foreign::Chart,
        () => Foreign::Untyped,
    })
}

/// The first document of a text that holds no objects, if it can be read.
fn shape(source: &Source) -> Option<Value> {
    let options = ordain_value::yaml::Options::default();
    let first = ordain_value::yaml::decode_first(&source.text, options).and_then(|it| it.value);
    first.ok().filter(|it| it.as_map().is_none())
}

/// The operations of a patch, when a value is a list of them.
pub(crate) fn operations(value: &Value) -> Option<&[Value]> {
    let list = value.as_list()?.as_slice();
    let is_one = |it: &Value| it.get("op").is_some() && it.get("path").is_some();
    (!list.is_empty() && list.iter().all(is_one)).then_some(list)
}
