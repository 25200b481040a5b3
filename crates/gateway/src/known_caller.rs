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
    /// Where it names no role: whether it then acts in the first of its own, and sees nothing where it has
    /// none. Otherwise one that has roles has to name one.
    pub acts_in_first_role: bool,
    /// The settings that hold for it, by name.
    pub client: Option<String>,
    /// Whether what it shows as a form is seen by a person, as one said.
    pub shows_forms: bool,
    /// When its credential ends, in milliseconds since 1970, and with it whatever is open for it.
    pub until: Option<u64>,
}

impl KnownCaller {
    /// One who uses servers of its own and of whom nothing else is known.
    pub fn of(principal: Principal) -> Self {
        let owner = principal.clone();
        Self {
            principal,
            owner,
            roles: None,
            acts_in_first_role: false,
            client: None,
            shows_forms: false,
            until: None,
        }
    }

    /// Whether another one is let in to the same, whenever its credential ends.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        let Self { principal, owner, roles, acts_in_first_role, client, shows_forms, until: _ } =
            self;
        (principal, owner, roles) == (&other.principal, &other.owner, &other.roles)
            && (acts_in_first_role, client) == (&other.acts_in_first_role, &other.client)
            && *shows_forms == other.shows_forms
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
