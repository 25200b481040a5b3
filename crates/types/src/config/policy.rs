//! Allow and deny lists and rules about calls, as they were configured. Matching them is the guard's work.

use crate::{Digest, Pattern};

words! {
    /// What becomes of a call that a rule is about.
    RuleEffect {
        Ask = "ask",
        Allow = "allow",
        Deny = "deny",
    }
}

/// A rule about calls of some tools with some arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallRule {
    pub tool: Pattern,
    /// Arguments by their names, each with a glob over its text; all of them hold.
    pub when: Vec<(String, String)>,
    /// It counts only while the tool's definition has this hash.
    pub definition: Option<Digest>,
    pub then: RuleEffect,
}

/// An allow list (absent means all, never empty as configured) and a deny list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameFilter {
    pub allow: Option<Vec<Pattern>>,
    pub deny: Vec<Pattern>,
}

impl NameFilter {
    /// Adds what another filter denies; a deny is never lost by replacing an entry.
    pub fn inherit_denies(&mut self, from: &Self) {
        for pattern in &from.deny {
            if !self.deny.contains(pattern) {
                self.deny.push(pattern.clone());
            }
        }
    }
}

/// The `[policy]` of one layer.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    pub tools: NameFilter,
    pub resources: NameFilter,
    pub prompts: NameFilter,
    /// Folders a command tool may run in, as written.
    pub allowed_cwds: Option<Vec<String>>,
    /// Folders that path arguments of a command tool must lie in, as written.
    pub allowed_arg_paths: Option<Vec<String>>,
    pub rules: Vec<CallRule>,
}
