//! Credentials that the embedding program brings, by the id an entry names.

use async_trait::async_trait;

use crate::{Secret, ServerId};

/// Gives the credentials for servers; interactive flows and stored secrets are its own business.
#[async_trait]
pub trait AuthProvider: Send + Sync {
    /// The bearer token for the next request; the sentence says why there is none.
    async fn token(&self, server: &ServerId) -> Result<Secret, String>;

    /// The server refused the last token. `true`: there is another, and it is worth one more try.
    async fn refused(&self, _server: &ServerId) -> bool {
        false
    }
}
