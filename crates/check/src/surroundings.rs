//! What the files around a file say about it: charts of Helm, kustomizations.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use crate::asserted;
use crate::foreign::{Foreign, is_kustomization, is_table};
use crate::kustomize;
use crate::overlay::{Completion, Layers};
use crate::role::{Role, Target};

/// Folders above a file that are looked at.
const ABOVE_MAX: usize = 32;

/// What is known of the folders of some files.
///
/// INVARIANT: all paths in it are absolute and without `..`, so that one file has one name.
#[derive(Debug, Default)]
pub struct Surroundings {
    folders: BTreeMap<PathBuf, Folder>,
    roles: BTreeMap<PathBuf, Role>,
    resources: BTreeSet<PathBuf>,
    layers: Layers,
}

/// What stands around the files of a folder.
#[derive(Clone, Debug, Default)]
struct Folder {
    /// The nearest folder with a chart.
    chart: Option<PathBuf>,
    /// The nearest folder with a kustomization.
    kustomized: Option<PathBuf>,
}

impl Surroundings {
    /// Looks around files. A kustomization may name files anywhere, so all that are judged together
    /// are looked around first.
    #[must_use]
    pub fn of<'p>(files: impl IntoIterator<Item = &'p Path>) -> Surroundings {
        let mut surroundings = Surroundings::default();
        for file in files {
            if let Some(folder) = plain(file).parent() {
                surroundings.enter(folder, 0);
            }
        }
        surroundings
    }

    /// What a file in a folder is taken for.
    #[must_use]
    pub fn role(&self, file: &Path) -> Role {
        if is_table(file) {
            return Role::Foreign(Foreign::Cases);
        }
        if asserted::is_named_so(file) {
            return Role::Foreign(Foreign::Expectation);
        }
        let file = plain(file);
        let parent = file.parent().unwrap_or(Path::new("/"));
        let around = self.folders.get(parent).cloned().unwrap_or_default();
        if let Some(what) = around.chart.and_then(|chart| in_chart(&chart, &file)) {
            return Role::Foreign(what);
        }
        if is_kustomization(&file) {
            // Read for the patches that stand in it.
            return Role::Found;
        }
        if self.resources.contains(&file) {
            return Role::Found;
        }
        if let Some(role) = self.roles.get(&file) {
            return role.clone();
        }
        let looks_like_patch = |root: PathBuf| is_called_patch(&root, &file);
        match around.kustomized.filter(|it| looks_like_patch(it.clone())) {
            Some(_) => Role::Patch(Target::default()),
            None => Role::Found,
        }
    }

    /// What kustomizations do to the objects of a file.
    pub(crate) fn completion(&self, file: &Path) -> Completion {
        self.layers.completion(&plain(file))
    }

    fn enter(&mut self, folder: &Path, depth: usize) -> Folder {
        if let Some(known) = self.folders.get(folder) {
            return known.clone();
        }
        // What is above a repository is none of its files' business.
        let is_top = depth > ABOVE_MAX || folder.join(".git").exists();
        let above = folder.parent().filter(|_| !is_top);
        let mut around = above.map(|it| self.enter(it, depth + 1)).unwrap_or_default();
        if folder.join("Chart.yaml").is_file() {
            around.chart = Some(folder.to_path_buf());
        }
        if let Some(kustomization) = kustomize::read(folder) {
            around.kustomized = Some(folder.to_path_buf());
            let all = |paths: Vec<PathBuf>| paths.iter().map(|it| plain(it)).collect::<Vec<_>>();
            let (resources, components) =
                (all(kustomization.resources), all(kustomization.components));
            self.layers.add(folder, kustomization.touches, &resources, components);
            self.resources.extend(resources);
            let roles = kustomization.roles.into_iter();
            self.roles.extend(roles.map(|(path, role)| (plain(&path), role)));
        }
        let expected = asserted::named(folder).into_iter();
        let expectation = Role::Foreign(Foreign::Expectation);
        self.roles.extend(expected.map(|path| (plain(&path), expectation.clone())));
        self.folders.insert(folder.to_path_buf(), around.clone());
        around
    }
}

/// What a file of a chart is, unless its content decides.
fn in_chart(chart: &Path, file: &Path) -> Option<Foreign> {
    let inside = file.strip_prefix(chart).ok()?;
    let name = file.file_name()?.to_str()?;
    let is_values = name == "values.schema.json"
        || (name.contains("values") && (name.ends_with(".yaml") || name.ends_with(".yml")));
    let first = inside.components().next()?.as_os_str();
    match first.to_str()? {
        "templates" => Some(Foreign::Template),
        "Chart.yaml" | "Chart.lock" | "requirements.yaml" | "requirements.lock" => {
            Some(Foreign::Chart)
        }
        "ci" if is_values => Some(Foreign::Values),
        _ if is_values && inside.components().count() == 1 => Some(Foreign::Values),
        _ => None,
    }
}

/// Whether the name of a file or of its folder says that it is a patch, below a kustomization that
/// does not list it: generators of projects leave such files behind for later.
fn is_called_patch(root: &Path, file: &Path) -> bool {
    let inside = file.strip_prefix(root).unwrap_or(file);
    let folders = inside.parent().into_iter().flat_map(Path::components);
    let mut folders = folders.filter_map(|it| it.as_os_str().to_str());
    let stem = file.file_stem().and_then(|it| it.to_str()).unwrap_or_default();
    folders.any(|it| matches!(it, "patches" | "patch"))
        || stem.split(['-', '_', '.']).any(|it| matches!(it, "patch" | "patches"))
}

/// A path from the root, without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut out = PathBuf::new();
    for part in whole.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::CurDir => {}
            part => out.push(part),
        }
    }
    out
}
