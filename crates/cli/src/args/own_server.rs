//! What can be typed after `server`.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct OwnServerArgs {
    /// Which of the servers that Toolgate brings
    #[arg(value_parser = ["repo", "docs", "workflow"])]
    pub(crate) name: String,
}
