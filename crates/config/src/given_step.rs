//! Bundles that a run gives to one step of a workflow, in the place of what is written for it.
//!
//! It is the word of the person who starts the run, and of nobody else: bundles that a step does not
//! have can show more than the files do. What they hold, and what may be called of it, stays what is
//! configured.

use toolgate_types::config::Config;
use toolgate_types::{BundleId, IdError, RoleId, StepId, WorkflowId};

/// The bundles of one step, for a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenStep {
    workflow: WorkflowId,
    role: RoleId,
    step: StepId,
    bundles: Vec<BundleId>,
}

/// Why bundles cannot be given to a step.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GivenStepError {
    #[error("write it so: WORKFLOW/ROLE/STEP=BUNDLE,BUNDLE")]
    Form,
    #[error(transparent)]
    Id(#[from] IdError),
    #[error("no workflow '{0}' is configured")]
    UnknownWorkflow(WorkflowId),
    #[error("no bundle '{0}' is configured")]
    UnknownBundle(BundleId),
}

impl GivenStep {
    /// From `workflow/role/step=bundle,bundle`; with nothing after the `=` the step has none.
    pub fn parse(text: &str) -> Result<Self, GivenStepError> {
        let (address, bundles) = text.split_once('=').ok_or(GivenStepError::Form)?;
        let parts: Vec<&str> = address.split('/').collect();
        let [workflow, role, step] = parts.as_slice() else { return Err(GivenStepError::Form) };
        let bundles = bundles.split(',').filter(|_| !bundles.is_empty());
        Ok(Self {
            workflow: WorkflowId::parse(workflow)?,
            role: RoleId::parse(role)?,
            step: StepId::parse(step)?,
            bundles: bundles.map(BundleId::parse).collect::<Result<_, _>>()?,
        })
    }

    /// Whether everything that it names is configured.
    pub fn check(&self, config: &Config) -> Result<(), GivenStepError> {
        if !config.workflows.contains_key(&self.workflow) {
            return Err(GivenStepError::UnknownWorkflow(self.workflow.clone()));
        }
        let unknown = self.bundles.iter().find(|bundle| !config.bundles.contains_key(*bundle));
        unknown.map_or(Ok(()), |bundle| Err(GivenStepError::UnknownBundle(bundle.clone())))
    }

    /// In the place of what is written for this step. A workflow that is not there stays so, and one
    /// that waits to be accepted waits on.
    pub(crate) fn give(&self, config: &mut Config) {
        if let Some(workflow) = config.workflows.get_mut(&self.workflow) {
            let steps = workflow.value.roles.entry(self.role.clone()).or_default();
            steps.insert(self.step.clone(), self.bundles.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_and_its_bundles_are_read_exactly() {
        let given = GivenStep::parse("ship/coder/fix=files,git").unwrap();
        assert_eq!((given.step.as_str(), given.bundles.len()), ("fix", 2));
        assert_eq!(GivenStep::parse("ship/coder/fix=").unwrap().bundles.len(), 0);
        for odd in ["", "fix=files", "ship/coder/fix", "ship/coder=files", "a/b/c/d=e"] {
            assert_eq!(GivenStep::parse(odd), Err(GivenStepError::Form), "{odd}");
        }
        for odd in ["ship/coder/fix=files,", "ship//fix=files", "ship/coder/fix=a=b"] {
            assert!(matches!(GivenStep::parse(odd), Err(GivenStepError::Id(_))), "{odd}");
        }
    }
}
