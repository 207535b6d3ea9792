//! One process per data directory.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::Path;

use crate::error::StoreError;
use crate::store::Result;

/// Holds the directory until it is dropped or the process ends in whatever way.
#[derive(Debug)]
pub(super) struct DirectoryLock {
    _file: File,
}

impl DirectoryLock {
    pub(super) fn take(directory: &Path) -> Result<Self> {
        let unusable = |error: std::io::Error| {
            StoreError::Unavailable(format!("data directory {}: {error}", directory.display()))
        };
        create_directory(directory).map_err(unusable)?;
        let path = directory.join("lock");
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(unusable)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let mut holder = String::new();
                let _ = file.take(64).read_to_string(&mut holder);
                return Err(StoreError::Unavailable(format!(
                    "data directory {} is in use by process {}",
                    directory.display(),
                    if holder.trim().is_empty() { "(unknown)" } else { holder.trim() }
                )));
            }
            Err(TryLockError::Error(error)) => return Err(unusable(error)),
        }
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| writeln!(file, "{}", std::process::id()))
            .map_err(unusable)?;
        Ok(Self { _file: file })
    }
}

fn create_directory(directory: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(directory)
}
