//! A login with a code that the person types in elsewhere (RFC 8628): for a machine whose browser cannot be
//! used, where the authorization server offers it.
//!
//! The link with the code already in it is not shown: who types a code has seen which one it is.

use std::time::{Duration, SystemTime};

use serde::Deserialize;
use serde_json::Map;
use tokio::time::sleep;
use toolgate_store::{KeptLogin, LoginBinding, LoginTokens};
use toolgate_types::{Secret, since_1970};

use super::client_identity::{ClientIdentity, REDIRECT};
use super::client_registration::{DEVICE_GRANT, choose_client};
use super::login_error::told;
use super::login_wish::LoginWish;
use super::scopes::scope_to_ask;
use super::token_request::{OauthRefusal, TokenAnswer, host_of, post_form, request_tokens};
use super::{GuardedFetch, LoginError, LoginOffer, OauthEndpoint};

/// How often is asked where nothing is said, and what more "slow down" means (RFC 8628, 3.5).
const USUAL_INTERVAL: Duration = Duration::from_secs(5);
const SLOWER: Duration = Duration::from_secs(5);

/// Whatever a server says, it is asked no more often, and waited for no longer.
const SHORTEST_INTERVAL: Duration = Duration::from_secs(1);
const LONGEST_INTERVAL: Duration = Duration::from_secs(60);
const LONGEST_WAIT: Duration = Duration::from_secs(30 * 60);

/// No code that a person types is longer.
const LONGEST_CODE: usize = 64;

/// A login that waits for its code to be typed in.
pub struct DeviceLogin {
    offer: LoginOffer,
    client: ClientIdentity,
    server_url: String,
    scope: Option<String>,
    rest: Map<String, serde_json::Value>,
    device_code: Secret,
    user_code: String,
    verification: OauthEndpoint,
    interval: Duration,
    lasts: Duration,
}

#[derive(Deserialize)]
struct WrittenDevice {
    device_code: String,
    user_code: String,
    #[serde(alias = "verification_url")]
    verification_uri: String,
    expires_in: Option<f64>,
    interval: Option<f64>,
}

/// What a refusal of the token endpoint means for who waits.
#[derive(Debug, PartialEq, Eq)]
enum PollVerdict {
    Wait(Duration),
    Over(LoginError),
}

impl DeviceLogin {
    pub async fn begin(
        offer: LoginOffer,
        wish: LoginWish<'_>,
        fetch: &dyn GuardedFetch,
        now: u64,
    ) -> Result<Self, LoginError> {
        let Some(endpoint) = offer.server.device.clone() else {
            return Err(LoginError::BadMetadata("it offers no login with a code".to_owned()));
        };
        let scope = scope_to_ask(&offer, &wish);
        let LoginWish { configured, known, server_url, .. } = wish;
        let asked = scope.as_deref();
        // Nobody is sent back to anywhere.
        let client = choose_client(&offer.server, configured, known, "", asked, fetch).await?;
        let mut parameters = vec![("resource", &*offer.resource)];
        parameters.extend(asked.map(|scope| ("scope", scope)));
        let (status, body) = post_form(&endpoint, &parameters, &client, fetch, now).await?;
        let unexpected = |what: String| LoginError::Unexpected { host: host_of(&endpoint), what };
        if !status.is_success() {
            return Err(match serde_json::from_str::<OauthRefusal>(body.expose()) {
                Ok(refusal) if status.is_client_error() => LoginError::Refused(refusal.told()),
                _ => unexpected(status.to_string()),
            });
        }
        let written: WrittenDevice = serde_json::from_str(body.expose())
            .map_err(|_| unexpected("something that is no code".to_owned()))?;
        let WrittenDevice { device_code, user_code, verification_uri, expires_in, interval } =
            written;
        if user_code.is_empty() || user_code.chars().count() > LONGEST_CODE {
            return Err(unexpected("a code that nobody can type".to_owned()));
        }
        let seconds = |given: f64| Duration::try_from_secs_f64(given).unwrap_or(Duration::ZERO);
        let interval = interval.map_or(USUAL_INTERVAL, seconds);
        let mut rest = known.map(|known| known.rest.clone()).unwrap_or_default();
        rest.insert(REDIRECT.to_owned(), "".into());
        Ok(Self {
            verification: OauthEndpoint::parse("verification_uri", &verification_uri)?,
            user_code: told(&user_code),
            device_code: Secret::new(device_code),
            interval: interval.clamp(SHORTEST_INTERVAL, LONGEST_INTERVAL),
            lasts: expires_in.map_or(LONGEST_WAIT, seconds).min(LONGEST_WAIT),
            server_url: server_url.to_owned(),
            offer,
            client,
            scope,
            rest,
        })
    }

