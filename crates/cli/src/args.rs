//! What can be typed: verbs, options, help.
//!
//! Every verb also works as `toolgate mcp <verb>`. The verbs that use what servers have are in
//! `args/server_use.rs`.

mod add;
mod approvals;
mod audit;
mod clients;
mod daemon;
mod first_steps;
mod help_groups;
mod log_args;
mod logins;
mod name_kind;
mod own_server;
mod pins;
mod plain_line;
mod policy;
mod sandbox;
mod scope;
mod secrets;
mod serve;
mod server_use;
mod stdio;
mod step;
mod switches;
mod tokens;
mod trust;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use clap_complete::Shell;
use toolgate_config::EditScope;
use toolgate_terminal::OutputChoice;

pub(crate) use add::{AddArgs, AddJsonArgs, ApprovalWord, OauthArgs, TransportWord, TrustWord};
pub(crate) use approvals::{ApprovalsArgs, ApproveArgs, DenyArgs};
pub(crate) use audit::{AuditArgs, AuditVerb, SearchArgs};
pub(crate) use clients::{ConnectArgs, Disconnect, ImportArgs};
pub(crate) use daemon::{LogsArgs, StatusArgs};
pub(crate) use first_steps::{InitArgs, UninstallArgs};
pub(crate) use log_args::{FormatWord, LevelWord};
pub(crate) use logins::{AuthVerb, LoginArgs, LogoutArgs};
pub(crate) use name_kind::NameKind;
pub(crate) use own_server::OwnServerArgs;
pub(crate) use pins::PinsVerb;
pub(crate) use policy::PolicyVerb;
pub(crate) use sandbox::{SandboxRunArgs, SandboxVerb};
pub(crate) use scope::ScopeArg;
use scope::edit_scope;
pub(crate) use secrets::SecretVerb;
pub(crate) use serve::ServeArgs;
pub(crate) use server_use::{
    CallArgs, CarryArgs, ExplainArgs, ListingArgs, PromptsVerb, ResourcesVerb, ToolsArgs,
    ToolsSearchArgs, ToolsShowArgs, ToolsVerb,
};
pub(crate) use stdio::StdioArgs;
pub(crate) use switches::{OffArgs, UseArgs};
pub(crate) use tokens::{TokenCreate, TokenVerb};
pub(crate) use trust::TrustArgs;

/// The one gate between coding agents and every tool they reach over MCP.
#[derive(Debug, Parser)]
#[command(name = "toolgate", version, about, propagate_version = true, max_term_width = 100)]
pub(crate) struct CommandLineArgs {
    #[command(flatten)]
    pub(crate) common: CommonArgs,
    #[command(subcommand)]
    pub(crate) verb: TopVerb,
}

impl CommandLineArgs {
    /// What was typed to start this process.
    pub(crate) fn of_process() -> Result<Self, clap::Error> {
        if let Some(plain) = Self::plainly_of(std::env::args_os()) {
            return Ok(plain);
        }
        let mut command = help_groups::in_groups(Self::command());
        let matches = command.try_get_matches_from_mut(std::env::args_os())?;
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
    }

    /// What the arguments of a process mean that are written plainly; all others are for the parser.
    pub(crate) fn plainly_of(arguments: impl Iterator<Item = OsString>) -> Option<Self> {
        plain_line::plain_line(arguments)
    }
}

