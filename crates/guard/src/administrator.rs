//! What the administrator of a machine has laid down: narrower than everything else, and widened by
//! nothing.
//!
//! Only the meaning. The file is read elsewhere, and that nobody but an administrator can write it
//! is the file system's word.

mod server_rule;

use std::sync::Arc;

use toolgate_types::config::{CallRule, CommandTool, Server, StdioServer, Transport};
use toolgate_types::{Origin, Pattern};

pub use server_rule::{RuleError, ServerRule};

use crate::list::{ListEffect, ListOwner, ListRule, NameList};
use crate::visibility::HiddenReason;

/// The rules of a machine.
#[derive(Debug, Clone, Default)]
pub struct Administrator {
    /// The servers that may be used; all where there is no such list, none where it is empty.
    pub allowed_servers: Option<Vec<ServerRule>>,
    /// Tools that nobody sees or calls.
    pub deny_tools: Vec<Pattern>,
    /// Tools that a person is asked for at each call, whatever else is configured or was granted.
    pub force_approval: Vec<Pattern>,
    /// Rules about calls. They ask and deny; one that allows counts for nothing, since an administrator
    /// takes away and leaves it to the person what runs unasked.
    pub rules: Vec<CallRule>,
    /// Where the lists were read from, by their keys.
    pub origins: Vec<Origin>,
}

impl Administrator {
    /// Whether a server may be used. Built-in servers are part of this program and nobody else's.
    pub fn permits_server(&self, server: &Server) -> Result<(), HiddenReason> {
        let Some(rules) = &self.allowed_servers else { return Ok(()) };
        let is_permitted = match &server.transport {
            Transport::Builtin => true,
            // Each is looked at by itself, before it is offered.
            Transport::Commands(_) => true,
            Transport::Stdio(StdioServer { command, args, .. }) => {
                rules.iter().any(|rule| rule.permits_process(command, args))
            }
            Transport::Remote(remote) => {
                rules.iter().any(|rule| rule.permits_endpoint(&remote.endpoint))
            }
        };
        if is_permitted {
            Ok(())
        } else {
            let list = self.list(ListEffect::AllowServers, "allowed_servers");
            Err(HiddenReason::ServerNotPermitted(Arc::new(list)))
        }
    }

    /// Whether a command tool may be used: the rules about processes hold for it as well.
    pub fn permits_tool(&self, tool: &CommandTool) -> bool {
        let permits = |rule: &ServerRule| rule.permits_process(&tool.command, &tool.args);
        self.allowed_servers.as_ref().is_none_or(|rules| rules.iter().any(permits))
    }

    pub(crate) fn denies(&self) -> Vec<ListRule> {
        self.list(ListEffect::Deny, "deny_tools").rules(&self.deny_tools)
    }

    pub(crate) fn forced(&self) -> Vec<ListRule> {
        self.list(ListEffect::ForceApproval, "force_approval").rules(&self.force_approval)
    }

    /// Where a list was read from.
    pub(crate) fn place(&self, key: &str) -> Option<Origin> {
        let is_it = |origin: &&Origin| origin.key.rsplit('.').next() == Some(key);
        self.origins.iter().find(is_it).cloned()
    }

    fn list(&self, effect: ListEffect, key: &str) -> NameList {
        NameList { whose: ListOwner::Administrator, effect, origin: self.place(key) }
    }
}
