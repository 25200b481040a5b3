//! The requesting clients of a window or a connection: the process that started the shim, or those
//! that hold the connection, found by looking and never by what they say.
//!
//! An entry for `toolgate stdio` may have come with a cloned repository, and with it something that
//! stands between the client and the shim, so as to be taken for the client. What only hands things
//! on is climbed over: a shell that was told a command, and whatever reads the very pipe that the
//! shim reads. Something with a pipe of its own looks like a client, so everybody above counts too,
//! up to where a person may sit: the shell that leads a terminal's session, whatever belongs to the
//! desktop or to another user, and the system's first process.

use toolgate_control::procfs::{ProcessIdentity, ProcessPlace};
use toolgate_types::Requester;

use super::chain::ProcessChain;
use super::left_behind::LONGEST;
use super::seen_process::SeenProcess;

/// The processes whose descendants have no say about what a window or a command asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AgentClients {
    /// The one at the other end first, then those above it.
    pub(crate) processes: Vec<ProcessIdentity>,
    /// Those of them that ask: who uses a window through all the others, who holds a connection.
    pub(crate) heads: Vec<ProcessIdentity>,
    /// Who it was that started it cannot be told any more.
    pub(crate) is_hidden: bool,
}

impl AgentClients {
    /// Those of a window, by the number of the process that attached.
    pub(crate) fn of_window(pid: Option<u32>) -> Self {
        pid.map_or_else(Self::hidden, |pid| Self::above_shim(pid, SeenProcess::of))
    }

    /// Those of a command that somebody runs. Who types it, or has a script that does, is not held
    /// for an agent; agents have a shell run it.
    pub(crate) fn of_command(pid: Option<u32>) -> Self {
        pid.map_or_else(Self::hidden, |pid| Self::above_command(pid, SeenProcess::of))
    }

    /// Those of a connection, by who holds it; nobody is one that cannot be found.
    pub(crate) fn of_connection(holders: &[ProcessIdentity]) -> Self {
        Self::above_holders(holders, SeenProcess::of)
    }

    /// This one and nobody above it; none is one that cannot be found.
    pub(crate) fn only(process: Option<ProcessIdentity>) -> Self {
        process.map_or_else(Self::hidden, |process| Self {
            processes: vec![process],
            heads: vec![process],
            is_hidden: false,
        })
    }

    fn hidden() -> Self {
        Self { processes: Vec::new(), heads: Vec::new(), is_hidden: true }
    }

    /// Whether the process of this chain may be theirs. Where they hide, that is everybody without a
    /// terminal; where the system does not tell who descends from whom, it is nobody.
    pub(crate) fn may_have_started(&self, chain: &ProcessChain) -> bool {
        let is_hidden = self.is_hidden && !chain.has_terminal();
        chain.is_told() && (chain.descends_from(&self.processes) || is_hidden)
    }

    /// As a call carries them.
    pub(crate) fn requester(&self) -> Requester {
        let processes = self.processes.iter().map(|process| (process.pid, process.start));
        Requester::Processes { processes: processes.collect(), is_hidden: self.is_hidden }
    }

    /// These and those, where it does not matter which is whose.
    pub(crate) fn and(mut self, others: &[ProcessIdentity]) -> Self {
        let new = others.iter().filter(|other| !self.processes.contains(other));
        let new: Vec<ProcessIdentity> = new.copied().collect();
        self.processes.extend(new);
        self
    }

    fn above_holders(
        holders: &[ProcessIdentity],
        look: impl Fn(u32) -> Option<SeenProcess>,
    ) -> Self {
        let mut clients = Self::hidden();
        for holder in holders {
            let Some(seen) = look(holder.pid).filter(|seen| seen.place.process == *holder) else {
                continue;
            };
            clients.is_hidden = false;
            clients.heads.push(*holder);
            clients.push(*holder);
            clients.climb(seen, &look);
        }
        clients
    }

    fn push(&mut self, process: ProcessIdentity) {
        if !self.processes.contains(&process) {
            self.processes.push(process);
        }
    }

    fn above_shim(pid: u32, look: impl Fn(u32) -> Option<SeenProcess>) -> Self {
        Self::above(pid, look, SeenProcess::took_in)
    }

    fn above_command(pid: u32, look: impl Fn(u32) -> Option<SeenProcess>) -> Self {
        let command = look(pid);
        let parent = command.as_ref().and_then(|command| look(command.place.parent));
        match (command, parent) {
            // A shell that is gone left it to whoever took it in.
            (Some(command), Some(parent))
                if parent.hands_on_to(&command) || parent.may_have_taken_in(&command.place) =>
            {
                Self::above(pid, look, SeenProcess::may_have_taken_in)
            }
            (command, _) => Self::only(command.map(|command| command.place.process)),
        }
    }

    /// Everybody up to the first who hands nothing on, or to one that is nobody's client.
    fn above(
        pid: u32,
        look: impl Fn(u32) -> Option<SeenProcess>,
        took_in: impl Fn(&SeenProcess, &ProcessPlace) -> bool,
    ) -> Self {
        let Some(shim) = look(pid) else { return Self::hidden() };
        let mut clients = Self::only(Some(shim.place.process));
        clients.heads.clear();
        let mut below = shim.place;
        loop {
            let parent = look(below.parent).filter(|_| clients.processes.len() < LONGEST);
            let Some(parent) = parent.filter(|parent| !took_in(parent, &below)) else {
                clients.is_hidden = true;
                return clients;
            };
            clients.processes.push(parent.place.process);
            clients.is_hidden |= parent.is_stranger_to(&below);
            if !parent.hands_on_to(&shim) {
                clients.heads.push(parent.place.process);
                clients.climb(parent, look);
                return clients;
            }
            below = parent.place;
        }
    }

    /// Everybody above a client, up to where a person may sit.
    fn climb(&mut self, client: SeenProcess, look: impl Fn(u32) -> Option<SeenProcess>) {
        let mut below = client;
        while !below.is_gate && !below.has_a_terminal_for_itself() {
            let parent = look(below.place.parent).filter(|_| self.processes.len() < LONGEST);
            let Some(parent) = parent.filter(|parent| !parent.is_where_a_person_may_sit(&below))
            else {
                return;
            };
            self.push(parent.place.process);
            below = parent;
        }
    }
}

#[cfg(test)]
mod tests;
