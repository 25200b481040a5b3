//! Gates that run now, as anybody can see them: shims with the clients that started them, those who
//! are connected over HTTP, and the daemons, whose servers do what agents call for.
//!
//! A gate is known by the file it runs, which is ours. What another file runs, a daemon knows.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use toolgate_control::procfs;

use super::attachment::Attachment;
use super::gate_verb::{GateVerb, runs_this_file, verb_of};
use super::{AgentClients, ProcessChain, tcp};

/// How long a shim may take to end once its client is gone.
const PATIENCE: Duration = Duration::from_secs(3);

const EVERY: Duration = Duration::from_millis(50);

/// How long a client is looked at before it counts as one.
const SURE_AFTER: Duration = Duration::from_millis(500);

/// Whether the client or the servers of one of them may have started the process of this chain.
pub(super) fn may_have_started(chain: &ProcessChain) -> bool {
    lasting(|| chain.looked_at_again(), PATIENCE, look)
}

/// A shim that is about to end has no client any more, or is gone while it is looked at. Only one
/// that stays like that has a client who hides. Of a terminal that is about to close, the shell that
/// leads it has none for a moment, and whoever opened it looks like a client: only one that goes on
/// looking like that is. And whoever is about to start something holds, until that runs, everything
/// that its parent holds, the far sides of terminals among them: so the chain is looked at anew too.
fn lasting(
    chain: impl Fn() -> ProcessChain,
    patience: Duration,
    look: impl Fn() -> BTreeMap<u32, AgentClients>,
) -> bool {
    let until = Instant::now() + patience;
    let mut hiding: Option<Vec<u32>> = None;
    let mut claimed: Option<(Instant, Vec<u32>)> = None;
    loop {
        let (chain, gates) = (&chain(), look());
        let descends = |clients: &AgentClients| chain.descends_from(&clients.processes);
        let claiming = gates.iter().filter(|(_, clients)| descends(clients)).map(|(pid, _)| *pid);
        let claiming: Vec<u32> = claiming.collect();
        if !claiming.is_empty() {
            if Instant::now() >= until {
                return true;
            }
            tracing::debug!(target: "toolgate", %chain, gates = ?claiming, "below a gate's client");
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
fn look() -> BTreeMap<u32, AgentClients> {
    let own = std::process::id();
    let ours = procfs::of_this_user().filter(|pid| *pid != own && runs_this_file(*pid));
    let ours: Vec<u32> = ours.collect();
    // `serve` has a daemon listen that runs already, so that its callers are that one's.
    let is_open = |pid: &u32| {
        matches!(verb_of(&procfs::arguments(*pid)), Some(GateVerb::Serve | GateVerb::Daemon))
    };
    let open: Vec<u32> = ours.iter().copied().filter(is_open).collect();
    let mut callers = tcp::callers_of(&open);
    let clients = ours.into_iter().filter_map(|pid| match verb_of(&procfs::arguments(pid))? {
        GateVerb::Stdio => Some((pid, AgentClients::of_window(Some(pid)))),
        // What it starts are servers.
        GateVerb::Daemon | GateVerb::Serve => {
            let gate = procfs::process(pid)?;
            let callers = callers.remove(&pid).unwrap_or_default();
            let mut clients = AgentClients::of_connection(&callers).and(&[gate]);
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
    let ourselves =
        |gate: &u32, clients: &AgentClients| clients.heads.iter().all(|it| it.pid == *gate);
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

#[cfg(test)]
mod tests;
