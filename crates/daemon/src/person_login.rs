//! A person's login at one server, from "what does it want" to tokens that are kept.
//!
//! How the person is spoken with is [`LoginConversation`]'s. The listener on this machine and what the
//! person pastes race: one of them works wherever the browser is.

mod login_challenge;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tokio::time::timeout;
use toolgate_auth::login::{
    AuthorizationAttempt, AuthorizationCallback, BearerChallenge, DeviceLogin, LoginError,
    LoginOffer, LoginPage, LoginWish, LoopbackListener, ServerLogins, discover,
};
use toolgate_store::{KeptLogin, LoginKey};
use toolgate_types::config::{Oauth, RemoteServer};
use toolgate_types::since_1970;
use toolgate_upstream::LoginFetch;

use login_challenge::login_challenge;

/// What a person sees of a login, and what they say.
#[async_trait]
pub trait LoginConversation: Send + Sync {
    /// Shows where to log in, and opens it where the person wants that.
    async fn show(&self, link: &LoginLink<'_>);

    /// Shows a code, and where to type it in.
    async fn show_code(&self, code: &LoginCode<'_>);

    /// What the person pasted; never, where nobody can.
    async fn pasted(&self) -> String;

    /// An answer that was none; the right one may still come.
    async fn not_believed(&self, why: &LoginError);
}

/// Where a person logs in, and what for.
#[derive(Debug, Clone, Copy)]
pub struct LoginLink<'a> {
    pub url: &'a str,
    pub issuer: Option<&'a str>,
    /// Who issued the tokens of the login before, where that was somebody else.
    pub issuer_before: Option<&'a str>,
    pub scope: Option<&'a str>,
    /// Whether a code that is typed in elsewhere would do as well.
    pub takes_code: bool,
}

/// A code that a person types in elsewhere.
#[derive(Debug, Clone, Copy)]
pub struct LoginCode<'a> {
    pub code: &'a str,
    pub url: &'a str,
    pub issuer: Option<&'a str>,
    pub issuer_before: Option<&'a str>,
    pub scope: Option<&'a str>,
    pub lasts: Duration,
}

/// Everything that one login needs.
#[derive(Debug)]
pub struct PersonLogin<'a> {
    pub logins: Arc<ServerLogins>,
    pub key: LoginKey,
    pub remote: &'a RemoteServer,
    /// The entry's own, with what the person was asked for.
    pub configured: Oauth,
    /// The scopes that the person named.
    pub scope: Option<&'a str>,
    pub fetch: LoginFetch,
    /// With a code that is typed in elsewhere, and not in a browser that comes back here.
    pub with_code: bool,
    /// How long the person may take.
    pub patience: Duration,
}

