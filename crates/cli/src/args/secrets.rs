//! What can be asked of the secrets that a configuration names.

use clap::Subcommand;
use toolgate_types::SecretName;

#[derive(Debug, Subcommand)]
pub(crate) enum SecretVerb {
    /// Keep a secret under a name; it is typed unseen, or comes on standard input
    #[command(after_help = "Examples:\n  toolgate secret set GITHUB_TOKEN\n  \
        gh auth token | toolgate secret set GITHUB_TOKEN\n\n\
        A configuration names it: env = { GITHUB_TOKEN = \"${secret:GITHUB_TOKEN}\" }")]
    Set {
        /// What it is called: letters, digits, `_`, `-` and `.`
        #[arg(value_parser = SecretName::parse)]
        name: SecretName,
    },
    /// List secrets, when they were set and what uses them here; never the secrets themselves
    #[command(after_help = "Example:\n  toolgate secret list --json")]
    List,
    /// Forget a secret; what names it does not start any more
    #[command(after_help = "Example:\n  toolgate secret remove GITHUB_TOKEN")]
    Remove {
        /// The secret's name
        #[arg(value_parser = SecretName::parse)]
        name: SecretName,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}
