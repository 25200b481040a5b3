//! Who a list is for: everything that it depends on besides the servers and the policy themselves.

use std::collections::BTreeMap;
use std::sync::Arc;

use toolgate_guard::{ActingAs, StepAddress};
use toolgate_types::config::{Exposure, Naming};
use toolgate_types::{BundleId, RoleId, ServerId, SessionOverrides, SwitchScope};

/// What differs between callers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Audience {
    /// The form of the names that are listed. Every form can be called but the bare one, which can
    /// only where it is listed.
    pub naming: Naming,
    /// Whether reading resources is offered as tools, for models whose program knows no resources.
    pub resource_tools: bool,
    /// Whether tools are listed themselves. Where they are not, they are called all the same, by name
    /// or through the meta tools.
    pub exposure: Exposure,
    /// Which part of what is configured it sees.
    pub address: AudienceAddress,
    /// What its session changes about command tools, which are listed with that.
    pub overrides: Option<Arc<SessionOverrides>>,
}

/// Which part of what is configured is meant.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum AudienceAddress {
    /// Each server as its trust says.
    #[default]
    Everything,
    /// The bundles of a role, and its lists.
    Role(RoleId),
    /// The bundles of one step of a workflow.
    Step(StepAddress),
    /// These bundles, and nothing else.
    Bundles(Vec<BundleId>),
    /// Less than another address shows.
    Part(Arc<AddressPart>),
}

/// What of an address is left.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressPart {
    /// The address.
    pub of: AudienceAddress,
    /// Only this server.
    pub only: Option<ServerId>,
    /// Not these servers, which a person switched off for whoever is there.
    pub off: BTreeMap<ServerId, SwitchScope>,
    /// Of its bundles only these.
    pub bundles: Option<Vec<BundleId>>,
}

impl AudienceAddress {
    /// Of who acts so; everything for who acts as nobody in particular.
    pub fn acting(acting: Option<ActingAs>) -> Self {
        match acting {
            None => Self::Everything,
            Some(ActingAs::Role(role)) => Self::Role(role),
            Some(ActingAs::Step(step)) => Self::Step(step),
            Some(ActingAs::StepPart(step, bundles)) => {
                let part = AddressPart { of: Self::Step(step), ..AddressPart::default() };
                Self::Part(Arc::new(AddressPart { bundles: Some(bundles), ..part }))
            }
        }
    }

    /// Of what this shows, one server alone.
    #[must_use]
    pub fn only(self, server: ServerId) -> Self {
        let part = AddressPart { of: self, only: Some(server), ..AddressPart::default() };
        Self::Part(Arc::new(part))
    }

    /// The same without these servers.
    #[must_use]
    pub fn without(self, off: BTreeMap<ServerId, SwitchScope>) -> Self {
        match off.is_empty() {
            true => self,
            false => {
                let part = AddressPart { of: self, off, ..AddressPart::default() };
                Self::Part(Arc::new(part))
            }
        }
    }

    /// What a part is a part of.
    pub(crate) fn whole(&self) -> &Self {
        match self {
            Self::Part(part) => part.of.whole(),
            address => address,
        }
    }

    fn has_fewer_bundles(&self) -> bool {
        matches!(self, Self::Part(part) if part.bundles.is_some() || part.of.has_fewer_bundles())
    }

    /// Whether anything of a server can be there.
    pub(crate) fn means(&self, server: &ServerId) -> bool {
        match self {
            Self::Part(part) => {
                part.only.as_ref().is_none_or(|only| only == server)
                    && !part.off.contains_key(server)
                    && part.of.means(server)
            }
            _ => true,
        }
    }

    /// The same as texts that stay what they are from one version to the next: approvals are for them.
    /// What is switched off is not among them: whether something is there is looked at again anyway.
    pub(crate) fn parts(&self) -> Vec<&str> {
        match self {
            Self::Part(part) => {
                let only = part.only.iter().flat_map(|server| ["only", server.as_str()]);
                let bundles = part.bundles.iter();
                let bundles = bundles.flat_map(|bundles| {
                    let ids = bundles.iter().flat_map(|id| ["of", id.as_str()]);
                    std::iter::once("part").chain(ids)
                });
                only.chain(bundles).chain(part.of.parts()).collect()
            }
            Self::Everything => vec!["everything"],
            Self::Role(role) => vec!["role", role.as_str()],
            Self::Step(StepAddress { role, workflow, step }) => {
                vec!["step", role.as_str(), workflow.as_str(), step.as_str()]
            }
            Self::Bundles(bundles) => {
                let ids = bundles.iter().map(BundleId::as_str);
                std::iter::once("bundles").chain(ids).collect()
            }
        }
    }

    /// What the caller acts as, where that is part of the address.
    pub(crate) fn role(&self) -> Option<&str> {
        match self {
            Self::Role(role) => Some(role.as_str()),
            Self::Step(step) => Some(step.role.as_str()),
            Self::Part(part) => part.of.role(),
            Self::Everything | Self::Bundles(_) => None,
        }
    }
}

impl Audience {
    /// A model behind an embedding program.
    pub const MODEL: Self = Self {
        naming: Naming::Hashed,
        resource_tools: true,
        exposure: Exposure::Direct,
        address: AudienceAddress::Everything,
        overrides: None,
    };

    /// The same behind this address.
    pub fn at(address: AudienceAddress) -> Self {
        Self { address, ..Self::MODEL }
    }

    /// Whether a caller made it what it is, so that there may be any number of them.
    pub(crate) fn is_of_its_own(&self) -> bool {
        self.overrides.is_some() || self.address.has_fewer_bundles()
    }

    /// The same, seeing names in this form.
    pub fn named(naming: Naming) -> Self {
        Self { naming, ..Self::MODEL }
    }
}

impl Default for Audience {
    fn default() -> Self {
        Self::MODEL
    }
}

#[cfg(test)]
mod tests {
    use toolgate_types::{StepId, WorkflowId};

    use super::*;

    #[test]
    fn no_two_addresses_have_the_same_parts() {
        let role = || RoleId::parse("a").unwrap();
        let bundle = |id| BundleId::parse(id).unwrap();
        let step = StepAddress {
            workflow: WorkflowId::parse("b").unwrap(),
            role: role(),
            step: StepId::parse("c").unwrap(),
        };
        let all = [
            AudienceAddress::Everything,
            AudienceAddress::Role(role()),
            AudienceAddress::Step(step.clone()),
            AudienceAddress::acting(Some(ActingAs::StepPart(step.clone(), Vec::new()))),
            AudienceAddress::acting(Some(ActingAs::StepPart(step, vec![bundle("a")]))),
            AudienceAddress::Bundles(Vec::new()),
            AudienceAddress::Bundles(vec![bundle("a")]),
            AudienceAddress::Bundles(vec![bundle("a"), bundle("b"), bundle("c")]),
            AudienceAddress::Everything.only(ServerId::parse("role").unwrap()),
            AudienceAddress::Role(role()).only(ServerId::parse("role").unwrap()),
            AudienceAddress::Role(role()).only(ServerId::parse("a").unwrap()),
        ];
        for (at, one) in all.iter().enumerate() {
            assert!(all[at + 1..].iter().all(|other| other.parts() != one.parts()), "{one:?}");
        }
    }
}
