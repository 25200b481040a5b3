//! What can be typed: verbs, options, help.
//!
//! Every verb also works as `toolgate mcp <verb>`. The verbs that use what servers have are in
//! `args/server_use.rs`.

mod approvals;
mod audit;
mod daemon;
mod logging;
mod pins;
mod scope;
mod serve;
mod server_use;
mod stdio;
mod tokens;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

pub(crate) use approvals::{Approvals, Approve, Deny};
pub(crate) use audit::{Audit, AuditVerb, Search};
pub(crate) use daemon::{Logs, Status};
pub(crate) use logging::{FormatWord, LevelWord};
pub(crate) use pins::PinsVerb;
pub(crate) use scope::{EditScope, Scope};
pub(crate) use serve::Serve;
pub(crate) use server_use::{Call, Carrying, Explain, Listing, PromptsVerb, ResourcesVerb, Tools};
pub(crate) use stdio::Stdio;
pub(crate) use tokens::{TokenCreate, TokenVerb};

/// The one gate between coding agents and every tool they reach over MCP.
#[derive(Debug, Parser)]
#[command(name = "toolgate", version, about, propagate_version = true, max_term_width = 100)]
#[command(after_help = "Example:\n  toolgate add docs https://example.com/mcp && toolgate list")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) verb: TopVerb,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Common options")]
pub(crate) struct Common {
    /// Use this project file instead of searching for one
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) config: Option<PathBuf>,
    /// Print data as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Say more
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Say only what was asked for
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// How much is logged; given here, logs go to standard error as well as to the file
    #[arg(long, global = true, value_enum, value_name = "LEVEL")]
    pub(crate) log_level: Option<LevelWord>,
    /// Log to standard error too, as text or as lines of JSON
    #[arg(long, global = true, value_enum, value_name = "FORMAT")]
    pub(crate) log_format: Option<FormatWord>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TopVerb {
    #[command(flatten)]
    Verb(Verb),
    /// The same verbs, as other tools spell them
    #[command(
        after_help = "Example:\n  toolgate mcp add docs --transport http --url https://example.com/mcp"
    )]
    Mcp {
        #[command(subcommand)]
        verb: Verb,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Add a server
    #[command(after_help = "Examples:\n  toolgate add docs https://example.com/mcp\n  \
        toolgate add files -- npx -y @modelcontextprotocol/server-filesystem .\n  \
        toolgate add api --transport http --url https://example.com/mcp --header X-Team=core")]
    Add(Box<Add>),
    /// Add a server written as JSON, in the keys of the configuration file
    #[command(
        after_help = "Example:\n  toolgate add-json docs '{\"url\":\"https://example.com/mcp\"}'"
    )]
    AddJson(AddJson),
    /// List configured servers; nothing is started or contacted
    #[command(after_help = "Example:\n  toolgate list --scope project")]
    List(List),
    /// Show one server as it is configured, secrets masked
    #[command(after_help = "Example:\n  toolgate get docs --json")]
    Get(Named),
    /// Remove a server from one scope
    #[command(after_help = "Example:\n  toolgate remove docs --scope global")]
    Remove(Edit),
    /// Enable a server in one scope
    #[command(after_help = "Example:\n  toolgate enable docs")]
    Enable(Edit),
    /// Disable a server in one scope
    #[command(after_help = "Example:\n  toolgate disable docs")]
    Disable(Edit),
    /// Connect to a server, shake hands and list its tools
    #[command(after_help = "Example:\n  toolgate test docs")]
    Test(Named),
    /// List the tools of the servers, under the names that agents see
    #[command(after_help = "Examples:\n  toolgate tools\n  toolgate tools --server docs --json")]
    Tools(Tools),
    /// Call a tool of a server
    #[command(after_help = "Examples:\n  \
        toolgate call files read_file path=notes.md\n  \
        toolgate call docs search --args '{\"query\":\"x\"}'\n  \
        toolgate call docs search --args @query.json limit=5")]
    Call(Box<Call>),
    /// Say how a tool is shown and what would be decided about a call of it; nothing is called
    #[command(after_help = "Examples:\n  toolgate explain files write_file\n  \
        toolgate explain files write_file --role reviewer --json")]
    Explain(Explain),
    /// List and read the resources of the servers
    #[command(after_help = "Example:\n  toolgate resources list --server docs")]
    Resources {
        #[command(subcommand)]
        verb: ResourcesVerb,
    },
    /// List the prompts of the servers and use one
    #[command(after_help = "Example:\n  toolgate prompts list")]
    Prompts {
        #[command(subcommand)]
        verb: PromptsVerb,
    },
    /// List the calls that were recorded, the newest last
    #[command(after_help = "Examples:\n  toolgate audit --since 2h --outcome failed\n  \
        toolgate audit show 5d2f0c9a11be-0\n  toolgate audit verify")]
    Audit(Audit),
    /// Check, show and locate the configuration
    #[command(after_help = "Example:\n  toolgate config check")]
    Config {
        #[command(subcommand)]
        verb: ConfigVerb,
    },
    /// Take over servers from another client's configuration
    #[command(after_help = "Examples:\n  toolgate import cursor --dry-run\n  \
        toolgate import ./.vscode/mcp.json --scope project")]
    Import(Import),
    /// Write the one entry `gate` into a client's own configuration
    #[command(after_help = "Example:\n  toolgate connect codex --dry-run")]
    Connect(Connect),
    /// Remove the entry `gate` from a client's configuration
    #[command(after_help = "Example:\n  toolgate disconnect codex")]
    Disconnect(Disconnect),
    /// Accept what a project's configuration would run
    #[command(after_help = "Examples:\n  toolgate trust\n  toolgate trust files --trusted\n  \
        toolgate trust --list")]
    Trust(Trust),
    /// Show tools as they were accepted, and accept what changed
    #[command(after_help = "Examples:\n  toolgate pins\n  toolgate pins diff files")]
    Pins {
        #[command(subcommand)]
        verb: Option<PinsVerb>,
    },
    /// Make, list and end the tokens that clients bring to the gateway
    #[command(after_help = "Example:\n  toolgate token create ci --role reviewer --expires 30d")]
    Token {
        #[command(subcommand)]
        verb: TokenVerb,
    },
    /// Show the calls that wait for your approval
    #[command(after_help = "Examples:\n  toolgate approvals\n  toolgate approvals --watch")]
    Approvals(Approvals),
    /// Approve one call that waits
    #[command(after_help = "Example:\n  toolgate approve k3x9f2a")]
    Approve(Approve),
    /// Deny one call that waits
    #[command(after_help = "Example:\n  toolgate deny k3x9f2a --reason 'not on a Friday'")]
    Deny(Deny),
    /// Serve the tools to agents over HTTP
    #[command(
        after_help = "Examples:\n  toolgate serve\n  toolgate serve --listen 127.0.0.1:0 --json"
    )]
    Serve(Serve),
    /// Be the MCP server that a client starts, by way of the daemon
    #[command(after_help = "Examples:\n  toolgate stdio --client codex\n  \
        toolgate stdio --role reviewer")]
    Stdio(Stdio),
    /// Be the daemon that `stdio` starts
    #[command(name = "__daemon", hide = true)]
    Daemon,
    /// Show how the servers are doing that the daemon runs, and who uses them
    #[command(after_help = "Examples:\n  toolgate status\n  toolgate status docs --json\n  \
        toolgate status --watch")]
    Status(Status),
    /// End the daemon, and wait until it is gone
    #[command(after_help = "Example:\n  toolgate stop")]
    Stop,
    /// End the daemon and start another; agents find it by themselves
    #[command(after_help = "Example:\n  toolgate restart")]
    Restart,
    /// Print what was logged, the newest last
    #[command(after_help = "Examples:\n  toolgate logs -n 50\n  toolgate logs --follow --json")]
    Logs(Logs),
    /// Look for what is wrong on this machine and say what to do; nothing is changed
    #[command(after_help = "Example:\n  toolgate doctor")]
    Doctor,
    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  toolgate completions bash > ~/.local/share/bash-completion/completions/toolgate"
    )]
    Completions { shell: Shell },
    /// Print the manual page
    #[command(after_help = "Example:\n  toolgate man | man -l -")]
    Man,
}

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

