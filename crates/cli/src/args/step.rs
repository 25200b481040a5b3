//! One step of a workflow, beside `--role`.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct StepArgs {
    /// At one step of this workflow, for the role
    #[arg(long, value_name = "WORKFLOW", requires_all = ["role", "step"])]
    workflow: Option<String>,
    /// Which step of the workflow
    #[arg(long, value_name = "STEP", requires = "workflow")]
    step: Option<String>,
}

impl StepArgs {
    /// The role, or the address of its step.
    pub(crate) fn acting(&self, role: Option<&str>) -> Option<String> {
        let role = role?;
        Some(match (&self.workflow, &self.step) {
            (Some(workflow), Some(step)) => format!("{workflow}/{role}/{step}"),
            _ => role.to_owned(),
        })
    }
}
