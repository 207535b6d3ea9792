//! A file that is put aside when it has grown, as kube-apiserver's audit log is: beside it, under
//! its name with the time, and removed when it is too old or there are too many.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::log;

const MEBIBYTE: u64 = 1024 * 1024;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// When a file is put aside, and when what was put aside goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rotation {
    /// Mebibytes; 0 is the usual 100.
    pub size_max: u64,
    /// Days; 0 keeps files however old.
    pub age_max: u64,
    /// Files besides the one that is written; 0 keeps all.
    pub backups_max: usize,
}

impl Default for Rotation {
    fn default() -> Self {
        Self { size_max: 100, age_max: 366, backups_max: 100 }
    }
}

impl Rotation {
    fn bytes_max(&self) -> u64 {
        let size = if self.size_max == 0 { 100 } else { self.size_max };
        size.saturating_mul(MEBIBYTE)
    }
}

/// The file that is written.
#[derive(Debug)]
pub(super) struct RotatingFile {
    path: PathBuf,
    rotation: Rotation,
    bytes_max: u64,
    file: File,
    bytes: u64,
}

impl RotatingFile {
    pub(super) fn open(path: &Path, rotation: Rotation) -> io::Result<Self> {
        let file = append(path)?;
        let bytes = file.metadata()?.len();
        let bytes_max = rotation.bytes_max();
        Ok(Self { path: path.to_owned(), rotation, bytes_max, file, bytes })
    }

    /// Puts the file aside and starts an empty one.
    fn rotate(&mut self) -> io::Result<()> {
        std::fs::rename(&self.path, self.free_name())?;
        self.file = append(&self.path)?;
        self.bytes = 0;
        self.clean()
    }

    /// A name for the file that no other has: `audit-2026-01-02T15-04-05.000000.log`.
    fn free_name(&self) -> PathBuf {
        let (stem, ending) = self.name_parts();
        let time = log::now().encode_micro().trim_end_matches('Z').replace(':', "-");
        let named = |number: usize| {
            let again = if number == 0 { String::new() } else { format!("-{number}") };
            self.path.with_file_name(format!("{stem}-{time}{again}{ending}"))
        };
        (0..).map(named).find(|it| !it.exists()).unwrap_or_else(|| named(0))
    }

    /// The name of the file before and from its last dot on.
    fn name_parts(&self) -> (String, String) {
        let text = |part: Option<&std::ffi::OsStr>| {
            part.map(|it| it.to_string_lossy().into_owned()).unwrap_or_default()
        };
        let ending = text(self.path.extension());
        let ending = if ending.is_empty() { ending } else { format!(".{ending}") };
        (text(self.path.file_stem()), ending)
    }

    /// Removes files that were put aside and are too old or too many.
    fn clean(&self) -> io::Result<()> {
        let (stem, ending) = self.name_parts();
        let folder = self.path.parent().filter(|it| !it.as_os_str().is_empty());
        let mut backups = Vec::new();
        for entry in std::fs::read_dir(folder.unwrap_or(Path::new(".")))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let time =
                name.strip_prefix(&format!("{stem}-")).and_then(|it| it.strip_suffix(&ending));
            // Only what carries a time was put aside here.
            if time.is_some_and(|it| it.len() >= 26 && it.as_bytes()[10] == b'T') {
                let modified = entry.metadata()?.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                backups.push((name, modified, entry.path()));
            }
        }
        backups.sort();
        let many = match self.rotation.backups_max {
            0 => 0,
            max => backups.len().saturating_sub(max),
        };
        let age_max = DAY.saturating_mul(u32::try_from(self.rotation.age_max).unwrap_or(u32::MAX));
        for (at, (_, modified, path)) in backups.iter().enumerate() {
            let is_old =
                !age_max.is_zero() && modified.elapsed().is_ok_and(|elapsed| elapsed > age_max);
            if at < many || is_old {
                std::fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}

impl Write for RotatingFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = bytes.len() as u64;
        if self.bytes > 0 && self.bytes.saturating_add(length) > self.bytes_max {
            self.rotate()?;
        }
        // A line is in one file.
        self.file.write_all(bytes)?;
        self.bytes = self.bytes.saturating_add(length);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Opens a file that only its owner may read.
fn append(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let names = std::fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            names.map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_full_file_is_put_aside_and_old_ones_go() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.log");
        std::fs::write(folder.path().join("audit-notes.log"), "not ours").unwrap();
        let rotation = Rotation { size_max: 1, age_max: 1, backups_max: 2 };
        let mut file = RotatingFile::open(&path, rotation).unwrap();
        file.bytes_max = 10;
        for line in ["first\n", "second\n", "third\n", "fourth\n", "a line longer than a file\n"] {
            assert_eq!(file.write(line.as_bytes()).unwrap(), line.len());
        }
        let found = names(folder.path());
        assert_eq!(found.len(), 4, "{found:?}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "a line longer than a file\n");
        let backup = std::fs::read_to_string(folder.path().join(&found[0])).unwrap();
        assert_eq!(backup, "third\n", "{found:?}");
        assert!(found.contains(&"audit-notes.log".to_owned()));
        // What is older than a day goes too.
        let old = SystemTime::now() - 2 * DAY;
        let aside = File::options().append(true).open(folder.path().join(&found[0])).unwrap();
        aside.set_modified(old).unwrap();
        file.write_all(b"more\n").unwrap();
        let left = names(folder.path());
        assert!(!left.contains(&found[0]), "{left:?}");
    }

    #[test]
    fn what_was_there_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        std::fs::write(&path, "0123456789").unwrap();
        let mut file = RotatingFile::open(&path, Rotation::default()).unwrap();
        file.bytes_max = 12;
        file.write_all(b"abc").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "abc");
        assert_eq!(names(folder.path()).len(), 2);
    }
}