#[derive(Debug, Args)]
pub(crate) struct Add {
    /// The server's id: letters, digits, `_` and `-`
    pub(crate) id: String,
    /// A remote server's address
    #[arg(value_name = "URL", conflicts_with_all = ["url", "command", "command_line"])]
    pub(crate) address: Option<String>,
    /// How the server is reached
    #[arg(long, value_enum)]
    pub(crate) transport: Option<TransportWord>,
    /// A remote server's address
    #[arg(long, conflicts_with_all = ["command", "command_line"])]
    pub(crate) url: Option<String>,
    /// A header sent with every request (repeatable)
    #[arg(long = "header", value_name = "KEY=VALUE")]
    pub(crate) headers: Vec<String>,
    /// The variable that holds the bearer token
    #[arg(long, value_name = "VARIABLE")]
    pub(crate) bearer_token_env: Option<String>,
    #[command(flatten)]
    pub(crate) oauth: Oauth,
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
    #[arg(long = "env", value_name = "KEY=VALUE")]
    pub(crate) env: Vec<String>,
    /// Which file is changed
    #[arg(long, value_enum, default_value = "project")]
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
    /// Overwrite a server of this id
    #[arg(long)]
    pub(crate) replace: bool,
    /// The program and its arguments, taken as they are, with no shell
    #[arg(last = true, value_name = "COMMAND")]
    pub(crate) command_line: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct Oauth {
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
pub(crate) struct AddJson {
    /// The server's id
    pub(crate) id: String,
    /// The entry as a JSON object
    pub(crate) entry: String,
    /// Which file is changed
    #[arg(long, value_enum, default_value = "project")]
    pub(crate) scope: EditScope,
    /// Overwrite a server of this id
    #[arg(long)]
    pub(crate) replace: bool,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    /// Which configuration is listed
    #[arg(long, value_enum, default_value = "effective")]
    pub(crate) scope: Scope,
}

#[derive(Debug, Args)]
pub(crate) struct Named {
    /// The server's id
    pub(crate) id: String,
    /// Which configuration is looked at
    #[arg(long, value_enum, default_value = "effective")]
    pub(crate) scope: Scope,
}

#[derive(Debug, Args)]
pub(crate) struct Edit {
    /// The server's id
    pub(crate) id: String,
    /// Which file is changed
    #[arg(long, value_enum, default_value = "project")]
    pub(crate) scope: EditScope,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigVerb {
    /// Report every problem; exit 1 when one is an error
    #[command(after_help = "Example:\n  toolgate config check --strict")]
    Check {
        /// Hold it to the profile `production-http`
        #[arg(long)]
        strict: bool,
    },
    /// Show the merged configuration and where each entry comes from
    #[command(after_help = "Example:\n  toolgate config show")]
    Show,
    /// Show which files count
    #[command(after_help = "Example:\n  toolgate config path")]
    Path,
    /// Print the JSON Schema of the configuration
    #[command(after_help = "Example:\n  toolgate config schema > toolgate.schema.json")]
    Schema,
}

#[derive(Debug, Args)]
pub(crate) struct Import {
    /// A client (claude-code, claude-desktop, cursor, vscode, codex, opencode, gemini, windsurf,
    /// zed) or the path of one of its files
    #[arg(value_name = "CLIENT|PATH")]
    pub(crate) from: String,
    /// Which file is changed. Into your own (`global`) goes a project's file only if its path is given
    #[arg(long, value_enum, default_value = "project")]
    pub(crate) scope: EditScope,
    /// Overwrite servers of the same id
    #[arg(long)]
    pub(crate) replace: bool,
    /// Only report
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Connect {
    /// claude-code, claude-desktop, cursor, vscode, codex, opencode, gemini, windsurf or zed
    pub(crate) client: String,
    /// Which of the client's files: the project's or your own
    #[arg(long, value_enum, default_value = "global")]
    pub(crate) scope: EditScope,
    /// Connect over HTTP instead of starting `toolgate stdio`; without an address to `toolgate serve`
    /// on this machine, for this folder
    #[arg(long, value_name = "URL", num_args = 0..=1)]
    pub(crate) http: Option<Option<String>>,
    /// A file that holds the client token, `-` is standard input; left out, the one that
    /// `toolgate serve` made
    #[arg(long, value_name = "PATH", requires = "http")]
    pub(crate) token_file: Option<PathBuf>,
    /// Only show the change
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Disconnect {
    /// The client's name
    pub(crate) client: String,
    /// Which of the client's files: the project's or your own
    #[arg(long, value_enum, default_value = "global")]
    pub(crate) scope: EditScope,
    /// Only show the change
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Trust {
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