    /// Where the person types the code.
    pub fn verification(&self) -> &OauthEndpoint {
        &self.verification
    }

    /// The code, with nothing hidden in it.
    pub fn user_code(&self) -> &str {
        &self.user_code
    }

    pub fn scope(&self) -> Option<&str> {
        self.scope.as_deref()
    }

    pub fn issuer(&self) -> Option<&str> {
        self.offer.server.issuer.as_deref()
    }

    /// How long the code counts.
    pub fn lasts(&self) -> Duration {
        self.lasts
    }

    /// Asks until the person typed the code, or it is over.
    pub async fn finish(self, fetch: &dyn GuardedFetch) -> Result<KeptLogin, LoginError> {
        let tokens = match tokio::time::timeout(self.lasts, self.poll(fetch)).await {
            Ok(tokens) => tokens?,
            Err(_) => return Err(too_late()),
        };
        Ok(self.login(tokens))
    }

    async fn poll(&self, fetch: &dyn GuardedFetch) -> Result<LoginTokens, LoginError> {
        let parameters = [
            ("grant_type", DEVICE_GRANT),
            ("device_code", self.device_code.expose()),
            ("resource", &self.offer.resource),
        ];
        let endpoint = &self.offer.server.token;
        let mut interval = self.interval;
        loop {
            sleep(interval).await;
            let now = since_1970(SystemTime::now());
            match request_tokens(endpoint, &parameters, &self.client, fetch, now).await {
                Ok(TokenAnswer::Granted(tokens)) => {
                    let scope = tokens.scope.or_else(|| self.scope.clone());
                    return Ok(LoginTokens { scope, ..tokens });
                }
                Ok(TokenAnswer::Refused(refusal)) => match verdict(&refusal, interval) {
                    PollVerdict::Wait(next) => interval = next,
                    PollVerdict::Over(error) => return Err(error),
                },
                // It may be there again while the code still counts.
                Err(error) if error.may_pass() => {
                    interval = (interval * 2).min(LONGEST_INTERVAL);
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn login(self, tokens: LoginTokens) -> KeptLogin {
        let LoginOffer { resource, server, .. } = self.offer;
        KeptLogin {
            client_id: self.client.id,
            client_secret: self.client.secret,
            tokens: Some(tokens),
            wanted_scope: None,
            binding: LoginBinding {
                server_url: self.server_url,
                issuer: server.issuer,
                resource,
                token_endpoint: server.token.as_str().to_owned(),
                revocation_endpoint: server.revocation.map(|at| at.as_str().to_owned()),
                client_auth: self.client.auth,
            },
            rest: self.rest,
        }
    }
}

impl std::fmt::Debug for DeviceLogin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeviceLogin").field("server_url", &self.server_url).finish_non_exhaustive()
    }
}

fn verdict(refusal: &OauthRefusal, interval: Duration) -> PollVerdict {
    match refusal.error.as_str() {
        "authorization_pending" => PollVerdict::Wait(interval),
        "slow_down" => PollVerdict::Wait((interval + SLOWER).min(LONGEST_INTERVAL)),
        "access_denied" => {
            PollVerdict::Over(LoginError::Refused("somebody said no to it".to_owned()))
        }
        "expired_token" => PollVerdict::Over(too_late()),
        _ => PollVerdict::Over(LoginError::Refused(refusal.told())),
    }
}

fn too_late() -> LoginError {
    LoginError::Refused("the code was not typed in in time".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(error: &str) -> OauthRefusal {
        serde_json::from_value(serde_json::json!({ "error": error })).unwrap()
    }

    #[test]
    fn who_waits_goes_by_what_the_server_says() {
        let second = Duration::from_secs(1);
        let verdict = |error: &str, interval| verdict(&refusal(error), interval);
        assert_eq!(verdict("authorization_pending", second), PollVerdict::Wait(second));
        assert_eq!(verdict("slow_down", second), PollVerdict::Wait(Duration::from_secs(6)));
        assert_eq!(verdict("slow_down", LONGEST_INTERVAL), PollVerdict::Wait(LONGEST_INTERVAL));
        for over in ["access_denied", "expired_token", "invalid_grant", "\u{1b}[2J"] {
            let PollVerdict::Over(error) = verdict(over, second) else { panic!("{over}") };
            assert!(!error.to_string().contains('\u{1b}'), "{error}");
        }
    }
}
