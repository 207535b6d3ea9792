//! Where Go text comes from and how a place in it is named.
//!
//! The crate does no I/O: a caller hands in a [`FileSource`], a read-only view of some file system.

use std::collections::BTreeMap;
use std::sync::Arc;

use smol_str::SmolStr;

/// A read-only view of a file system. Paths use `/` and are whatever the caller's roots are made of.
pub trait FileSource {
    /// The names in a directory, in any order; `None` when there is no such directory.
    fn list(&self, dir: &str) -> Option<Vec<Entry>>;
    /// The text of a file; `None` when it is absent or not UTF-8.
    fn read(&self, path: &str) -> Option<Arc<str>>;
    /// The directory that relative paths start from, when there is something above it: a `go.mod`
    /// may stand there.
    fn current_dir(&self) -> Option<String> {
        None
    }
}

/// One name in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name without its directory.
    pub name: String,
    /// Whether it is a directory itself.
    pub is_dir: bool,
}

/// Files held in memory, for tests, editors and sources that are not on a disk.
#[derive(Clone, Debug, Default)]
pub struct MemorySource {
    files: BTreeMap<String, Arc<str>>,
}

impl MemorySource {
    /// An empty view.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces a file.
    pub fn insert(&mut self, path: impl Into<String>, text: impl Into<Arc<str>>) {
        self.files.insert(path.into(), text.into());
    }

    /// Adds a file and hands the view back.
    #[must_use]
    pub fn with(mut self, path: impl Into<String>, text: impl Into<Arc<str>>) -> Self {
        self.insert(path, text);
        self
    }
}

impl FileSource for MemorySource {
    fn list(&self, dir: &str) -> Option<Vec<Entry>> {
        let prefix = if dir.is_empty() || dir == "." {
            String::new()
        } else {
            format!("{}/", dir.trim_end_matches('/'))
        };
        let mut names: BTreeMap<&str, bool> = BTreeMap::new();
        for path in self.files.range(prefix.clone()..).map(|(path, _)| path) {
            let Some(rest) = path.strip_prefix(&prefix) else { break };
            match rest.split_once('/') {
                Some((name, _)) => names.insert(name, true),
                None => names.insert(rest, false),
            };
        }
        if names.is_empty() {
            return None;
        }
        Some(
            names
                .into_iter()
                .map(|(name, is_dir)| Entry { name: name.to_string(), is_dir })
                .collect(),
        )
    }

    fn read(&self, path: &str) -> Option<Arc<str>> {
        self.files.get(path).cloned()
    }
}

/// Index of a file in a [`crate::Universe`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A place: a file and a byte offset in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pos {
    /// The file.
    pub file: FileId,
    /// Byte offset from the start of the file.
    pub offset: u32,
}

/// A place for people: one-based line, and column counted in bytes as Go counts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// Path as the source named it.
    pub path: SmolStr,
    /// One-based line.
    pub line: u32,
    /// One-based column in bytes.
    pub column: u32,
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.path, self.line, self.column)
    }
}

/// The byte offsets at which lines start.
#[derive(Clone, Debug, Default)]
pub struct LineTable {
    starts: Vec<u32>,
}

impl LineTable {
    pub(crate) fn new() -> Self {
        Self { starts: vec![0] }
    }

    pub(crate) fn push(&mut self, start: u32) {
        self.starts.push(start);
    }

    /// The line (one-based) that is open while lexing.
    pub(crate) fn open_line(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// One-based line of a byte offset.
    #[must_use]
    pub fn line(&self, offset: u32) -> u32 {
        u32::try_from(self.starts.partition_point(|start| *start <= offset)).unwrap_or(u32::MAX)
    }

    /// One-based line and column (bytes) of a byte offset.
    #[must_use]
    pub fn line_column(&self, offset: u32) -> (u32, u32) {
        let line = self.line(offset);
        let start = self.starts.get(line as usize - 1).copied().unwrap_or(0);
        (line, offset - start + 1)
    }
}
