//! Several definitions of one kind among the inputs, such as two release channels side by side.
//!
//! Each manifest is judged by the definition that is nearest to it in the tree of folders, unless
//! the kind was defined beforehand (`--crds`), which decides.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ordain_value::{Text, Value};

use crate::catalog::Catalog;
use crate::finding::Finding;

/// Group and kind.
type Key = (Text, Text);

/// The kinds that have different definitions.
#[derive(Debug, Default)]
pub(crate) struct Rivals {
    kinds: BTreeMap<Key, Vec<Rival>>,
    /// Those of them that were defined beforehand.
    settled: BTreeSet<Key>,
}

/// One of several definitions of a kind.
#[derive(Debug)]
struct Rival {
    file: String,
    definition: Value,
}

fn key(definition: &Value) -> Option<Key> {
    let text = |path: &[&str]| definition.get_path(path).and_then(Value::as_text).cloned();
    Some((text(&["spec", "group"])?, text(&["spec", "names", "kind"])?))
}

impl Rivals {
    /// The definitions that differ from others of their kind.
    pub(crate) fn among(definitions: &[(String, Value)], known: &Catalog) -> Rivals {
        let mut kinds: BTreeMap<Key, Vec<Rival>> = BTreeMap::new();
        for (file, definition) in definitions {
            let Some(key) = key(definition) else { continue };
            let (file, definition) = (file.clone(), definition.clone());
            kinds.entry(key).or_default().push(Rival { file, definition });
        }
        let differ = |rivals: &[Rival]| {
            let spec = |it: &Rival| it.definition.get("spec").cloned();
            rivals.windows(2).any(|pair| spec(&pair[0]) != spec(&pair[1]))
        };
        kinds.retain(|_, rivals| differ(rivals));
        let is_settled = |rivals: &[Rival]| rivals.iter().any(|it| known.defines(&it.definition));
        let settled = kinds.iter().filter(|it| is_settled(it.1)).map(|it| it.0.clone()).collect();
        Rivals { kinds, settled }
    }

    /// Whether the kind of a definition was defined beforehand, so that this one does not count.
    pub(crate) fn settles(&self, definition: &Value) -> bool {
        key(definition).is_some_and(|it| self.settled.contains(&it))
    }

    /// A line on each kind.
    pub(crate) fn notes(&self) -> Vec<String> {
        let note = |(key, rivals): (&Key, &Vec<Rival>)| {
            let (group, kind) = key;
            let files: Vec<&str> = rivals.iter().map(|it| it.file.as_str()).collect();
            let counts = if self.settled.contains(key) {
                "the one that was named with --crds or is known already counts"
            } else {
                "each manifest is judged by the one nearest to it; --crds decides for one"
            };
            let (many, files) = (files.len(), files.join(", "));
            format!("{kind}.{group} has {many} definitions that differ: {files}; {counts}")
        };
        self.kinds.iter().map(note).collect()
    }

    /// The kinds that nothing decides but the place of a manifest.
    fn open(&self) -> impl Iterator<Item = (&Key, &Vec<Rival>)> {
        self.kinds.iter().filter(|it| !self.settled.contains(it.0))
    }

    /// For each kind that is open, the place of the definition nearest to a file.
    fn nearest(&self, file: &str) -> Vec<usize> {
        let nearest = |rivals: &Vec<Rival>| {
            let far = |at: &usize| distance(file, &rivals[*at].file);
            (0..rivals.len()).min_by_key(far).unwrap_or(0)
        };
        self.open().map(|(_, rivals)| nearest(rivals)).collect()
    }
}

/// How far a definition is from a file; what is less is nearer. What counts, in this order: how far
/// up the folder is that has both, folders of one name on both ways (two channels side by side),
/// whether the definition is kept where definitions are (a bundle of an old release is not), and how
/// far down it is.
fn distance(from: &str, to: &str) -> (usize, Reverse<usize>, bool, usize) {
    let folders = |file| -> Vec<_> {
        Path::new(file).parent().into_iter().flat_map(Path::components).collect()
    };
    let (from, below) = (folders(from), folders(to));
    let common = from.iter().zip(&below).take_while(|(a, b)| a == b).count();
    let rest = below.get(common..).unwrap_or_default();
    let same = from.iter().skip(common).filter(|it| rest.contains(it)).count();
    let is_elsewhere = !HOMES.iter().any(|it| to.to_lowercase().contains(it));
    (from.len() - common, Reverse(same), is_elsewhere, rest.len())
}

