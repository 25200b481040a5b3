//! What can be typed after `trust`.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct TrustArgs {
    /// Only these entries; all pending ones when left out
    pub(crate) ids: Vec<String>,
    /// List what is pending here and what was accepted anywhere
    #[arg(long, conflicts_with_all = ["revoke", "trusted"])]
    pub(crate) list: bool,
    /// Take an acceptance back
    #[arg(long, conflicts_with = "trusted", requires = "ids")]
    pub(crate) revoke: bool,
    /// Accept as trusted: shown to agents directly
    #[arg(long)]
    pub(crate) trusted: bool,
}
