//! Who may call: whoever brings a token that counts, or, where that was asked for, anybody.

use std::time::SystemTime;

use async_trait::async_trait;
use toolgate_auth::callers::ClientTokens;
use toolgate_gateway::{Callers, Known, Refused};
use toolgate_types::{Principal, since_1970};

pub(super) struct WithToken(pub(super) ClientTokens);

#[async_trait]
impl Callers for WithToken {
    async fn known(&self, bearer: Option<&str>) -> Result<Known, Refused> {
        let token = bearer.ok_or(Refused::Missing)?;
        let verified = self.0.verify(token, since_1970(SystemTime::now())).await;
        match verified {
            Ok(verified) => Ok(Known {
                principal: verified.principal().clone(),
                roles: verified.roles().map(|roles| roles.iter().cloned().collect()),
                client: verified.client().map(str::to_owned),
                shows_forms: verified.shows_forms(),
            }),
            Err(refusal) => {
                tracing::warn!(target: "toolgate", why = %refusal, "a caller was refused");
                match refusal.is_final() {
                    true => Err(Refused::Unknown),
                    false => Err(Refused::Unchecked),
                }
            }
        }
    }
}

/// Everybody on this machine is its user.
pub(super) struct Anybody;

#[async_trait]
impl Callers for Anybody {
    async fn known(&self, _: Option<&str>) -> Result<Known, Refused> {
        let principal = Principal::local_user();
        Ok(Known { principal, roles: None, client: None, shows_forms: false })
    }
}

/// Nobody comes this way: windows of agents prove who they are by their socket.
pub(crate) struct NobodyElse;

#[async_trait]
impl Callers for NobodyElse {
    async fn known(&self, _: Option<&str>) -> Result<Known, Refused> {
        Err(Refused::Unknown)
    }
}
