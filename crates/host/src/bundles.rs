//! The tools of some bundles, or of one step of a workflow: only their servers are asked, and only
//! what they name is seen.

use std::sync::Arc;

use toolgate_guard::StepAddress;
use toolgate_types::config::Naming;
use toolgate_types::{BundleId, ListKind, ServerId};

use crate::audience::AudienceAddress;
use crate::await_lists::patient;
use crate::rulebook::ResolveError;
use crate::view::ToolView;
use crate::{Audience, Host};

/// What an address resolves to.
#[derive(Debug)]
pub struct ResolvedAddress {
    /// The address itself.
    pub address: AudienceAddress,
    /// The bundles that it means.
    pub bundles: Vec<BundleId>,
    /// The servers that those slice.
    pub servers: Vec<ServerId>,
    /// What is listed there.
    pub tools: Arc<ToolView>,
}

impl Host {
    /// The tools of these bundles, sorted by name. A direct bundle's tools are listed themselves, as
    /// `<server>.<tool>`; the tools of all meta bundles are reached through the three meta tools.
    pub async fn resolve_tools(
        &self,
        bundles: &[BundleId],
    ) -> Result<ResolvedAddress, ResolveError> {
        self.resolve_address(AudienceAddress::Bundles(bundles.to_vec())).await
    }

    /// The tools of one step of a workflow; a step that is not mapped has none.
    pub async fn resolve_step(&self, step: StepAddress) -> Result<ResolvedAddress, ResolveError> {
        self.resolve_address(AudienceAddress::Step(step)).await
    }

    async fn resolve_address(
        &self,
        address: AudienceAddress,
    ) -> Result<ResolvedAddress, ResolveError> {
        let rulebook = self.rulebook();
        let bundles = rulebook.bundles_of(&address).unwrap_or_default().into_owned();
        let selected = rulebook.select(&address, &self.inner.servers.all())?;
        let servers = selected.servers.unwrap_or_default();
        let direct = rulebook.direct_servers(&bundles);
        self.refresh(ListKind::Tools, patient(), |upstream| direct.contains(upstream.id())).await;
        let audience = Audience {
            naming: Naming::Dotted,
            resource_tools: false,
            ..Audience::at(address.clone())
        };
        let tools = self.view(&audience);
        if let Some(error) = tools.unresolved() {
            return Err(error.clone());
        }
        match tools.set_aside_by_name() {
            Some(why) => Err(ResolveError::Collision(why.to_owned())),
            None => Ok(ResolvedAddress { address, bundles, servers, tools }),
        }
    }
}
