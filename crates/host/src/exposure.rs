//! Whether an audience's tools are listed themselves, or reached through the meta tools that are listed
//! in their place.
//!
//! Bookkeeping only: how long a list is and who is there is told by others. What is not listed is not
//! hidden; it is found and called under the same rules, by its name too.

use toolgate_guard::names_tool;
use toolgate_types::config::{Exposure, GatewaySection, MetaSection};
use toolgate_types::{Digest, ListFigures, Pattern, RoleId, ServerId};

use crate::Audience;

/// Clients that are known to search their tools by themselves, by the names that `toolgate connect`
/// writes. They are given everything and show their model little of it.
const SEARCHING: [&str; 2] = ["claude-code", "claude"];

/// What is configured about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExposureRules {
    gateway: Exposure,
    pub(crate) clients: Vec<ClientExposure>,
    always_visible: Vec<Pattern>,
    pub(crate) meta: MetaSection,
}

/// What is configured for one client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClientExposure {
    pub(crate) name: String,
    exposure: Option<Exposure>,
    pub(crate) role: Option<RoleId>,
}

impl ExposureRules {
    pub(crate) fn of(gateway: &GatewaySection) -> Self {
        let own = gateway.clients.iter().map(|(name, client)| ClientExposure {
            name: name.clone(),
            exposure: client.exposure,
            role: client.role.clone(),
        });
        Self {
            gateway: gateway.exposure,
            clients: own.collect(),
            always_visible: gateway.always_visible.clone(),
            meta: gateway.meta,
        }
    }

    /// What holds for a client, by the name of its settings: its own, else everybody's.
    pub(crate) fn for_client(&self, client: Option<&str>) -> Exposure {
        let own = self.clients.iter().find(|own| client == Some(&own.name));
        let searches = client.is_some_and(|name| SEARCHING.contains(&name));
        match own.and_then(|own| own.exposure).unwrap_or(self.gateway) {
            Exposure::Auto if searches => Exposure::Direct,
            exposure => exposure,
        }
    }

    pub(crate) fn is_always_visible(&self, server: &ServerId, tool: &str) -> bool {
        names_tool(&self.always_visible, server, tool)
    }

    /// Whether a list is too long to be listed. One that was stays so until it is a good deal shorter,
    /// so that a tool more or less changes nothing.
    fn is_too_long(&self, list: ListFigures, was_too_long: bool) -> bool {
        let MetaSection { above_tools, above_tokens, .. } = self.meta;
        let figures = [(list.tools, above_tools), (list.tokens, above_tokens)];
        figures.into_iter().any(|(figure, limit)| {
            let Some(limit) = limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX))
            else {
                return false;
            };
            match was_too_long {
                true => figure.saturating_mul(5) >= limit.saturating_mul(4),
                false => figure > limit,
            }
        })
    }
}

/// What `auto` came to for each audience that was shown a list.
#[derive(Debug, Default)]
pub(crate) struct ExposureDecisions(Vec<ExposureDecision>);

#[derive(Debug)]
struct ExposureDecision {
    audience: Audience,
    /// The state of the configuration that it is for.
    revision: Digest,
    is_folded: bool,
    /// It was made while servers were missing in the list,
    is_early: bool,
    /// and is to be made again.
    is_open: bool,
}

impl ExposureDecisions {
    /// Whether an audience's list is folded: as was decided for this state of the configuration, else
    /// as its figures say.
    pub(crate) fn judge(
        &self,
        audience: &Audience,
        revision: Digest,
        rules: &ExposureRules,
        list: ListFigures,
    ) -> bool {
        let last = self.0.iter().find(|known| known.is_for(audience));
        match last {
            Some(known) if known.revision == revision && !known.is_open => known.is_folded,
            last => rules.is_too_long(list, last.is_some_and(|known| known.is_folded)),
        }
    }

    /// The list was shown so; it stays so.
    pub(crate) fn keep(
        &mut self,
        audience: &Audience,
        revision: Digest,
        is_folded: bool,
        is_early: bool,
    ) {
        let known = self.0.iter().position(|known| known.is_for(audience));
        if let Some(place) = known {
            let known = &self.0[place];
            if known.revision == revision && !known.is_open {
                return;
            }
            self.0.swap_remove(place);
        }
        // Whatever a session changes about its tools, it changes nothing about their number.
        let audience = Audience { overrides: None, ..audience.clone() };
        let is_open = false;
        self.0.push(ExposureDecision { audience, revision, is_folded, is_early, is_open });
    }

    /// Nobody is there who would see a list change: what was decided without knowing everything is
    /// decided again. Whether there is such a thing.
    pub(crate) fn reopen(&mut self) -> bool {
        let early = self.0.iter_mut().filter(|known| known.is_early && !known.is_open);
        early.map(|known| known.is_open = true).count() > 0
    }
}

impl ExposureDecision {
    fn is_for(&self, audience: &Audience) -> bool {
        let Audience { naming, resource_tools, exposure, address, overrides: _ } = audience;
        let mine = &self.audience;
        (mine.naming, mine.resource_tools, mine.exposure) == (*naming, *resource_tools, *exposure)
            && mine.address == *address
    }
}

#[cfg(test)]
mod tests;
