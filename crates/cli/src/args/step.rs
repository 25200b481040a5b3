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
    /// With these of the step's bundles alone
    #[arg(long, value_name = "BUNDLE,...", value_delimiter = ',', requires = "workflow")]
    bundles: Vec<String>,
}

impl StepArgs {
    /// The role, or the address of its step, or of a part of that.
    pub(crate) fn acting(&self, role: Option<&str>) -> Option<String> {
        let role = role?;
        Some(match (&self.workflow, &self.step) {
            (Some(workflow), Some(step)) => {
                let parts = if self.bundles.is_empty() { "" } else { "=" };
                format!("{workflow}/{role}/{step}{parts}{}", self.bundles.join(","))
            }
            _ => role.to_owned(),
        })
    }
}
