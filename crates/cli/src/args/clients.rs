//! The verbs about clients' own files: what comes from them, and our entry in them.

use std::path::PathBuf;

use clap::Args;
use toolgate_config::EditScope;

use super::scope::edit_scope;

#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// A client (claude-code, claude-desktop, cursor, vscode, codex, opencode, gemini, qwen-code,
    /// continue, windsurf, zed) or the path of one of its files
    #[arg(value_name = "CLIENT|PATH")]
    pub(crate) from: String,
    /// Which file is changed; left out, your own for what the client keeps for you, and the project's
    /// for the rest. Into your own goes a project's file only if its path is given
    #[arg(short, long, value_parser = edit_scope())]
    pub(crate) scope: Option<EditScope>,
    /// Overwrite servers of the same id
    #[arg(long)]
    pub(crate) replace: bool,
    /// Only report
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ConnectArgs {
    /// claude-code, claude-desktop, cursor, vscode, codex, opencode, gemini, qwen-code, continue,
    /// windsurf or zed
    #[arg(required_unless_present = "all")]
    pub(crate) client: Option<String>,
    /// Every client that is found here, each shown
    #[arg(long, conflicts_with = "client")]
    pub(crate) all: bool,
    /// Which of the client's files: the project's or your own
    #[arg(short, long, value_parser = edit_scope(), default_value = "global")]
    pub(crate) scope: EditScope,
    /// Connect over HTTP instead of starting `toolgate stdio`; without an address to the gate that
    /// runs here, or that is configured; in a project's file for this folder
    #[arg(long, value_name = "URL", num_args = 0..=1)]
    pub(crate) http: Option<Option<String>>,
    /// A file that holds the client token, `-` is standard input; left out, the one that
    /// `toolgate serve` made
    #[arg(long, value_name = "PATH", requires = "http")]
    pub(crate) token_file: Option<PathBuf>,
    /// Do not ask whether the token may stand in a file of the project
    #[arg(long, requires = "http")]
    pub(crate) yes: bool,
    /// Only show the change
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Disconnect {
    /// The client's name
    #[arg(required_unless_present = "all")]
    pub(crate) client: Option<String>,
    /// Every client that has the entry
    #[arg(long, conflicts_with = "client")]
    pub(crate) all: bool,
    /// Which of the client's files: the project's or your own
    #[arg(short, long, value_parser = edit_scope(), default_value = "global")]
    pub(crate) scope: EditScope,
    /// Only show the change
    #[arg(long)]
    pub(crate) dry_run: bool,
}
