//! The rows of the tokens. That of a name only one lives is the index's to hold, so that two
//! processes at once cannot both be right.
//!
//! Everything is on the connection that writes: a caller waits for its token, and must not wait
//! behind a search of the audit.

use std::collections::BTreeSet;

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension as _, Row, TransactionBehavior, named_params};
use toolgate_types::{Digest, RoleId};

use super::SqliteStore;
use super::word::{optional_word, word};
use crate::token::MOST_REVOKED;
use crate::{KeptToken, StoreError, TokenKind, TokenName, Tokens, time};

const COLUMNS: &str =
    "name, hash, kind, roles, client, shows_forms, is_owners, created_at, expires_at, revoked_at";

#[async_trait]
impl Tokens for SqliteStore {
    async fn keep_token(&self, token: KeptToken) -> Result<bool, StoreError> {
        let token = token.with_kept_times();
        self.writing()?.writer.run(move |connection| keep(connection, &token)).await
    }

    async fn replace_token(&self, token: KeptToken) -> Result<bool, StoreError> {
        let token = token.with_kept_times();
        self.writing()?.writer.run(move |connection| replace(connection, &token)).await
    }

    async fn token(&self, hash: Digest) -> Result<Option<KeptToken>, StoreError> {
        let Some(state) = self.reading() else { return Ok(None) };
        state.writer.run(move |connection| find(connection, hash)).await
    }

    async fn tokens(&self) -> Result<Vec<KeptToken>, StoreError> {
        let Some(state) = self.reading() else { return Ok(Vec::new()) };
        state.writer.run(|connection| all(connection)).await
    }

    async fn revoke_token(&self, name: &TokenName, at: u64) -> Result<bool, StoreError> {
        let (name, at) = (name.clone(), time::kept(at));
        self.writing()?.writer.run(move |connection| revoke(connection, &name, at)).await
    }
}

fn keep(connection: &mut Connection, token: &KeptToken) -> rusqlite::Result<bool> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute(
        "UPDATE token SET revoked_at = expires_at
         WHERE name = :name AND revoked_at IS NULL AND expires_at <= :now",
        named_params! { ":name": token.name.as_str(), ":now": token.created_at.cast_signed() },
    )?;
    // Otherwise the transaction is dropped, and with it what it did.
    let is_kept = insert(&transaction, token)?;
    if is_kept {
        transaction.commit()?;
    }
    Ok(is_kept)
}

fn replace(connection: &mut Connection, token: &KeptToken) -> rusqlite::Result<bool> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    revoke(&transaction, &token.name, token.created_at)?;
    let is_kept = insert(&transaction, token)?;
    if is_kept {
        transaction.commit()?;
    }
    Ok(is_kept)
}

fn insert(connection: &Connection, token: &KeptToken) -> rusqlite::Result<bool> {
    let KeptToken { name, hash, kind, roles, client, shows_forms, is_owners, .. } = token;
    let KeptToken { created_at, expires_at, revoked_at, .. } = token;
    let inserted = connection.execute(
        "INSERT INTO token (name, hash, kind, roles, client, shows_forms, is_owners,
             created_at, expires_at, revoked_at)
         VALUES (:name, :hash, :kind, :roles, :client, :shows_forms, :is_owners,
             :created_at, :expires_at, :revoked_at)
         ON CONFLICT DO NOTHING",
        named_params! {
            ":name": name.as_str(),
            ":hash": hash.0,
            ":kind": kind.as_str(),
            ":roles": roles.as_ref().map(written),
            ":client": client,
            ":shows_forms": shows_forms,
            ":is_owners": is_owners,
            ":created_at": created_at.cast_signed(),
            ":expires_at": expires_at.map(u64::cast_signed),
            ":revoked_at": revoked_at.map(u64::cast_signed),
        },
    )?;
    prune(connection)?;
    Ok(inserted > 0)
}

fn find(connection: &Connection, hash: Digest) -> rusqlite::Result<Option<KeptToken>> {
    let select = format!("SELECT {COLUMNS} FROM token WHERE hash = :hash");
    let mut query = connection.prepare_cached(&select)?;
    query.query_row(named_params! { ":hash": hash.0 }, read).optional()
}

fn all(connection: &Connection) -> rusqlite::Result<Vec<KeptToken>> {
    let select = format!("SELECT {COLUMNS} FROM token ORDER BY name, number");
    let mut query = connection.prepare_cached(&select)?;
    query.query_map([], read)?.collect()
}

fn revoke(connection: &Connection, name: &TokenName, at: u64) -> rusqlite::Result<bool> {
    let revoked = connection.execute(
        "UPDATE token SET revoked_at = :at WHERE name = :name AND revoked_at IS NULL",
        named_params! { ":name": name.as_str(), ":at": at.cast_signed() },
    )?;
    Ok(revoked > 0)
}

/// By their number and not by their time, which a clock that was set back would confuse.
fn prune(connection: &Connection) -> rusqlite::Result<()> {
    let prune = "
        DELETE FROM token WHERE number IN (
            SELECT number FROM token WHERE revoked_at IS NOT NULL
            ORDER BY number DESC LIMIT -1 OFFSET :most)";
    connection.execute(prune, named_params! { ":most": MOST_REVOKED }).map(|_| ())
}

fn read(row: &Row<'_>) -> rusqlite::Result<KeptToken> {
    let time = |column| row.get::<_, Option<i64>>(column);
    Ok(KeptToken {
        name: word(row, "name", |text| TokenName::parse(text).ok())?,
        hash: Digest(row.get("hash")?),
        kind: word(row, "kind", TokenKind::parse)?,
        roles: optional_word(row, "roles", meant)?,
        client: row.get("client")?,
        shows_forms: row.get("shows_forms")?,
        is_owners: row.get("is_owners")?,
        created_at: row.get::<_, i64>("created_at")?.cast_unsigned(),
        expires_at: time("expires_at")?.map(i64::cast_unsigned),
        revoked_at: time("revoked_at")?.map(i64::cast_unsigned),
    })
}

/// No id has a comma in it.
fn written(roles: &BTreeSet<RoleId>) -> String {
    roles.iter().map(RoleId::as_str).collect::<Vec<_>>().join(",")
}

/// A row that cannot be read is refused as a whole: to leave a role out is one thing, to take a
/// damaged list for no list at all would be another.
fn meant(roles: &str) -> Option<BTreeSet<RoleId>> {
    if roles.is_empty() {
        return Some(BTreeSet::new());
    }
    roles.split(',').map(|role| RoleId::parse(role).ok()).collect()
}
