//! What is decided about: whose tool, resource or prompt it is, and who asks for it.

use std::fmt;
use std::path::Path;

use serde_json::value::RawValue;
use toolgate_types::config::{
    ApprovalMode, CommandTool, NetworkAccess, SandboxProfile, Server, SideEffects,
};
use toolgate_types::{Digest, Principal, ServerId, SessionId, ToolHints};

/// Who has a tool, a resource or a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MatterOwner<'a> {
    /// The pseudo-server of the command tools.
    Local,
    Server(&'a ServerId),
}

impl<'a> MatterOwner<'a> {
    /// What the command tools' pseudo-server is called in patterns. No server can have this id.
    pub const LOCAL: &'static str = ServerId::LOCAL;

    pub fn as_str(self) -> &'a str {
        match self {
            Self::Local => Self::LOCAL,
            Self::Server(id) => id.as_str(),
        }
    }
}

impl fmt::Display for MatterOwner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What kind of thing a name belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MatterKind {
    Tool,
    Resource,
    Prompt,
}

impl MatterKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Resource => "resource",
            Self::Prompt => "prompt",
        }
    }
}

/// One thing, with what the configuration and its own definition say of it.
#[derive(Debug, Clone, Copy)]
pub struct PolicyMatter<'a> {
    /// The raw name, or the URI.
    pub name: &'a str,
    pub what: MatterDetail<'a>,
}

impl<'a> PolicyMatter<'a> {
    pub fn owner(&self) -> MatterOwner<'a> {
        match self.what {
            MatterDetail::CommandTool(_) => MatterOwner::Local,
            MatterDetail::ServerTool { server, .. }
            | MatterDetail::Resource { server }
            | MatterDetail::Prompt { server } => MatterOwner::Server(server),
        }
    }
}

/// What kind of thing, whose it is, and what its ladder looks at.
#[derive(Debug, Clone, Copy)]
pub enum MatterDetail<'a> {
    CommandTool(CommandFacts<'a>),
    ServerTool {
        server: &'a ServerId,
        /// The mode of the server's entry.
        mode: Option<ApprovalMode>,
        /// The mode of this tool in that entry.
        tool_mode: Option<ApprovalMode>,
        /// What the server says of the tool.
        hints: ToolHints,
    },
    Resource {
        server: &'a ServerId,
    },
    Prompt {
        server: &'a ServerId,
    },
}

impl<'a> MatterDetail<'a> {
    /// A server's tool, with the modes of the server's entry.
    pub fn tool_of(server: &'a ServerId, entry: &Server, name: &str, hints: ToolHints) -> Self {
        let tool_mode = entry.tool_settings.get(name).and_then(|tool| tool.approval);
        Self::ServerTool { server, mode: entry.approval, tool_mode, hints }
    }

    pub fn kind(&self) -> MatterKind {
        match self {
            Self::CommandTool(_) | Self::ServerTool { .. } => MatterKind::Tool,
            Self::Resource { .. } => MatterKind::Resource,
            Self::Prompt { .. } => MatterKind::Prompt,
        }
    }
}

/// What the ladder of the command tools looks at.
#[derive(Debug, Clone, Copy)]
pub struct CommandFacts<'a> {
    pub side_effects: &'a SideEffects,
    pub profile: SandboxProfile,
    /// What of the network is open to it.
    pub network: &'a NetworkAccess,
    pub requires_approval: bool,
    /// The folder it would run in, absolute, after all overrides.
    pub cwd: &'a Path,
}

impl<'a> CommandFacts<'a> {
    pub fn of(tool: &'a CommandTool, cwd: &'a Path) -> Self {
        Self {
            side_effects: &tool.side_effects,
            profile: tool.confinement.profile,
            network: &tool.confinement.network,
            requires_approval: tool.requires_approval,
            cwd,
        }
    }
}

/// One thing asked for by somebody.
#[derive(Debug, Clone, Copy)]
pub struct PolicyCase<'a> {
    pub matter: PolicyMatter<'a>,
    pub principal: &'a Principal,
    /// Where there is none, nothing was granted for it.
    pub session: Option<&'a SessionId>,
    /// The hash of the definition as it is now; of the entry, for a command tool.
    pub definition: Digest,
    pub grants: &'a [SessionGrant],
    /// Where it is not what a person, or a project's lock, holds it to be.
    pub unlike: Option<DefinitionMismatch>,
    pub arguments: Option<&'a RawValue>,
    /// The definition as the server sends it now, where there is one.
    pub defined: Option<&'a str>,
}

/// What a definition differs from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DefinitionMismatch {
    /// What was accepted of its server.
    Accepted,
    /// What `toolgate.lock` of the project names.
    Lock,
    /// What there was when a person let this server's tools run that only read: it came later.
    Chosen,
}

/// A person's approval kept for a session, for one tool as it was defined then.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionGrant {
    pub principal: Principal,
    pub session: SessionId,
    /// [`MatterOwner::as_str`].
    pub owner: String,
    pub tool: String,
    pub definition: Digest,
}

impl SessionGrant {
    pub(crate) fn covers(&self, case: &PolicyCase<'_>) -> bool {
        let Self { principal, session, owner, tool, definition } = self;
        case.session == Some(session)
            && case.principal == principal
            && case.matter.what.kind() == MatterKind::Tool
            && case.matter.owner().as_str() == owner
            && case.matter.name == tool
            && case.definition == *definition
    }
}
