//! The login of one server, as its requests use it: the token for the next one, another where one was
//! refused, and what it takes to log in where there is none.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use http::header;
use parking_lot::Mutex;
use toolgate_auth::login::{
    BearerChallenge, LoginError, ServerLogins, can_be_registered, client_login, discover,
    exchanged_token,
};
use toolgate_store::{LoginHolder, LoginKey};
use toolgate_types::config::{Entry, Oauth, OauthGrant, RemoteServer, Server, Transport};
use toolgate_types::{LayerGrade, Principal, Secret, ServerId, since_1970};
use tracing::{debug, warn};

use crate::failure::TokenStanding;
use crate::http::LoginFetch;
use crate::{ConnectError, HttpFailure};

/// Where logins are kept, and whose one server's is.
#[derive(Debug, Clone)]
pub struct LoginAccess {
    pub logins: Arc<ServerLogins>,
    pub holder: LoginHolder,
    /// One of several accounts, by the folder that somebody works in.
    pub account: Option<String>,
    /// For whom tokens may be had in exchange: for who calls, where the entry is the person's own.
    pub exchanged_for: Option<String>,
}

impl LoginAccess {
    /// Whose login an entry means for somebody who works in a folder.
    pub fn of(
        logins: &Arc<ServerLogins>,
        entry: &Entry<Server>,
        principal: &str,
        folder: &Path,
        variables: &BTreeMap<String, String>,
    ) -> Self {
        let is_owner = principal == Principal::local_user().as_str();
        let holder = match entry.origin.grade {
            LayerGrade::Person if is_owner => LoginHolder::Owner,
            _ => LoginHolder::Other { principal: principal.to_owned() },
        };
        let account = meant_account(entry, folder, variables);
        let is_persons = entry.origin.grade == LayerGrade::Person;
        let exchanged_for = is_persons.then(|| principal.to_owned());
        Self { logins: Arc::clone(logins), holder, account, exchanged_for }
    }

    /// The key of a server's login.
    pub fn key(&self, server: &ServerId, remote: &RemoteServer) -> LoginKey {
        LoginKey {
            server: server.clone(),
            url: remote.endpoint.original().expose().trim().to_owned(),
            holder: self.holder.clone(),
            account: self.account.clone(),
        }
    }
}

/// Which of the person's accounts at a server is meant for somebody who works in a folder.
pub fn meant_account(
    entry: &Entry<Server>,
    folder: &Path,
    variables: &BTreeMap<String, String>,
) -> Option<String> {
    match &entry.value.transport {
        Transport::Remote(remote) => account_in(remote.oauth.as_ref()?, folder, variables),
        _ => None,
    }
}

