//! Who descends from whom, and what follows from it: an agent must not approve itself.
//!
//! A process that an agent started may not change what is trusted, however many processes, shells or
//! sessions lie between. It holds a model to its person's word; it is no wall against a program that
//! cuts itself loose from whoever started it.
//!
//! All of it is read from `/proc`. Where there is none, as on macOS, nobody's descent is known and
//! nothing is refused for it.

mod callers;
mod chain;
mod clients;
mod gates;
mod open_files;
mod own_channel;
mod tcp;
mod terminals;

use serde::{Deserialize, Serialize};
use toolgate_config::Variables;

use crate::ancestry;
use crate::commanding::Commander;
use crate::failure::{Exit, Failure};
pub(crate) use callers::HttpCallers;
pub(crate) use chain::{Chain, chain_of};
pub(crate) use clients::Clients;
pub(crate) use own_channel::{Attachment, may_be_asked};

/// What a command asks a daemon about itself; the kernel tells the daemon who asks.
pub(crate) const CHECK: &str = "lineage.check";

/// What it wants to know.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Wish {
    /// What the command is about to do, for the log.
    pub(crate) verb: String,
    /// Whether the system may have it done too, with nobody there.
    pub(crate) is_for_services: bool,
}

/// What the daemon answers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Checked {
    /// Whether an agent that is attached may have started the one who asks.
    pub(crate) is_an_agents: bool,
}

/// An error where an agent, or the gate for one, may have started this process.
///
/// Both are asked: the daemon knows windows of programs that are not this very file and callers that
/// have left, and `/proc` the windows and callers of other daemons, of `--standalone`, and of a daemon
/// that does not answer. The daemon is asked in any case, so that its log tells of it.
pub(crate) fn refuse_to_agents(variables: &Variables, wish: &Wish) -> Result<(), Failure> {
    let chain = chain_of(std::process::id());
    let by_daemon = daemons_word(variables, wish).unwrap_or(false);
    let is_nobodys = || !wish.is_for_services && chain.is_nobodys() && gates::are_used();
    match by_daemon || is_nobodys() || a_gate_may_have_started(&chain) {
        true => Err(refusal()),
        false => Ok(()),
    }
}

/// What the daemon says, if one runs that understands the question and answers soon.
fn daemons_word(variables: &Variables, wish: &Wish) -> Option<bool> {
    let daemon = Commander::find(variables).ok()??;
    daemon.is_an_agents(wish).ok()
}

/// Whether this system tells who descends from whom.
pub(crate) fn is_told() -> bool {
    ancestry::process(std::process::id()).is_some()
}

/// Whether the client or the servers of a gate that runs may have started the process of this chain.
pub(crate) fn a_gate_may_have_started(chain: &Chain) -> bool {
    gates::may_have_started(chain)
}

/// It names no command: whoever reads it first may be the agent.
pub(crate) fn refusal() -> Failure {
    Failure::new(
        "a program that an agent started may not do this; do it yourself, in a terminal of your own",
    )
    .exits(Exit::Denied)
}
