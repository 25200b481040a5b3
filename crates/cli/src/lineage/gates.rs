//! Gates that run now, as anybody can see them: shims with the clients that started them, and the
//! daemons, whose servers do what agents call for.
//!
//! A gate is known by the file it runs, which is ours. What another file runs, a daemon knows.

use std::collections::BTreeMap;
use std::thread;
use std::time::{Duration, Instant};

use clap::Parser as _;

use super::{Chain, Clients};
use crate::ancestry;
use crate::args::{Arguments, TopVerb, Verb};

/// How long a shim may take to end once its client is gone.
const PATIENCE: Duration = Duration::from_secs(3);

const EVERY: Duration = Duration::from_millis(50);

/// Whether the client or the servers of one of them may have started the process of this chain.
pub(super) fn may_have_started(chain: &Chain) -> bool {
    lasting(chain, PATIENCE, look)
}

/// A shim that is about to end has no client any more, or is gone while it is looked at. Only one
/// that stays like that has a client who hides.
fn lasting(chain: &Chain, patience: Duration, look: impl Fn() -> BTreeMap<u32, Clients>) -> bool {
    let until = Instant::now() + patience;
    let mut hiding: Option<Vec<u32>> = None;
    loop {
        let gates = look();
        if gates.values().any(|clients| chain.descends_from(&clients.processes)) {
            return true;
        }
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
    let program = ancestry::executable(own);
    let others = ancestry::of_this_user().filter(|pid| *pid != own);
    let gates = others.filter(|pid| program.is_some() && ancestry::executable(*pid) == program);
    let clients = gates.filter_map(|pid| match verb_of(&ancestry::arguments(pid))? {
        Verb::Stdio(_) => Some((pid, Clients::of_window(Some(pid)))),
        // What it starts are servers.
        Verb::Daemon | Verb::Serve(_) => Some((pid, Clients::only(Some(ancestry::process(pid)?)))),
        _ => None,
    });
    clients.collect()
}

/// What a process of ours was told to do, read as it reads it itself.
fn verb_of(arguments: &[String]) -> Option<Verb> {
    let (TopVerb::Verb(verb) | TopVerb::Mcp { verb }) =
        Arguments::try_parse_from(arguments).ok()?.verb;
    Some(verb)
}

#[cfg(test)]
mod tests;
