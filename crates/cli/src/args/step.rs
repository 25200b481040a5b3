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
    /// What was given, if it is all that a step needs; `bundles` as they are typed.
    pub(super) fn whole(
        has_role: bool,
        workflow: Option<String>,
        step: Option<String>,
        bundles: Option<&str>,
    ) -> Option<Self> {
        let is_whole = match (&workflow, &step) {
            (Some(_), Some(_)) => has_role,
            (None, None) => bundles.is_none(),
            _ => false,
        };
        let bundles = bundles.into_iter().flat_map(|typed| typed.split(','));
        is_whole.then(|| Self { workflow, step, bundles: bundles.map(str::to_owned).collect() })
    }

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
