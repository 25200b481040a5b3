//! The one entry that points a client at Toolgate, in that client's own dialect.
//!
//! It says what to write and where in the file; writing, backing up and showing the difference is
//! the caller's.

use std::fmt;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolgate_types::Secret;

use super::connect_error::ClientConnectError;
use super::dialects::dialect_of;
use super::files::{ClientFile, ClientFolders, ClientScope};
use super::own::ENTRY;
use super::variables::{VariableToken, scan};
use super::{KnownClient, codex, mcp_servers, opencode, vscode, zed};
use crate::tree::ConfigNode;

/// How a client reaches Toolgate.
#[derive(Debug, Clone)]
pub enum ClientRoute {
    /// The client starts this executable.
    Stdio { executable: PathBuf },
    /// The client calls a running daemon; without a token it logs in by itself, at the issuer that the
    /// gate's metadata names.
    Http { url: String, token: Option<Secret> },
}

/// What to write, and where.
#[derive(Clone)]
pub struct ClientEntry {
    pub path_in_file: Vec<String>,
    /// Holds the token of an HTTP connection.
    pub value: Value,
}

/// The file that `connect` writes: the one that is there, else the first the client would read.
pub fn connect_file(
    client: KnownClient,
    places: &ClientFolders,
    scope: ClientScope,
    exists: &dyn Fn(&Path) -> bool,
) -> Result<ClientFile, ClientConnectError> {
    let mut files = client.files(places);
    files.retain(|file| file.scope == scope);
    let at = files.iter().position(|file| exists(&file.path)).unwrap_or(0);
    files.into_iter().nth(at).ok_or(ClientConnectError::NoSuchFile { client, scope })
}

/// The entry for a client. `root` is its file as it is now, if there is one.
pub fn connect_entry(
    client: KnownClient,
    how: &ClientRoute,
    root: Option<&ConfigNode>,
) -> Result<ClientEntry, ClientConnectError> {
    let value = match how {
        ClientRoute::Stdio { executable } => {
            if !executable.is_absolute() {
                return Err(ClientConnectError::RelativeExecutable);
            }
            let program = executable.to_str().ok_or(ClientConnectError::NotUtf8)?;
            stdio(client, literal(client, program, "path of the executable")?)
        }
        ClientRoute::Http { url, token } => {
            let url = literal(client, url, "URL")?;
            let token = token.as_ref().map(|token| literal(client, token.expose(), "token"));
            match token.transpose()? {
                Some(token) => {
                    http(client, url, &json!({ "Authorization": format!("Bearer {token}") }))?
                }
                None => without_token(http(client, url, &Value::Null)?),
            }
        }
    };
    Ok(ClientEntry { path_in_file: entry_path(client, root), value })
}

/// Where the entry stands in a client's file.
pub fn entry_path(client: KnownClient, root: Option<&ConfigNode>) -> Vec<String> {
    let table: &[&str] = match client {
        KnownClient::ClaudeCode
        | KnownClient::ClaudeDesktop
        | KnownClient::Cursor
        | KnownClient::Gemini
        | KnownClient::Qwen
        | KnownClient::Continue
        | KnownClient::Windsurf => &[mcp_servers::KEY],
        KnownClient::VsCode => &[vscode::KEY],
        KnownClient::Codex => &[codex::KEY],
        KnownClient::Opencode if root.is_some_and(opencode::has_servers_table) => {
            &["mcp", "servers"]
        }
        KnownClient::Opencode => &["mcp"],
        KnownClient::Zed => &[zed::KEY],
    };
    table.iter().chain([&ENTRY]).map(|key| (*key).to_owned()).collect()
}

fn stdio(client: KnownClient, program: &str) -> Value {
    let args = ["stdio", "--client", client.as_str()];
    match client {
        KnownClient::ClaudeCode | KnownClient::VsCode => {
            json!({ "type": "stdio", "command": program, "args": args })
        }
        KnownClient::Opencode => {
            let command: Vec<&str> = [program].into_iter().chain(args).collect();
            json!({ "type": "local", "command": command })
        }
        KnownClient::Continue => json!({ "name": ENTRY, "command": program, "args": args }),
        KnownClient::ClaudeDesktop
        | KnownClient::Cursor
        | KnownClient::Codex
        | KnownClient::Gemini
        | KnownClient::Qwen
        | KnownClient::Windsurf
        | KnownClient::Zed => json!({ "command": program, "args": args }),
    }
}

fn http(client: KnownClient, url: &str, headers: &Value) -> Result<Value, ClientConnectError> {
    Ok(match client {
        KnownClient::ClaudeDesktop => return Err(ClientConnectError::NoHttp { client }),
        KnownClient::ClaudeCode | KnownClient::VsCode => {
            json!({ "type": "http", "url": url, "headers": headers })
        }
        KnownClient::Codex => json!({ "url": url, "http_headers": headers }),
        // With a token there is nothing to log in to.
        KnownClient::Opencode => {
            json!({ "type": "remote", "url": url, "headers": headers, "oauth": false })
        }
        KnownClient::Gemini | KnownClient::Qwen => json!({ "httpUrl": url, "headers": headers }),
        KnownClient::Continue => json!({
            "name": ENTRY, "type": "streamable-http", "url": url,
            "requestOptions": { "headers": headers },
        }),
        KnownClient::Windsurf => json!({ "serverUrl": url, "headers": headers }),
        KnownClient::Cursor | KnownClient::Zed => json!({ "url": url, "headers": headers }),
    })
}

/// The same entry for a client that logs in by itself.
fn without_token(mut entry: Value) -> Value {
    if let Some(entry) = entry.as_object_mut() {
        for key in ["headers", "http_headers", "requestOptions", "oauth"] {
            entry.remove(key);
        }
    }
    entry
}

/// A text that the client will take as it is.
fn literal<'t>(
    client: KnownClient,
    text: &'t str,
    what: &'static str,
) -> Result<&'t str, ClientConnectError> {
    let is_text = |token: &VariableToken<'_>| matches!(token, VariableToken::Text(_));
    match scan(text, dialect_of(client).forms).iter().all(is_text) {
        true => Ok(text),
        false => Err(ClientConnectError::Expanded { client, what }),
    }
}

impl fmt::Debug for ClientEntry {
    /// Without the value, which may hold a token.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientEntry")
            .field("path_in_file", &self.path_in_file)
            .finish_non_exhaustive()
    }
}
