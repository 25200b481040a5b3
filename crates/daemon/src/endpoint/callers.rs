//! Who may call: whoever brings a token that counts, ours or an issuer's, or, where that was asked for,
//! anybody.
//!
//! How a token begins says who looks at it, and nobody else does.

use std::sync::Arc;
use std::time::SystemTime;

use async_trait::async_trait;
use toolgate_auth::callers::{ClientTokens, VerifiedToken};
use toolgate_auth::login::ServerLogins;
use toolgate_auth::subjects::{OauthSubjects, SubjectRefusal, SubjectRoles, VerifiedSubject};
use toolgate_config::Variables;
use toolgate_control::CommandFailure;
use toolgate_gateway::{CallerRefused, CallerVerifier, KnownCaller};
use toolgate_store::Store;
use toolgate_types::config::{CallerAuth, GatewaySection};
use toolgate_types::{Principal, since_1970};
use toolgate_upstream::LoginFetch;

use crate::contexts::WorkspaceContexts;

/// Who may call an address where callers prove who they are in this way.
pub(crate) fn caller_verifier(
    auth: CallerAuth,
    subjects: Option<&Arc<OauthSubjects>>,
    store: &Arc<dyn Store>,
    contexts: &WorkspaceContexts,
) -> Arc<dyn CallerVerifier> {
    if auth == CallerAuth::None {
        return Arc::new(AnyLocalCaller);
    }
    let tokens = auth.takes_tokens().then(|| ClientTokens::new(Arc::clone(store)));
    let logins = contexts.assembly.logins().cloned();
    Arc::new(TokenCallers { tokens, subjects: subjects.cloned(), logins })
}

/// Those for whom an issuer speaks, where they are let in.
pub(crate) fn oauth_subjects(
    auth: CallerAuth,
    gateway: &GatewaySection,
    variables: &Variables,
) -> Result<Option<Arc<OauthSubjects>>, CommandFailure> {
    if !auth.takes_oauth() {
        return Ok(None);
    }
    let (Some(issuer), Some(public_url)) = (&gateway.oauth, &gateway.public_url) else {
        let why = "callers of an issuer need `gateway.public_url` and `[gateway.oauth]`";
        return Err(CommandFailure::new(why).hint("write both into your own configuration"));
    };
    let fetch = LoginFetch::of_issuer(issuer, variables.clone()).map_err(CommandFailure::new)?;
    Ok(Some(Arc::new(OauthSubjects::new(issuer, public_url, Arc::new(fetch)))))
}

/// Those that are taken; none of a kind that is not.
struct TokenCallers {
    tokens: Option<ClientTokens>,
    subjects: Option<Arc<OauthSubjects>>,
    /// For servers whose tokens are had in exchange for a caller's.
    logins: Option<Arc<ServerLogins>>,
}

#[async_trait]
impl CallerVerifier for TokenCallers {
    async fn known(&self, bearer: Option<&str>) -> Result<KnownCaller, CallerRefused> {
        let token = bearer.ok_or(CallerRefused::Missing)?;
        let now = since_1970(SystemTime::now());
        match (&self.tokens, &self.subjects, ClientTokens::is_ours(token)) {
            (Some(tokens), _, true) | (Some(tokens), None, _) => by_token(tokens, token, now).await,
            (_, Some(subjects), false) => {
                // Boxed: its issuer may have to be asked, and no call should carry the room for that.
                let known = Box::pin(by_subject(subjects, token, now)).await?;
                if let (Some(logins), Some(until)) = (&self.logins, known.until) {
                    logins.callers().show(known.principal.as_str(), token, until, now);
                }
                Ok(known)
            }
            (None, _, true) | (None, None, _) => Err(CallerRefused::Unknown),
        }
    }

    fn known_already(&self, bearer: Option<&str>) -> Option<KnownCaller> {
        let tokens = self.tokens.as_ref()?;
        let verified = tokens.recall(bearer?, since_1970(SystemTime::now()))?;
        Some(known_by(&verified))
    }
}

async fn by_token(
    tokens: &ClientTokens,
    token: &str,
    now: u64,
) -> Result<KnownCaller, CallerRefused> {
    match tokens.verify(token, now).await {
        Ok(verified) => Ok(known_by(&verified)),
        Err(refusal) => {
            tracing::warn!(target: "toolgate", why = %refusal, "a caller was refused");
            match refusal.is_final() {
                true => Err(CallerRefused::Unknown),
                false => Err(CallerRefused::Unchecked),
            }
        }
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

/// Whoever an issuer speaks for is nobody else's: it has servers, logins and grants of its own.
pub(crate) fn known_subject(subject: &VerifiedSubject) -> KnownCaller {
    KnownCaller {
        roles: match subject.roles() {
            SubjectRoles::Every => None,
            SubjectRoles::Only(roles) => Some(roles.clone()),
        },
        acts_in_first_role: true,
        until: Some(subject.expires_at()),
        ..KnownCaller::of(subject.principal().clone())
    }
}

async fn by_subject(
    subjects: &OauthSubjects,
    token: &str,
    now: u64,
) -> Result<KnownCaller, CallerRefused> {
    match subjects.verify(token, now).await {
        Ok(subject) => Ok(known_subject(&subject)),
        Err(refusal) => {
            tracing::warn!(target: "toolgate", why = %refusal, "a caller was refused");
            match refusal {
                SubjectRefusal::Scope => Err(CallerRefused::Scope),
                refusal if refusal.is_final() => Err(CallerRefused::Unknown),
                _ => Err(CallerRefused::Unchecked),
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
