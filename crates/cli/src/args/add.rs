//! What can be said of a server that is added.

use clap::{Args, ValueEnum};
use toolgate_config::EditScope;

use super::scope::edit_scope;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TransportWord {
    Http,
    Sse,
    Stdio,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum TrustWord {
    Trusted,
    Untrusted,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ApprovalWord {
    /// Every call asks
    Prompt,
    /// What a trusted server says only reads runs unasked
    Auto,
    /// Nothing asks
    Approve,
}

#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// The server's id: letters, digits, `_` and `-`
    pub(crate) id: String,
    /// A remote server's address
    #[arg(value_name = "URL", conflicts_with_all = ["url", "command", "command_line"])]
    pub(crate) address: Option<String>,
    /// How the server is reached
    #[arg(short, long, value_enum)]
    pub(crate) transport: Option<TransportWord>,
    /// A remote server's address
    #[arg(long, conflicts_with_all = ["command", "command_line"])]
    pub(crate) url: Option<String>,
    /// A header sent with every request (repeatable)
    #[arg(short = 'H', long = "header", value_name = "KEY=VALUE")]
    pub(crate) headers: Vec<String>,
    /// The variable that holds the bearer token
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) bearer_token_env: Option<String>,
    #[command(flatten)]
    pub(crate) oauth: OauthArgs,
    /// A local server's program
    #[arg(long, conflicts_with = "command_line")]
    pub(crate) command: Option<String>,
    /// An argument of the program (repeatable)
    #[arg(
        long = "arg",
        value_name = "VALUE",
        allow_hyphen_values = true,
        conflicts_with = "command_line"
    )]
    pub(crate) args: Vec<String>,
    /// The folder the program runs in
    #[arg(long)]
    pub(crate) cwd: Option<String>,
    /// A variable of the program's environment (repeatable)
    #[arg(short, long = "env", value_name = "KEY=VALUE")]
    pub(crate) env: Vec<String>,
    /// Which file is changed
    #[arg(short, long, value_parser = edit_scope(), default_value = "project")]
    pub(crate) scope: EditScope,
    /// Add it disabled with `false`
    #[arg(long, value_name = "true|false", action = clap::ArgAction::Set)]
    pub(crate) enabled: Option<bool>,
    /// How long a request may take
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) request_timeout_ms: Option<u64>,
    /// How far the server is believed
    #[arg(long, value_enum)]
    pub(crate) trust: Option<TrustWord>,
    /// Which calls of its tools ask you first
    #[arg(long, value_enum)]
    pub(crate) approval: Option<ApprovalWord>,
    /// Overwrite a server of this id
    #[arg(long)]
    pub(crate) replace: bool,
    /// The program and its arguments, taken as they are, with no shell
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command_line: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct OauthArgs {
    /// Where a person logs in
    #[arg(id = "oauth-authorization-url", long = "oauth-authorization-url", value_name = "URL")]
    pub(crate) authorization_url: Option<String>,
    /// Where codes are redeemed
    #[arg(id = "oauth-token-url", long = "oauth-token-url", value_name = "URL")]
    pub(crate) token_url: Option<String>,
    /// Where a client registers itself
    #[arg(id = "oauth-registration-url", long = "oauth-registration-url", value_name = "URL")]
    pub(crate) registration_url: Option<String>,
    /// A registered client's id
    #[arg(id = "oauth-client-id", long = "oauth-client-id", value_name = "ID")]
    pub(crate) client_id: Option<String>,
    /// Its secret
    #[arg(id = "oauth-client-secret", long = "oauth-client-secret", value_name = "SECRET")]
    pub(crate) client_secret: Option<String>,
    /// The scopes to ask for
    #[arg(id = "oauth-scope", long = "oauth-scope", value_name = "SCOPE")]
    pub(crate) scope: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct AddJsonArgs {
    /// The server's id
    pub(crate) id: String,
    /// The entry as a JSON object
    pub(crate) entry: String,
    /// Which file is changed
    #[arg(short, long, value_parser = edit_scope(), default_value = "project")]
    pub(crate) scope: EditScope,
    /// Overwrite a server of this id
    #[arg(long)]
    pub(crate) replace: bool,
}
