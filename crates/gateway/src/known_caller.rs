//! A caller whose credential was accepted.

use toolgate_types::{Principal, RoleId};

/// A caller whose credential was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownCaller {
    pub principal: Principal,
    /// Whose servers it uses: callers of one owner share them.
    pub owner: Principal,
    /// The roles it may take; `None` is every one, and also none at all.
    pub roles: Option<Vec<RoleId>>,
    /// The settings that hold for it, by name.
    pub client: Option<String>,
    /// Whether what it shows as a form is seen by a person, as one said.
    pub shows_forms: bool,
}

impl KnownCaller {
    /// One who uses servers of its own and of whom nothing else is known.
    pub fn of(principal: Principal) -> Self {
        let owner = principal.clone();
        Self { principal, owner, roles: None, client: None, shows_forms: false }
    }

    /// Whether it may act so: a token's roles are a ceiling.
    pub(crate) fn may_act_as(&self, role: Option<&RoleId>) -> bool {
        match (&self.roles, role) {
            (None, _) => true,
            (Some(roles), Some(role)) => roles.contains(role),
            (Some(_), None) => false,
        }
    }
}
