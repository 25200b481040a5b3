//! What is switched away without editing a file.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct UseArgs {
    /// The role; left out, what is in use is shown
    #[arg(conflicts_with = "all")]
    pub(crate) role: Option<String>,
    /// No role any more: everything that is configured
    #[arg(long)]
    pub(crate) all: bool,
    /// Only in this project, or in this folder where there is none
    #[arg(long)]
    pub(crate) here: bool,
}

#[derive(Debug, Args)]
pub(crate) struct OffArgs {
    /// The server's id
    pub(crate) id: String,
    /// Only in this project, or in this folder where there is none
    #[arg(long, conflicts_with = "session")]
    pub(crate) here: bool,
    /// Only for the windows of agents that are open here now, until each is closed
    #[arg(long)]
    pub(crate) session: bool,
}
