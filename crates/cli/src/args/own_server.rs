//! What can be typed after `server`.

use std::net::SocketAddr;

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct OwnServerArgs {
    /// Which of the servers that Toolgate brings
    #[arg(value_parser = ["repo", "docs", "workflow"])]
    pub(crate) name: String,
    /// Listen on this address instead of the standard streams; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub(crate) http: Option<SocketAddr>,
}
