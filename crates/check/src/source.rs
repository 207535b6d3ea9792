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

/// A text as it is read: without a name, which only those need who have something to tell.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) media: Media,
}

impl Input {
    /// The text, in a buffer that is used again when it is a file's.
    pub(crate) fn text<'a>(&'a self, buffer: &'a mut Vec<u8>) -> Result<Text<'a>, Unreadable> {
        match self {
            Input::Text(source) => Ok(source.text()),
            Input::File(path) => {
                read_file(path, buffer)?;
                Ok(Text::new(path.as_os_str().as_encoded_bytes(), buffer))
            }
        }
    }

    /// A text of this input that was read, with its name.
    pub(crate) fn source(&self, text: Text<'_>) -> Cow<'_, Source> {
        match self {
            Input::Text(source) => Cow::Borrowed(source),
            Input::File(path) => {
                let Text { bytes, media } = text;
                Cow::Owned(Source { name: name_of(path), text: bytes.to_vec(), media })
            }
        }
    }

    /// What the text is reported under.
    pub(crate) fn name(&self) -> String {
        match self {
            Input::Text(source) => source.name.clone(),
            Input::File(path) => name_of(path),
        }
    }

    /// The text, with its name.
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
        let Text { bytes, media } = Text::new(name.as_bytes(), &text);
        text.drain(..text.len() - bytes.len());
        Source { name, text, media }
    }

    fn read(path: &Path) -> Result<Source, Unreadable> {
        let mut text = Vec::new();
        read_file(path, &mut text)?;
        Ok(Source::new(name_of(path), text))
    }

    pub(crate) fn text(&self) -> Text<'_> {
        Text { bytes: &self.text, media: self.media }
    }
}

impl<'a> Text<'a> {
    /// The name's ending or the text's beginning tells JSON from YAML; a mark of byte order is no text.
    fn new(name: &[u8], text: &'a [u8]) -> Text<'a> {
        let bytes = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        // Two braces are the beginning of a template, which is neither.
        let looks_json = || {
            let text = bytes.trim_ascii_start();
            text.starts_with(b"{") && !text.starts_with(b"{{")
        };
        let is_yaml = name.ends_with(b".yaml") || name.ends_with(b".yml");
        let is_json = name.ends_with(b".json") || (!is_yaml && looks_json());
        Text { bytes, media: if is_json { Media::Json } else { Media::Yaml } }
    }
}

/// How a file is named in reports.
fn name_of(path: &Path) -> String {
    let name = path.to_string_lossy();
    name.strip_prefix("./").unwrap_or(&name).to_owned()
}

/// Files up to this size are read without asking for it.
const SMALL: u64 = 8 * 1024;

/// Reads a file into a buffer.
fn read_file(path: &Path, buffer: &mut Vec<u8>) -> Result<(), Unreadable> {
    read_whole(path, buffer).map_err(|why| Unreadable { path: name_of(path), why })
}

fn read_whole(path: &Path, buffer: &mut Vec<u8>) -> Result<(), String> {
    let text = |error: std::io::Error| error.to_string();
    let file = std::fs::File::open(path).map_err(text)?;
    buffer.clear();
    buffer.reserve(SMALL as usize);
    (&file).take(SMALL).read_to_end(buffer).map_err(text)?;
    if (buffer.len() as u64) < SMALL {
        return Ok(());
    }
    let size = file.metadata().map_err(text)?.len();
    if size > BYTES_MAX {
        return Err(too_much());
    }
    buffer.reserve(usize::try_from(size).unwrap_or(0).saturating_sub(buffer.len()) + 1);
    read_to_end(file, buffer)
}

/// Everything that a reader has, unless that is more than is read.
fn read_to_end(reader: impl Read, text: &mut Vec<u8>) -> Result<(), String> {
    let read = reader.take(BYTES_MAX + 1).read_to_end(text);
    read.map_err(|error| error.to_string())?;
    if text.len() as u64 > BYTES_MAX { Err(too_much()) } else { Ok(()) }
}

fn too_much() -> String {
    format!("more than the {} MiB that are read", BYTES_MAX >> 20)
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
            let (mut found, mut wrong) = below(given, usize::MAX, wanted);
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

/// The files among so many entries of a directory that are wanted, in order. Links to directories are not followed, and
/// what is no file (a pipe, a socket) is none of the caller's.
pub(crate) fn below(
    directory: &Path,
    entries_max: usize,
    wanted: &dyn Fn(&Path) -> bool,
) -> (Vec<PathBuf>, Vec<Unreadable>) {
    let (mut files, mut failed) = (Vec::new(), Vec::new());
    let mut fail = |path: &Path, why: String| {
        failed.push(Unreadable { path: path.to_string_lossy().into_owned(), why });
    };
    let entries = ignore::WalkBuilder::new(directory).require_git(false).build();
    for entry in entries.take(entries_max) {
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
    let mut text = Vec::new();
    match read_to_end(std::io::stdin().lock(), &mut text) {
        Ok(()) => Ok(Source::new("<stdin>", text)),
        Err(why) => Err(Unreadable { path: "-".to_owned(), why }),
    }
}
