//! Who descends from whom, and what follows from it: an agent must not approve itself.
//!
//! A process that an agent started may not change what is trusted, however many processes, shells or
//! sessions lie between. It holds a model to its person's word; it is no wall against a program that
//! cuts itself loose from whoever started it.
//!
//! All of it is read from `/proc`, but for the number of a connection, which the kernel is asked for. Where
//! there is none, as on macOS, nobody's descent is known and nothing is refused for it.

mod attachment;
mod callers;
mod chain;
mod clients;
mod gate_verb;
mod gates;
mod known_programs;
mod left_behind;
mod open_files;
mod own_channel;
mod seen_process;
mod tcp;
mod terminals;

use toolgate_config::Variables;
use toolgate_control::{CommandExit, CommandFailure, ControlClient, LineageRequest, procfs};

pub(crate) use attachment::Attachment;
pub(crate) use callers::HttpCallers;
pub(crate) use chain::{ProcessChain, chain_of};
pub(crate) use clients::AgentClients;
pub use gate_verb::{GateVerb, GateVerbReader, read_gates_with};
pub(crate) use own_channel::may_be_asked;

/// An error where an agent, or the gate for one, may have started this process.
///
/// Both are asked: the daemon knows windows of programs that are not this very file and callers that
/// have left, and `/proc` the windows and callers of other daemons, of `--standalone`, and of a daemon
/// that does not answer. The daemon is asked in any case, so that its log tells of it.
pub fn refuse_to_agents(
    variables: &Variables,
    wish: &LineageRequest,
) -> Result<(), CommandFailure> {
    let chain = chain_of(std::process::id());
    let by_daemon = daemons_word(variables, wish).unwrap_or(false);
    let is_nobodys = || !wish.is_for_services && chain.is_nobodys() && gates::are_used();
    match by_daemon || is_nobodys() || a_gate_may_have_started(&chain) {
        true => Err(refusal()),
        false => Ok(()),
    }
}

/// What the daemon says, if one runs that understands the question and answers soon.
fn daemons_word(variables: &Variables, wish: &LineageRequest) -> Option<bool> {
    let daemon = ControlClient::find(variables).ok()??;
    daemon.is_an_agents(wish).ok()
}

/// Whether this system tells who descends from whom.
pub(crate) fn is_told() -> bool {
    procfs::process(std::process::id()).is_some()
}

/// Whether the client or the servers of a gate that runs may have started the process of this chain.
pub(crate) fn a_gate_may_have_started(chain: &ProcessChain) -> bool {
    gates::may_have_started(chain)
}

/// It names no command: whoever reads it first may be the agent.
pub fn refusal() -> CommandFailure {
    CommandFailure::new(
        "a program that an agent started may not do this; do it yourself, in a terminal of your own",
    )
    .exits(CommandExit::Denied)
}
