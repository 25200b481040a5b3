//! Asking an issuer about a token that says nothing by itself (RFC 7662).

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Map, Value};
use tokio::sync::Semaphore;
use toolgate_types::Secret;
use toolgate_types::config::TokenIssuer;

use super::SubjectRefusal;
use super::claims::TokenClaims;
use super::issuer_metadata::IssuerMetadata;
use super::rules::written;
use crate::login::{ClientIdentity, GuardedFetch, OauthEndpoint, post_form};

/// So many are asked about at a time; the others wait.
const AT_ONCE: usize = 8;

pub(super) struct TokenIntrospection {
    issuer: String,
    client: Option<ClientIdentity>,
    /// As it is configured, or as it was found.
    place: Mutex<Option<String>>,
    fetch: Arc<dyn GuardedFetch>,
    room: Semaphore,
}

impl TokenIntrospection {
    pub(super) fn of(issuer: &TokenIssuer, fetch: Arc<dyn GuardedFetch>) -> Self {
        let secret = issuer.client_secret.as_ref().map(|text| Secret::new(text.expose().into()));
        let client = issuer.client_id.as_ref();
        let client = client.map(|id| ClientIdentity::with_secret(id.expose().to_owned(), secret));
        Self {
            issuer: written(&issuer.issuer),
            client,
            place: Mutex::new(issuer.introspection_endpoint.as_ref().map(written)),
            fetch,
            room: Semaphore::new(AT_ONCE),
        }
    }

    /// What the issuer says of this token.
    pub(super) async fn ask(&self, token: &str, now: u64) -> Result<TokenClaims, SubjectRefusal> {
        let client = self.client.as_ref().ok_or(SubjectRefusal::NobodyToAsk)?;
        let unchecked = |why: String| SubjectRefusal::Unchecked(why);
        let _turn = self.room.acquire().await.map_err(|error| unchecked(error.to_string()))?;
        let place = self.place().await.map_err(unchecked)?;
        let form = [("token", token), ("token_type_hint", "access_token")];
        let asked = post_form(&place, &form, client, &*self.fetch, now).await;
        let (status, body) = asked.map_err(|error| unchecked(error.to_string()))?;
        if !status.is_success() {
            return Err(unchecked(format!("it answered {status} when asked about a token")));
        }
        let told: Map<String, Value> = serde_json::from_str(body.expose())
            .map_err(|_| unchecked("it answered something that is no document".to_owned()))?;
        self.claims(told)
    }

    fn claims(&self, mut told: Map<String, Value>) -> Result<TokenClaims, SubjectRefusal> {
        if told.get("active") != Some(&Value::Bool(true)) {
            return Err(SubjectRefusal::Inactive);
        }
        let kind = told.get("token_type").and_then(Value::as_str).unwrap_or("bearer");
        if !kind.eq_ignore_ascii_case("bearer") && !kind.eq_ignore_ascii_case("access_token") {
            return Err(SubjectRefusal::NotAnAccessToken);
        }
        // It may leave out what is plain: we asked nobody else.
        told.entry("iss").or_insert_with(|| self.issuer.clone().into());
        Ok(TokenClaims(told))
    }

    async fn place(&self) -> Result<OauthEndpoint, String> {
        let known = self.place.lock().clone();
        let found = match known {
            Some(known) => known,
            None => {
                let found = IssuerMetadata::find(&self.issuer, &*self.fetch).await?.introspection;
                let found = found.ok_or("it cannot be asked about tokens")?.as_str().to_owned();
                *self.place.lock() = Some(found.clone());
                found
            }
        };
        OauthEndpoint::parse("introspection_endpoint", &found).map_err(|error| error.to_string())
    }
}
