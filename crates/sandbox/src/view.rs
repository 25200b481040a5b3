//! What a confined process would see, without starting it: for the person who wants to know.

use std::ffi::{CStr, OsStr};
use std::fmt;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use toolgate_types::config::{NetworkAccess, ResourceLimits};
use toolgate_types::visible;

use crate::walls::{RootStep, Walls};

/// What walls let through, as the process sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxView {
    /// Folders and files of the machine that may be read.
    pub readable: Vec<PathBuf>,
    /// Those that may be written to.
    pub writable: Vec<PathBuf>,
    /// Empty folders that may be written to and are gone afterwards.
    pub scratch: Vec<PathBuf>,
    /// What is there and hidden.
    pub hidden: Vec<PathBuf>,
    pub network: NetworkAccess,
    pub limits: ResourceLimits,
}

impl SandboxView {
    pub(crate) fn of(walls: &Walls) -> Self {
        let mut view = Self {
            readable: Vec::new(),
            writable: Vec::new(),
            scratch: Vec::new(),
            hidden: Vec::new(),
            network: walls.network.clone(),
            limits: walls.limits,
        };
        for step in &walls.steps {
            match step {
                RootStep::Show { at, is_writable: true, .. } => view.writable.push(path(at)),
                RootStep::Show { at, is_writable: false, .. } => view.readable.push(path(at)),
                RootStep::Overlay { at, .. } => view.writable.push(path(at)),
                RootStep::Scratch { at, .. } => view.scratch.push(path(at)),
                RootStep::Empty { at } | RootStep::Blank { at } => view.hidden.push(path(at)),
                // It shows nothing that is not shown under its own name.
                RootStep::Link { .. } | RootStep::Text { .. } => {}
            }
        }
        view
    }
}

impl fmt::Display for SandboxView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { readable, writable, scratch, hidden, network, limits } = self;
        let places = [
            ("writes", writable),
            ("writes, and it is gone afterwards", scratch),
            ("reads", readable),
            ("sees as empty", hidden),
        ];
        for (what, places) in places.into_iter().filter(|(_, places)| !places.is_empty()) {
            writeln!(f, "{what}")?;
            for place in places {
                writeln!(f, "  {}", visible(&place.display().to_string()))?;
            }
        }
        f.write_str("reaches\n")?;
        match network {
            NetworkAccess::Everything => f.write_str("  the whole network\n")?,
            NetworkAccess::Named(hosts) => {
                hosts.iter().try_for_each(|host| writeln!(f, "  {host}"))?;
            }
            NetworkAccess::Off => f.write_str("  nothing\n")?,
        }
        let mb = |bytes: u64| bytes >> 20;
        writeln!(
            f,
            "uses at most\n  {} processes\n  {} MiB of memory\n  {} MiB in one file\n  {} MiB in /tmp",
            limits.processes,
            mb(limits.memory_bytes),
            mb(limits.file_bytes),
            mb(limits.scratch_bytes)
        )?;
        match limits.cpu_seconds {
            0 => Ok(()),
            seconds => writeln!(f, "  {seconds} s of CPU time for each process"),
        }
    }
}

fn path(text: &CStr) -> PathBuf {
    OsStr::from_bytes(text.to_bytes()).into()
}
