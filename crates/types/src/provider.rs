//! Credentials that somebody brings for servers, by the id an entry names: the embedding program, or a
//! program of the person's.

use async_trait::async_trait;

use url::Url;

use crate::{Secret, ServerId};

/// Gives the credentials for servers; interactive flows and stored secrets are its own business.
#[async_trait]
pub trait AuthProvider: Send + Sync {
    /// The bearer token for the next request; the sentence says why there is none.
    async fn token(&self, server: &ServerId, url: &Url) -> Result<Secret, String>;

    /// The server refused the last token. `true`: there is another, and it is worth one more try.
    async fn refused(&self, _server: &ServerId, _url: &Url) -> bool {
        false
    }

    /// Whether servers there may have its tokens at all. Asked before anything is sent; the sentence
    /// says why not.
    fn serves(&self, _url: &Url) -> Result<(), String> {
        Ok(())
    }
}
