//! Who may call: whoever brings a token that counts, or, where that was asked for, anybody.

use std::sync::Arc;
use std::time::SystemTime;

use async_trait::async_trait;
use toolgate_auth::callers::ClientTokens;
use toolgate_gateway::{CallerRefused, CallerVerifier, KnownCaller};
use toolgate_store::Store;
use toolgate_types::config::CallerAuth;
use toolgate_types::{Principal, since_1970};

/// Who may call an address where callers prove who they are in this way.
pub(crate) fn caller_verifier(auth: CallerAuth, store: &Arc<dyn Store>) -> Arc<dyn CallerVerifier> {
    match auth {
        CallerAuth::None => Arc::new(AnyLocalCaller),
        CallerAuth::Token | CallerAuth::Oauth => {
            Arc::new(TokenCallers(ClientTokens::new(Arc::clone(store))))
        }
    }
}

struct TokenCallers(ClientTokens);

#[async_trait]
impl CallerVerifier for TokenCallers {
    async fn known(&self, bearer: Option<&str>) -> Result<KnownCaller, CallerRefused> {
        let token = bearer.ok_or(CallerRefused::Missing)?;
        let verified = self.0.verify(token, since_1970(SystemTime::now())).await;
        match verified {
            Ok(verified) => Ok(KnownCaller {
                principal: verified.principal().clone(),
                owner: verified.owner(),
                roles: verified.roles().map(|roles| roles.iter().cloned().collect()),
                client: verified.client().map(str::to_owned),
                shows_forms: verified.shows_forms(),
            }),
            Err(refusal) => {
                tracing::warn!(target: "toolgate", why = %refusal, "a caller was refused");
                match refusal.is_final() {
                    true => Err(CallerRefused::Unknown),
                    false => Err(CallerRefused::Unchecked),
                }
            }
        }
    }
}

/// Everybody on this machine is its user.
struct AnyLocalCaller;

#[async_trait]
impl CallerVerifier for AnyLocalCaller {
    async fn known(&self, _: Option<&str>) -> Result<KnownCaller, CallerRefused> {
        Ok(KnownCaller::of(Principal::local_user()))
    }
}

/// Nobody comes this way: windows of agents prove who they are by their socket.
pub(crate) struct NobodyElse;

#[async_trait]
impl CallerVerifier for NobodyElse {
    async fn known(&self, _: Option<&str>) -> Result<KnownCaller, CallerRefused> {
        Err(CallerRefused::Unknown)
    }
}
