//! What a kustomization says about the files around it.

use std::path::{Path, PathBuf};

use ordain_value::{Value, yaml};

use crate::foreign::{Foreign, KUSTOMIZATIONS};
use crate::overlay::{self, Touch};
use crate::role::{Role, Target};
use crate::source;

/// What one kustomization names.
#[derive(Debug, Default)]
pub(crate) struct Kustomization {
    /// Files that are no manifests, with what they are.
    pub(crate) roles: Vec<(PathBuf, Role)>,
    /// Files that are manifests, and folders with kustomizations.
    pub(crate) resources: Vec<PathBuf>,
    /// Folders with components.
    pub(crate) components: Vec<PathBuf>,
    /// What it does to the resources.
    pub(crate) touches: Vec<Touch>,
}

/// Reads the kustomization of a folder, if it has one. What cannot be read names nothing: it is
/// reported when the file itself is judged.
pub(crate) fn read(folder: &Path) -> Option<Kustomization> {
    let file = KUSTOMIZATIONS.iter().map(|name| folder.join(name)).find(|it| it.is_file())?;
    let text = source::read_small(&file);
    let document = yaml::decode_first(&text, yaml::Options::default()).and_then(|it| it.value);
    Some(document.map_or_else(|_| Kustomization::default(), |it| named(folder, &it)))
}

/// Lists of files by the key that they stand under.
const LISTS: [(&str, Foreign); 5] = [
    ("configurations", Foreign::KustomizeConfiguration),
    ("generators", Foreign::KustomizeConfiguration),
    ("transformers", Foreign::KustomizeConfiguration),
    ("validators", Foreign::KustomizeConfiguration),
    ("crds", Foreign::KustomizeConfiguration),
];

fn named(folder: &Path, root: &Value) -> Kustomization {
    let mut out = Kustomization::default();
    let list = |key: &str| root.items(key).iter();
    let file = |it: &Value| it.as_str().filter(|it| !it.contains('\n')).map(|it| folder.join(it));
    out.resources.extend(list("resources").chain(list("bases")).filter_map(file));
    out.components.extend(list("components").filter_map(file));
    out.touches = overlay::touches(folder, root);
    for (key, what) in LISTS {
        out.roles.extend(list(key).filter_map(file).map(|it| (it, Role::Foreign(what))));
    }
    for entry in list("patches").chain(list("patchesJson6902")) {
        let Some(path) = entry.get("path").and_then(file) else { continue };
        out.roles.push((path, Role::Patch(target(entry))));
    }
    for path in list("patchesStrategicMerge").filter_map(file) {
        out.roles.push((path, Role::Patch(Target::default())));
    }
    let settings = Role::Foreign(Foreign::KustomizeConfiguration);
    let openapi = root.get_path(&["openapi", "path"]);
    let replaced = list("replacements").filter_map(|it| it.get("path"));
    out.roles.extend(
        openapi.into_iter().chain(replaced).filter_map(file).map(|it| (it, settings.clone())),
    );
    for chart in list("helmCharts") {
        let values =
            chart.get("valuesFile").into_iter().chain(chart.items("additionalValuesFiles").iter());
        out.roles.extend(values.filter_map(file).map(|it| (it, Role::Foreign(Foreign::Values))));
    }
    for generator in list("configMapGenerator").chain(list("secretGenerator")) {
        let inputs = ["files", "envs"].into_iter().filter_map(|it| generator.get(it)?.as_list());
        let one = generator.get("env").into_iter();
        for input in inputs.flatten().chain(one).filter_map(Value::as_str) {
            // `key=file` names the key as well.
            let path = input.split_once('=').map_or(input, |(_, path)| path);
            out.roles.push((folder.join(path), Role::Foreign(Foreign::GeneratorInput)));
        }
    }
    out
}

/// What an entry of `patches` is for.
pub(crate) fn target(entry: &Value) -> Target {
    let text = |key: &str| entry.get_path(&["target", key]).and_then(Value::as_str);
    Target {
        group: text("group").map(ToOwned::to_owned),
        version: text("version").map(ToOwned::to_owned),
        kind: text("kind").unwrap_or_default().to_owned(),
    }
}
