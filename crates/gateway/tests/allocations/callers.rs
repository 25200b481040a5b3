//! Who may call, as in the daemon: whoever brings a token of the store.

use std::path::Path;
use std::time::SystemTime;

use async_trait::async_trait;
use toolgate_auth::callers::{ClientTokens, VerifiedToken};
use toolgate_gateway::{CallerRefused, CallerVerifier, KnownCaller};
use toolgate_types::since_1970;

/// The token that the first start makes.
pub(crate) async fn first_token(tokens: &ClientTokens, folder: &Path) -> String {
    let text = tokens.first_token(&folder.join("token"), now()).await.unwrap();
    text.expose().to_owned()
}

pub(crate) struct TokenCallers(pub(crate) ClientTokens);

#[async_trait]
impl CallerVerifier for TokenCallers {
    async fn known(&self, bearer: Option<&str>) -> Result<KnownCaller, CallerRefused> {
        let token = bearer.ok_or(CallerRefused::Missing)?;
        let verified = self.0.verify(token, now()).await;
        verified.map(|verified| known_by(&verified)).map_err(|_| CallerRefused::Unknown)
    }

    fn known_already(&self, bearer: Option<&str>) -> Option<KnownCaller> {
        self.0.recall(bearer?, now()).map(|verified| known_by(&verified))
    }
}

fn known_by(verified: &VerifiedToken) -> KnownCaller {
    KnownCaller {
        principal: verified.principal().clone(),
        owner: verified.owner(),
        roles: verified.roles().map(|roles| roles.iter().cloned().collect()),
        client: verified.client().map(str::to_owned),
        shows_forms: verified.shows_forms(),
        until: verified.expires_at(),
        acts_in_first_role: false,
    }
}

fn now() -> u64 {
    since_1970(SystemTime::now())
}
