//! Texts to check: files, directories and standard input.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::glob;
use crate::overlay::Completion;
use crate::role::Role;
use crate::surroundings::Surroundings;

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
    pub trouble: Trouble,
}

/// What is the matter with a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It cannot be read.
    Failed,
    /// It is a link in a folder that leads nowhere.
    Dangling,
    /// It is a folder with nothing to judge in it.
    Empty,
}

impl Unreadable {
    pub(crate) fn new(path: impl Into<String>, why: impl Into<String>) -> Unreadable {
        Unreadable { path: path.into(), why: why.into(), trouble: Trouble::Failed }
    }
}

/// The largest file that is read.
const BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Descriptions of other tools (kustomizations, their patches, tests) are small; a larger file is
/// something else.
const SMALL_BYTES_MAX: u64 = 1 << 20;

/// The bytes of a small file; nothing of a large one, of a device or a pipe, and of what cannot be
/// read.
pub(crate) fn read_small(path: &Path) -> Vec<u8> {
    let small = path.metadata().is_ok_and(|it| it.is_file() && it.len() <= SMALL_BYTES_MAX);
    small.then(|| std::fs::read(path).ok()).flatten().unwrap_or_default()
}

/// A text to judge, and what it is taken for.
#[derive(Clone, Debug)]
pub struct Input {
    origin: Origin,
    pub(crate) role: Role,
    /// What kustomizations do to its objects before they are sent.
    pub(crate) completion: Completion,
}

/// A text that is there, or a file that is read when its turn comes.
#[derive(Clone, Debug)]
enum Origin {
    Text(Source),
    File(PathBuf),
}

/// A text as it is read: without a name, which only those need who have something to report.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) media: Media,
}

impl Input {
    /// A text that is said to hold objects.
    #[must_use]
    pub fn text(source: Source) -> Input {
        Input { origin: Origin::Text(source), role: Role::Given, completion: Completion::new() }
    }

    /// A file that was named.
    #[must_use]
    pub fn file(path: impl Into<PathBuf>) -> Input {
        Input {
            origin: Origin::File(path.into()),
            role: Role::Named,
            completion: Completion::new(),
        }
    }

    /// The same, taken for something else.
    #[must_use]
    pub fn taken_for(self, role: Role) -> Input {
        Input { role, ..self }
    }

    /// A named file, taken as if its folder had been named.
    #[must_use]
    pub fn found_where_named(self) -> Input {
        match (&self.role, &self.origin) {
            (Role::Named, Origin::File(path)) => {
                let around = Surroundings::of([path.as_path()]);
                let (role, completion) = (around.role(path), around.completion(path));
                Input { completion, ..self.taken_for(role) }
            }
            _ => self,
        }
    }

    /// A text that stands in a file, changed by the kustomizations around that before it is sent.
    #[must_use]
    pub fn completed(self, around: &Surroundings, file: &Path) -> Input {
        Input { completion: around.completion(file), ..self }
    }

    /// Whether it is a text without anything in it but comments.
    #[must_use]
    pub fn is_blank_text(&self) -> bool {
        matches!(&self.origin, Origin::Text(source) if source.is_blank())
    }

    /// The text, in a buffer that is used again when it is a file's.
    pub(crate) fn bytes<'a>(&'a self, buffer: &'a mut Vec<u8>) -> Result<Text<'a>, Unreadable> {
        match &self.origin {
            Origin::Text(source) => Ok(source.text()),
            Origin::File(path) => {
                read_file(path, buffer)?;
                Ok(Text::new(path.as_os_str().as_encoded_bytes(), buffer))
            }
        }
    }

    /// A text of this input that was read, with its name.
    pub(crate) fn source(&self, text: Text<'_>) -> Cow<'_, Source> {
        match &self.origin {
            Origin::Text(source) => Cow::Borrowed(source),
            Origin::File(path) => {
                let Text { bytes, media } = text;
                Cow::Owned(Source { name: name_of(path), text: bytes.to_vec(), media })
            }
        }
    }

    /// What the text is reported under.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.origin {
            Origin::Text(source) => source.name.clone(),
            Origin::File(path) => name_of(path),
        }
    }

    /// The text, with its name.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(&self) -> Result<Cow<'_, Source>, Unreadable> {
        match &self.origin {
            Origin::Text(source) => Ok(Cow::Borrowed(source)),
            Origin::File(path) => Source::read(path).map(Cow::Owned),
        }
    }
}

