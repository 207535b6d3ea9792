//! Texts to check: files, directories and standard input.

use std::borrow::Cow;
use std::io::Read;
use std::path::{Path, PathBuf};

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Media {
    Yaml,
    Json,
}

/// One text with the name it is reported under.
#[derive(Clone, Debug)]
pub struct Source {
    pub name: String,
    pub text: Vec<u8>,
    pub media: Media,
}

/// A path that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {why}")]
pub struct Unreadable {
    pub path: String,
    pub why: String,
}

/// The largest file that is read.
const BYTES_MAX: u64 = 256 * 1024 * 1024;

/// A text that is there, or a file that is read when its turn comes.
#[derive(Clone, Debug)]
pub enum Input {
    Text(Source),
    File(PathBuf),
}

impl Input {
    /// The text.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(&self) -> Result<Cow<'_, Source>, Unreadable> {
        match self {
            Input::Text(source) => Ok(Cow::Borrowed(source)),
            Input::File(path) => Source::read(path).map(Cow::Owned),
        }
    }
}

/// The inputs below the given paths; `-` is standard input. That and what is no file that could be
/// read twice (`<(kustomize build)`) is read at once. Files whose path `ignored` names are left out.
#[must_use]
pub fn inputs(paths: &[String], ignored: &dyn Fn(&str) -> bool) -> (Vec<Input>, Vec<Unreadable>) {
    let wanted = |path: &Path| is_manifest(path) && !is_table(path);
    let (files, mut failed) = expand_where(paths, &wanted);
    let mut inputs = Vec::with_capacity(files.len());
    for path in files {
        let is_stdin = path.as_os_str() == "-";
        if !is_stdin && ignored(&path.to_string_lossy()) {
            continue;
        }
        if path.is_file() && !is_stdin {
            inputs.push(Input::File(path));
            continue;
        }
        match if is_stdin { read_stdin() } else { Source::read(&path) } {
            Ok(source) => inputs.push(Input::Text(source)),
            Err(error) => failed.push(error),
        }
    }
    (inputs, failed)
}

impl Source {
    /// A text under a name; the name's ending or the text's beginning tells JSON from YAML.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<Vec<u8>>) -> Source {
        let (name, mut text) = (name.into(), text.into());
        if text.starts_with(b"\xef\xbb\xbf") {
            text.drain(..3);
        }
        // Two braces are the beginning of a template, which is neither.
        let looks_json = || {
            let text = text.trim_ascii_start();
            text.starts_with(b"{") && !text.starts_with(b"{{")
        };
        let is_yaml = name.ends_with(".yaml") || name.ends_with(".yml");
        let media = if name.ends_with(".json") || (!is_yaml && looks_json()) {
            Media::Json
        } else {
            Media::Yaml
        };
        Source { name, text, media }
    }

    fn read(path: &Path) -> Result<Source, Unreadable> {
        let name = path.to_string_lossy().into_owned();
        let fail = |why: String| Unreadable { path: name.clone(), why };
        let file = std::fs::File::open(path).map_err(|error| fail(error.to_string()))?;
        let size = file.metadata().map_err(|error| fail(error.to_string()))?.len();
        let text = read_to_end(file, size).map_err(fail)?;
        Ok(Source::new(name.strip_prefix("./").unwrap_or(&name), text))
    }
}

/// Everything that a reader has, unless that is more than is read.
fn read_to_end(reader: impl Read, expected: u64) -> Result<Vec<u8>, String> {
    let too_much = || format!("more than the {} MiB that are read", BYTES_MAX >> 20);
    if expected > BYTES_MAX {
        return Err(too_much());
    }
    let mut text = Vec::with_capacity(usize::try_from(expected).unwrap_or(0) + 1);
    let read = reader.take(BYTES_MAX + 1).read_to_end(&mut text);
    read.map_err(|error| error.to_string())?;
    if text.len() as u64 > BYTES_MAX { Err(too_much()) } else { Ok(text) }
}

