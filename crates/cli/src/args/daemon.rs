//! The verbs about the daemon itself.

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct StatusArgs {
    /// Everything about this server
    pub(crate) id: Option<String>,
    /// Look again every second, until Ctrl-C
    #[arg(long)]
    pub(crate) watch: bool,
}

#[derive(Debug, Args)]
pub(crate) struct LogsArgs {
    /// Wait for more, until Ctrl-C
    #[arg(short, long)]
    pub(crate) follow: bool,
    /// Only the last so many lines
    #[arg(short = 'n', long, value_name = "N", default_value_t = 200)]
    pub(crate) lines: usize,
}
