//! What can be asked of pinned definitions.

use clap::Subcommand;

#[derive(Debug, Clone, Subcommand)]
pub(crate) enum PinsVerb {
    /// List the tools of every server as they were accepted, and those that changed since
    #[command(after_help = "Example:\n  toolgate pins list --json")]
    List,
    /// Show what changed since it was accepted, and how grave that is
    #[command(after_help = "Example:\n  toolgate pins diff files")]
    Diff {
        /// Only this server
        server: Option<String>,
    },
    /// Look at what changed, and accept it; at a terminal, one by one
    #[command(
        after_help = "Examples:\n  toolgate pins accept files\n  toolgate pins accept files read_file"
    )]
    Accept {
        server: String,
        /// Only these tools
        tools: Vec<String>,
    },
    /// Write `toolgate.lock`: what is not as it was accepted by now asks everybody who works here
    #[command(after_help = "Example:\n  toolgate pins lock && git add toolgate.lock")]
    Lock,
}
