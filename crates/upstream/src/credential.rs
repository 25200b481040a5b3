//! The credential of one server, from the provider that its entry names.
//!
//! A provider is asked before each request: how long a token holds is its own business.

use std::collections::BTreeMap;
use std::sync::Arc;

use http::HeaderValue;
use toolgate_types::{AuthProvider, Secret, ServerId, visible};

use crate::failure::RequestError;

/// The providers that the embedding program brought, by the id that entries name.
pub type CredentialProviders = BTreeMap<String, Arc<dyn AuthProvider>>;

/// Whom to ask for the token of one server.
#[derive(Clone)]
pub(crate) struct Credential {
    pub(crate) provider: Arc<dyn AuthProvider>,
    pub(crate) server: ServerId,
}

impl Credential {
    /// The value of `Authorization` for the next request.
    pub(crate) async fn authorization(&self) -> Result<HeaderValue, RequestError> {
        let token = self.provider.token(&self.server).await;
        let token = token.map_err(|why| RequestError::NoCredential(visible(&why)))?;
        let bearer = Secret::new(format!("Bearer {}", token.expose()));
        let mut value = HeaderValue::from_str(bearer.expose()).map_err(|_| {
            RequestError::NoCredential("the token cannot stand in a header".to_owned())
        })?;
        // Keeps it out of debug output and of compression tables.
        value.set_sensitive(true);
        Ok(value)
    }

    /// The server refused the last token: whether there is another.
    pub(crate) async fn has_another(&self) -> bool {
        self.provider.refused(&self.server).await
    }
}
