//! From an address to bundles: a role's, or those of one step of a workflow.
//!
//! Worked out once, so the same address gives the same list each time. What is not mapped, or was
//! not accepted by a person, resolves to nothing; it never means everything. Whether the bundles
//! exist is seen when they are resolved.

use std::collections::HashMap;

use toolgate_types::config::{Config, Entry};
use toolgate_types::{Acceptances, BundleId, EntryKind, EntryStanding, RoleId, StepId, WorkflowId};

/// One step of a workflow, for one role.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StepAddress {
    pub workflow: WorkflowId,
    pub role: RoleId,
    pub step: StepId,
}

/// The bundles of every address.
#[derive(Debug, Clone, Default)]
pub struct BundleRouting {
    roles: HashMap<RoleId, Vec<BundleId>>,
    steps: HashMap<StepAddress, Vec<BundleId>>,
}

impl BundleRouting {
    pub fn of(config: &Config, acceptances: &Acceptances) -> Self {
        let mut routing = Self::default();
        for (id, entry) in &config.roles {
            if is_accepted(acceptances, EntryKind::Role, id.as_str(), entry) {
                routing.roles.insert(id.clone(), once_each(&entry.value.bundles));
            }
        }
        for (workflow, entry) in &config.workflows {
            if !is_accepted(acceptances, EntryKind::Workflow, workflow.as_str(), entry) {
                continue;
            }
            for (role, steps) in &entry.value.roles {
                for (step, bundles) in steps {
                    let (workflow, role, step) = (workflow.clone(), role.clone(), step.clone());
                    let address = StepAddress { workflow, role, step };
                    routing.steps.insert(address, once_each(bundles));
                }
            }
        }
        routing
    }

    /// Lists that the embedding program gives at run time. Each takes the place of the list of its
    /// own step; every other step stays as it is.
    pub fn with_overrides(
        mut self,
        overrides: impl IntoIterator<Item = (StepAddress, Vec<BundleId>)>,
    ) -> Self {
        let overrides = overrides.into_iter();
        self.steps.extend(overrides.map(|(address, bundles)| (address, once_each(&bundles))));
        self
    }

    pub fn bundles_of_role(&self, role: &RoleId) -> &[BundleId] {
        self.roles.get(role).map_or(&[], Vec::as_slice)
    }

    pub fn bundles_of_step(&self, address: &StepAddress) -> &[BundleId] {
        self.steps.get(address).map_or(&[], Vec::as_slice)
    }
}

fn is_accepted<T>(all: &Acceptances, kind: EntryKind, id: &str, entry: &Entry<T>) -> bool {
    let standing = all.standing(entry.origin.grade, kind, id, &entry.fingerprint, None);
    matches!(standing, EntryStanding::Accepted(_))
}

/// In the order of writing.
fn once_each(bundles: &[BundleId]) -> Vec<BundleId> {
    let mut list: Vec<BundleId> = Vec::with_capacity(bundles.len());
    for bundle in bundles {
        if !list.contains(bundle) {
            list.push(bundle.clone());
        }
    }
    list
}
