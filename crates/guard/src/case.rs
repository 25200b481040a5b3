//! What is decided about: whose tool, resource or prompt it is, and who asks for it.

use std::fmt;
use std::path::Path;

use serde_json::value::RawValue;
use toolgate_types::config::{ApprovalMode, CommandTool, SandboxProfile, Server, SideEffects};
use toolgate_types::{Digest, Hints, Principal, ServerId, SessionId};

/// Who has a tool, a resource or a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Owner<'a> {
    /// The pseudo-server of the command tools.
    Local,
    Server(&'a ServerId),
}

impl<'a> Owner<'a> {
    /// What the command tools' pseudo-server is called in patterns. No server can have this id.
    pub const LOCAL: &'static str = "local";

    pub fn as_str(self) -> &'a str {
        match self {
            Self::Local => Self::LOCAL,
            Self::Server(id) => id.as_str(),
        }
    }
}

impl fmt::Display for Owner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What kind of thing a name belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Tool,
    Resource,
    Prompt,
}

impl Kind {
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
pub struct Matter<'a> {
    /// The raw name, or the URI.
    pub name: &'a str,
    pub what: What<'a>,
}

impl<'a> Matter<'a> {
    pub fn owner(&self) -> Owner<'a> {
        match self.what {
            What::CommandTool(_) => Owner::Local,
            What::ServerTool { server, .. }
            | What::Resource { server }
            | What::Prompt { server } => Owner::Server(server),
        }
    }
}

/// What kind of thing, whose it is, and what its ladder looks at.
#[derive(Debug, Clone, Copy)]
pub enum What<'a> {
    CommandTool(CommandFacts<'a>),
    ServerTool {
        server: &'a ServerId,
        /// The mode of the server's entry.
        mode: Option<ApprovalMode>,
        /// The mode of this tool in that entry.
        tool_mode: Option<ApprovalMode>,
        /// What the server says of the tool.
        hints: Hints,
    },
    Resource {
        server: &'a ServerId,
    },
    Prompt {
        server: &'a ServerId,
    },
}

impl<'a> What<'a> {
    /// A server's tool, with the modes of the server's entry.
    pub fn tool_of(server: &'a ServerId, entry: &Server, name: &str, hints: Hints) -> Self {
        let tool_mode = entry.tool_settings.get(name).and_then(|tool| tool.approval);
        Self::ServerTool { server, mode: entry.approval, tool_mode, hints }
    }

    pub fn kind(&self) -> Kind {
        match self {
            Self::CommandTool(_) | Self::ServerTool { .. } => Kind::Tool,
            Self::Resource { .. } => Kind::Resource,
            Self::Prompt { .. } => Kind::Prompt,
        }
    }
}

/// What the ladder of the command tools looks at.
#[derive(Debug, Clone, Copy)]
pub struct CommandFacts<'a> {
    pub side_effects: &'a SideEffects,
    pub profile: SandboxProfile,
    pub allow_network: bool,
    pub requires_approval: bool,
    /// The folder it would run in, absolute, after all overrides.
    pub cwd: &'a Path,
}

impl<'a> CommandFacts<'a> {
    pub fn of(tool: &'a CommandTool, cwd: &'a Path) -> Self {
        Self {
            side_effects: &tool.side_effects,
            profile: tool.confinement.profile,
            allow_network: tool.confinement.allow_network,
            requires_approval: tool.requires_approval,
            cwd,
        }
    }
}

/// One thing asked for by somebody.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    pub matter: Matter<'a>,
    pub principal: &'a Principal,
    /// Where there is none, nothing was granted for it.
    pub session: Option<&'a SessionId>,
    /// The hash of the definition as it is now; of the entry, for a command tool.
    pub definition: Digest,
    pub grants: &'a [Grant],
    /// Where it is not what a person, or a project's lock, holds it to be.
    pub unlike: Option<Unlike>,
    pub arguments: Option<&'a RawValue>,
}

/// What a definition differs from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Unlike {
    /// What was accepted of its server.
    Accepted,
    /// What `toolgate.lock` of the project names.
    Lock,
}

/// A person's approval kept for a session, for one tool as it was defined then.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Grant {
    pub principal: Principal,
    pub session: SessionId,
    /// [`Owner::as_str`].
    pub owner: String,
    pub tool: String,
    pub definition: Digest,
}

impl Grant {
    pub(crate) fn covers(&self, case: &Case<'_>) -> bool {
        let Self { principal, session, owner, tool, definition } = self;
        case.session == Some(session)
            && case.principal == principal
            && case.matter.what.kind() == Kind::Tool
            && case.matter.owner().as_str() == owner
            && case.matter.name == tool
            && case.definition == *definition
    }
}
