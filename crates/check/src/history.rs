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
    objects: BTreeMap<Key, Vec<Old>>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    group: String,
    kind: String,
    namespace: String,
    name: String,
}

/// An object and the file that held it.
#[derive(Debug)]
struct Old {
    file: PathBuf,
    value: Value,
}

impl History {
    /// Reads all manifests of a revision of the repository that `directory` is in.
    ///
    /// # Errors
    /// When there is no repository, no such revision, or no git.
    pub fn read(directory: &Path, revision: &str) -> Result<History, HistoryError> {
        let mut history = History::default();
        history.add_revision(directory, revision)?;
        Ok(history)
    }

    /// Takes in all manifests of a revision, as [`History::read`] does. A repository that was read
    /// before is not read again.
    ///
    /// # Errors
    /// When there is no repository, no such revision, or no git.
    fn add_revision(&mut self, directory: &Path, revision: &str) -> Result<PathBuf, HistoryError> {
        let (top, files) = listed(directory, revision, &is_manifest)?;
        self.add_files(&top, files)?;
        for (module, commit) in modules(&top, revision)? {
            // One that is not checked out has no files to compare either.
            if module.join(".git").exists()
                && let Ok((top, files)) = listed(&module, &commit, &is_manifest)
            {
                self.add_files(&top, files)?;
            }
        }
        Ok(top)
    }

    /// Reads a revision of all repositories that some paths are in.
    ///
    /// # Errors
    /// When one is in no repository, or its repository has no such revision.
    pub fn read_all(paths: &[&Path], revision: &str) -> Result<History, HistoryError> {
        let mut history = History::default();
        let mut tops: Vec<PathBuf> = Vec::new();
        for path in paths {
            let folder = match (path.is_dir(), path.parent()) {
                (true, _) => path.to_path_buf(),
                (false, Some(parent)) if parent != Path::new("") => parent.to_path_buf(),
                _ => PathBuf::from("."),
            };
            let top = top_of(&folder)?;
            if !tops.contains(&top) {
                tops.push(history.add_revision(&folder, revision)?);
            }
        }
        Ok(history)
    }

    fn add_files(&mut self, top: &Path, files: Vec<(String, String)>) -> Result<(), HistoryError> {
        let top = std::fs::canonicalize(top).unwrap_or_else(|_| top.to_path_buf());
        for source in blobs(&top, files)? {
            let file = top.join(&source.name);
            for manifest in manifest::read(0, &source).manifests {
                if !manifest.name().is_empty() {
                    let key = key(&manifest.gvk, manifest.namespace(), manifest.name());
                    let old = Old { file: file.clone(), value: manifest.value };
                    self.objects.entry(key).or_default().push(old);
                }
            }
        }
        Ok(())
    }

    /// Takes in an object as a server gave it.
    pub fn add_object(&mut self, object: &Value) {
        let text = |path: &[&str]| object.text_at(path);
        let Ok(version) = GroupVersion::decode(text(&["apiVersion"])) else { return };
        let gvk = version.with_kind(text(&["kind"]));
        let key = key(&gvk, text(&["metadata", "namespace"]), text(&["metadata", "name"]));
        let old = Old { file: PathBuf::new(), value: object.clone() };
        self.objects.entry(key).or_default().push(old);
    }

    /// What an object in a file was. Of several with its name (overlays have them) it is the one
    /// of the same file, else one whose file is gone, else the first.
    #[must_use]
    pub fn old(&self, manifest: &Manifest, file: &str) -> Option<&Value> {
        let key = key(&manifest.gvk, manifest.namespace(), manifest.name());
        let known = self.objects.get(&key)?;
        let chosen = match known.as_slice() {
            [one] => Some(one),
            several => {
                let here = std::fs::canonicalize(file).unwrap_or_else(|_| PathBuf::from(file));
                let same = several.iter().find(|it| it.file == here);
                same.or_else(|| several.iter().find(|it| !it.file.exists()))
                    .or_else(|| several.first())
            }
        };
        chosen.map(|it| &it.value)
    }
}

/// The files of a revision that are wanted, by their path and by their name relative to
/// `directory`; what stands above it is left out. Others are not read.
///
/// # Errors
/// When there is no repository, no such revision, or no git.
pub fn files(
    directory: &Path,
    revision: &str,
    wanted: &dyn Fn(&Path, &str) -> bool,
) -> Result<Vec<Source>, HistoryError> {
    let prefix = git(directory, &["rev-parse", "--show-prefix"])?;
    let prefix = String::from_utf8_lossy(&prefix).trim_end().to_owned();
    let inside = |path: &Path| {
        let name = path.to_str().and_then(|it| it.strip_prefix(prefix.as_str()));
        name.is_some_and(|name| wanted(path, name))
    };
    let (top, below) = listed(directory, revision, &inside)?;
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
    let top = top_of(directory)?;
    let mut files = entries(&top, revision, "blob")?;
    files.retain(|(_, path)| wanted(Path::new(path)));
    Ok((top, files))
}

fn top_of(directory: &Path) -> Result<PathBuf, HistoryError> {
    let top = git(directory, &["rev-parse", "--show-toplevel"])?;
    Ok(PathBuf::from(String::from_utf8_lossy(&top).trim_end()))
}

/// Ids and paths of what a revision has of a sort: blobs, or the commits of submodules.
fn entries(top: &Path, revision: &str, sort: &str) -> Result<Vec<(String, String)>, HistoryError> {
    if revision.starts_with('-') {
        return Err(HistoryError(format!("{revision} is no revision")));
    }
    let listing = git(top, &["ls-tree", "-r", "-z", revision]).map_err(|error| {
        let shallow = git(top, &["rev-parse", "--is-shallow-repository"]);
        if shallow.is_ok_and(|it| it.starts_with(b"true")) {
            let advice = "the clone is shallow, so fetch more of its history";
            return HistoryError(format!("{}; {advice} (fetch-depth: 0, GIT_DEPTH: 0)", error.0));
        }
        error
    })?;
    let mut found = Vec::new();
    for entry in listing.split(|it| *it == 0) {
        let entry = String::from_utf8_lossy(entry);
        let Some((about, path)) = entry.split_once('\t') else { continue };
        let mut about = about.split(' ').skip(1);
        let (Some(kind), Some(id)) = (about.next(), about.next()) else { continue };
        if kind == sort {
            found.push((id.to_owned(), path.to_owned()));
        }
    }
    Ok(found)
}

/// The submodules of a revision: their folders and their commits.
fn modules(top: &Path, revision: &str) -> Result<Vec<(PathBuf, String)>, HistoryError> {
    let commits = entries(top, revision, "commit")?;
    Ok(commits.into_iter().map(|(id, path)| (top.join(path), id)).collect())
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
