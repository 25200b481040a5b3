//! The verbs that use what servers have: tools, resources, prompts.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::step::StepArgs;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct ToolsArgs {
    #[command(subcommand)]
    pub(crate) verb: Option<ToolsVerb>,
    #[command(flatten)]
    pub(crate) listing: ListingArgs,
    /// As this role sees them; only the servers of its bundles are started
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: Option<String>,
    #[command(flatten)]
    pub(crate) at: StepArgs,
    /// List every tool, also the hidden ones, with its trust, approval and exposure, and the roles
    /// that see it
    #[arg(long, conflicts_with_all = ["server", "role", "cached"])]
    pub(crate) manifest: bool,
    /// Show what the list of tools costs whoever is given it: everybody, each role and each configured
    /// client, by server, and what the meta tools in its place would save.
    ///
    /// A token is counted for four bytes of names, descriptions and schemas.
    #[arg(long, conflicts_with_all = ["server", "role", "manifest"])]
    pub(crate) tokens: bool,
    /// Take what was kept from the last time, without starting or contacting a server for it.
    ///
    /// A server of which nothing was kept is asked. Without this option every server is.
    #[arg(long)]
    pub(crate) cached: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ToolsVerb {
    /// Show one tool: what it says of itself, what it takes and what it gives
    #[command(after_help = "Examples:\n  toolgate tools show files__read_file\n  \
        toolgate tools show files read_file --json")]
    Show(ToolsShowArgs),
    /// Find the tools that fit what is wanted, the best first
    #[command(after_help = "Examples:\n  toolgate tools search open a pull request\n  \
        toolgate tools search --catalog tools.json 'send a mail' --json")]
    Search(ToolsSearchArgs),
}

#[derive(Debug, Args)]
pub(crate) struct ToolsSearchArgs {
    /// What is wanted, in plain words
    #[arg(required = true, value_name = "WORDS")]
    pub(crate) query: Vec<String>,
    /// The most tools that are shown
    #[arg(long, value_name = "N", default_value = "10")]
    pub(crate) limit: usize,
    /// Search the definitions in this file (JSON, or one a line) instead of the configured servers
    #[arg(long, value_name = "FILE", conflicts_with_all = ["role", "cached", "standalone"])]
    pub(crate) catalog: Option<PathBuf>,
    /// As this role sees them
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: Option<String>,
    #[command(flatten)]
    pub(crate) at: StepArgs,
    /// Take what was kept from the last time, without starting a server for it
    #[arg(long)]
    pub(crate) cached: bool,
    /// Do it in this process, also where a daemon runs
    #[arg(long)]
    pub(crate) standalone: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ToolsShowArgs {
    /// The tool, by the name that `toolgate tools` prints; or its server's id
    pub(crate) name: String,
    /// What the server calls it, after the server's id
    pub(crate) tool: Option<String>,
    /// Do it in this process, also where a daemon runs
    #[arg(long)]
    pub(crate) standalone: bool,
}

/// Whose things are listed.
#[derive(Debug, Args)]
pub(crate) struct ListingArgs {
    /// Only this server; no other is started
    #[arg(long, value_name = "ID")]
    pub(crate) server: Option<String>,
    /// Do it in this process, also where a daemon runs
    #[arg(long)]
    pub(crate) standalone: bool,
}

/// How something is carried out.
#[derive(Debug, Args)]
pub(crate) struct CarryArgs {
    /// Wait no longer than this, once the server is connected
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) timeout_ms: Option<u64>,
    /// Do it in this process, also where a daemon runs
    #[arg(long)]
    pub(crate) standalone: bool,
    /// The folder for images, sound and other data; the system's folder for temporary files when
    /// left out
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct CallArgs {
    /// The tool, by the name that `toolgate tools` prints; or its server's id, and then what the
    /// server calls it
    pub(crate) name: String,
    /// Arguments; where the tool wants a number, a boolean, an array or an object, the value is
    /// JSON
    #[arg(value_name = "KEY=VALUE")]
    pub(crate) rest: Vec<String>,
    /// The arguments as one JSON object, as `@file`, or `-` for standard input
    #[arg(long, value_name = "JSON|@FILE|-")]
    pub(crate) args: Option<String>,
    /// As this role could call it
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: Option<String>,
    #[command(flatten)]
    pub(crate) at: StepArgs,
    /// Do not wait for a person: exit 7 where the call needs one's approval.
    ///
    /// With a daemon, the question stays in its queue until it is answered or expires; the same call
    /// asks again, since nobody waits for the answer to this one.
    #[arg(long)]
    pub(crate) no_wait: bool,
    /// Run a command tool in this folder, where its entry says `cwd_override`
    #[arg(long, value_name = "DIR")]
    pub(crate) cwd: Option<String>,
    /// Set a variable for a command tool, where its entry names it under `env_overrides`
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) env: Vec<String>,
    #[command(flatten)]
    pub(crate) carrying: CarryArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The tool, by the name that `toolgate tools` prints; or its server's id
    pub(crate) name: String,
    /// What the server calls it, after the server's id
    pub(crate) tool: Option<String>,
    /// For this role instead of for whoever has none
    #[arg(long, value_name = "ROLE")]
    pub(crate) role: Option<String>,
    #[command(flatten)]
    pub(crate) at: StepArgs,
    /// The arguments of the call as one JSON object, as `@file`, or `-` for standard input
    #[arg(long, value_name = "JSON|@FILE|-")]
    pub(crate) args: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ResourcesVerb {
    /// List resources
    #[command(after_help = "Example:\n  toolgate resources list --templates")]
    List {
        #[command(flatten)]
        listing: ListingArgs,
        /// List the templates of their URIs instead
        #[arg(long)]
        templates: bool,
    },
    /// Read one resource
    #[command(after_help = "Example:\n  \
        toolgate resources read docs docs://readme")]
    Read {
        /// The server's id
        server: String,
        uri: String,
        #[command(flatten)]
        carrying: CarryArgs,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum PromptsVerb {
    /// List prompts
    #[command(after_help = "Example:\n  toolgate prompts list --server docs")]
    List {
        #[command(flatten)]
        listing: ListingArgs,
    },
    /// Print a prompt's messages
    #[command(after_help = "Example:\n  \
        toolgate prompts get docs review file=main.rs")]
    Get {
        /// The server's id
        server: String,
        /// The prompt, as the server calls it
        name: String,
        /// Arguments; every value is text
        #[arg(value_name = "KEY=VALUE")]
        pairs: Vec<String>,
        #[command(flatten)]
        carrying: CarryArgs,
    },
}
