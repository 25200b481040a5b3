//! The server that somebody logs in to, and as whom.

use toolgate_auth::login::{AuthorizationAttempt, LoginError, LoginWish, ServerLogins};
use toolgate_store::LoginKey;
use toolgate_types::config::{OauthGrant, RemoteServer, Transport};
use toolgate_types::{Principal, ServerId};
use toolgate_upstream::{LoginAccess, LoginFetch, has_own_credential, login_fetch};

use crate::contexts::WorkspaceContexts;
use crate::person_login::login_offer;

pub(super) struct ServerPlace {
    pub(super) principal: Principal,
    pub(super) key: LoginKey,
    pub(super) remote: RemoteServer,
    pub(super) fetch: LoginFetch,
}

impl ServerPlace {
    /// As the host of this subject has the server now; none where no person logs in to it.
    pub(super) fn find(
        contexts: &WorkspaceContexts,
        key: Option<&str>,
        principal: &Principal,
        server: &ServerId,
    ) -> Option<Self> {
        let logins = contexts.assembly.logins()?;
        let is_its = |live: &&std::sync::Arc<crate::contexts::LiveHost>| {
            live.key.as_deref() == key && live.principal == *principal
        };
        let live = contexts.live().iter().find(is_its).cloned()?;
        let (context, prepared) = (live.context(), crate::lock(&live.prepared).clone());
        let entry = prepared.config.servers.get(server)?;
        let Transport::Remote(remote) = &entry.value.transport else { return None };
        let grant = remote.oauth.as_ref().map(|oauth| oauth.grant).unwrap_or_default();
        if has_own_credential(remote) || grant != OauthGrant::AuthorizationCode {
            return None;
        }
        let (folder, variables) = (&*context.folder, &context.options.env);
        let access = LoginAccess::of(logins, entry, principal.as_str(), folder, variables);
        let fetch = login_fetch(remote, folder, variables).ok()?;
        let key = access.key(server, remote);
        Some(Self { principal: principal.clone(), key, remote: remote.clone(), fetch })
    }

    /// Begins a login there. None: the server wants none.
    pub(super) async fn begin(
        &self,
        logins: &ServerLogins,
        redirect: &str,
    ) -> Result<Option<AuthorizationAttempt>, LoginError> {
        let known = logins.login(&self.key)?;
        let configured = self.remote.oauth.clone().unwrap_or_default();
        let offered = login_offer(&self.key, &self.remote, &configured, &self.fetch).await?;
        let Some((offer, challenge)) = offered else { return Ok(None) };
        let wish = LoginWish {
            server_url: &self.key.url,
            configured: &configured,
            challenge: challenge.as_ref(),
            scope: None,
            known: known.as_deref(),
            redirect,
        };
        AuthorizationAttempt::begin(offer, wish, &self.fetch).await.map(Some)
    }
}