/// The inputs below the given paths; `-` is standard input. That and what is no file that could be
/// read twice (`<(kustomize build)`) is read at once. Files whose path `ignored` names are left
/// out.
#[must_use]
pub fn inputs(paths: &[String], ignored: &dyn Fn(&str) -> bool) -> (Vec<Input>, Vec<Unreadable>) {
    let (files, mut failed) = expand_where(paths, &is_manifest);
    let is_stdin = |path: &Path| path.as_os_str() == "-";
    let wanted = |it: &Taken| is_stdin(&it.path) || !ignored(&it.path.to_string_lossy());
    let files: Vec<Taken> = files.into_iter().filter(wanted).collect();
    let found = files.iter().filter(|it| it.found).map(|it| it.path.as_path());
    let surroundings = Surroundings::of(found);
    let mut inputs = Vec::with_capacity(files.len());
    for Taken { path, found } in files {
        if found {
            let (role, completion) = (surroundings.role(&path), surroundings.completion(&path));
            inputs.push(Input { completion, ..Input::file(path).taken_for(role) });
            continue;
        }
        if path.is_file() && !is_stdin(&path) {
            inputs.push(Input::file(path));
            continue;
        }
        match if is_stdin(&path) { read_stdin() } else { Source::read(&path) } {
            Ok(source) => inputs.push(Input::text(source)),
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

    /// Whether there is nothing in it but comments and marks of documents.
    fn is_blank(&self) -> bool {
        let mut lines = self.text.split(|it| *it == b'\n').map(<[u8]>::trim_ascii);
        lines.all(|it| it.is_empty() || it.starts_with(b"#") || matches!(it, b"---" | b"..."))
    }
}

impl<'a> Text<'a> {
    /// The name's ending or the text's beginning tells JSON from YAML; a mark of byte order is no
    /// text.
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
    read_whole(path, buffer).map_err(|why| Unreadable::new(name_of(path), why))
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
    let (files, mut failed) = expand_where(paths, &is_manifest);
    failed.retain(|it| it.trouble == Trouble::Failed);
    (files.into_iter().map(|it| it.path).collect(), failed)
}

/// A file that is taken, and whether that was by searching.
struct Taken {
    path: PathBuf,
    found: bool,
}

fn expand_where(paths: &[String], wanted: &dyn Fn(&Path) -> bool) -> (Vec<Taken>, Vec<Unreadable>) {
    let (mut files, mut failed) = (Vec::new(), Vec::new());
    for path in paths {
        let given = Path::new(path);
        let search = if path == "-" || given.is_file() {
            None
        } else if given.is_dir() {
            Some(below(given, usize::MAX, wanted))
        } else if let Err(error) = std::fs::metadata(given) {
            match glob::matches(path, wanted) {
                Some(found) => Some(found),
                None => {
                    failed.push(Unreadable::new(path.clone(), error.to_string()));
                    continue;
                }
            }
        } else {
            // A pipe.
            None
        };
        match search {
            None => files.push(Taken { path: given.to_path_buf(), found: false }),
            Some((found, mut wrong)) => {
                if found.is_empty() && wrong.is_empty() {
                    let why = "there is no YAML or JSON in it".to_owned();
                    let path = path.clone();
                    wrong.push(Unreadable { path, why, trouble: Trouble::Empty });
                }
                files.extend(found.into_iter().map(|path| Taken { path, found: true }));
                failed.append(&mut wrong);
            }
        }
    }
    // One file may be named in several ways.
    let several = paths.len() > 1;
    let mut seen = BTreeSet::new();
    files.retain(|it| {
        let real = if several { std::fs::canonicalize(&it.path).ok() } else { None };
        seen.insert(real.unwrap_or_else(|| it.path.clone()))
    });
    (files, failed)
}

/// Whether a directory holds copies of other projects: what Go vendors and npm installs.
fn is_of_others(path: &Path) -> bool {
    match path.file_name().and_then(|it| it.to_str()) {
        Some("vendor") => path.join("modules.txt").is_file(),
        Some("node_modules") => path.is_dir(),
        _ => false,
    }
}

/// The files among so many entries of a directory that are wanted, in order. Links to directories
/// are not followed, and what is no file (a pipe, a socket) is none of the caller's.
pub(crate) fn below(
    directory: &Path,
    entries_max: usize,
    wanted: &dyn Fn(&Path) -> bool,
) -> (Vec<PathBuf>, Vec<Unreadable>) {
    let (mut files, mut failed) = (Vec::new(), Vec::new());
    let mut fail = |path: &Path, why: String, trouble: Trouble| {
        failed.push(Unreadable { path: name_of(path), why, trouble });
    };
    let is_own = |it: &ignore::DirEntry| it.depth() == 0 || !is_of_others(it.path());
    let entries =
        ignore::WalkBuilder::new(directory).require_git(false).filter_entry(is_own).build();
    for entry in entries.take(entries_max) {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                fail(directory, error.to_string(), Trouble::Failed);
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
                Err(error) => {
                    let leads_nowhere = error.kind() == std::io::ErrorKind::NotFound;
                    let trouble = if leads_nowhere { Trouble::Dangling } else { Trouble::Failed };
                    fail(entry.path(), error.to_string(), trouble);
                }
            }
        }
    }
    files.sort();
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
    match read_to_end(std::io::stdin().lock(), &mut text) {
        Ok(()) => Ok(Source::new("<stdin>", text)),
        Err(why) => Err(Unreadable::new("-", why)),
    }
}
