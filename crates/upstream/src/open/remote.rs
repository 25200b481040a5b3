//! ServerOpening a remote server: Streamable HTTP in either era, then, for a bare URL, the older SSE.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use toolgate_types::config::{HeaderValue as Given, RemoteKind, RemoteServer};
use toolgate_types::{ConfigText, EnvName};
use toolgate_wire::{Era, ObjectSplice, ProtocolRevision, method};
use tracing::debug;

use super::probe::{self, ProbeOutcome};
use super::{GRACE, ServerOpening};
use crate::connection::{ConnectionWiring, UpstreamConnection};
use crate::credential::{Credential, CredentialSource};
use crate::failure::{ConnectError, RequestError, TokenStanding};
use crate::http::{HttpClient, HttpSettings};
use crate::server_login::{ServerLogin, has_own_credential, login_fetch};
use crate::transport::exchange::HttpExchange;
use crate::transport::legacy_sse::LegacySse;
use crate::transport::streamable::Streamable;

/// How long a server may take to open the stream for its own questions before it is used without.
const LISTENING: Duration = Duration::from_millis(500);

impl ServerOpening<'_> {
    pub(super) async fn remote(
        &self,
        remote: &RemoteServer,
    ) -> Result<UpstreamConnection, ConnectError> {
        let login = self.login(remote)?;
        let opened = self.dialled(remote, login.clone()).await;
        match (opened, login) {
            (Err(ConnectError::Unauthorized { status, challenge, .. }), Some(login)) => {
                let asked: Pin<Box<dyn Future<Output = ConnectError> + Send>> = Box::pin(
                    async move { login.what_it_takes(status, challenge.as_deref()).await },
                );
                Err(asked.await)
            }
            // What its entry gives is all that it has.
            (Err(ConnectError::Unauthorized { status, challenge, .. }), None) => {
                let standing = match has_own_credential(remote) {
                    true => TokenStanding::Refused,
                    false => TokenStanding::Missing,
                };
                Err(ConnectError::Unauthorized { status, challenge, registration: None, standing })
            }
            (opened, _) => opened,
        }
    }

    async fn dialled(
        &self,
        remote: &RemoteServer,
        login: Option<Arc<ServerLogin>>,
    ) -> Result<UpstreamConnection, ConnectError> {
        let exchange = self.exchange(remote, login)?;
        let limit = self.server.value().timeouts.startup.duration();
        if remote.kind == RemoteKind::Sse {
            return self.legacy_sse(exchange, limit).await;
        }
        let (router, replies) = self.router();
        let channel = Streamable::new(exchange.clone(), Arc::clone(&router));
        let wiring = self.wiring(channel.clone(), router, replies)?;
        let refused = match self.streamable(&wiring, limit).await {
            Ok(handshake) => {
                let connection = wiring.establish(handshake);
                channel.listening(LISTENING).await;
                return Ok(connection);
            }
            Err(refused) => refused,
        };
        wiring.channel.close(GRACE).await;
        if remote.kind == RemoteKind::Auto && refused.is_no_endpoint() {
            debug!(
                server = self.id.as_str(),
                "no endpoint of Streamable HTTP: the older SSE is tried"
            );
            if let Ok(connection) = self.legacy_sse(exchange, limit).await {
                return Ok(connection);
            }
        }
        Err(refused.into())
    }

    async fn streamable(
        &self,
        wiring: &ConnectionWiring,
        limit: Duration,
    ) -> Result<crate::ServerHandshake, StreamableRefused> {
        if self.known.is_none_or(|known| known.era() == Era::Modern) {
            let version = Some(ProtocolRevision::NEWEST);
            let ask = || wiring.ask(version, method::SERVER_DISCOVER, ObjectSplice::new(), limit);
            let mut answer = ask().await;
            if let Err(RequestError::Refused(error) | RequestError::Rejected { error, .. }) =
                &answer
                && probe::speaks_newest(error)
            {
                answer = ask().await;
            }
            let answer = match answer {
                // An endpoint of the older era may well refuse what it does not know.
                Err(RequestError::Status { status: 400 | 404 | 405 | 406 | 415 })
                | Err(RequestError::Html) => ProbeOutcome::Older,
                answer => probe::judge(answer),
            };
            answer.log(self.id, self.known);
            match answer {
                ProbeOutcome::Modern(handshake) => return Ok(handshake),
                ProbeOutcome::Older => {}
                ProbeOutcome::Failed(error) => return Err(StreamableRefused::Final(error)),
            }
        }
        let introduction = wiring.introduction.clone();
        let asked = wiring.ask(None, method::INITIALIZE, introduction.initialize(), limit).await;
        let result = asked.map_err(StreamableRefused::Initialize)?;
        let handshake =
            crate::ServerHandshake::of_initialize(&result).map_err(StreamableRefused::Final)?;
        wiring.agree(handshake.revision);
        let told = wiring.notify(method::INITIALIZED, handshake.revision).await;
        told.map_err(|error| StreamableRefused::Final(error.into()))?;
        Ok(handshake)
    }

    async fn legacy_sse(
        &self,
        exchange: HttpExchange,
        limit: Duration,
    ) -> Result<UpstreamConnection, ConnectError> {
        let (router, replies) = self.router();
        let channel = LegacySse::open(exchange, Arc::clone(&router)).await?;
        let wiring = self.wiring(channel, router, replies)?;
        let handshake = wiring.initialize(limit).await?;
        Ok(wiring.establish(handshake))
    }

    /// The login of the entry, where it brings no credential of its own.
    fn login(&self, remote: &RemoteServer) -> Result<Option<Arc<ServerLogin>>, ConnectError> {
        let Some(access) = self.login.as_ref().filter(|_| !has_own_credential(remote)) else {
            return Ok(None);
        };
        let fetch = login_fetch(remote, self.workspace, self.variables)?;
        Ok(Some(Arc::new(ServerLogin::new(access.clone(), self.id, remote, fetch))))
    }

    fn exchange(
        &self,
        remote: &RemoteServer,
        login: Option<Arc<ServerLogin>>,
    ) -> Result<HttpExchange, ConnectError> {
        let setup = |message: String| ConnectError::Setup { message, hint: None };
        let uri: Uri = remote
            .endpoint
            .url()
            .as_str()
            .parse()
            .map_err(|_| setup("the URL cannot be used".to_owned()))?;
        let settings = HttpSettings {
            ca_file: remote.ca_file.as_ref().map(|file| self.workspace.join(file.expose())),
            variables: self.variables.clone(),
            connect_timeout: Some(self.server.value().timeouts.request.duration()),
        };
        let client = HttpClient::new(&uri, &settings)?;
        let credential = self.credential(remote)?.or(login.map(CredentialSource::Login));
        let credential = credential.map(|source| Credential::new(source, &self.events));
        Ok(HttpExchange { client, uri, own: self.headers(remote)?, credential })
    }

    fn credential(&self, remote: &RemoteServer) -> Result<Option<CredentialSource>, ConnectError> {
        let Some(name) = &remote.auth_provider else { return Ok(None) };
        let provider = self.providers.get(name.expose()).ok_or_else(|| ConnectError::Setup {
            message: format!("Missing auth provider '{name}' for MCP server '{}'", self.id),
            hint: None,
        })?;
        let url = remote.endpoint.url().clone();
        provider.serves(&url).map_err(|why| ConnectError::Setup {
            message: format!(
                "auth provider '{name}' gives nothing to MCP server '{}': {why}",
                self.id
            ),
            hint: None,
        })?;
        let (provider, server) = (Arc::clone(provider), self.id.clone());
        Ok(Some(CredentialSource::Provided { provider, server, url }))
    }

    fn headers(&self, remote: &RemoteServer) -> Result<HeaderMap, ConnectError> {
        let mut headers = HeaderMap::new();
        for (name, value) in &remote.headers {
            let value = match value {
                Given::Given(text) => text.expose().to_owned(),
                Given::FromEnv(variable) => self.variable(variable)?,
            };
            put(&mut headers, name.as_str(), &value)?;
        }
        // Beside a provider it would lose, so it need not even be set.
        if let (Some(variable), None) = (&remote.bearer_token_env, &remote.auth_provider) {
            let token = ConfigText::hidden(format!("Bearer {}", self.variable(variable)?));
            put(&mut headers, header::AUTHORIZATION.as_str(), token.expose())?;
        }
        Ok(headers)
    }

    fn variable(&self, name: &EnvName) -> Result<String, ConnectError> {
        let value = self.variables.get(name.as_str()).map(|value| value.trim());
        value.filter(|value| !value.is_empty()).map(str::to_owned).ok_or_else(|| {
            ConnectError::Setup { message: format!("the variable {name} is not set"), hint: None }
        })
    }
}

