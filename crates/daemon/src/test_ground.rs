//! Where a server is started that no host has: to be tested, explained, or fetched.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use indexmap::IndexMap;
use toolgate_auth::login::ServerLogins;
use toolgate_mask::Masker;
use toolgate_sandbox::SandboxGround;
use toolgate_types::Variables;
use toolgate_types::config::TokenCommand;

/// Where a server is started, and what it may be given.
#[derive(Debug, Clone)]
pub struct TestGround<'a> {
    pub folder: &'a Path,
    pub variables: &'a Variables,
    /// What walls around it are built by.
    pub walls: SandboxGround,
    /// Where the packages of servers are kept.
    pub packages: Option<PathBuf>,
    /// The logins that it may use.
    pub logins: Option<Arc<ServerLogins>>,
    /// The person's own programs that give tokens.
    pub auth_providers: IndexMap<String, TokenCommand>,
    /// The project whose entries these are.
    pub project: Option<PathBuf>,
    /// Knows every secret that is configured, and learns what a server is shown beside them.
    pub masker: Masker,
}
