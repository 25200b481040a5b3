//! The credential of one server, from the provider that its entry names or from a login.
//!
//! Both are asked before each request: how long a token holds is their own business.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

use http::HeaderValue;
use toolgate_auth::login::BearerChallenge;
use toolgate_types::{AuthProvider, Secret, ServerId, visible};

use crate::failure::RequestError;
use crate::server_login::ServerLogin;

/// The providers that the embedding program brought, by the id that entries name.
pub type CredentialProviders = BTreeMap<String, Arc<dyn AuthProvider>>;

type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Whom to ask for the token of one server.
#[derive(Clone)]
pub(crate) enum Credential {
    Provided { provider: Arc<dyn AuthProvider>, server: ServerId },
    Login(Arc<ServerLogin>),
}

impl Credential {
    /// The value of `Authorization` for the next request; none where nobody logged in yet.
    ///
    /// Boxed, as what follows: a renewal is rare and large, and no request should carry the room for it.
    pub(crate) fn authorization(&self) -> Later<'_, Result<Option<HeaderValue>, RequestError>> {
        Box::pin(self.next_authorization())
    }

    async fn next_authorization(&self) -> Result<Option<HeaderValue>, RequestError> {
        let token = match self {
            Self::Provided { provider, server } => provider.token(server).await.map(Some),
            Self::Login(login) => login.token().await.map_err(|error| error.to_string()),
        };
        let token = token.map_err(|why| RequestError::NoCredential(visible(&why)))?;
        let Some(token) = token else { return Ok(None) };
        let bearer = Secret::new(format!("Bearer {}", token.expose()));
        let mut value = HeaderValue::from_str(bearer.expose()).map_err(|_| {
            RequestError::NoCredential("the token cannot stand in a header".to_owned())
        })?;
        // Keeps it out of debug output and of compression tables.
        value.set_sensitive(true);
        Ok(Some(value))
    }

    /// Whether what a server says it wants was granted already: then it is no login that is missing.
    pub(crate) fn has_granted(&self, challenge: Option<&str>) -> bool {
        let challenge = challenge.and_then(BearerChallenge::parse);
        match self {
            Self::Provided { .. } => false,
            Self::Login(login) => login.has_granted(challenge.as_ref()),
        }
    }

    /// The server refused the last token: whether there is another.
    pub(crate) fn has_another<'a>(
        &'a self,
        status: u16,
        challenge: Option<&'a str>,
    ) -> Later<'a, bool> {
        Box::pin(async move {
            match self {
                Self::Provided { provider, server } => {
                    status == 401 && provider.refused(server).await
                }
                Self::Login(login) => login.has_another(status, challenge).await,
            }
        })
    }
}
