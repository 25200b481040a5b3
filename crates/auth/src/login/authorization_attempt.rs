//! One login of a person: the link that they open, and what becomes of the answer.
//!
//! The answer is believed once: where it came to the right place, names the state that only this attempt
//! knows, and the issuer that was asked. Everything else is refused before a token is asked for.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Map;
use sha2::{Digest as _, Sha256};
use toolgate_store::{KeptLogin, LoginBinding, LoginTokens};
use toolgate_types::Secret;
use url::Url;
use zeroize::Zeroizing;

use super::callback::{AuthorizationCallback, CallbackVerdict};
use super::client_identity::{ClientIdentity, REDIRECT};
use super::client_registration::choose_client;
use super::login_wish::LoginWish;
use super::scopes::scope_to_ask;
use super::token_request::{TokenAnswer, request_tokens};
use super::{GuardedFetch, LoginError, LoginOffer, OauthEndpoint};

/// A login that waits for its answer.
pub struct AuthorizationAttempt {
    link: Url,
    redirect: String,
    state: Secret,
    verifier: Secret,
    scope: Option<String>,
    client: ClientIdentity,
    offer: LoginOffer,
    server_url: String,
    rest: Map<String, serde_json::Value>,
}

impl AuthorizationAttempt {
    pub async fn begin(
        offer: LoginOffer,
        wish: LoginWish<'_>,
        fetch: &dyn GuardedFetch,
    ) -> Result<Self, LoginError> {
        let server = &offer.server;
        let Some(authorization) = &server.authorization else {
            return Err(LoginError::BadMetadata(
                "it has no place where a person logs in".to_owned(),
            ));
        };
        if !server.is_s256 {
            let why = "it does not say that it checks codes with S256 (PKCE)";
            return Err(LoginError::BadMetadata(why.to_owned()));
        }
        let scope = scope_to_ask(&offer, &wish);
        let LoginWish { configured, known, redirect, server_url, .. } = wish;
        let client =
            choose_client(server, configured, known, redirect, scope.as_deref(), fetch).await?;
        let (state, verifier) = (random_text()?, random_text()?);
        let link =
            link(authorization, &client.id, redirect, &state, &verifier, scope.as_deref(), &offer);
        let mut rest = known.map(|known| known.rest.clone()).unwrap_or_default();
        rest.insert(REDIRECT.to_owned(), redirect.into());
        let (redirect, server_url) = (redirect.to_owned(), server_url.to_owned());
        Ok(Self { link, redirect, state, verifier, scope, client, offer, server_url, rest })
    }

    /// What the person opens.
    pub fn link(&self) -> &Url {
        &self.link
    }

    /// What tokens are asked to be good for.
    pub fn scope(&self) -> Option<&str> {
        self.scope.as_deref()
    }

    /// Who would issue them.
    pub fn issuer(&self) -> Option<&str> {
        self.offer.server.issuer.as_deref()
    }

    /// Whether this is an answer to this attempt, of whatever worth.
    pub fn is_meant_by(&self, answer: &AuthorizationCallback) -> bool {
        let verdict = answer.judge(&self.redirect, &self.state, &self.offer.server);
        !matches!(verdict, CallbackVerdict::Stranger(_))
    }

    /// Redeems an answer. It takes the attempt with it: an answer counts once. A stranger's
    /// answer gives the attempt back, since anybody can send one and the right one may still come.
    pub async fn finish(
        self,
        answer: &AuthorizationCallback,
        fetch: &dyn GuardedFetch,
        now: u64,
    ) -> Result<KeptLogin, AttemptRefused> {
        let code = match answer.judge(&self.redirect, &self.state, &self.offer.server) {
            CallbackVerdict::Code(code) => code,
            CallbackVerdict::Stranger(why) => {
                let (why, attempt) = (LoginError::NotBelieved(why), Some(Box::new(self)));
                return Err(AttemptRefused { why, attempt });
            }
            CallbackVerdict::No(why) => return Err(AttemptRefused { why, attempt: None }),
        };
        match self.redeem(&code, fetch, now).await {
            Ok(tokens) => Ok(self.login(tokens)),
            Err(why) => Err(AttemptRefused { why, attempt: None }),
        }
    }

    async fn redeem(
        &self,
        code: &str,
        fetch: &dyn GuardedFetch,
        now: u64,
    ) -> Result<LoginTokens, LoginError> {
        let parameters = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &self.redirect),
            ("code_verifier", self.verifier.expose()),
            ("resource", &self.offer.resource),
        ];
        let endpoint = &self.offer.server.token;
        match request_tokens(endpoint, &parameters, &self.client, fetch, now).await? {
            // What is not said is what was asked for (RFC 6749, 5.1).
            TokenAnswer::Granted(tokens) => {
                let scope = tokens.scope.or_else(|| self.scope.clone());
                Ok(LoginTokens { scope, ..tokens })
            }
            TokenAnswer::Refused(refusal) => Err(LoginError::Refused(refusal.told())),
        }
    }

    fn login(self, tokens: LoginTokens) -> KeptLogin {
        let LoginOffer { resource, server, .. } = self.offer;
        let binding = LoginBinding {
            server_url: self.server_url,
            issuer: server.issuer,
            resource,
            token_endpoint: server.token.as_str().to_owned(),
            revocation_endpoint: server.revocation.map(|at| at.as_str().to_owned()),
            client_auth: self.client.auth.clone(),
        };
        KeptLogin {
            client_id: self.client.id,
            client_secret: self.client.secret,
            tokens: Some(tokens),
            wanted_scope: None,
            binding,
            rest: self.rest,
        }
    }
}

/// Why an answer brought no login, and the attempt where another answer may still come.
pub struct AttemptRefused {
    pub why: LoginError,
    pub attempt: Option<Box<AuthorizationAttempt>>,
}

impl std::fmt::Debug for AttemptRefused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AttemptRefused").field("why", &self.why).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for AuthorizationAttempt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AuthorizationAttempt")
            .field("server_url", &self.server_url)
            .finish_non_exhaustive()
    }
}

fn link(
    authorization: &OauthEndpoint,
    client: &str,
    redirect: &str,
    state: &Secret,
    verifier: &Secret,
    scope: Option<&str>,
    offer: &LoginOffer,
) -> Url {
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.expose()));
    let mut link = authorization.url().clone();
    {
        let mut query = link.query_pairs_mut();
        query
            .append_pair("response_type", "code")
            .append_pair("client_id", client)
            .append_pair("redirect_uri", redirect)
            .append_pair("state", state.expose())
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256")
            .append_pair("resource", &offer.resource);
        if let Some(scope) = scope {
            query.append_pair("scope", scope);
            // Without a new consent many give no refresh token (OpenID Connect Core, 11).
            if scope.split_whitespace().any(|one| one == "offline_access") {
                query.append_pair("prompt", "consent");
            }
        }
    }
    link
}

pub(super) fn random_text() -> Result<Secret, LoginError> {
    let mut bytes = Zeroizing::new([0_u8; 32]);
    getrandom::fill(&mut *bytes).map_err(|error| LoginError::NoRandomness(error.to_string()))?;
    Ok(Secret::new(URL_SAFE_NO_PAD.encode(*bytes)))
}

#[cfg(test)]
mod tests;
