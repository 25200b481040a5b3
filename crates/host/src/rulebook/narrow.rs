//! What an address selects once everything is taken away that its caller, or the person by a switch,
//! wants away.

use std::sync::Arc;

use toolgate_guard::{RoleInUse, ServerPlaces, VisibilityNarrowing};
use toolgate_types::{Digest, ServerId, Trust};
use toolgate_upstream::Upstream;

use super::{ResolveError, Rulebook, SelectedServers};
use crate::audience::AudienceAddress;

impl Rulebook {
    pub(crate) fn select(
        &self,
        address: &AudienceAddress,
        upstreams: &[Arc<Upstream>],
    ) -> Result<SelectedServers, ResolveError> {
        self.select_at(address, upstreams, (self.revision(upstreams), None))
    }

    /// The same where it is known which state of the policy this is, and maybe where servers stand.
    pub(crate) fn select_at(
        &self,
        address: &AudienceAddress,
        upstreams: &[Arc<Upstream>],
        known: (Digest, Option<&Arc<ServerPlaces>>),
    ) -> Result<SelectedServers, ResolveError> {
        let mut selected = self.select_whole(address, upstreams, known)?;
        let mut narrowing =
            VisibilityNarrowing { off: self.switched.off.clone(), ..Default::default() };
        narrow_to_part(&mut narrowing, address);
        if let Some((id, scope)) = &self.switched.role {
            let of_role =
                self.select_whole(&AudienceAddress::Role(id.clone()), upstreams, known)?;
            let shown = of_role.servers.unwrap_or_default();
            let (id, scope) = (id.clone(), scope.clone());
            let shows = Box::new(of_role.rules.into_visibility());
            narrowing.role = Some(RoleInUse { id, scope, shows });
            // Those that the address reaches anyway, directly or not.
            let is_reached = |server: &ServerId| match &selected.servers {
                Some(servers) => servers.contains(server),
                None => {
                    upstreams.iter().any(|one| one.id() == server && one.trust() == Trust::Trusted)
                }
            };
            let added: Vec<_> = of_role.meta.into_iter().filter(is_reached).collect();
            selected.meta.extend(added);
            selected.meta.sort();
            selected.meta.dedup();
            selected.meta.retain(|server| shown.contains(server));
            selected.foldable.retain(|server| shown.contains(server));
            let servers = selected.servers.get_or_insert_with(|| shown.clone());
            servers.retain(|server| shown.contains(server));
        }
        let is_left = |server: &ServerId| {
            narrowing.only.iter().all(|only| only == server) && !narrowing.off.contains_key(server)
        };
        selected.meta.retain(is_left);
        selected.foldable.retain(is_left);
        if let Some(servers) = &mut selected.servers {
            servers.retain(is_left);
        }
        Ok(SelectedServers { rules: selected.rules.narrowed(narrowing), ..selected })
    }

    pub(crate) fn is_off(&self, server: &ServerId) -> bool {
        self.switched.off.contains_key(server)
    }

    /// Whether an address has anything to do with a server, off or not.
    pub(crate) fn leads_to(&self, address: &AudienceAddress, server: &ServerId) -> bool {
        let Some(bundles) = self.bundles_of(address) else { return true };
        let mut known = bundles.iter().filter_map(|id| self.bundles.get(id));
        known.any(|bundle| bundle.value.server == *server)
    }
}

/// Everything that parts of parts take away.
fn narrow_to_part(narrowing: &mut VisibilityNarrowing, address: &AudienceAddress) {
    let AudienceAddress::Part(part) = address else { return };
    narrowing.off.extend(part.off.clone());
    narrowing.only.extend(part.only.clone());
    narrow_to_part(narrowing, &part.of);
}
