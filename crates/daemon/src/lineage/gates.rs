//! Gates that run now, as anybody can see them: shims with the clients that started them, those who
//! are connected over HTTP, and the daemons, whose servers do what agents call for.
//!
//! A gate is known by the file it runs, which is ours. What another file runs, a daemon knows.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

use toolgate_control::procfs;

use super::{Attachment, Chain, Clients, tcp};

/// What a gate was told to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GateVerb {
    /// It is a shim, or a gate for one client alone.
    Stdio,
    Daemon,
    Serve,
}

/// Reads the arguments of a process of this program as it reads them itself; nothing where that is
/// no gate.
pub type GateVerbReader = fn(&[String]) -> Option<GateVerb>;

/// Handed in by the program, since only it knows what its arguments mean.
static READER: OnceLock<GateVerbReader> = OnceLock::new();

/// From now on gates are known by this. The first word counts.
pub fn read_gates_with(reader: GateVerbReader) {
    let _ = READER.set(reader);
}

/// How long a shim may take to end once its client is gone.
const PATIENCE: Duration = Duration::from_secs(3);

const EVERY: Duration = Duration::from_millis(50);

/// How long a client is looked at before it counts as one.
const SURE_AFTER: Duration = Duration::from_millis(200);

/// Whether the client or the servers of one of them may have started the process of this chain.
pub(super) fn may_have_started(chain: &Chain) -> bool {
    lasting(chain, PATIENCE, look)
}

/// A shim that is about to end has no client any more, or is gone while it is looked at. Only one
/// that stays like that has a client who hides. Of a terminal that is about to close, the shell that
/// leads it has none for a moment, and whoever opened it looks like a client: only one that goes on
/// looking like that is.
fn lasting(chain: &Chain, patience: Duration, look: impl Fn() -> BTreeMap<u32, Clients>) -> bool {
    let until = Instant::now() + patience;
    let mut hiding: Option<Vec<u32>> = None;
    let mut claimed: Option<(Instant, Vec<u32>)> = None;
    loop {
        let gates = look();
        let descends = |clients: &Clients| chain.descends_from(&clients.processes);
        let claiming = gates.iter().filter(|(_, clients)| descends(clients)).map(|(pid, _)| *pid);
        let claiming: Vec<u32> = claiming.collect();
        if !claiming.is_empty() {
            if Instant::now() >= until {
                return true;
            }
            claimed = Some(match claimed.take() {
                Some((since, by)) if by.iter().any(|gate| claiming.contains(gate)) => {
                    if since.elapsed() >= SURE_AFTER {
                        return true;
                    }
                    (since, by.into_iter().filter(|gate| claiming.contains(gate)).collect())
                }
                _ => (Instant::now(), claiming),
            });
            thread::sleep(EVERY);
            continue;
        }
        claimed = None;
        let may = |pid: &u32| gates.get(pid).is_some_and(|gate| gate.may_have_started(chain));
        let all = hiding.unwrap_or_else(|| gates.keys().copied().collect());
        let left: Vec<u32> = all.into_iter().filter(may).collect();
        if left.is_empty() || Instant::now() >= until {
            return !left.is_empty();
        }
        hiding = Some(left);
        thread::sleep(EVERY);
    }
}

/// Whose descendants may not change what is trusted, by the number of the gate.
fn look() -> BTreeMap<u32, Clients> {
    let own = std::process::id();
    let ours = procfs::of_this_user().filter(|pid| *pid != own && runs_this_file(*pid));
    let ours: Vec<u32> = ours.collect();
    let is_open = |pid: &u32| matches!(verb_of(&procfs::arguments(*pid)), Some(GateVerb::Serve));
    let open: Vec<u32> = ours.iter().copied().filter(is_open).collect();
    let mut callers = tcp::callers_of(&open);
    let clients = ours.into_iter().filter_map(|pid| match verb_of(&procfs::arguments(pid))? {
        GateVerb::Stdio => Some((pid, Clients::of_window(Some(pid)))),
        // What it starts are servers.
        GateVerb::Daemon => Some((pid, Clients::only(Some(procfs::process(pid)?)))),
        GateVerb::Serve => {
            let gate = procfs::process(pid)?;
            let callers = callers.remove(&pid).unwrap_or_default();
            let mut clients = Clients::of_connection(&callers).and(&[gate]);
            clients.heads.push(gate);
            // Nobody is there, so nobody hides.
            clients.is_hidden = false;
            Some((pid, clients))
        }
    });
    clients.collect()
}

/// Whether anybody is attached to one of them.
pub(super) fn are_used() -> bool {
    let ourselves = |gate: &u32, clients: &Clients| clients.heads.iter().all(|it| it.pid == *gate);
    look().iter().any(|(gate, clients)| clients.is_hidden || !ourselves(gate, clients))
}

/// All who are attached to one of them. Below a gate are servers, so it is one of them itself.
pub(super) fn attachments() -> Vec<Attachment> {
    let is_window = |pid: u32| matches!(verb_of(&procfs::arguments(pid)), Some(GateVerb::Stdio));
    let attached = look().into_iter().map(|(pid, clients)| match is_window(pid) {
        true => Attachment::Window(clients),
        false => Attachment::Connection(clients),
    });
    attached.collect()
}

/// Whether a process with these arguments is a daemon of this program.
pub(super) fn is_gate(pid: u32, arguments: &[String]) -> bool {
    runs_this_file(pid) && matches!(verb_of(arguments), Some(GateVerb::Daemon | GateVerb::Serve))
}

fn runs_this_file(pid: u32) -> bool {
    let program = procfs::executable(std::process::id());
    program.is_some() && procfs::executable(pid) == program
}

/// What a process of ours was told to do, read as it reads it itself.
fn verb_of(arguments: &[String]) -> Option<GateVerb> {
    READER.get()?(arguments)
}

#[cfg(test)]
mod tests;
