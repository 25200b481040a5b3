//! What a run that was learned from used, as the one who watched it wrote it down.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::net::SocketAddr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::sync::Arc;

use toolgate_types::NetworkDecision;

use crate::NetworkLog;

/// What was done with a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub(crate) enum AccessKind {
    Read = b'r',
    Written = b'w',
    /// It was not there before.
    Made = b'm',
    /// A name that led elsewhere.
    Link = b'l',
    /// Not a place of files but an address.
    Connected = b'c',
}

impl AccessKind {
    const ALL: [Self; 5] = [Self::Read, Self::Written, Self::Made, Self::Link, Self::Connected];

    fn of(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| *kind as u8 == byte)
    }
}

/// Everything that a program used, by real paths.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LearnedAccess {
    pub(crate) read: BTreeSet<PathBuf>,
    pub(crate) written: BTreeSet<PathBuf>,
    pub(crate) made: BTreeSet<PathBuf>,
    pub(crate) links: BTreeSet<PathBuf>,
    pub(crate) connected: BTreeSet<SocketAddr>,
    pub(crate) hosts: Vec<NetworkDecision>,
}

impl LearnedAccess {
    fn parse(log: &[u8]) -> Self {
        let mut learned = Self::default();
        for record in log.split(|byte| *byte == 0) {
            let Some((kind, text)) = record.split_first() else { continue };
            let path = || PathBuf::from(OsStr::from_bytes(text));
            match AccessKind::of(*kind) {
                Some(AccessKind::Read) => drop(learned.read.insert(path())),
                Some(AccessKind::Written) => drop(learned.written.insert(path())),
                Some(AccessKind::Made) => drop(learned.made.insert(path())),
                Some(AccessKind::Link) => drop(learned.links.insert(path())),
                Some(AccessKind::Connected) => {
                    let text = str::from_utf8(text).unwrap_or_default();
                    let address = text.parse::<SocketAddr>().ok();
                    learned.connected.extend(address);
                }
                None => {}
            }
        }
        learned
    }
}

/// Where a run is written down.
#[derive(Debug)]
pub struct LearningLog {
    pub(crate) file: File,
    pub(crate) network: Arc<NetworkLog>,
}

impl LearningLog {
    /// All of it, once the run has ended.
    pub fn access(mut self) -> io::Result<LearnedAccess> {
        let mut log = Vec::new();
        self.file.rewind()?;
        self.file.read_to_end(&mut log)?;
        Ok(LearnedAccess { hosts: self.network.decisions(), ..LearnedAccess::parse(&log) })
    }
}
