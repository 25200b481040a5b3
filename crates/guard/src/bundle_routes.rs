//! From an address to bundles: a role's, or those of one step of a workflow.
//!
//! Worked out once, so the same address gives the same list each time. What is not mapped, or was
//! not accepted by a person, resolves to nothing; it never means everything. Whether the bundles
//! exist is seen when they are resolved.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use toolgate_types::config::{Config, Entry};
use toolgate_types::{
    Acceptances, BundleId, EntryKind, EntryStanding, IdError, RoleId, StepId, WorkflowId,
};

/// One step of a workflow, for one role.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct StepAddress {
    pub workflow: WorkflowId,
    pub role: RoleId,
    pub step: StepId,
}

impl StepAddress {
    /// From `workflow/role/step`, as it is written in a URL; nothing where that is not its form.
    pub fn parse(text: &str) -> Option<Result<Self, IdError>> {
        let mut parts = text.split('/');
        let (workflow, role) = (parts.next()?, parts.next()?);
        let step = parts.next().filter(|_| parts.next().is_none())?;
        let read = || {
            Ok(Self {
                workflow: WorkflowId::parse(workflow)?,
                role: RoleId::parse(role)?,
                step: StepId::parse(step)?,
            })
        };
        Some(read())
    }
}

impl fmt::Display for StepAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.workflow, self.role, self.step)
    }
}

/// What a caller acts as: a role, or a role at one step of a workflow.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ActingAs {
    Role(RoleId),
    Step(StepAddress),
    /// At a step, with these of its bundles alone. Whoever calls says which: it can only leave
    /// bundles out.
    StepPart(StepAddress, Vec<BundleId>),
}

impl ActingAs {
    /// From the id of a role, from `workflow/role/step`, or from `workflow/role/step=bundle,bundle`.
    pub fn parse(text: &str) -> Result<Self, IdError> {
        let (address, bundles) = match text.split_once('=') {
            Some((address, bundles)) if address.contains('/') => (address, Some(bundles)),
            _ => (text, None),
        };
        let step = match StepAddress::parse(address) {
            Some(step) => step?,
            None => return RoleId::parse(text).map(Self::Role),
        };
        let Some(bundles) = bundles else { return Ok(Self::Step(step)) };
        // In one order, so that the same part is one address however it is written.
        let bundles: Result<BTreeSet<_>, _> = bundles.split(',').map(BundleId::parse).collect();
        Ok(Self::StepPart(step, bundles?.into_iter().collect()))
    }

    pub fn role(&self) -> &RoleId {
        match self {
            Self::Role(role) => role,
            Self::Step(step) | Self::StepPart(step, _) => &step.role,
        }
    }
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

    /// Whether any step of this workflow is mapped for this role, accepted or given at run time.
    pub fn has_role_in(&self, workflow: &WorkflowId, role: &RoleId) -> bool {
        self.steps.keys().any(|step| step.workflow == *workflow && step.role == *role)
    }

    pub fn bundles_of_role(&self, role: &RoleId) -> &[BundleId] {
        self.roles.get(role).map_or(&[], Vec::as_slice)
    }

    /// Whether all of these bundles are the step's.
    pub fn has_bundles_at(&self, address: &StepAddress, bundles: &[BundleId]) -> bool {
        let its = self.bundles_of_step(address);
        bundles.iter().all(|bundle| its.contains(bundle))
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
