//! A disk in memory that forgets, when its power is cut, what was not synced.

use std::io;
use std::sync::{Arc, Mutex};

use ordain_storage::embedded::StorageBackend;

use super::Random;

/// Drives write sectors whole or not at all, and in any order.
const SECTOR: usize = 512;

#[derive(Debug, Clone)]
pub(crate) struct Disk(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    /// What a reader sees: everything that was written.
    visible: Vec<u8>,
    /// What a power cut leaves for certain.
    durable: Vec<u8>,
    unsynced: Vec<Change>,
    /// The power goes when so many more operations have been done.
    operations_left: Option<u64>,
    sync: Sync,
    /// The disk takes no more than so many bytes.
    capacity: Option<u64>,
    syncs: u64,
}

/// What a sync does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Sync {
    #[default]
    Works,
    /// As if the call had been taken out of the program.
    Missing,
    /// Fails once with an I/O error; what was to be synced is lost at the next power cut.
    FailsOnce,
}

#[derive(Debug)]
enum Change {
    Write(usize, Vec<u8>),
    Length(usize),
}

impl Disk {
    pub(crate) fn new(sync: Sync) -> Self {
        Self::with_image(Vec::new(), sync)
    }

    pub(crate) fn with_image(image: Vec<u8>, sync: Sync) -> Self {
        let state = State { visible: image.clone(), durable: image, sync, ..State::default() };
        Self(Arc::new(Mutex::new(state)))
    }

    pub(crate) fn cut_power_after(&self, operations: u64) {
        self.0.lock().unwrap().operations_left = Some(operations);
    }

    pub(crate) fn set_capacity(&self, capacity: Option<u64>) {
        self.0.lock().unwrap().capacity = capacity;
    }

    pub(crate) fn capacity(&self) -> Option<u64> {
        self.0.lock().unwrap().capacity
    }

    pub(crate) fn set_sync(&self, sync: Sync) {
        self.0.lock().unwrap().sync = sync;
    }

    pub(crate) fn syncs(&self) -> u64 {
        self.0.lock().unwrap().syncs
    }

    /// What the disk may hold after a power cut at this point: all that was synced, and any
    /// part of the rest.
    pub(crate) fn image_after_power_cut(&self, random: &mut Random) -> Vec<u8> {
        let state = self.0.lock().unwrap();
        let mut image = state.durable.clone();
        // Sometimes all of it made it, sometimes nothing, mostly something between.
        let kept_of_8 = [0, 1, 4, 7, 8][random.below(5) as usize];
        for change in &state.unsynced {
            match change {
                Change::Length(len) => {
                    if random.below(8) < kept_of_8 {
                        image.resize(*len, 0);
                    }
                }
                Change::Write(offset, data) => {
                    let mut at = *offset;
                    let mut rest = data.as_slice();
                    while !rest.is_empty() {
                        let len = (SECTOR - at % SECTOR).min(rest.len());
                        let (sector, later) = rest.split_at(len);
                        if random.below(8) < kept_of_8 {
                            put(&mut image, at, sector);
                        }
                        at += len;
                        rest = later;
                    }
                }
            }
        }
        image
    }
}

fn put(image: &mut Vec<u8>, offset: usize, data: &[u8]) {
    let end = offset + data.len();
    if image.len() < end {
        image.resize(end, 0);
    }
    image[offset..end].copy_from_slice(data);
}

impl State {
    fn operate(&mut self) -> io::Result<()> {
        match &mut self.operations_left {
            Some(0) => Err(io::Error::other("the power is off")),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn fits(&self, end: usize) -> io::Result<()> {
        match self.capacity {
            Some(capacity) if end as u64 > capacity => Err(io::ErrorKind::StorageFull.into()),
            _ => Ok(()),
        }
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.lock().unwrap().visible.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        state.operate()?;
        let offset = usize::try_from(offset).unwrap();
        let from = state.visible.get(offset..offset + out.len());
        out.copy_from_slice(from.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        state.operate()?;
        let len = usize::try_from(len).unwrap();
        state.fits(len)?;
        state.visible.resize(len, 0);
        state.unsynced.push(Change::Length(len));
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        state.operate()?;
        state.syncs += 1;
        match state.sync {
            Sync::Missing => return Ok(()),
            Sync::FailsOnce => {
                // The system drops what it could not write and forgets that it was dirty.
                state.sync = Sync::Works;
                state.unsynced.clear();
                return Err(io::Error::other("input/output error"));
            }
            Sync::Works => {}
        }
        let State { durable, unsynced, .. } = &mut *state;
        for change in unsynced.drain(..) {
            match change {
                Change::Write(offset, data) => put(durable, offset, &data),
                Change::Length(len) => durable.resize(len, 0),
            }
        }
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut state = self.0.lock().unwrap();
        state.operate()?;
        let offset = usize::try_from(offset).unwrap();
        state.fits(offset + data.len())?;
        put(&mut state.visible, offset, data);
        state.unsynced.push(Change::Write(offset, data.to_vec()));
        Ok(())
    }
}
