//! The objects of an earlier revision, read from git.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ordain_meta::{GroupVersion, GroupVersionKind};
use ordain_value::Value;

use crate::manifest::{self, Manifest};
use crate::source::{Source, is_manifest};

/// Why an earlier revision cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("git: {0}")]
pub struct HistoryError(String);

/// All objects of a revision by group, kind, namespace and name: a file that was renamed or moved
/// holds the same object.
#[derive(Debug, Default)]
pub struct History {
    objects: BTreeMap<Key, Value>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    group: String,
    kind: String,
    namespace: String,
    name: String,
}

impl History {
    /// Reads all manifests of a revision of the repository that `directory` is in.
    ///
    /// # Errors
    /// When there is no repository, no such revision, or no git.
    pub fn read(directory: &Path, revision: &str) -> Result<History, HistoryError> {
        if revision.starts_with('-') {
            return Err(HistoryError(format!("{revision} is no revision")));
        }
        let (top, files) = listed(directory, revision, &is_manifest)?;
        let mut history = History::default();
        for source in blobs(&top, files)? {
            for manifest in manifest::read(0, &source).manifests {
                history.add(&manifest);
            }
        }
        Ok(history)
    }

    /// Takes in an object; of several with one name the first stays.
    pub fn add(&mut self, manifest: &Manifest) {
        if manifest.name().is_empty() {
            return;
        }
        let key = key(&manifest.gvk, manifest.namespace(), manifest.name());
        self.objects.entry(key).or_insert_with(|| manifest.value.clone());
    }

    /// Takes in an object as a server gave it.
    pub fn add_object(&mut self, object: &Value) {
        let text =
            |path: &[&str]| object.get_path(path).and_then(Value::as_str).unwrap_or_default();
        let Ok(version) = GroupVersion::decode(text(&["apiVersion"])) else { return };
        let gvk = version.with_kind(text(&["kind"]));
        let key = key(&gvk, text(&["metadata", "namespace"]), text(&["metadata", "name"]));
        self.objects.entry(key).or_insert_with(|| object.clone());
    }

    /// The definitions of kinds among the objects.
    pub fn definitions(&self) -> impl Iterator<Item = &Value> {
        self.objects
            .iter()
            .filter(|(key, _)| {
                key.kind == "CustomResourceDefinition" && key.group == "apiextensions.k8s.io"
            })
            .map(|(_, value)| value)
    }

    /// What an object was.
    #[must_use]
    pub fn old(&self, manifest: &Manifest) -> Option<&Value> {
        self.objects.get(&key(&manifest.gvk, manifest.namespace(), manifest.name()))
    }
}

/// The files of a revision that are wanted, with names relative to `directory`; what stands above
/// it is left out.
///
/// # Errors
/// When there is no repository, no such revision, or no git.
pub fn files(
    directory: &Path,
    revision: &str,
    wanted: &dyn Fn(&Path) -> bool,
) -> Result<Vec<Source>, HistoryError> {
    if revision.starts_with('-') {
        return Err(HistoryError(format!("{revision} is no revision")));
    }
    let prefix = git(directory, &["rev-parse", "--show-prefix"])?;
    let prefix = String::from_utf8_lossy(&prefix).trim_end().to_owned();
    let (top, files) = listed(directory, revision, wanted)?;
    let below = files.into_iter().filter(|(_, path)| path.starts_with(&prefix)).collect();
    let mut sources = blobs(&top, below)?;
    for source in &mut sources {
        source.name = source.name.split_off(prefix.len());
    }
    Ok(sources)
}

/// The top of the repository, and ids and paths of a revision's files that are wanted.
fn listed(
    directory: &Path,
    revision: &str,
    wanted: &dyn Fn(&Path) -> bool,
) -> Result<(PathBuf, Vec<(String, String)>), HistoryError> {
    let top = git(directory, &["rev-parse", "--show-toplevel"])?;
    let top = PathBuf::from(String::from_utf8_lossy(&top).trim_end());
    let listing = git(&top, &["ls-tree", "-r", "-z", revision])?;
    let mut files = Vec::new();
    for entry in listing.split(|it| *it == 0) {
        let entry = String::from_utf8_lossy(entry);
        let Some((about, path)) = entry.split_once('\t') else { continue };
        let mut about = about.split(' ').skip(1);
        let (Some("blob"), Some(id)) = (about.next(), about.next()) else { continue };
        if wanted(Path::new(path)) {
            files.push((id.to_owned(), path.to_owned()));
        }
    }
    Ok((top, files))
}

fn key(gvk: &GroupVersionKind, namespace: &str, name: &str) -> Key {
    let namespace = if namespace == "default" { "" } else { namespace };
    Key {
        group: gvk.group.to_string(),
        kind: gvk.kind.to_string(),
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    }
}

fn git(directory: &Path, arguments: &[&str]) -> Result<Vec<u8>, HistoryError> {
    let run = Command::new("git").arg("-C").arg(directory).args(arguments).output();
    let output = run.map_err(|error| HistoryError(error.to_string()))?;
    if !output.status.success() {
        let why = String::from_utf8_lossy(&output.stderr);
        return Err(HistoryError(why.trim().trim_start_matches("fatal: ").to_owned()));
    }
    Ok(output.stdout)
}

/// The texts of blobs, through one process.
fn blobs(top: &Path, files: Vec<(String, String)>) -> Result<Vec<Source>, HistoryError> {
    let fail = |error: std::io::Error| HistoryError(error.to_string());
    let mut child = Command::new("git")
        .arg("-C")
        .arg(top)
        .args(["cat-file", "--batch"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(fail)?;
    let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(HistoryError("no pipe to git".to_owned()));
    };
    let ids: Vec<String> = files.iter().map(|(id, _)| id.clone()).collect();
    // Asked from another thread: git answers before it has heard everything.
    let asking = std::thread::spawn(move || {
        for id in ids {
            if writeln!(stdin, "{id}").is_err() {
                break;
            }
        }
    });
    let mut answers = BufReader::new(stdout);
    let mut sources = Vec::with_capacity(files.len());
    for (_, path) in files {
        let mut head = String::new();
        answers.read_line(&mut head).map_err(fail)?;
        let size = head.trim_end().rsplit(' ').next().and_then(|it| it.parse::<u64>().ok());
        let Some(size) = size else {
            return Err(HistoryError(format!("cannot read {path}: {}", head.trim_end())));
        };
        let mut text = Vec::new();
        answers.by_ref().take(size + 1).read_to_end(&mut text).map_err(fail)?;
        text.pop();
        sources.push(Source::new(path, text));
    }
    drop(answers);
    let _ = asking.join();
    child.wait().map_err(fail)?;
    Ok(sources)
}
