//! The verbs about walls.

use clap::{Args, Subcommand};
use toolgate_types::config::NamedHost;

#[derive(Debug, Subcommand)]
pub(crate) enum SandboxVerb {
    /// Run a command behind walls, in this folder
    #[command(after_help = "Examples:\n  toolgate sandbox run -- cargo test --offline\n  \
        toolgate sandbox run --readable @cargo --allow-host registry.npmjs.org -- npm ci")]
    Run(SandboxRunArgs),
    /// Run a command with little in its way, and print what walls around it would have to let through
    ///
    /// Best effort: what a run does not use is not in it, nor what it only looks at or removes. It sees no
    /// credentials and nothing of Toolgate's, reaches no private network, and none of that is proposed; else
    /// it reads and writes as you do. What it prints goes to standard error.
    #[command(after_help = "Example:\n  toolgate sandbox learn -- npm test >> toolgate.toml")]
    Learn {
        /// The command
        #[arg(
            required = true,
            trailing_var_arg = true,
            allow_hyphen_values = true,
            value_name = "COMMAND"
        )]
        command: Vec<String>,
    },
    /// Show what a server or a command tool may read, write and reach
    #[command(after_help = "Examples:\n  toolgate sandbox explain files\n  \
        toolgate sandbox explain local deploy")]
    Explain {
        /// The server; `local` for a command tool
        id: String,
        /// The command tool
        tool: Option<String>,
    },
}

#[derive(Debug, Default, Args)]
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
