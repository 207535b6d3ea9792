//! Bases of Kustomize: manifests that are not what is sent, because kustomizations change them first.
//!
//! What such a manifest lacks may come from a kustomization, so it is reported as a warning where one
//! changes the place in question. What none of them changes is judged as it stands.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ordain_value::{Value, yaml};

use crate::finding::{Finding, Severity};
use crate::source;

/// What a kustomization does to the resources that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Touch {
    /// Labels, and the selectors that follow them.
    Labels,
    /// The namespace, of references too; a Namespace is named by it.
    Namespace,
    /// Names, and references to them.
    Names,
    Images,
    Replicas,
    /// Texts with `$(NAME)` in them.
    Variables,
    /// Anything of some objects.
    Objects(Selector),
}

/// Objects that a patch is for; what is not said fits all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selector {
    kind: Option<String>,
    name: Option<String>,
}

impl Selector {
    fn of(value: &Value, kind: &[&str], name: &[&str]) -> Selector {
        let text = |path: &[&str]| value.get_path(path).and_then(Value::as_str);
        // A name may be a pattern, which is not followed here.
        let plain =
            |it: &&str| it.bytes().all(|it| it.is_ascii_alphanumeric() || b"-.".contains(&it));
        Selector {
            kind: text(kind).map(ToOwned::to_owned),
            name: text(name).filter(plain).map(ToOwned::to_owned),
        }
    }

    fn fits(&self, kind: &str, name: &str) -> bool {
        // Prefixes and suffixes of the layers between make the one name a part of the other.
        self.kind.as_deref().is_none_or(|it| it == kind)
            && self.name.as_deref().is_none_or(|it| it.contains(name))
    }
}

impl Touch {
    fn reaches(&self, finding: &Finding) -> bool {
        let object = finding.object.as_ref();
        let kind = object.map_or("", |it| it.kind.as_str());
        let field = finding.field.as_str();
        match self {
            Touch::Labels => field.contains("elector") || field.contains("labels"),
            Touch::Namespace => field.ends_with("namespace") || kind == "Namespace",
            Touch::Names => field.ends_with("name") || field.ends_with("Name"),
            Touch::Images => field.ends_with("image"),
            Touch::Replicas => field.ends_with("replicas"),
            Touch::Variables => finding.message.contains("$("),
            Touch::Objects(selector) => selector.fits(kind, object.map_or("", |it| &it.name)),
        }
    }
}

/// What the keys of a kustomization do; patches in files are read.
pub(crate) fn touches(folder: &Path, root: &Value) -> Vec<Touch> {
    let list = |key: &str| root.items(key).iter();
    let keys: [(&str, Touch); 10] = [
        ("commonLabels", Touch::Labels),
        ("labels", Touch::Labels),
        ("namespace", Touch::Namespace),
        ("namePrefix", Touch::Names),
        ("nameSuffix", Touch::Names),
        ("images", Touch::Images),
        ("replicas", Touch::Replicas),
        ("vars", Touch::Variables),
        ("transformers", Touch::Objects(Selector::default())),
        ("generators", Touch::Names),
    ];
    let is_there = |key: &str| root.get(key).is_some_and(|it| !it.is_null());
    let mut out: Vec<Touch> =
        keys.into_iter().filter(|(key, _)| is_there(key)).map(|(_, touch)| touch).collect();
    for entry in list("patches").chain(list("patchesJson6902")) {
        match entry.get("target") {
            Some(target) => out.push(Touch::Objects(Selector::of(target, &["kind"], &["name"]))),
            None => {
                let inline = entry.get("patch").and_then(Value::as_str);
                let file = entry.get("path").and_then(Value::as_str);
                out.extend(patched(folder, inline.or(file).unwrap_or_default()));
            }
        }
    }
    for entry in list("patchesStrategicMerge").filter_map(Value::as_str) {
        out.extend(patched(folder, entry));
    }
    for replacement in list("replacements") {
        let targets = replacement.get("targets").and_then(Value::as_list);
        match targets {
            Some(targets) => out.extend(targets.iter().map(|it| {
                Touch::Objects(Selector::of(it, &["select", "kind"], &["select", "name"]))
            })),
            None => out.push(Touch::Objects(Selector::default())),
        }
    }
    out
}

