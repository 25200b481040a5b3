//! A caller whose token counts.
//!
//! Only judging what the store has makes one, so whoever holds it need not ask again.

use std::collections::BTreeSet;
use std::sync::Arc;

use toolgate_store::{KeptToken, TokenKind, TokenName};
use toolgate_types::{Principal, RoleId};

use super::TokenRefusal;

#[derive(Debug, PartialEq, Eq)]
pub struct VerifiedToken {
    name: TokenName,
    principal: Principal,
    roles: Option<BTreeSet<RoleId>>,
    client: Option<String>,
    shows_forms: bool,
    is_owners: bool,
    expires_at: Option<u64>,
}

impl VerifiedToken {
    pub(super) fn judge(token: KeptToken, now: u64) -> Result<Self, TokenRefusal> {
        let KeptToken { name, kind, roles, client, shows_forms, is_owners, .. } = token;
        let KeptToken { expires_at, revoked_at, .. } = token;
        // One that expired gives its name free by being marked as revoked, then or later.
        if expires_at.is_some_and(|at| at <= revoked_at.unwrap_or(now)) {
            return Err(TokenRefusal::Expired { name });
        }
        if revoked_at.is_some() {
            return Err(TokenRefusal::Revoked { name });
        }
        match kind {
            TokenKind::Client => {}
            TokenKind::Admin => return Err(TokenRefusal::NotAClient { name }),
        }
        let principal = Principal::of_token(name.as_str());
        // Whoever may act in some roles only is held to be somebody else.
        let is_owners = is_owners && roles.is_none();
        Ok(Self { name, principal, roles, client, shows_forms, is_owners, expires_at })
    }

    /// What was true when the store was asked, and may have ended by itself since.
    pub(super) fn still_counts(self: Arc<Self>, now: u64) -> Result<Arc<Self>, TokenRefusal> {
        if self.expires_at.is_some_and(|at| at <= now) {
            return Err(TokenRefusal::Expired { name: self.name.clone() });
        }
        Ok(self)
    }

    pub fn name(&self) -> &TokenName {
        &self.name
    }

    /// `token:<name>`.
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    /// The roles that were given; `None` is every role, and also none at all.
    pub fn roles(&self) -> Option<&BTreeSet<RoleId>> {
        self.roles.as_ref()
    }

    /// The key below `[gateway.clients]` whose settings hold for this caller.
    pub fn client(&self) -> Option<&str> {
        self.client.as_deref()
    }

    /// Whether forms that this caller shows are seen by a person, as one said.
    pub fn shows_forms(&self) -> bool {
        self.shows_forms
    }

    /// Whose servers this caller uses: the owner's of this gate, where it is the owner's token, and
    /// its own otherwise.
    pub fn owner(&self) -> Principal {
        match self.is_owners {
            true => Principal::local_user(),
            false => self.principal.clone(),
        }
    }

    /// When a connection that stays open has to end.
    pub fn expires_at(&self) -> Option<u64> {
        self.expires_at
    }

    /// Whether this role is within what was given. To act without a role is to see what no role
    /// hides, so a token with roles may not.
    pub fn may_act_as(&self, role: Option<&RoleId>) -> bool {
        match (&self.roles, role) {
            (None, _) => true,
            (Some(roles), Some(role)) => roles.contains(role),
            (Some(_), None) => false,
        }
    }
}
