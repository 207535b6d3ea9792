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

/// The inputs below the given paths; `-` is standard input, which is read at once.
#[must_use]
pub fn inputs(paths: &[String]) -> (Vec<Input>, Vec<Unreadable>) {
    let (files, mut failed) = expand(paths);
    let mut inputs = Vec::with_capacity(files.len());
    for path in files {
        if path.as_os_str() != "-" {
            inputs.push(Input::File(path));
            continue;
        }
        match read_stdin() {
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
        let looks_json = || text.iter().find(|it| !it.is_ascii_whitespace()) == Some(&b'{');
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
        if size > BYTES_MAX {
            return Err(fail(format!("{size} bytes are more than the {BYTES_MAX} that are read")));
        }
        let mut text = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + 1);
        let read = file.take(BYTES_MAX).read_to_end(&mut text);
        read.map_err(|error| fail(error.to_string()))?;
        Ok(Source::new(name.strip_prefix("./").unwrap_or(&name), text))
    }
}

/// The files below the given paths, in order: what `.gitignore` names and what is neither YAML nor
/// JSON is left out of directories; a file that is named itself is always taken.
///
/// # Errors
/// For each path that is not there or cannot be listed.
pub fn expand(paths: &[String]) -> (Vec<PathBuf>, Vec<Unreadable>) {
    let (mut files, mut failed) = (Vec::new(), Vec::new());
    for path in paths {
        let given = Path::new(path);
        if path == "-" || given.is_file() {
            files.push(given.to_path_buf());
            continue;
        }
        if !given.is_dir() {
            let why = match std::fs::metadata(given) {
                Err(error) => error.to_string(),
                Ok(_) => "neither a file nor a directory".to_owned(),
            };
            failed.push(Unreadable { path: path.clone(), why });
            continue;
        }
        let mut found = Vec::new();
        for entry in ignore::WalkBuilder::new(given).require_git(false).build() {
            match entry {
                Ok(entry) if is_manifest(entry.path()) => {
                    if entry.file_type().is_some_and(|it| !it.is_dir()) {
                        found.push(entry.into_path());
                    }
                }
                Ok(_) => {}
                Err(error) => {
                    failed.push(Unreadable { path: path.clone(), why: error.to_string() });
                }
            }
        }
        found.sort();
        files.extend(found);
    }
    let mut seen = std::collections::BTreeSet::new();
    files.retain(|path| seen.insert(path.clone()));
    (files, failed)
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
    let mut text = Vec::new();
    let read = std::io::stdin().lock().take(BYTES_MAX).read_to_end(&mut text);
    match read {
        Ok(_) => Ok(Source::new("<stdin>", text)),
        Err(error) => Err(Unreadable { path: "-".to_owned(), why: error.to_string() }),
    }
}
