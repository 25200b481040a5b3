//! The lists that decide, each with its owner and its place, so that a decision can name its rule.

use std::fmt;
use std::sync::Arc;

use toolgate_types::{BundleId, Origin, Pattern, RoleId, ServerId, visible};

/// Whose word a list is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ListOwner {
    Server(ServerId),
    Bundle(BundleId),
    Role(RoleId),
    /// The `[policy]` of one layer.
    Policy,
    Administrator,
}

impl fmt::Display for ListOwner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server(id) => write!(f, "server `{id}`"),
            Self::Bundle(id) => write!(f, "bundle `{id}`"),
            Self::Role(id) => write!(f, "role `{id}`"),
            Self::Policy => f.write_str("the policy"),
            Self::Administrator => f.write_str("the administrator"),
        }
    }
}

/// What a list does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListEffect {
    Allow,
    Deny,
    /// Asks a person, whatever else is configured.
    ForceApproval,
    /// Names the servers that may be used at all.
    AllowServers,
    /// Names the folders that a command tool may run in.
    AllowFolders,
    /// Names the folders that a command tool's path arguments lie in.
    AllowPaths,
}

impl ListEffect {
    fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow list",
            Self::Deny => "deny list",
            Self::ForceApproval => "list of forced approvals",
            Self::AllowServers => "list of allowed servers",
            Self::AllowFolders => "list of allowed working folders",
            Self::AllowPaths => "list of folders for path arguments",
        }
    }
}

/// One list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameList {
    pub whose: ListOwner,
    pub effect: ListEffect,
    /// The place it was written at, where it is known.
    pub origin: Option<Origin>,
}

impl NameList {
    /// The rules of this list, one for each pattern.
    pub(crate) fn rules(self, patterns: &[Pattern]) -> Vec<ListRule> {
        let list = Arc::new(self);
        let rule =
            |pattern: &Pattern| ListRule { list: Arc::clone(&list), pattern: pattern.clone() };
        patterns.iter().map(rule).collect()
    }
}

impl fmt::Display for NameList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {} of {}", self.effect.as_str(), self.whose)?;
        match &self.origin {
            Some(origin) => write!(f, " ({origin})"),
            None => Ok(()),
        }
    }
}

/// One pattern of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListRule {
    pub list: Arc<NameList>,
    pub pattern: Pattern,
}

impl fmt::Display for ListRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` in {}", visible(self.pattern.as_str()), self.list)
    }
}