/// The objects of a strategic merge patch, which is given as it stands or by the name of its file.
fn patched(folder: &Path, patch: &str) -> Vec<Touch> {
    let text = match patch.contains('\n') {
        true => patch.as_bytes().to_vec(),
        false => source::read_small(&folder.join(patch)),
    };
    let documents = yaml::decode_documents(&text, yaml::Options::default()).unwrap_or_default();
    let objects = documents.into_iter().filter_map(|it| it.value.ok()).filter(|it| !it.is_null());
    objects.map(|it| Touch::Objects(Selector::of(&it, &["kind"], &["metadata", "name"]))).collect()
}

/// The kustomizations of some folders, and which of them build on which.
#[derive(Debug, Default)]
pub(crate) struct Layers {
    touches: BTreeMap<PathBuf, Vec<Touch>>,
    components: BTreeMap<PathBuf, Vec<PathBuf>>,
    /// The folders of the kustomizations that name a file or a folder.
    users: BTreeMap<PathBuf, Vec<PathBuf>>,
}

/// What happens to a manifest before it is sent, and by which kustomization.
pub(crate) type Completion = Vec<(PathBuf, Touch)>;

impl Layers {
    /// Takes in the kustomization of a folder. Paths are plain ones.
    pub(crate) fn add(
        &mut self,
        folder: &Path,
        touches: Vec<Touch>,
        resources: &[PathBuf],
        components: Vec<PathBuf>,
    ) {
        for used in resources.iter().chain(&components) {
            self.users.entry(used.clone()).or_default().push(folder.to_path_buf());
        }
        self.touches.insert(folder.to_path_buf(), touches);
        self.components.insert(folder.to_path_buf(), components);
    }

    /// What all the layers above a file do to its objects.
    pub(crate) fn completion(&self, file: &Path) -> Completion {
        let mut out = Completion::new();
        let mut seen: BTreeSet<&Path> = BTreeSet::new();
        let mut pending: Vec<&PathBuf> = self.users.get(file).into_iter().flatten().collect();
        while let Some(folder) = pending.pop() {
            if !seen.insert(folder) {
                continue;
            }
            // A component changes what the kustomization has that takes it in.
            let own = self.components.get(folder).into_iter().flatten();
            for layer in own.chain([folder]) {
                let touches = self.touches.get(layer).into_iter().flatten();
                out.extend(touches.map(|it| (folder.clone(), it.clone())));
            }
            pending.extend(self.users.get(folder).into_iter().flatten());
        }
        out
    }
}

/// The stable name of what a layer may mend.
const ID: &str = "left-to-overlay";

/// Makes warnings of errors at places that a layer changes.
pub(crate) fn relent(completion: &Completion, findings: &mut [Finding]) {
    for finding in findings {
        let may_change = matches!(finding.id, "invalid" | "rules-unchecked");
        if !may_change || finding.severity != Severity::Error {
            continue;
        }
        let layer = completion.iter().find(|(_, touch)| touch.reaches(finding));
        let Some((folder, _)) = layer else { continue };
        let folder = shown(folder);
        finding.severity = Severity::Warning;
        finding.id = ID;
        finding.help = Some(format!(
            "the kustomization in {folder} changes the object; judge what it makes with \
             --kustomize {folder}"
        ));
    }
}

/// A folder as seen from the working directory.
fn shown(folder: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let near = folder.strip_prefix(here).unwrap_or(folder);
    match near.as_os_str().is_empty() {
        true => ".".to_owned(),
        false => near.display().to_string(),
    }
}
