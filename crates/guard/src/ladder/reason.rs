//! The step of a ladder that spoke, and the sentence for a person who wants to know why.

use std::fmt;
use std::sync::Arc;

use toolgate_types::config::ApprovalMode;

use crate::arguments::ArgumentTrespass;
use crate::call_rules::WrittenRule;
use crate::case::DefinitionMismatch;
use crate::list::{ListRule, NameList};
use crate::visibility::HiddenReason;

/// Why something is allowed, asked for or denied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecisionReason {
    /// Deny: the caller does not see it.
    Hidden(HiddenReason),
    /// Deny: a command tool would run outside the allowed folders.
    FolderNotAllowed(Arc<NameList>),
    /// Deny: a rule about arguments.
    Arguments(ArgumentTrespass),
    /// Ask: the administrator wants a person asked.
    Forced(ListRule),
    /// Ask: what a command tool could do.
    HighRisk(CommandRisks),
    /// Ask or allow: the command tool's own `requires_approval`.
    RequiresApproval,
    RequiresNoApproval,
    /// Ask: mode `prompt`, of the tool or of its server.
    Prompt {
        of_tool: bool,
    },
    /// Ask: a mode that only counts for a trusted server.
    ModeNeedsTrust(ApprovalMode),
    /// Allow or ask: mode `auto` of a trusted server.
    Annotated(Annotation),
    /// Allow: mode `approve` of a trusted server.
    Approved {
        of_tool: bool,
    },
    /// Allow, ask or deny: a rule about calls with such arguments.
    Rule(Arc<WrittenRule>),
    /// Ask: it is not what it was when it was accepted.
    Unlike(DefinitionMismatch),
    /// Ask: nothing is configured.
    Default,
    /// Allow: a person said so for this session.
    SessionGrant,
    /// Allow: a resource or prompt that the caller sees.
    Visible,
}

/// What a command tool could do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandRisks {
    pub writes: bool,
    pub network: bool,
    pub network_allowed: bool,
    pub unconfined: bool,
    pub undeclared: bool,
}

impl CommandRisks {
    pub(super) fn any(self) -> bool {
        let Self { writes, network, network_allowed, unconfined, undeclared } = self;
        writes || network || network_allowed || unconfined || undeclared
    }
}

impl fmt::Display for CommandRisks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { writes, network, network_allowed, unconfined, undeclared } = *self;
        let named = [
            (writes, "it writes files"),
            (network, "it uses the network"),
            (network_allowed, "the network is open to it"),
            (unconfined, "it runs outside the sandbox"),
            (undeclared, "it does not declare its effects"),
        ];
        let named: Vec<_> = named.iter().filter(|(is, _)| *is).map(|(_, word)| *word).collect();
        f.write_str(&named.join(", "))
    }
}

/// What a trusted server says of a tool, taken together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Annotation {
    ReadOnly,
    NotReadOnly,
    Destructive,
    OpenWorld,
    Missing,
}

impl Annotation {
    fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "only reads",
            Self::NotReadOnly => "does more than read",
            Self::Destructive => "may destroy something",
            Self::OpenWorld => "reaches into the open world",
            Self::Missing => "does nothing in particular: it is not annotated",
        }
    }
}

impl fmt::Display for DecisionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whose = |of_tool: bool| if of_tool { "the tool" } else { "the server" };
        match self {
            Self::Hidden(why) => why.fmt(f),
            Self::FolderNotAllowed(list) => write!(f, "its working folder is not in {list}"),
            Self::Arguments(trespass) => trespass.fmt(f),
            Self::Forced(rule) => write!(f, "asked for each time by {rule}"),
            Self::HighRisk(risks) => write!(f, "of high risk: {risks}"),
            Self::RequiresApproval => f.write_str("its entry has `requires_approval = true`"),
            Self::RequiresNoApproval => {
                f.write_str("of low risk, and its entry has `requires_approval = false`")
            }
            Self::Prompt { of_tool } => write!(f, "`approval = \"prompt\"` of {}", whose(*of_tool)),
            Self::ModeNeedsTrust(mode) => {
                write!(f, "`approval = \"{mode}\"` counts for trusted servers only")
            }
            Self::Annotated(annotation) => write!(
                f,
                "`approval = \"auto\"`, and the server says that the tool {}",
                annotation.as_str()
            ),
            Self::Approved { of_tool } => {
                write!(f, "`approval = \"approve\"` of {}", whose(*of_tool))
            }
            Self::Unlike(DefinitionMismatch::Accepted) => {
                f.write_str("its definition is not the one that was accepted")
            }
            Self::Unlike(DefinitionMismatch::Lock) => {
                f.write_str("its definition is not the one in `toolgate.lock`")
            }
            Self::Unlike(DefinitionMismatch::Chosen) => f.write_str(
                "`approval = \"auto\"`, and the tool was not there when that was chosen",
            ),
            Self::Rule(rule) => rule.fmt(f),
            Self::Default => f.write_str("nothing is configured, so a person is asked"),
            Self::SessionGrant => f.write_str("a person approved it for this session"),
            Self::Visible => f.write_str("the caller sees it"),
        }
    }
}
