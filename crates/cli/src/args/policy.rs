//! The verbs about rules.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum PolicyVerb {
    /// Propose rules for tools that only read and that you approved again and again; nothing is
    /// written without your yes
    #[command(after_help = "Example:\n  toolgate policy suggest")]
    Suggest {
        /// How often a tool must have been approved
        #[arg(long, value_name = "N", default_value_t = 5)]
        at_least: usize,
    },
}