/// What paths of definitions are called by.
const HOMES: [&str; 2] = ["crd", "customresourcedefinition"];

/// The catalogs that texts are judged by.
pub(crate) struct Judges<'c> {
    usual: &'c Catalog,
    rivals: Rivals,
    /// By the definitions that are nearest.
    choices: BTreeMap<Vec<usize>, Catalog>,
}

/// Who judges one text.
pub(crate) struct Judge<'j> {
    pub(crate) catalog: &'j Catalog,
    /// For each kind with rivals, the file of the definition that counts.
    by: Vec<(&'j Key, &'j str, usize)>,
}

impl<'c> Judges<'c> {
    pub(crate) fn new(
        usual: &'c Catalog,
        rivals: Rivals,
        files: impl Iterator<Item = String>,
    ) -> Judges<'c> {
        let mut choices = BTreeMap::new();
        if rivals.kinds.is_empty() {
            return Judges { usual, rivals, choices };
        }
        for file in files {
            let choice = rivals.nearest(&file);
            choices.entry(choice.clone()).or_insert_with(|| {
                let mut catalog = usual.clone();
                for (_, rival) in chosen(&rivals, &choice) {
                    // One that cannot be decoded is reported where it stands.
                    let _ = catalog.add_definition(&rival.definition);
                }
                catalog
            });
        }
        Judges { usual, rivals, choices }
    }

    /// Who judges the text of a file.
    pub(crate) fn of(&self, file: &str) -> Judge<'_> {
        if self.rivals.kinds.is_empty() {
            return Judge { catalog: self.usual, by: Vec::new() };
        }
        let choice = self.rivals.nearest(file);
        let catalog = self.choices.get(&choice).unwrap_or(self.usual);
        let by = chosen(&self.rivals, &choice).map(|(key, rival)| {
            let many = self.rivals.kinds.get(key).map_or(0, Vec::len);
            (key, rival.file.as_str(), many)
        });
        Judge { catalog, by: by.collect() }
    }
}

/// The definitions that a choice names.
fn chosen<'r>(rivals: &'r Rivals, choice: &[usize]) -> impl Iterator<Item = (&'r Key, &'r Rival)> {
    rivals.open().zip(choice.to_vec()).filter_map(|((key, list), at)| Some((key, list.get(at)?)))
}

impl Judge<'_> {
    /// Adds to findings which of several definitions they are by.
    pub(crate) fn explain(&self, findings: &mut [Finding]) {
        for ((group, kind), file, many) in &self.by {
            let of_kind = |it: &&mut Finding| {
                it.object.as_ref().is_some_and(|it| {
                    let of_group = it.api_version.split('/').next() == Some(group.as_str());
                    of_group && it.kind == kind.as_str()
                })
            };
            for finding in findings.iter_mut().filter(of_kind) {
                let words = format!("judged by {file}, the nearest of {many} definitions");
                finding.help = Some(match finding.help.take() {
                    Some(help) => format!("{help}; {words}"),
                    None => words,
                });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn definitions_are_near_by_place_and_by_name() {
        for (file, near, far) in [
            ("a/b/w.yaml", "a/crd.yaml", "crd.yaml"),
            ("docs/samples/w.yaml", "config/crd/bases/w.yaml", "releases/v1.yaml"),
            ("examples/experimental/w.yaml", "crd/experimental/w.yaml", "crd/standard/w.yaml"),
            ("a/w.yaml", "crd.yaml", "b/crd.yaml"),
        ] {
            assert!(distance(file, near) < distance(file, far), "{file} {near} {far}");
        }
    }
}
