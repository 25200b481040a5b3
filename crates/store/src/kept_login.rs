//! The credentials of one login at a server, and whose they are.
//!
//! They are bound to the server's URL, to who issued them and to the resource they are for; whoever uses
//! them compares all three first. Nothing here decides whether they still count.

use serde_json::{Map, Value};
use toolgate_types::{Secret, ServerId};

/// Whose login it is, and where.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LoginKey {
    pub server: ServerId,
    /// Exactly as it is configured.
    pub url: String,
    pub holder: LoginHolder,
    /// One of several accounts of the same holder.
    pub account: Option<String>,
}

/// Who holds a login.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LoginHolder {
    /// The person whose gate it is, for a server of their own file.
    Owner,
    /// Somebody else, or the person for a server that a project brought: by URL and name, so that an
    /// entry of the same id elsewhere gets nothing.
    Other { principal: String },
}

impl LoginKey {
    /// The name under which the file of the owner's global entries has it.
    pub(crate) fn owners_name(&self) -> Option<String> {
        match (&self.holder, &self.account) {
            (LoginHolder::Other { .. }, _) => None,
            (LoginHolder::Owner, None) => Some(self.server.to_string()),
            // No id of a server holds this character.
            (LoginHolder::Owner, Some(account)) => Some(format!("{}@{account}", self.server)),
        }
    }
}

/// What a login brought.
#[derive(Debug, Clone)]
pub struct KeptLogin {
    pub client_id: String,
    pub client_secret: Option<Secret>,
    /// None once they were refused: what the client was registered as outlives them.
    pub tokens: Option<LoginTokens>,
    /// What the server wanted beyond the scopes of the tokens; the next login asks for it too.
    pub wanted_scope: Option<String>,
    pub binding: LoginBinding,
    /// What another program wrote beside it, which stays.
    pub rest: Map<String, Value>,
}

/// What a server is shown, and what brings the next.
#[derive(Debug, Clone)]
pub struct LoginTokens {
    pub access_token: Secret,
    pub refresh_token: Option<Secret>,
    /// In milliseconds since 1970, as is every time here.
    pub expires_at: Option<u64>,
    /// What was granted, as far as it was said.
    pub scope: Option<String>,
}

/// What a login is bound to, and where it is renewed and ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginBinding {
    /// Exactly as it was configured.
    pub server_url: String,
    /// Who issued the tokens, where the server's metadata says so.
    pub issuer: Option<String>,
    pub resource: String,
    pub token_endpoint: String,
    pub revocation_endpoint: Option<String>,
    /// How the client proves itself at those: RFC 7591's `token_endpoint_auth_method`.
    pub client_auth: String,
}