/// The files below the given paths, in order: what `.gitignore` names and what is neither YAML nor
/// JSON is left out of directories; a file that is named itself is always taken.
///
/// # Errors
/// For each path that is not there or cannot be listed.
pub fn expand(paths: &[String]) -> (Vec<PathBuf>, Vec<Unreadable>) {
    expand_where(paths, &is_manifest)
}

fn expand_where(
    paths: &[String],
    wanted: &dyn Fn(&Path) -> bool,
) -> (Vec<PathBuf>, Vec<Unreadable>) {
    let (mut files, mut failed) = (Vec::new(), Vec::new());
    for path in paths {
        let given = Path::new(path);
        if path == "-" || given.is_file() {
            files.push(given.to_path_buf());
        } else if given.is_dir() {
            let (mut found, mut wrong) = below(given, wanted);
            files.append(&mut found);
            failed.append(&mut wrong);
        } else if let Err(error) = std::fs::metadata(given) {
            failed.push(Unreadable { path: path.clone(), why: error.to_string() });
        } else {
            // A pipe.
            files.push(given.to_path_buf());
        }
    }
    // One file may be named in several ways.
    let several = paths.len() > 1;
    let mut seen = std::collections::BTreeSet::new();
    files.retain(|path| {
        let real = if several { std::fs::canonicalize(path).ok() } else { None };
        seen.insert(real.unwrap_or_else(|| path.clone()))
    });
    (files, failed)
}

/// The files in a directory that are wanted, in order. Links to directories are not followed, and
/// what is no file (a pipe, a socket) is none of the caller's.
fn below(directory: &Path, wanted: &dyn Fn(&Path) -> bool) -> (Vec<PathBuf>, Vec<Unreadable>) {
    let (mut files, mut failed) = (Vec::new(), Vec::new());
    let mut fail = |path: &Path, why: String| {
        failed.push(Unreadable { path: path.to_string_lossy().into_owned(), why });
    };
    for entry in ignore::WalkBuilder::new(directory).require_git(false).build() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                fail(directory, error.to_string());
                continue;
            }
        };
        let Some(kind) = entry.file_type().filter(|_| wanted(entry.path())) else { continue };
        if kind.is_file() {
            files.push(entry.into_path());
        } else if kind.is_symlink() {
            match std::fs::metadata(entry.path()) {
                Ok(about) if about.is_file() => files.push(entry.into_path()),
                Ok(_) => {}
                Err(error) => fail(entry.path(), error.to_string()),
            }
        }
    }
    files.sort();
    (files, failed)
}

/// Whether a file is a table of cases, which `ordain test` reads.
fn is_table(path: &Path) -> bool {
    let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
    name.ends_with(".cases.yaml") || name.ends_with(".cases.yml")
}

/// Whether a file in a directory is taken for a manifest.
#[must_use]
pub fn is_manifest(path: &Path) -> bool {
    let ending = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
    matches!(ending, "yaml" | "yml" | "json")
}

/// Reads everything below the given paths; `-` is standard input.
#[must_use]
pub fn read_all(paths: &[String]) -> (Vec<Source>, Vec<Unreadable>) {
    use rayon::prelude::*;
    let (files, mut failed) = expand(paths);
    let read: Vec<Result<Source, Unreadable>> = files
        .par_iter()
        .map(|path| if path.as_os_str() == "-" { read_stdin() } else { Source::read(path) })
        .collect();
    let mut sources = Vec::with_capacity(read.len());
    for source in read {
        match source {
            Ok(source) => sources.push(source),
            Err(error) => failed.push(error),
        }
    }
    (sources, failed)
}

fn read_stdin() -> Result<Source, Unreadable> {
    match read_to_end(std::io::stdin().lock(), 0) {
        Ok(text) => Ok(Source::new("<stdin>", text)),
        Err(why) => Err(Unreadable { path: "-".to_owned(), why }),
    }
}
