//! What can be typed after `stdio`.

use clap::Args;

use super::step::StepArgs;

#[derive(Debug, Args)]
pub(crate) struct StdioArgs {
    /// Show only what this role may use
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: Option<String>,
    #[command(flatten)]
    pub(crate) at: StepArgs,
    /// The client's name, for the settings that hold for it
    #[arg(long, value_name = "NAME")]
    pub(crate) client: Option<String>,
    /// Do everything in this process instead of using the daemon
    #[arg(long)]
    pub(crate) standalone: bool,
}
