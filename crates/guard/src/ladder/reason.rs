//! The step of a ladder that spoke, and the sentence for a person who wants to know why.

use std::borrow::Cow;
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
    /// The whole sentence about it.
    fn as_reason(self) -> &'static str {
        match self {
            Self::ReadOnly => "`approval = \"auto\"`, and the server says that the tool only reads",
            Self::NotReadOnly => {
                "`approval = \"auto\"`, and the server says that the tool does more than read"
            }
            Self::Destructive => {
                "`approval = \"auto\"`, and the server says that the tool may destroy something"
            }
            Self::OpenWorld => {
                "`approval = \"auto\"`, and the server says that the tool reaches into the open world"
            }
            Self::Missing => {
                "`approval = \"auto\"`, and the server says that the tool does nothing in particular: \
                 it is not annotated"
            }
        }
    }
}

impl DecisionReason {
    /// The sentence: what most calls are allowed by has the same one each time.
    pub(crate) fn sentence(&self) -> Cow<'static, str> {
        self.fixed_sentence().map_or_else(|| self.to_string().into(), Cow::Borrowed)
    }

    /// Where nothing in it goes by the case.
    fn fixed_sentence(&self) -> Option<&'static str> {
        Some(match self {
            Self::RequiresApproval => "its entry has `requires_approval = true`",
            Self::RequiresNoApproval => {
                "of low risk, and its entry has `requires_approval = false`"
            }
            Self::Prompt { of_tool: true } => "`approval = \"prompt\"` of the tool",
            Self::Prompt { of_tool: false } => "`approval = \"prompt\"` of the server",
            Self::Annotated(annotation) => annotation.as_reason(),
            Self::Approved { of_tool: true } => "`approval = \"approve\"` of the tool",
            Self::Approved { of_tool: false } => "`approval = \"approve\"` of the server",
            Self::Unlike(DefinitionMismatch::Accepted) => {
                "its definition is not the one that was accepted"
            }
            Self::Unlike(DefinitionMismatch::Lock) => {
                "its definition is not the one in `toolgate.lock`"
            }
            Self::Unlike(DefinitionMismatch::Chosen) => {
                "`approval = \"auto\"`, and the tool was not there when that was chosen"
            }
            Self::Default => "nothing is configured, so a person is asked",
            Self::SessionGrant => "a person approved it for this session",
            Self::Visible => "the caller sees it",
            Self::Hidden(_)
            | Self::FolderNotAllowed(_)
            | Self::Arguments(_)
            | Self::Forced(_)
            | Self::HighRisk(_)
            | Self::ModeNeedsTrust(_)
            | Self::Rule(_) => return None,
        })
    }
}

impl fmt::Display for DecisionReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(sentence) = self.fixed_sentence() {
            return f.write_str(sentence);
        }
        match self {
            Self::Hidden(why) => why.fmt(f),
            Self::FolderNotAllowed(list) => write!(f, "its working folder is not in {list}"),
            Self::Arguments(trespass) => trespass.fmt(f),
            Self::Forced(rule) => write!(f, "asked for each time by {rule}"),
            Self::HighRisk(risks) => write!(f, "of high risk: {risks}"),
            Self::ModeNeedsTrust(mode) => {
                write!(f, "`approval = \"{mode}\"` counts for trusted servers only")
            }
            Self::Rule(rule) => rule.fmt(f),
            // These are the same each time.
            _ => Ok(()),
        }
    }
}
