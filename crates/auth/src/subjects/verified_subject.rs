//! A caller whose token of an issuer counts.
//!
//! Only judging claims makes one, so whoever holds it need not ask again.

use toolgate_types::{Principal, RoleId};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedSubject {
    pub(super) principal: Principal,
    pub(super) roles: SubjectRoles,
    pub(super) expires_at: u64,
}

/// What a subject may act as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SubjectRoles {
    /// Every role, and also none at all.
    Every,
    /// These, the first before all others. None is none: such a subject sees nothing.
    Only(Vec<RoleId>),
}

impl VerifiedSubject {
    /// `oauth:<issuer>#<subject>`.
    pub fn principal(&self) -> &Principal {
        &self.principal
    }

    pub fn roles(&self) -> &SubjectRoles {
        &self.roles
    }

    /// When the token ends, and with it what stays open for it, in milliseconds since 1970.
    pub fn expires_at(&self) -> u64 {
        self.expires_at
    }
}
