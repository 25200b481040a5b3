//! The verbs about what waits for the person.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct ApprovalsArgs {
    /// Show what comes, until Ctrl-C; at a terminal, ask about each
    #[arg(long)]
    pub(crate) watch: bool,
    /// Also show parameters that a tool's schema marks as secret
    #[arg(long)]
    pub(crate) full: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ApproveArgs {
    /// The reference of the call, as `approvals` shows it
    #[arg(value_name = "REF")]
    pub(crate) reference: String,
    /// Also the same tool again, until the caller's session ends
    #[arg(long)]
    pub(crate) session: bool,
    /// The code under the call as `approvals` shows it: you have seen all of it. Without it, and at a
    /// terminal, the call is shown and you are asked
    #[arg(long, value_name = "CODE")]
    pub(crate) seen: Option<String>,
    /// Also show parameters that the tool's schema marks as secret
    #[arg(long)]
    pub(crate) full: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DenyArgs {
    /// The reference of the call, as `approvals` shows it
    #[arg(value_name = "REF")]
    pub(crate) reference: String,
    /// What the caller is told
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}