#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Common options")]
pub(crate) struct CommonArgs {
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

impl CommonArgs {
    pub(crate) fn output_choice(&self) -> OutputChoice {
        OutputChoice { json: self.json, quiet: self.quiet, verbose: self.verbose > 0 }
    }
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
    Add(Box<AddArgs>),
    /// Add a server written as JSON, in the keys of the configuration file
    #[command(
        after_help = "Example:\n  toolgate add-json docs '{\"url\":\"https://example.com/mcp\"}'"
    )]
    AddJson(AddJsonArgs),
    /// List configured servers; nothing is started or contacted, but with `--check`
    #[command(visible_alias = "ls")]
    #[command(after_help = "Examples:\n  toolgate list --scope project\n  toolgate list --check")]
    List(ListArgs),
    /// Show one server as it is configured, secrets masked
    #[command(after_help = "Example:\n  toolgate get docs --json")]
    Get(NamedArgs),
    /// Remove a server from one scope
    #[command(visible_alias = "rm", after_help = "Example:\n  toolgate remove docs --scope global")]
    Remove(EditArgs),
    /// Enable a server, in the one scope that has it or in the one that is named
    #[command(after_help = "Example:\n  toolgate enable docs")]
    Enable(SwitchArgs),
    /// Disable a server, in the one scope that has it or in the one that is named
    #[command(after_help = "Example:\n  toolgate disable docs")]
    Disable(SwitchArgs),
    /// Have agents see what one role shows and nothing else; no file is edited
    #[command(after_help = "Examples:\n  toolgate use reviewer --here\n  toolgate use --all")]
    Use(UseArgs),
    /// Have agents do without a server; no file is edited
    #[command(after_help = "Examples:\n  toolgate off github\n  toolgate off github --session")]
    Off(OffArgs),
    /// Have agents see a server again that is off
    #[command(after_help = "Example:\n  toolgate on github")]
    On(OffArgs),
    /// Connect to a server, shake hands and list its tools
    #[command(after_help = "Example:\n  toolgate test docs")]
    Test(NamedArgs),
    /// List the tools of the servers, under the names that agents see
    #[command(
        after_help = "Examples:\n  toolgate tools\n  toolgate tools --server docs --json\n  \
        toolgate tools show docs__search"
    )]
    Tools(ToolsArgs),
    /// Call a tool of a server
    #[command(override_usage = "toolgate call [OPTIONS] <NAME> [KEY=VALUE]...\n       \
        toolgate call [OPTIONS] <SERVER> <TOOL> [KEY=VALUE]...")]
    #[command(after_help = "Examples:\n  \
        toolgate call files__read_file path=notes.md\n  \
        toolgate call files read_file path=notes.md\n  \
        toolgate call docs search --args '{\"query\":\"x\"}'\n  \
        toolgate call docs search --args @query.json limit=5")]
    Call(Box<CallArgs>),
    /// Say how a tool is shown and what would be decided about a call of it; nothing is called
    #[command(after_help = "Examples:\n  toolgate explain files write_file\n  \
        toolgate explain files write_file --role reviewer --json")]
    Explain(ExplainArgs),
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
    Audit(AuditArgs),
    /// Check, show and locate the configuration
    #[command(after_help = "Example:\n  toolgate config check")]
    Config {
        #[command(subcommand)]
        verb: ConfigVerb,
    },
    /// Take over servers from another client's configuration
    #[command(after_help = "Examples:\n  toolgate import cursor --dry-run\n  \
        toolgate import ./.vscode/mcp.json --scope project")]
    Import(ImportArgs),
    /// Write the one entry `gate` into a client's own configuration
    #[command(after_help = "Example:\n  toolgate connect codex --dry-run")]
    Connect(ConnectArgs),
    /// Remove the entry `gate` from a client's configuration
    #[command(after_help = "Example:\n  toolgate disconnect codex")]
    Disconnect(Disconnect),
    /// Accept what a project's configuration would run
    #[command(after_help = "Examples:\n  toolgate trust\n  toolgate trust files --trusted\n  \
        toolgate trust --list")]
    Trust(TrustArgs),
    /// Show tools as they were accepted, and accept what changed
    #[command(after_help = "Examples:\n  toolgate pins\n  toolgate pins diff files")]
    Pins {
        #[command(subcommand)]
        verb: Option<PinsVerb>,
    },
    /// Rules about calls
    #[command(after_help = "Example:\n  toolgate policy suggest")]
    Policy {
        #[command(subcommand)]
        verb: PolicyVerb,
    },
    /// Run a command behind walls, and show what walls let through
    #[command(after_help = "Examples:\n  toolgate sandbox run -- make\n  \
        toolgate sandbox explain files")]
    Sandbox {
        #[command(subcommand)]
        verb: SandboxVerb,
    },
    /// Make, list and end the tokens that clients bring to the gateway
    #[command(after_help = "Example:\n  toolgate token create ci --role reviewer --expires 30d")]
    Token {
        #[command(subcommand)]
        verb: TokenVerb,
    },
    /// Log in to a server that wants it; the tokens are kept for its calls alone
    #[command(after_help = "Examples:\n  toolgate login github\n  \
        toolgate login github --account work --no-browser")]
    Login(LoginArgs),
    /// Forget a login, and end it where the server offers that
    #[command(after_help = "Example:\n  toolgate logout github")]
    Logout(LogoutArgs),
    /// Show the logins that are kept: until when, and what for; never a token
    #[command(after_help = "Example:\n  toolgate auth list")]
    Auth {
        #[command(subcommand)]
        verb: AuthVerb,
    },
    /// Keep, list and forget the secrets that a configuration names
    #[command(after_help = "Example:\n  toolgate secret set GITHUB_TOKEN")]
    Secret {
        #[command(subcommand)]
        verb: SecretVerb,
    },
    /// Show the calls that wait for your approval
    #[command(after_help = "Examples:\n  toolgate approvals\n  toolgate approvals --watch")]
    Approvals(ApprovalsArgs),
    /// Approve one call that waits
    #[command(after_help = "Example:\n  toolgate approve k3x9f2a")]
    Approve(ApproveArgs),
    /// Deny one call that waits
    #[command(after_help = "Example:\n  toolgate deny k3x9f2a --reason 'not on a Friday'")]
    Deny(DenyArgs),
    /// Serve the tools to agents over HTTP
    #[command(
        after_help = "Examples:\n  toolgate serve\n  toolgate serve --listen 127.0.0.1:0 --json"
    )]
    Serve(ServeArgs),
    /// Be the MCP server that a client starts, by way of the daemon
    #[command(after_help = "Examples:\n  toolgate stdio --client codex\n  \
        toolgate stdio --role reviewer")]
    Stdio(StdioArgs),
    /// Be one of the servers that Toolgate brings, over standard input and output
    #[command(after_help = "Examples:\n  toolgate server repo\n  \
        toolgate sandbox run -- toolgate server docs")]
    Server(OwnServerArgs),
    /// Be the daemon that `stdio` starts
    #[command(name = "__daemon", hide = true)]
    Daemon,
    /// Print the names of what is configured, for completion scripts
    #[command(name = "__complete", hide = true)]
    Complete { kind: NameKind },
    /// Show how the servers are doing that the daemon runs, and who uses them
    #[command(after_help = "Examples:\n  toolgate status\n  toolgate status docs --json\n  \
        toolgate status --watch")]
    Status(StatusArgs),
    /// End the daemon, and wait until it is gone; or one server of it
    #[command(after_help = "Examples:\n  toolgate stop\n  toolgate stop docs")]
    Stop(OneServerArgs),
    /// End the daemon and start another, which agents find by themselves; or one server of it
    #[command(after_help = "Examples:\n  toolgate restart\n  toolgate restart docs")]
    Restart(OneServerArgs),
    /// Print what was logged, the newest last
    #[command(after_help = "Examples:\n  toolgate logs -n 50\n  toolgate logs --follow --json")]
    Logs(LogsArgs),
    /// Look for what is wrong on this machine and say what to do; nothing is changed
    #[command(after_help = "Example:\n  toolgate doctor")]
    Doctor,
    /// Show what the gate does, with a scripted agent in a folder of its own; nothing of it is left
    #[command(after_help = "Example:\n  toolgate demo")]
    Demo,
    /// Write a commented file to begin with; what the clients found here have is offered too
    #[command(after_help = "Examples:\n  toolgate init\n  toolgate init --scope global")]
    Init(InitArgs),
    /// Take Toolgate out of every client, and say what is left where; its state stays unless you want
    #[command(after_help = "Examples:\n  toolgate uninstall --dry-run\n  \
        toolgate uninstall --with-state")]
    Uninstall(UninstallArgs),
    /// Print a completion script for a shell
    #[command(
        after_help = "Example:\n  toolgate completions bash > ~/.local/share/bash-completion/completions/toolgate"
    )]
    Completions { shell: Shell },
    /// Print the manual page
    #[command(after_help = "Example:\n  toolgate man | man -l -")]
    Man,
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    /// Which configuration is listed
    #[arg(short, long, value_enum, default_value = "effective")]
    pub(crate) scope: ScopeArg,
    /// Connect to all that count here, at once and for ten seconds at most, and show how they are; the
    /// exit code is that of the first that is not well
    #[arg(long, conflicts_with = "scope")]
    pub(crate) check: bool,
}

#[derive(Debug, Args)]
pub(crate) struct OneServerArgs {
    /// Only this server, in every folder that has it; it starts again when somebody uses it
    pub(crate) id: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct NamedArgs {
    /// The server's id
    pub(crate) id: String,
    /// Which configuration is looked at
    #[arg(short, long, value_enum, default_value = "effective")]
    pub(crate) scope: ScopeArg,
}

#[derive(Debug, Args)]
pub(crate) struct SwitchArgs {
    /// The server's id
    pub(crate) id: String,
    /// Which file is changed; left out, the one that has the server, or the project's
    #[arg(short, long, value_parser = edit_scope())]
    pub(crate) scope: Option<EditScope>,
}

#[derive(Debug, Args)]
pub(crate) struct EditArgs {
    /// The server's id
    pub(crate) id: String,
    /// Which file is changed
    #[arg(short, long, value_parser = edit_scope(), default_value = "project")]
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
