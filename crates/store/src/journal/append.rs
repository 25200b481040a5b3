//! The journal of this process, held by its lock: entries behind its end, whole or not at all.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::PathBuf;

use super::frame::{self, FirstEntry};
use super::reserve::ReservedRoom;
use super::{JournalFolder, JournalId, JournalPlace};
use crate::{AuditHead, AuditKind, StoreError, WrittenEntry};

#[derive(Debug)]
pub(crate) struct OwnedJournal {
    id: JournalId,
    path: PathBuf,
    file: File,
    end: JournalPlace,
    /// Made anew for each append, at the same place.
    buffer: Vec<u8>,
    reserved: ReservedRoom,
    /// What could not be taken back stands behind the end: nothing may follow it.
    is_torn: bool,
}

impl OwnedJournal {
    /// One that nobody had, with its first entry.
    pub(crate) fn begin(folder: &JournalFolder, follows: AuditHead) -> Result<Self, StoreError> {
        let id = JournalId::random()?;
        let (file, path) = folder.make(&id)?;
        let (end, buffer) = (JournalPlace::START, Vec::with_capacity(4096));
        let first = FirstEntry { journal: id.clone(), follows };
        let reserved = ReservedRoom::none();
        let mut begun = Self { id, path, file, end, buffer, reserved, is_torn: false };
        let start = frame::begin(&mut begun.buffer);
        first.write(&mut begun.buffer);
        let hash = frame::seal(&mut begun.buffer, start, false, end.hash);
        if let Err(error) = begun.write(1, hash) {
            folder.remove(&begun.id);
            return Err(error);
        }
        Ok(begun)
    }

    pub(crate) fn id(&self) -> &JournalId {
        &self.id
    }

    /// Where it ends now.
    pub(crate) fn end(&self) -> JournalPlace {
        self.end
    }

    /// Whether nothing can be added any more.
    pub(crate) fn is_torn(&self) -> bool {
        self.is_torn
    }

    /// All of them or none. They are with the system when this returns, and survive this process.
    pub(crate) fn append(&mut self, entries: &[WrittenEntry<'_>]) -> Result<(), StoreError> {
        if self.is_torn {
            let why = "what was written last could not be taken back";
            return Err(StoreError::folder(&self.path, why));
        }
        self.buffer.clear();
        let mut hash = self.end.hash;
        for (place, entry) in entries.iter().enumerate() {
            let start = frame::begin(&mut self.buffer);
            entry.write(&mut self.buffer);
            if self.buffer.len() - start > frame::LONGEST {
                return Err(StoreError::Other { what: "a record is too long".into() });
            }
            hash = frame::seal(&mut self.buffer, start, place + 1 < entries.len(), hash);
        }
        // What is reserved is for the ends of calls that began, and for those that are refused.
        let end = self.end.offset + self.buffer.len() as u64;
        if let Err(error) = self.reserved.renew(&self.file, end)
            && entries.iter().any(|entry| entry.kind == AuditKind::Open)
        {
            return Err(StoreError::io(&self.path, &error));
        }
        self.write(entries.len() as u64, hash)
    }

    /// On the disk itself, and not with the system alone.
    pub(crate) fn duplicate(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Cuts what is behind the end.
    pub(super) fn take_back(&self) -> io::Result<()> {
        self.file.set_len(self.end.offset)
    }

    fn write(&mut self, entries: u64, hash: toolgate_types::Digest) -> Result<(), StoreError> {
        if let Err(error) = self.file.write_all(&self.buffer) {
            // Part of it may be there.
            self.is_torn = self.take_back().is_err();
            self.reserved.cut(self.end.offset);
            return Err(StoreError::io(&self.path, &error));
        }
        let offset = self.end.offset + self.buffer.len() as u64;
        self.end = JournalPlace { offset, entries: self.end.entries + entries, hash };
        // One long entry must not be room for ever.
        self.buffer.shrink_to(64 << 10);
        Ok(())
    }
}
