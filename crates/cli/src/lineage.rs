//! Who descends from whom, and what follows from it: an agent must not approve itself.
//!
//! A process that an agent started may not change what is trusted, however many processes, shells or
//! sessions lie between. It holds a model to its person's word; it is no wall against a program that
//! cuts itself loose from whoever started it.
//!
//! All of it is read from `/proc`. Where there is none, as on macOS, nobody's descent is known and
//! nothing is refused for it.

mod chain;
mod clients;
mod gates;
mod tcp;

use serde::{Deserialize, Serialize};
use toolgate_config::Variables;

use crate::commanding::Commander;
use crate::failure::{Exit, Failure};
pub(crate) use chain::{Chain, chain_of};
pub(crate) use clients::Clients;
pub(crate) use tcp::tcp_peer;

/// What a command asks a daemon about itself; the kernel tells the daemon who asks.
pub(crate) const CHECK: &str = "lineage.check";

/// What the daemon answers.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Checked {
    /// Whether an agent that is attached may have started the one who asks.
    pub(crate) is_an_agents: bool,
}

/// An error where an agent, or the gate for one, may have started this process.
///
/// Both are asked: the daemon knows windows of programs that are not this very file, and `/proc` the
/// windows of other daemons, of `--standalone`, and of a daemon that does not answer.
pub(crate) fn refuse_to_agents(variables: &Variables) -> Result<(), Failure> {
    let chain = chain_of(std::process::id());
    let is_an_agents = a_gate_may_have_started(&chain) || daemons_word(variables).unwrap_or(false);
    match is_an_agents {
        true => Err(refusal()),
        false => Ok(()),
    }
}

/// What the daemon says, if one runs that understands the question and answers soon.
fn daemons_word(variables: &Variables) -> Option<bool> {
    let daemon = Commander::find(variables).ok()??;
    daemon.is_an_agents().ok()
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
