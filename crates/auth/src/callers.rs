//! Tokens that callers bring: made and shown once, kept as their hash, verified on every request.
//!
//! No header and no URL is read here, and no clock: the gateway brings text and time. Whether a
//! verified caller may do a thing is the guard's; that its roles are a ceiling is said by
//! [`VerifiedToken::may_act_as`].

mod error;
mod first;
mod known;
mod refusal;
mod text;
mod verified;

use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use toolgate_store::{KeptToken, Store, TokenKind, TokenName};
use toolgate_types::{Digest, RoleId, Secret};
use tracing::debug;

pub use error::TokenError;
pub use refusal::TokenRefusal;
pub use verified::VerifiedToken;

use known::{KnownTokens, RememberedToken};

/// The name of the token that the first start makes.
pub const FIRST: &str = "default";

/// How long an answer of the store is believed, in milliseconds: so late may a token that another
/// process revoked still be taken.
pub const BELIEVED_MS: u64 = 2_000;

/// What is asked for a new token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewToken {
    pub name: TokenName,
    /// `None` is every role, and also none at all.
    pub roles: Option<BTreeSet<RoleId>>,
    /// The key below `[gateway.clients]` whose settings hold for its bearer.
    pub client: Option<String>,
    /// Whether forms that its bearer shows are seen by a person: a person's word for its client.
    pub shows_forms: bool,
    /// Whether its bearer is the person whose gate it is: it uses the servers that they use.
    pub is_owners: bool,
    /// In milliseconds since 1970, as is every time here.
    pub expires_at: Option<u64>,
}

/// The tokens of one installation, for those who make them and for those who verify.
pub struct ClientTokens {
    store: Arc<dyn Store>,
    known: Mutex<KnownTokens>,
}

impl ClientTokens {
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, known: Mutex::default() }
    }

    /// Whether a text is one of ours, by how it begins: then nobody else is asked about it.
    pub fn is_ours(text: &str) -> bool {
        text::is_ours(text)
    }

    /// Makes a token. Its text is in the answer and nowhere else.
    pub async fn create(&self, new: NewToken, now: u64) -> Result<(Secret, KeptToken), TokenError> {
        let NewToken { name, roles, client, shows_forms, is_owners, expires_at } = new;
        if name.as_str() == FIRST {
            return Err(TokenError::Reserved);
        }
        if expires_at.is_some_and(|at| at <= now) {
            return Err(TokenError::AlreadyExpired);
        }
        let text = text::random()?;
        let hash = text::hash(text.expose());
        let kind = TokenKind::Client;
        let token = KeptToken {
            name,
            hash,
            kind,
            roles,
            client,
            shows_forms,
            is_owners,
            created_at: now,
            expires_at,
            revoked_at: None,
        };
        if !self.store.keep_token(token.clone()).await? {
            return Err(TokenError::Taken { name: token.name });
        }
        Ok((text, token))
    }

    /// Who brings this text. Most answers come from memory; the store is asked when what is
    /// remembered is older than [`BELIEVED_MS`].
    ///
    /// How long it takes says nothing about how much of a text is right: only hashes are compared.
    pub async fn verify(&self, text: &str, now: u64) -> Result<Arc<VerifiedToken>, TokenRefusal> {
        if !text::is_one(text) {
            return Err(TokenRefusal::Malformed);
        }
        let hash = text::hash(text);
        let remembered = self.known().recall(hash, now);
        match remembered {
            RememberedToken::Verified(verified) => verified.still_counts(now),
            RememberedToken::Refused(refusal) => Err(refusal),
            RememberedToken::Nothing => Box::pin(self.ask(hash, now)).await,
        }
    }

    /// The same of a token that was verified a moment ago and still counts; `None` says nothing about any
    /// other.
    pub fn recall(&self, text: &str, now: u64) -> Option<Arc<VerifiedToken>> {
        let hash = text::is_one(text).then(|| text::hash(text))?;
        let remembered = self.known().recall(hash, now);
        match remembered {
            RememberedToken::Verified(verified) => verified.still_counts(now).ok(),
            RememberedToken::Refused(_) | RememberedToken::Nothing => None,
        }
    }

    async fn ask(&self, hash: Digest, now: u64) -> Result<Arc<VerifiedToken>, TokenRefusal> {
        let judged = match self.store.token(hash).await.map_err(TokenRefusal::Store)? {
            Some(token) => VerifiedToken::judge(token, now).map(Arc::new),
            None => Err(TokenRefusal::Unknown),
        };
        match &judged {
            Ok(token) => debug!(name = token.name().as_str(), "token looked up"),
            Err(refusal) => debug!(%refusal, "token refused"),
        }
        self.known().remember(hash, &judged, now);
        judged
    }

    /// All that are known, those that no longer count among them.
    pub async fn list(&self) -> Result<Vec<KeptToken>, TokenError> {
        Ok(self.store.tokens().await?)
    }

    /// Ends a token: here at once, in other processes within [`BELIEVED_MS`]. `false` if none of
    /// this name lives.
    pub async fn revoke(&self, name: &TokenName, now: u64) -> Result<bool, TokenError> {
        let revoked = self.store.revoke_token(name, now).await?;
        self.known().forget(name);
        Ok(revoked)
    }

    fn known(&self) -> MutexGuard<'_, KnownTokens> {
        // No change can stop half way.
        self.known.lock()
    }
}

impl fmt::Debug for ClientTokens {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientTokens").finish_non_exhaustive()
    }
}
