//! What is taken away of what an audience would see: by its address, or by a switch of the person's.
//! Nothing here shows anything that was hidden.

use std::collections::BTreeMap;

use toolgate_types::{RoleId, ServerId, SwitchScope};

use super::{HiddenReason, ToolExposure, Visibility};
use crate::case::{MatterKind, MatterOwner};

/// What is taken away.
#[derive(Debug, Default)]
pub struct VisibilityNarrowing {
    /// Servers that are off.
    pub off: BTreeMap<ServerId, SwitchScope>,
    /// The one server that the address is for; several that differ leave none.
    pub only: Vec<ServerId>,
    /// A role that is in use: what it does not show is hidden.
    pub role: Option<RoleInUse>,
}

/// A role that the person chose for everybody.
#[derive(Debug)]
pub struct RoleInUse {
    pub id: RoleId,
    pub scope: SwitchScope,
    /// What whoever acts as it sees.
    pub shows: Box<Visibility>,
}

impl VisibilityNarrowing {
    /// Why nothing of a server is there, if it is not.
    pub(super) fn bars(&self, owner: MatterOwner<'_>) -> Option<HiddenReason> {
        let is_other = |only: &ServerId| MatterOwner::Server(only) != owner;
        if self.only.iter().any(is_other) {
            return Some(HiddenReason::OtherServer);
        }
        let MatterOwner::Server(id) = owner else { return None };
        self.off.get(id).map(|scope| HiddenReason::SwitchedOff(scope.clone()))
    }

    /// What is left of something that is shown so.
    pub(super) fn leaves(
        &self,
        exposed: ToolExposure,
        (owner, kind, name): (MatterOwner<'_>, MatterKind, &str),
    ) -> Result<ToolExposure, HiddenReason> {
        let Some(RoleInUse { id, scope, shows }) = &self.role else { return Ok(exposed) };
        let of_role = shows.find(owner, kind, name).map_err(|why| HiddenReason::NotInRole {
            role: id.clone(),
            scope: scope.clone(),
            why: Box::new(why),
        })?;
        // Whatever one of the two keeps out of the list is not in it.
        Ok(if of_role == ToolExposure::Meta { of_role } else { exposed })
    }
}
