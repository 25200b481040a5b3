//! The switch `enable_mcp_server_surface`, as it stands for one folder.
//!
//! Closed, agents see what they saw without Toolgate: the servers that the configuration names, each
//! tool under its own name. What Toolgate brings itself or makes of a command is not there. The switch
//! does not settle who may call what: trust, policies, approval and records hold either way, and the
//! addresses of roles stay what they are.

use toolgate_types::config::{Config, Naming, Transport};

/// The names that a closed surface has, whatever else was chosen.
pub(crate) const CLOSED_NAMING: Naming = Naming::Bare;

/// What a person is told who starts a gateway in a folder like that.
pub const WHAT_IS_CLOSED: &str =
    "`enable_mcp_server_surface` is off here: only servers are served, under their own names";

pub fn is_closed(config: &Config) -> bool {
    !config.gateway.enable_mcp_server_surface
}

/// Leaves what was there before Toolgate.
pub(crate) fn close(config: &mut Config) {
    config.tools.clear();
    config.servers.retain(|_, server| !matches!(server.value.transport, Transport::Builtin));
}
