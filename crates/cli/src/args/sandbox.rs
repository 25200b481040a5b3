//! The verbs about walls.

use clap::{Args, Subcommand};
use toolgate_types::config::NamedHost;

#[derive(Debug, Subcommand)]
pub(crate) enum SandboxVerb {
    /// Run a command behind walls, in this folder
    #[command(after_help = "Examples:\n  toolgate sandbox run -- cargo test --offline\n  \
        toolgate sandbox run --readable @cargo --allow-host registry.npmjs.org -- npm ci")]
    Run(SandboxRunArgs),
    /// Show what a server may read, write and reach
    #[command(after_help = "Example:\n  toolgate sandbox explain files")]
    Explain {
        /// The server
        id: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct SandboxRunArgs {
    /// A folder that it may read besides this one; `@cargo`, `@node`, `@python` and `@go` mean what
    /// those keep in your home, without credentials
    #[arg(long, value_name = "PATH")]
    pub(crate) readable: Vec<String>,
    /// A folder that it may write to besides this one
    #[arg(long, value_name = "PATH")]
    pub(crate) writable: Vec<String>,
    /// Let it use the network
    #[arg(long, conflicts_with = "allow_host")]
    pub(crate) allow_network: bool,
    /// Let it reach this host alone (`name`, `name:port`, `*.name`), and others that are named so
    #[arg(long, value_name = "HOST", value_parser = NamedHost::parse)]
    pub(crate) allow_host: Vec<NamedHost>,
    /// The command
    #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}
