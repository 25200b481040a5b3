//! The one entry that points a client at Toolgate, in that client's own dialect.
//!
//! It says what to write and where in the file; writing, backing up and showing the difference is
//! the caller's.

use std::fmt;
use std::path::PathBuf;

use serde_json::{Value, json};
use toolgate_types::Secret;

use super::files::Scope;
use super::variables::{Token, scan};
use super::{Client, codex, dialect, mcp_servers, opencode, vscode, zed};
use crate::tree::Node;

/// The name of the entry in every client's file.
pub const ENTRY: &str = "gate";

/// How a client reaches Toolgate.
#[derive(Debug, Clone)]
pub enum Connect {
    /// The client starts this executable.
    Stdio { executable: PathBuf },
    /// The client calls a running daemon.
    Http { url: String, token: Secret },
}

/// What to write, and where.
#[derive(Clone)]
pub struct Connection {
    pub path_in_file: Vec<String>,
    /// Holds the token of an HTTP connection.
    pub value: Value,
}

/// Why a client cannot be connected so.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConnectError {
    #[error("{} starts its servers itself and takes no URL", .client.title())]
    NoHttp { client: Client },
    #[error("{} has no {} file for servers", .client.title(), .scope.as_str())]
    NoSuchFile { client: Client, scope: Scope },
    #[error("the path of the executable is not absolute")]
    RelativeExecutable,
    #[error("the path of the executable is not UTF-8")]
    NotUtf8,
    #[error("{} would expand a variable in the {what}", .client.title())]
    Expanded { client: Client, what: &'static str },
}

/// The entry for a client. `root` is its file as it is now, if there is one.
pub fn connect_entry(
    client: Client,
    how: &Connect,
    root: Option<&Node>,
) -> Result<Connection, ConnectError> {
    let value = match how {
        Connect::Stdio { executable } => {
            if !executable.is_absolute() {
                return Err(ConnectError::RelativeExecutable);
            }
            let program = executable.to_str().ok_or(ConnectError::NotUtf8)?;
            stdio(client, literal(client, program, "path of the executable")?)
        }
        Connect::Http { url, token } => {
            let token = literal(client, token.expose(), "token")?;
            let authorization = json!({ "Authorization": format!("Bearer {token}") });
            http(client, literal(client, url, "URL")?, &authorization)?
        }
    };
    Ok(Connection { path_in_file: entry_path(client, root), value })
}

/// Where the entry stands in a client's file.
pub fn entry_path(client: Client, root: Option<&Node>) -> Vec<String> {
    let table: &[&str] = match client {
        Client::ClaudeCode
        | Client::ClaudeDesktop
        | Client::Cursor
        | Client::Gemini
        | Client::Windsurf => &[mcp_servers::KEY],
        Client::VsCode => &[vscode::KEY],
        Client::Codex => &[codex::KEY],
        Client::Opencode if root.is_some_and(opencode::has_servers_table) => &["mcp", "servers"],
        Client::Opencode => &["mcp"],
        Client::Zed => &[zed::KEY],
    };
    table.iter().chain([&ENTRY]).map(|key| (*key).to_owned()).collect()
}

fn stdio(client: Client, program: &str) -> Value {
    let args = ["stdio", "--client", client.as_str()];
    match client {
        Client::ClaudeCode | Client::VsCode => {
            json!({ "type": "stdio", "command": program, "args": args })
        }
        Client::Opencode => {
            let command: Vec<&str> = [program].into_iter().chain(args).collect();
            json!({ "type": "local", "command": command })
        }
        Client::ClaudeDesktop
        | Client::Cursor
        | Client::Codex
        | Client::Gemini
        | Client::Windsurf
        | Client::Zed => json!({ "command": program, "args": args }),
    }
}

fn http(client: Client, url: &str, headers: &Value) -> Result<Value, ConnectError> {
    Ok(match client {
        Client::ClaudeDesktop => return Err(ConnectError::NoHttp { client }),
        Client::ClaudeCode | Client::VsCode => {
            json!({ "type": "http", "url": url, "headers": headers })
        }
        Client::Codex => json!({ "url": url, "http_headers": headers }),
        // With a token there is nothing to log in to.
        Client::Opencode => {
            json!({ "type": "remote", "url": url, "headers": headers, "oauth": false })
        }
        Client::Gemini => json!({ "httpUrl": url, "headers": headers }),
        Client::Windsurf => json!({ "serverUrl": url, "headers": headers }),
        Client::Cursor | Client::Zed => json!({ "url": url, "headers": headers }),
    })
}

/// A text that the client will take as it is.
fn literal<'t>(client: Client, text: &'t str, what: &'static str) -> Result<&'t str, ConnectError> {
    let is_text = |token: &Token<'_>| matches!(token, Token::Text(_));
    match scan(text, dialect::of(client).forms).iter().all(is_text) {
        true => Ok(text),
        false => Err(ConnectError::Expanded { client, what }),
    }
}

impl fmt::Debug for Connection {
    /// Without the value, which may hold a token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("path_in_file", &self.path_in_file)
            .finish_non_exhaustive()
    }
}
