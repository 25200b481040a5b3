//! A process and everybody above it, as they were when it was asked.

use std::fmt::{self, Display, Formatter};
use std::fs;
use std::os::unix::fs::MetadataExt as _;

use nix::sys::stat::{major, minor};
use toolgate_control::procfs::{self, ProcessIdentity, ProcessPlace};

use super::left_behind::{LONGEST, is_left_behind};
use super::terminals::{TerminalHolders, device};

/// How much of a chain is shown.
const SHOWN: usize = 16;

/// `/dev/tty` and `/dev/console`, which are other names for it.
const ALIASES: [(u64, u64); 2] = [(5, 0), (5, 1)];

/// A process and everybody above it, the nearest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProcessChain {
    links: Vec<ChainLink>,
    /// It is not known to its end: nobody is there by that number, or it goes on for too long.
    is_cut: bool,
    /// Whoever types into the terminal of the first, and everybody above those: as good as above it.
    behind: Vec<ProcessIdentity>,
    has_terminal: bool,
    /// Nobody is left who could be asked whose it is.
    is_left_behind: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct ChainLink {
    process: ProcessIdentity,
    name: String,
}

/// The process with this number and everybody above it.
pub(crate) fn chain_of(pid: u32) -> ProcessChain {
    let mut chain = follow(pid, procfs::place, procfs::name);
    if let Some(place) = procfs::place(pid) {
        let TerminalHolders { holders, is_deserted } = TerminalHolders::of(&place);
        let above =
            |holder: &ProcessIdentity| follow(holder.pid, procfs::place, |_| String::new()).links;
        let behind = holders.iter().flat_map(above).map(|link| link.process);
        chain.behind = behind.collect();
        chain.has_terminal = reads_its_terminal(&place) && !is_deserted;
        chain.is_left_behind = is_deserted || is_left_behind(pid);
    }
    // Where nobody can be looked at, nobody is held to be out of sight.
    chain.is_cut &= procfs::place(std::process::id()).is_some();
    chain
}

fn follow(
    pid: u32,
    place: impl Fn(u32) -> Option<ProcessPlace>,
    name: impl Fn(u32) -> String,
) -> ProcessChain {
    let mut links = Vec::new();
    let mut next = place(pid);
    while let Some(ProcessPlace { process, parent, .. }) = next.filter(|_| links.len() < LONGEST) {
        links.push(ChainLink { process, name: name(process.pid) });
        next = place(parent);
    }
    let is_cut = links.is_empty() || next.is_some();
    ProcessChain { links, is_cut, behind: Vec::new(), has_terminal: false, is_left_behind: false }
}

impl ProcessChain {
    /// Whether one of these is in it: the same number and the same start, since numbers come back.
    /// What is above the end of a chain that is not known to its end could be any of them.
    pub(crate) fn descends_from(&self, others: &[ProcessIdentity]) -> bool {
        !others.is_empty() && (self.is_cut || self.all().any(|one| others.contains(&one)))
    }

    /// Whether one of these is above it, and is not the process itself.
    pub(super) fn lies_below(&self, others: &[ProcessIdentity]) -> bool {
        self.is_cut || self.all().skip(1).any(|one| others.contains(&one))
    }

    /// As it is now, or as it was where the process has ended.
    pub(super) fn looked_at_again(&self) -> Self {
        let now = self.links.first().map(|link| chain_of(link.process.pid));
        now.filter(|now| self.links.first().is_some_and(|link| now.is_of(link.process)))
            .unwrap_or_else(|| self.clone())
    }

    fn all(&self) -> impl Iterator<Item = ProcessIdentity> {
        let links = self.links.iter().map(|link| link.process);
        links.chain(self.behind.iter().copied())
    }

    /// Whether this process is at its beginning.
    pub(super) fn is_of(&self, process: ProcessIdentity) -> bool {
        self.links.first().is_some_and(|link| link.process == process)
    }

    /// Whether this system tells who descends from whom.
    pub(super) fn is_told(&self) -> bool {
        self.is_cut || !self.links.is_empty()
    }

    /// Whether the process has a terminal and reads it: a person may sit there.
    pub(crate) fn has_terminal(&self) -> bool {
        self.has_terminal
    }
}

impl ProcessChain {
    /// Whether nobody can tell whose it is, and no person sits at it either: whoever started it is
    /// gone.
    pub(crate) fn is_nobodys(&self) -> bool {
        self.is_left_behind && !self.has_terminal
    }
}

impl Display for ProcessChain {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (at, ChainLink { process, name }) in self.links.iter().take(SHOWN).enumerate() {
            let sign = if at == 0 { "" } else { " < " };
            write!(f, "{sign}{name}({})", process.pid)?;
        }
        if self.is_cut || self.links.len() > SHOWN {
            f.write_str(if self.links.is_empty() { "…" } else { " < …" })?;
        }
        Ok(())
    }
}

/// Whether the standard input of a process is its controlling terminal.
fn reads_its_terminal(place: &ProcessPlace) -> bool {
    let Some(own) = device(place.terminal) else { return false };
    let input = fs::metadata(format!("/proc/{}/fd/0", place.process.pid));
    input.is_ok_and(|input| {
        let read = (major(input.rdev()), minor(input.rdev()));
        read == own || ALIASES.contains(&read)
    })
}

#[cfg(test)]
mod tests;