fn put(headers: &mut HeaderMap, name: &str, value: &str) -> Result<(), ConnectError> {
    let unusable = || ConnectError::Setup {
        message: format!("the header {name} cannot be sent as it is"),
        hint: None,
    };
    let mut value = HeaderValue::from_str(value).map_err(|_| unusable())?;
    // Keeps it out of debug output and of compression tables.
    value.set_sensitive(true);
    headers.insert(HeaderName::try_from(name).map_err(|_| unusable())?, value);
    Ok(())
}

/// Why Streamable HTTP did not come about, and whether something else may.
enum StreamableRefused {
    /// `initialize` itself was refused.
    Initialize(RequestError),
    Final(ConnectError),
}

impl StreamableRefused {
    /// What a server of the oldest kind says to a POST it has no place for.
    fn is_no_endpoint(&self) -> bool {
        match self {
            Self::Initialize(
                RequestError::Status { status } | RequestError::Rejected { status, .. },
            ) => matches!(status, 400 | 404 | 405),
            Self::Initialize(_) | Self::Final(_) => false,
        }
    }
}

impl From<StreamableRefused> for ConnectError {
    fn from(refused: StreamableRefused) -> Self {
        match refused {
            StreamableRefused::Initialize(error) => error.into(),
            StreamableRefused::Final(error) => error,
        }
    }
}
