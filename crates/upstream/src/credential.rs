//! The credential of one server, from the provider that its entry names or from a login.
//!
//! Both are asked before each request: how long a token holds is their own business.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

use http::HeaderValue;
use parking_lot::Mutex;
use toolgate_auth::login::{BearerChallenge, LoginError};
use toolgate_types::{AuthProvider, EventSink, Secret, ServerId, visible};
use url::Url;

use crate::failure::RequestError;
use crate::server_login::ServerLogin;

/// Who gives credentials, by the id that entries name.
pub type CredentialProviders = BTreeMap<String, Arc<dyn AuthProvider>>;

type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Whom to ask for the token of one server, and who is told which one it is shown.
#[derive(Clone)]
pub(crate) struct Credential {
    source: CredentialSource,
    heard: Arc<dyn EventSink>,
    /// The token of the last request.
    last: Arc<Mutex<Option<Secret>>>,
}

#[derive(Clone)]
pub(crate) enum CredentialSource {
    Provided { provider: Arc<dyn AuthProvider>, server: ServerId, url: Url },
    Login(Arc<ServerLogin>),
}

impl Credential {
    pub(crate) fn new(source: CredentialSource, heard: &Arc<dyn EventSink>) -> Self {
        Self { source, heard: Arc::clone(heard), last: Arc::default() }
    }

    /// Whoever writes something down has to know it before the server can say it.
    fn shows(&self, token: &Secret) {
        let mut last = self.last.lock();
        if last.as_ref().is_none_or(|last| last.expose() != token.expose()) {
            self.heard.shown_token(token);
            *last = Some(token.clone());
        }
    }

    /// Whether the next request goes without one: what most servers get.
    pub(crate) fn is_absent(&self) -> bool {
        match &self.source {
            CredentialSource::Provided { .. } => false,
            CredentialSource::Login(login) => login.is_absent(),
        }
    }

    /// The value of `Authorization` for the next request; none where nobody logged in yet.
    ///
    /// Boxed, as what follows: a renewal is rare and large, and no request should carry the room for it.
    pub(crate) fn authorization(&self) -> Later<'_, Result<Option<HeaderValue>, RequestError>> {
        Box::pin(self.next_authorization())
    }

    async fn next_authorization(&self) -> Result<Option<HeaderValue>, RequestError> {
        let token = match &self.source {
            CredentialSource::Provided { provider, server, url } => {
                let given = provider.token(server, url).await;
                given.map(Some).map_err(|why| RequestError::NoCredential(visible(&why)))
            }
            CredentialSource::Login(login) => {
                login.token().await.map_err(|error| match error {
                    // As if the server had said so: it would.
                    LoginError::Over(_) | LoginError::NotLoggedIn => {
                        RequestError::Unauthorized { status: 401, challenge: None }
                    }
                    error => RequestError::NoCredential(visible(&error.to_string())),
                })
            }
        };
        let Some(token) = token? else { return Ok(None) };
        self.shows(&token);
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
        match &self.source {
            CredentialSource::Provided { .. } => false,
            CredentialSource::Login(login) => login.has_granted(challenge.as_ref()),
        }
    }

    /// The server refused the last token: whether there is another.
    pub(crate) fn has_another<'a>(
        &'a self,
        status: u16,
        challenge: Option<&'a str>,
    ) -> Later<'a, bool> {
        Box::pin(async move {
            match &self.source {
                CredentialSource::Provided { provider, server, url } => {
                    status == 401 && provider.refused(server, url).await
                }
                CredentialSource::Login(login) => login.has_another(status, challenge).await,
            }
        })
    }
}
