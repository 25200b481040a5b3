//! The first step, and the last.

use clap::Args;
use toolgate_config::EditScope;

use super::scope::edit_scope;

#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Which file is written: the project's or your own
    #[arg(short, long, value_parser = edit_scope(), default_value = "project")]
    pub(crate) scope: EditScope,
}

#[derive(Debug, Args)]
pub(crate) struct UninstallArgs {
    /// Also remove what Toolgate knows: records, logins, secrets, packages. You are asked first
    #[arg(long)]
    pub(crate) with_state: bool,
    /// Only show the changes
    #[arg(long)]
    pub(crate) dry_run: bool,
}
