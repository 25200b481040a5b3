//! The verbs about what waits for the person.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct Approvals {
    /// Show what comes, until Ctrl-C; at a terminal, ask about each
    #[arg(long)]
    pub(crate) watch: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Approve {
    /// The reference of the call, as `approvals` shows it
    #[arg(value_name = "REF")]
    pub(crate) reference: String,
    /// Also the same tool again, until the caller's session ends
    #[arg(long)]
    pub(crate) session: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Deny {
    /// The reference of the call, as `approvals` shows it
    #[arg(value_name = "REF")]
    pub(crate) reference: String,
    /// What the caller is told
    #[arg(long, value_name = "TEXT")]
    pub(crate) reason: Option<String>,
}
