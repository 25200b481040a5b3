//! The two ladders of approval: for command tools, and for the tools of servers.
//!
//! Each begins where nothing denies any more, goes down step by step and stops at the first that
//! speaks. It looks at what is configured and defined, not at a call: grants and arguments come
//! after it.

mod command;
mod reason;
mod server;

pub use reason::{Annotation, CommandRisks, DecisionReason};

use std::sync::Arc;

use toolgate_types::Trust;
use toolgate_types::config::RuleEffect;

use crate::call_rules::WrittenRule;
use crate::case::{CommandFacts, MatterDetail, PolicyMatter};
use crate::list::ListOwner;
use crate::rules::AudienceRules;
use crate::visibility::ToolExposure;

/// Whether something is done, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LadderRuling {
    Allow(DecisionReason),
    Ask(DecisionReason),
    Deny(DecisionReason),
}

impl LadderRuling {
    pub fn reason(&self) -> &DecisionReason {
        match self {
            Self::Allow(reason) | Self::Ask(reason) | Self::Deny(reason) => reason,
        }
    }

    /// The word for it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Allow(_) => "allow",
            Self::Ask(_) => "ask",
            Self::Deny(_) => "deny",
        }
    }

    /// Asked for this reason, unless it is asked for one that counts more.
    pub(crate) fn raised(&self, reason: DecisionReason) -> Self {
        match self {
            Self::Ask(_) if !self.may_be_kept() => self.clone(),
            _ => Self::Ask(reason),
        }
    }

    /// Ruled by the rule about such calls, if there is one: a deny wins, what asks raises an allow, and
    /// an allow lowers what is asked for want of a better word. It widens nothing that is hidden,
    /// nothing that an administrator or a risk wants asked, and counts for trusted servers only.
    pub(crate) fn by_rule(self, rule: Option<Arc<WrittenRule>>, trust: Trust) -> Self {
        let Some(rule) = rule else { return self };
        match (rule.rule.then, &self) {
            (_, Self::Deny(_)) => self,
            (RuleEffect::Deny, _) => Self::Deny(DecisionReason::Rule(rule)),
            (RuleEffect::Ask, Self::Allow(_)) => Self::Ask(DecisionReason::Rule(rule)),
            // What an administrator wants asked is asked each time.
            (RuleEffect::Ask, Self::Ask(_))
                if rule.whose == ListOwner::Administrator && self.may_be_kept() =>
            {
                Self::Ask(DecisionReason::Rule(rule))
            }
            (
                RuleEffect::Allow,
                Self::Ask(
                    DecisionReason::Default
                    | DecisionReason::Prompt { .. }
                    | DecisionReason::Annotated(_)
                    | DecisionReason::RequiresApproval,
                ),
            ) if trust == Trust::Trusted => Self::Allow(DecisionReason::Rule(rule)),
            _ => self,
        }
    }

    /// Whether a person's answer may be kept for the session; only then is that choice offered.
    pub fn may_be_kept(&self) -> bool {
        match self {
            Self::Ask(DecisionReason::Forced(_)) => false,
            Self::Ask(DecisionReason::Rule(rule)) => rule.whose != ListOwner::Administrator,
            Self::Ask(DecisionReason::HighRisk(risks)) => !risks.unconfined,
            Self::Ask(_) => true,
            Self::Allow(_) | Self::Deny(_) => false,
        }
    }
}

impl std::fmt::Display for LadderRuling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.as_str(), self.reason())
    }
}

/// Whether a person is asked for each call of a command tool, where no rule says otherwise.
pub fn asks_for_command(facts: &CommandFacts<'_>) -> bool {
    matches!(command::climb(facts), LadderRuling::Ask(_))
}

/// What holds for a thing whoever asks for it and with whatever arguments.
pub(crate) fn climb(rules: &AudienceRules, matter: &PolicyMatter<'_>) -> LadderRuling {
    let (owner, name, what) = (matter.owner(), matter.name, matter.what);
    if let ToolExposure::Hidden { why } = rules.visibility().exposes(owner, what.kind(), name) {
        return LadderRuling::Deny(DecisionReason::Hidden(why));
    }
    let forced = || rules.forces_approval(owner, name).cloned().map(DecisionReason::Forced);
    match what {
        MatterDetail::Resource { .. } | MatterDetail::Prompt { .. } => {
            LadderRuling::Allow(DecisionReason::Visible)
        }
        MatterDetail::CommandTool(facts) => match rules.check_folder(facts.cwd) {
            Err(reason) => LadderRuling::Deny(reason),
            Ok(()) => forced().map_or_else(|| command::climb(&facts), LadderRuling::Ask),
        },
        MatterDetail::ServerTool { mode, tool_mode, hints, .. } => {
            let trust = rules.visibility().trust(owner);
            let climb = || server::climb(trust, mode, tool_mode, hints);
            forced().map_or_else(climb, LadderRuling::Ask)
        }
    }
}