impl PersonLogin<'_> {
    /// How long a person may take, usually.
    pub const PATIENCE: Duration = Duration::from_secs(300);

    /// Logs in; gives the login that was kept. None: the server wants none.
    pub async fn log_in(
        &self,
        conversation: &dyn LoginConversation,
    ) -> Result<Option<KeptLogin>, LoginError> {
        let known = self.logins.login(&self.key)?;
        let (url, configured) = (&*self.key.url, &self.configured);
        let offered = login_offer(&self.key, self.remote, configured, &self.fetch).await?;
        let Some((offer, challenge)) = offered else { return Ok(None) };
        let before = known.as_ref().and_then(|known| known.binding.issuer.as_deref());
        let wish = |redirect| LoginWish {
            server_url: url,
            configured,
            challenge: challenge.as_ref(),
            scope: self.scope,
            known: known.as_deref(),
            redirect,
        };
        if self.with_code {
            let now = since_1970(SystemTime::now());
            let login = DeviceLogin::begin(offer, wish(""), &self.fetch, now).await?;
            return self.log_in_with_code(login, before, conversation).await.map(Some);
        }
        let takes_code = offer.server.device.is_some();
        let listener = self.listener(known.as_deref()).await?;
        let attempt =
            AuthorizationAttempt::begin(offer, wish(listener.redirect()), &self.fetch).await?;
        conversation
            .show(&LoginLink {
                url: attempt.link().as_str(),
                issuer: attempt.issuer(),
                issuer_before: before.filter(|before| Some(*before) != attempt.issuer()),
                scope: attempt.scope(),
                takes_code,
            })
            .await;
        let late = Err(LoginError::Refused("nobody logged in in time".to_owned()));
        let answered = self.answered(attempt, &listener, conversation);
        let login = timeout(self.patience, answered).await.unwrap_or(late)?;
        self.logins.keep(&self.key, &login)?;
        Ok(Some(login))
    }

    /// With a code that the person types in elsewhere.
    async fn log_in_with_code(
        &self,
        login: DeviceLogin,
        before: Option<&str>,
        conversation: &dyn LoginConversation,
    ) -> Result<KeptLogin, LoginError> {
        let code = LoginCode {
            code: login.user_code(),
            url: login.verification().as_str(),
            issuer: login.issuer(),
            issuer_before: before.filter(|before| Some(*before) != login.issuer()),
            scope: login.scope(),
            lasts: login.lasts(),
        };
        conversation.show_code(&code).await;
        let login = login.finish(&self.fetch).await?;
        self.logins.keep(&self.key, &login)?;
        Ok(login)
    }

    /// At the port that is configured; else where the client was registered with, or anywhere.
    async fn listener(&self, known: Option<&KeptLogin>) -> Result<LoopbackListener, LoginError> {
        let registered = known.and_then(|known| known.rest.get("redirect_uri")?.as_str());
        let registered = registered.and_then(|redirect| url::Url::parse(redirect).ok()?.port());
        if let Some(port) = registered.filter(|_| self.configured.callback_port.is_none())
            && let Ok(listener) = LoopbackListener::bind(Some(port)).await
        {
            return Ok(listener);
        }
        let bound = LoopbackListener::bind(self.configured.callback_port).await;
        bound.map_err(|error| {
            LoginError::Refused(format!("nobody can come back to this machine: {error}"))
        })
    }

    /// The first answer that is one, from the browser or from the person.
    async fn answered(
        &self,
        mut attempt: AuthorizationAttempt,
        listener: &LoopbackListener,
        conversation: &dyn LoginConversation,
    ) -> Result<KeptLogin, LoginError> {
        loop {
            let (callback, browser) = tokio::select! {
                browser = listener.next() => match browser {
                    Ok(browser) => (AuthorizationCallback::parse(&browser.url), Some(browser)),
                    Err(error) => return Err(LoginError::Refused(error.to_string())),
                },
                pasted = conversation.pasted() => (AuthorizationCallback::parse(&pasted), None),
            };
            let callback = match callback {
                Ok(callback) => callback,
                Err(why) => {
                    conversation.not_believed(&why).await;
                    continue;
                }
            };
            let now = since_1970(SystemTime::now());
            let finished = attempt.finish(&callback, &self.fetch, now).await;
            let page = match &finished {
                Ok(_) => LoginPage::Done,
                Err(refused) if refused.attempt.is_some() => LoginPage::NotThisLogin,
                Err(_) => LoginPage::Refused,
            };
            if let Some(browser) = browser {
                // A browser that is gone has nothing to read.
                let _ = browser.show(page).await;
            }
            match finished {
                Ok(login) => return Ok(login),
                Err(refused) => match refused.attempt {
                    Some(again) => {
                        conversation.not_believed(&refused.why).await;
                        attempt = *again;
                    }
                    None => return Err(refused.why),
                },
            }
        }
    }
}

/// The login that a server offers, and what it answered to whoever has none. None: it wants no login.
pub(crate) async fn login_offer(
    key: &LoginKey,
    remote: &RemoteServer,
    configured: &Oauth,
    fetch: &LoginFetch,
) -> Result<Option<(LoginOffer, Option<BearerChallenge>)>, LoginError> {
    let challenge = login_challenge(remote.endpoint.url().as_str(), fetch).await?;
    match discover(&key.url, challenge.as_ref(), configured, fetch).await {
        // What it answers it answers to anybody.
        Err(LoginError::NotOffered) if challenge.is_none() => Ok(None),
        offer => Ok(Some((offer?, challenge))),
    }
}

#[cfg(test)]
mod tests;
