//! Command tools: each is one run of a program, and together they are the server `local`.
//!
//! Lists go the way of any server in our own process (`definition`, `own_tools`); a call does not go over
//! that pipe, since what a command prints is passed on while it runs and slows it down. `prepare` says
//! exactly what would run, for whoever decides and whoever is asked; `run` carries out that and nothing
//! else. Whether it may run is the guard's word, and how it is confined the sandbox's.

mod argv;
mod definition;
mod failure;
mod kept_output;
mod offer;
mod prepare;
mod program;
mod pump;
mod refused;
mod result;
mod run;
mod session_defaults;
mod tally;
mod view;
mod whole_characters;

use std::sync::Arc;

use indexmap::IndexMap;
use toolgate_types::ToolId;
use toolgate_types::config::{CommandTool, Entry, Server, Transport};

pub(crate) use definition::definitions;
pub use failure::CommandError;
pub use offer::command_server;
pub(crate) use prepare::CommandGround;
pub use prepare::PreparedCommand;
pub use result::OutputCheck;
pub(crate) use run::{CommandRun, run};
pub use session_defaults::SessionDefaults;
pub use tally::{CommandFigures, CommandTally};
pub use view::command_view;

/// The command tools of a host, by their names.
pub type CommandTools = Arc<IndexMap<ToolId, Entry<CommandTool>>>;

/// The command tools that a server has: none, unless it is `local`.
pub fn command_tools(server: &Server) -> Option<&CommandTools> {
    match &server.transport {
        Transport::Commands(tools) => Some(tools),
        Transport::Stdio(_) | Transport::Remote(_) | Transport::Builtin => None,
    }
}
