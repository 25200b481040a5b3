//! The index: what the next commit would hold, and what Git last saw of each file.
//!
//! Read from bytes; what it says is believed of names and sizes only as far as it fits. Extensions are
//! passed over, the monitor's among them.

use gix_hash::ObjectId;

use super::super::RepoRefusal;
use super::GitRepository;
use super::git_objects::TreeItem;

/// Everything of an entry before its path, but the flags.
const FIXED: usize = 60;
const HASH_BYTES: usize = 20;
const MOST: usize = 2_000_000;

const MALFORMED: RepoRefusal = RepoRefusal::Repository("its index is malformed");
const SPLIT: RepoRefusal =
    RepoRefusal::Repository("its index is split in two, which is not read yet");

/// One file as the index knows it.
#[derive(Debug, Clone)]
pub(crate) struct IndexEntry {
    pub(super) path: Vec<u8>,
    pub(super) item: TreeItem,
    /// 0, or which side of a conflict it is.
    pub(super) stage: u8,
    /// It need not be on the disk, or is said to be as it was.
    pub(super) is_unwatched: bool,
    pub(super) seen: SeenFile,
}

/// What Git saw of a file on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SeenFile {
    pub(super) modified: (u32, u32),
    pub(super) inode: u32,
    pub(super) size: u32,
}

impl GitRepository<'_> {
    /// Sorted by path.
    pub(super) fn index(&self) -> Result<Vec<IndexEntry>, RepoRefusal> {
        match self.folder.read("index")? {
            Some(bytes) => parse(&bytes),
            None => Ok(Vec::new()),
        }
    }
}

fn parse(bytes: &[u8]) -> Result<Vec<IndexEntry>, RepoRefusal> {
    let mut rest = IndexBytes { bytes, at: 0 };
    if rest.take(4)? != b"DIRC" {
        return Err(MALFORMED);
    }
    let (version, count) = (rest.number()?, rest.number()? as usize);
    if !(2..=4).contains(&version) || count > MOST || count > bytes.len() / FIXED {
        return Err(MALFORMED);
    }
    let mut entries: Vec<IndexEntry> = Vec::with_capacity(count);
    for _ in 0..count {
        let before = entries.last().map_or(&[][..], |entry| &entry.path);
        let entry = parse_entry(&mut rest, version, before)?;
        entries.push(entry);
    }
    // What follows is extensions, and a sum over everything.
    while rest.bytes.len().saturating_sub(rest.at) > HASH_BYTES + 8 {
        let name = rest.take(4)?;
        if name == b"link" {
            return Err(SPLIT);
        }
        let length = rest.number()? as usize;
        rest.take(length)?;
    }
    Ok(entries)
}

fn parse_entry(
    rest: &mut IndexBytes<'_>,
    version: u32,
    before: &[u8],
) -> Result<IndexEntry, RepoRefusal> {
    let start = rest.at;
    rest.take(8)?;
    let modified = (rest.number()?, rest.number()?);
    rest.take(4)?;
    let inode = rest.number()?;
    let mode = rest.number()?;
    rest.take(8)?;
    let size = rest.number()?;
    let id = ObjectId::try_from(rest.take(HASH_BYTES)?).map_err(|_| MALFORMED)?;
    let flags = rest.short()?;
    let more = if version >= 3 && flags & 0x4000 != 0 { rest.short()? } else { 0 };
    let mut path = match version {
        4 => {
            let shared = before.len().checked_sub(rest.varint()?).ok_or(MALFORMED)?;
            before.get(..shared).unwrap_or_default().to_vec()
        }
        _ => Vec::new(),
    };
    path.extend_from_slice(rest.until_zero()?);
    if version < 4 {
        // Up to the next eighth byte; one zero was taken already.
        let length = rest.at - start;
        rest.take(length.next_multiple_of(8) - length)?;
    }
    let is_odd = |name: &[u8]| name.is_empty() || name == b"." || name == b"..";
    // A folder that is left out as a whole ends with a slash.
    let names = path.strip_suffix(b"/").unwrap_or(&path);
    if names.split(|&byte| byte == b'/').any(is_odd) {
        return Err(MALFORMED);
    }
    let is_assumed = flags & 0x8000 != 0;
    let is_skipped = more & 0x4000 != 0;
    Ok(IndexEntry {
        path,
        item: TreeItem { mode, id },
        stage: (flags >> 12 & 3) as u8,
        is_unwatched: is_assumed || is_skipped,
        seen: SeenFile { modified, inode, size },
    })
}

struct IndexBytes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> IndexBytes<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], RepoRefusal> {
        let end = self.at.checked_add(length).ok_or(MALFORMED)?;
        let taken = self.bytes.get(self.at..end).ok_or(MALFORMED)?;
        self.at = end;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, RepoRefusal> {
        let bytes = self.take(4)?.try_into().map_err(|_| MALFORMED)?;
        Ok(u32::from_be_bytes(bytes))
    }

    fn short(&mut self) -> Result<u16, RepoRefusal> {
        let bytes = self.take(2)?.try_into().map_err(|_| MALFORMED)?;
        Ok(u16::from_be_bytes(bytes))
    }

    fn until_zero(&mut self) -> Result<&'a [u8], RepoRefusal> {
        let rest = self.bytes.get(self.at..).ok_or(MALFORMED)?;
        let length = rest.iter().position(|&byte| byte == 0).ok_or(MALFORMED)?;
        let taken = self.take(length)?;
        self.take(1)?;
        Ok(taken)
    }

    /// A number as version 4 writes how much of the path before is dropped.
    fn varint(&mut self) -> Result<usize, RepoRefusal> {
        let mut value: usize = 0;
        loop {
            let [byte] = *self.take(1)? else { return Err(MALFORMED) };
            value = value.checked_shl(7).ok_or(MALFORMED)? | usize::from(byte & 0x7f);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
            value = value.checked_add(1).filter(|it| *it < 1 << 32).ok_or(MALFORMED)?;
        }
    }
}

#[cfg(test)]
mod tests;
