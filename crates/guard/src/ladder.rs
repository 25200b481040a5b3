//! The two ladders of approval: for command tools, and for the tools of servers.
//!
//! Each begins where nothing denies any more, goes down step by step and stops at the first that
//! speaks. It looks at what is configured and defined, not at a call: grants and arguments come
//! after it.

mod command;
mod reason;
mod server;

pub use reason::{Annotation, Reason, Risks};

use crate::case::{Matter, What};
use crate::rules::Rules;
use crate::visibility::Exposed;

/// Whether something is done, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ruling {
    Allow(Reason),
    Ask(Reason),
    Deny(Reason),
}

impl Ruling {
    pub fn reason(&self) -> &Reason {
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
    pub(crate) fn raised(&self, reason: Reason) -> Self {
        match self {
            Self::Ask(_) if !self.may_be_kept() => self.clone(),
            _ => Self::Ask(reason),
        }
    }

    /// Whether a person's answer may be kept for the session; only then is that choice offered.
    pub fn may_be_kept(&self) -> bool {
        match self {
            Self::Ask(Reason::Forced(_)) => false,
            Self::Ask(Reason::HighRisk(risks)) => !risks.unconfined,
            Self::Ask(_) => true,
            Self::Allow(_) | Self::Deny(_) => false,
        }
    }
}

impl std::fmt::Display for Ruling {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.as_str(), self.reason())
    }
}

/// What holds for a thing whoever asks for it and with whatever arguments.
pub(crate) fn climb(rules: &Rules, matter: &Matter<'_>) -> Ruling {
    let (owner, name, what) = (matter.owner(), matter.name, matter.what);
    if let Exposed::Hidden { why } = rules.visibility().exposes(owner, what.kind(), name) {
        return Ruling::Deny(Reason::Hidden(why));
    }
    let forced = || rules.forces_approval(owner, name).cloned().map(Reason::Forced);
    match what {
        What::Resource { .. } | What::Prompt { .. } => Ruling::Allow(Reason::Visible),
        What::CommandTool(facts) => match rules.check_folder(facts.cwd) {
            Err(reason) => Ruling::Deny(reason),
            Ok(()) => forced().map_or_else(|| command::climb(&facts), Ruling::Ask),
        },
        What::ServerTool { mode, tool_mode, hints, .. } => {
            let trust = rules.visibility().trust(owner);
            let climb = || server::climb(trust, mode, tool_mode, hints);
            forced().map_or_else(climb, Ruling::Ask)
        }
    }
}