/// The account that is meant in a folder: `~/work/**` is everything below, any other name one folder.
fn account_in(
    oauth: &Oauth,
    folder: &Path,
    variables: &BTreeMap<String, String>,
) -> Option<String> {
    let home = variables.get("HOME").map(Path::new);
    let is_meant = |written: &str| {
        let (above, everything) = match written.strip_suffix("/**") {
            Some(above) => (above, true),
            None => (written, false),
        };
        let named = match (above.strip_prefix('~'), home) {
            (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
            (Some(_), None) => return false,
            (None, _) => above.into(),
        };
        if everything { folder.starts_with(&named) } else { folder == named }
    };
    oauth.account_for.iter().find(|(written, _)| is_meant(written)).map(|(_, name)| name.clone())
}

/// The login of one server.
pub(crate) struct ServerLogin {
    access: LoginAccess,
    key: LoginKey,
    configured: Oauth,
    fetch: LoginFetch,
    /// The token of the last request.
    shown: Mutex<Option<Secret>>,
}

impl ServerLogin {
    pub(crate) fn new(
        access: LoginAccess,
        server: &ServerId,
        remote: &RemoteServer,
        fetch: LoginFetch,
    ) -> Self {
        let key = access.key(server, remote);
        let configured = remote.oauth.clone().unwrap_or_default();
        Self { access, key, configured, fetch, shown: Mutex::default() }
    }

    /// The token for the next request; none where nobody logged in: then the server says what it wants.
    pub(crate) async fn token(&self) -> Result<Option<Secret>, LoginError> {
        let now = since_1970(SystemTime::now());
        let token = match self.kept_or_exchanged(now).await {
            // A client that is known by itself asks for another once the server refuses it without one.
            Err(LoginError::Over(_)) if self.needs_no_person() => None,
            token => token?,
        };
        self.shown.lock().clone_from(&token);
        Ok(token)
    }

    /// Whether there is none, as far as can be known without looking for one.
    pub(crate) fn is_absent(&self) -> bool {
        let is_absent = self.configured.grant != OauthGrant::TokenExchange
            && self.access.logins.is_absent(&self.key);
        if is_absent {
            *self.shown.lock() = None;
        }
        is_absent
    }

    async fn kept_or_exchanged(&self, now: u64) -> Result<Option<Secret>, LoginError> {
        match self.configured.grant {
            OauthGrant::TokenExchange => self.exchanged(now).await,
            _ => self.access.logins.token(&self.key, &self.configured, &self.fetch, now).await,
        }
    }

    /// A token in exchange for the one that the caller showed. A file of a project could name whom it
    /// likes to exchange it, so its entries get none.
    async fn exchanged(&self, now: u64) -> Result<Option<Secret>, LoginError> {
        let Some(principal) = &self.access.exchanged_for else { return Ok(None) };
        let (callers, configured) = (self.access.logins.callers(), &self.configured);
        exchanged_token(callers, principal, &self.key, configured, &self.fetch, now).await
    }

    /// The server refused: whether there is another token to try once.
    pub(crate) async fn has_another(&self, status: u16, challenge: Option<&str>) -> bool {
        let challenge = challenge.and_then(BearerChallenge::parse);
        if status == 403 {
            if self.has_granted(challenge.as_ref()) {
                return false;
            }
            if let Some(scope) = challenge.as_ref().and_then(|wanted| wanted.scope.as_deref())
                && let Err(error) = self.access.logins.want(&self.key, scope)
            {
                warn!(server = self.key.server.as_str(), %error, "what it wants is not remembered");
            }
            return false;
        }
        let now = since_1970(SystemTime::now());
        let shown = self.shown.lock().clone();
        if self.configured.grant == OauthGrant::TokenExchange {
            let Some(principal) = &self.access.exchanged_for else { return false };
            self.access.logins.callers().forget(principal, &self.key);
            return shown.is_some();
        }
        let logins = &self.access.logins;
        let has_another = match &shown {
            Some(refused) => {
                let configured = &self.configured;
                let another = logins.another(&self.key, refused, configured, &self.fetch, now);
                another.await.map(|another| another.is_some())
            }
            None if self.needs_no_person() => Ok(false),
            // Somebody may have logged in just now.
            None => logins.has_token(&self.key),
        };
        match has_another {
            Ok(true) => true,
            Ok(false) => self.logs_in_itself(challenge.as_ref(), now).await,
            Err(error) => {
                debug!(server = self.key.server.as_str(), %error, "no other token");
                false
            }
        }
    }

    /// Whether it has all that this wants: who logged in for it and is refused again would log in for
    /// ever.
    pub(crate) fn has_granted(&self, challenge: Option<&BearerChallenge>) -> bool {
        let wanted = challenge.and_then(|wanted| wanted.scope.as_deref());
        wanted.is_some_and(|wanted| self.access.logins.has_granted(&self.key, wanted))
    }

    fn needs_no_person(&self) -> bool {
        self.configured.grant == OauthGrant::ClientCredentials
    }

    /// A client that is known by itself needs no person.
    async fn logs_in_itself(&self, challenge: Option<&BearerChallenge>, now: u64) -> bool {
        if !self.needs_no_person() {
            return false;
        }
        let (url, configured, fetch) = (&*self.key.url, &self.configured, &self.fetch);
        let obtained = async {
            let offer = discover(url, challenge, configured, fetch).await?;
            let login = client_login(offer, url, configured, challenge, fetch, now).await?;
            self.access.logins.keep(&self.key, &login)
        };
        match obtained.await {
            Ok(()) => true,
            Err(error) => {
                warn!(server = self.key.server.as_str(), %error, "no token for the client");
                false
            }
        }
    }

    /// What it takes to log in, for somebody whose requests are refused.
    pub(crate) async fn what_it_takes(&self, status: u16, challenge: Option<&str>) -> ConnectError {
        let parsed = challenge.and_then(BearerChallenge::parse);
        let (url, configured) = (&*self.key.url, &self.configured);
        let known = self.access.logins.login(&self.key).ok().flatten();
        let offer = discover(url, parsed.as_ref(), configured, &self.fetch).await;
        let offer = offer.and_then(|offer| can_be_registered(&offer, configured, known.as_deref()));
        let challenge = challenge.map(str::to_owned);
        let standing = match known {
            Some(_) => TokenStanding::Refused,
            None => TokenStanding::Missing,
        };
        match offer {
            Ok(()) => {
                ConnectError::Unauthorized { status, challenge, registration: None, standing }
            }
            Err(LoginError::NotOffered) => ConnectError::NoLogin { status },
            Err(LoginError::NeedsRegistration(why)) => {
                ConnectError::Unauthorized { status, challenge, registration: Some(why), standing }
            }
            // Nothing is known of it now; who logs in is told why.
            Err(error) if error.may_pass() => {
                debug!(server = self.key.server.as_str(), %error, "its login cannot be looked at");
                ConnectError::Unauthorized { status, challenge, registration: None, standing }
            }
            Err(error) => ConnectError::BadLogin(error.to_string()),
        }
    }
}

/// Whether the entry brings a credential of its own, beside which there is no login.
pub fn has_own_credential(remote: &RemoteServer) -> bool {
    let is_authorization = |name: &str| name.eq_ignore_ascii_case(header::AUTHORIZATION.as_str());
    remote.auth_provider.is_some()
        || remote.bearer_token_env.is_some()
        || remote.headers.keys().any(|name| is_authorization(name.as_str()))
}

/// How the requests of an entry's login are sent.
pub fn login_fetch(
    remote: &RemoteServer,
    workspace: &Path,
    variables: &BTreeMap<String, String>,
) -> Result<LoginFetch, HttpFailure> {
    let ca_file = remote.ca_file.as_ref().map(|file| workspace.join(file.expose()));
    LoginFetch::new(remote, ca_file, variables.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_says_which_account_is_meant() {
        let account_for = [("~/work/**", "work"), ("/srv/one", "one"), ("/**", "rest")];
        let account_for = account_for.map(|(folder, name)| (folder.to_owned(), name.to_owned()));
        let oauth = Oauth { account_for: account_for.into_iter().collect(), ..Oauth::default() };
        let variables = BTreeMap::from([("HOME".to_owned(), "/home/p".to_owned())]);
        let account = |folder: &str| account_in(&oauth, Path::new(folder), &variables).unwrap();
        assert_eq!(account("/home/p/work"), "work");
        assert_eq!(account("/home/p/work/a/b"), "work");
        assert_eq!(account("/home/p/workshop"), "rest");
        assert_eq!(account("/srv/one"), "one");
        assert_eq!(account("/srv/one/two"), "rest");
        assert_eq!(account_in(&Oauth::default(), Path::new("/x"), &variables), None);
    }
}
