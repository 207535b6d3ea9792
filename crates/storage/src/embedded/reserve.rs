//! Room that is kept for bad times. When the disk is full the reserve is given up, so that objects
//! can still be deleted and history be compacted, which is how room is made again.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::PathBuf;

/// Room beside the data file.
pub trait Reserve: Send {
    /// Sets the room aside, if it is there. True if it is held afterwards.
    fn hold(&mut self) -> bool;

    /// Gives the room up.
    fn release(&mut self);
}

/// The name of the reserve in the data directory.
const FILE: &str = "ordain.reserve";
/// Enough for deletions of many objects; each needs some pages until the next one.
const BYTES: usize = 8 * 1024 * 1024;

/// A file full of nothing.
#[derive(Debug)]
pub(super) struct ReserveFile {
    path: PathBuf,
}

impl ReserveFile {
    pub(super) fn new(directory: &std::path::Path) -> Self {
        Self { path: directory.join(FILE) }
    }

    fn is_held(&self) -> bool {
        std::fs::metadata(&self.path).is_ok_and(|file| file.len() >= BYTES as u64)
    }

    /// Written and not only declared: a file with holes takes no room.
    fn fill(&self) -> std::io::Result<()> {
        let mut options = OpenOptions::new();
        let mut file = super::private_file(options.write(true).create(true).truncate(true))
            .open(&self.path)?;
        let page = vec![0_u8; 256 * 1024];
        for _ in 0..BYTES / page.len() {
            file.write_all(&page)?;
        }
        Ok(())
    }
}

impl Reserve for ReserveFile {
    fn hold(&mut self) -> bool {
        if self.is_held() {
            return true;
        }
        let filled = self.fill().is_ok();
        if !filled {
            self.release();
        }
        filled
    }

    fn release(&mut self) {
        // One that cannot be removed was not there, or will be tried again.
        let _ = std::fs::remove_file(&self.path);
    }
}
