//! Tokens in memory, in the order they came.

use async_trait::async_trait;
use toolgate_types::Digest;

use super::MemoryStore;
use crate::token::MOST_REVOKED;
use crate::{KeptToken, StoreError, TokenName, Tokens, time};

#[async_trait]
impl Tokens for MemoryStore {
    async fn keep_token(&self, token: KeptToken) -> Result<bool, StoreError> {
        let token = token.with_kept_times();
        let tokens = &mut self.kept().tokens;
        if is_known(tokens, token.hash) {
            return Ok(false);
        }
        if let Some(kept) = living(tokens, &token.name) {
            if kept.expires_at.is_none_or(|at| at > token.created_at) {
                return Ok(false);
            }
            kept.revoked_at = kept.expires_at;
        }
        insert(tokens, token);
        Ok(true)
    }

    async fn replace_token(&self, token: KeptToken) -> Result<bool, StoreError> {
        let token = token.with_kept_times();
        let tokens = &mut self.kept().tokens;
        if is_known(tokens, token.hash) {
            return Ok(false);
        }
        if let Some(kept) = living(tokens, &token.name) {
            kept.revoked_at = Some(token.created_at);
        }
        insert(tokens, token);
        Ok(true)
    }

    async fn token(&self, hash: Digest) -> Result<Option<KeptToken>, StoreError> {
        Ok(self.kept().tokens.iter().find(|kept| kept.hash == hash).cloned())
    }

    async fn tokens(&self) -> Result<Vec<KeptToken>, StoreError> {
        let mut tokens = self.kept().tokens.clone();
        // Stable: of one name, the one that came first is the older.
        tokens.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(tokens)
    }

    async fn revoke_token(&self, name: &TokenName, at: u64) -> Result<bool, StoreError> {
        let tokens = &mut self.kept().tokens;
        let Some(kept) = living(tokens, name) else { return Ok(false) };
        kept.revoked_at = Some(time::kept(at));
        Ok(true)
    }
}

fn living<'a>(tokens: &'a mut [KeptToken], name: &TokenName) -> Option<&'a mut KeptToken> {
    tokens.iter_mut().find(|kept| kept.name == *name && kept.revoked_at.is_none())
}

fn is_known(tokens: &[KeptToken], hash: Digest) -> bool {
    tokens.iter().any(|kept| kept.hash == hash)
}

fn insert(tokens: &mut Vec<KeptToken>, token: KeptToken) {
    tokens.push(token);
    let mut revoked = tokens.iter().filter(|kept| kept.revoked_at.is_some()).count();
    tokens.retain(|kept| {
        let goes = kept.revoked_at.is_some() && revoked > usize::from(MOST_REVOKED);
        revoked -= usize::from(goes);
        !goes
    });
}
