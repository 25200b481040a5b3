//! The tables of `state.db` and how an older file becomes a newer one.
//!
//! A step is never changed once it has been released; a new need is a new step at the end. There
//! is no way back: an older program refuses a newer file.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior};
use tracing::debug;

use super::audit::{record_what_went_before, take_over};
use super::failure::failure;
use crate::StoreError;

/// Step *n* brings a file from version *n* to version *n + 1*.
const STEPS: &[SchemaStep] = &[
    SchemaStep::sql(TRUST),
    SchemaStep::sql(SPOKEN),
    SchemaStep::sql(SNAPSHOT),
    SchemaStep::sql(AUDIT),
    SchemaStep::sql(ARTIFACT),
    SchemaStep::sql(CALLERS),
    SchemaStep::sql(PINS),
    SchemaStep {
        sql: PRUNINGS,
        then: Some(|transaction| record_what_went_before(transaction, now())),
    },
    SchemaStep::sql(INSTRUCTIONS),
    SchemaStep::sql(FORMS),
    SchemaStep::sql(SWITCHES),
    SchemaStep::sql(OWNERS_TOKENS),
    SchemaStep::sql(PACKAGE_LOCKS),
    SchemaStep::sql(WORK),
    SchemaStep { sql: JOURNALS, then: Some(take_over) },
    SchemaStep::sql(BLOCKS),
    SchemaStep::sql(UNENDED),
    SchemaStep::sql(TRIOS),
];

#[derive(Clone, Copy)]
struct SchemaStep {
    sql: &'static str,
    /// What no statement can say, such as a hash.
    then: Option<fn(&Transaction<'_>) -> rusqlite::Result<()>>,
}

impl SchemaStep {
    const fn sql(sql: &'static str) -> Self {
        Self { sql, then: None }
    }
}

/// The one time that nobody can hand in: that of an upgrade.
fn now() -> u64 {
    toolgate_types::since_1970(std::time::SystemTime::now())
}

/// What was accepted. Kinds and trust are the words of `toolgate-types`, not constrained here: a
/// new word would otherwise need a new table.
const TRUST: &str = "
    CREATE TABLE acceptance (
        id          INTEGER PRIMARY KEY,
        root        BLOB NOT NULL,
        kind        TEXT NOT NULL,
        entry_id    TEXT NOT NULL,
        digest      BLOB NOT NULL CHECK (length(digest) = 32),
        trust       TEXT NOT NULL,
        accepted_at INTEGER NOT NULL,
        UNIQUE (root, kind, entry_id)
    ) STRICT;
    CREATE TABLE acceptance_file (
        acceptance  INTEGER NOT NULL REFERENCES acceptance (id) ON DELETE CASCADE,
        path        TEXT NOT NULL,
        digest      BLOB NOT NULL CHECK (length(digest) = 32),
        PRIMARY KEY (acceptance, path)
    ) STRICT, WITHOUT ROWID;
";

/// Which revision of the protocol an entry spoke the last time, by the hash of the entry.
const SPOKEN: &str = "
    CREATE TABLE spoken (
        entry       BLOB PRIMARY KEY CHECK (length(entry) = 32),
        revision    TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
";

/// What servers offered, and the secret of this installation. Bodies are large, so the table has
/// row numbers: without, they would stand in the tree that is searched for a key. They come last
/// in a row and the index has what pruning asks for, so nothing reads through one to get past it.
const SNAPSHOT: &str = "
    CREATE TABLE snapshot (
        key         BLOB NOT NULL PRIMARY KEY CHECK (length(key) = 32),
        taken_at    INTEGER NOT NULL,
        body        TEXT NOT NULL
    ) STRICT;
    CREATE INDEX snapshot_age ON snapshot (taken_at, key);
    CREATE TABLE installation (
        id          INTEGER PRIMARY KEY CHECK (id = 1),
        key         BLOB NOT NULL CHECK (length(key) = 32)
    ) STRICT;
";

/// What happened. Rows are only added, at the end, and taken away at the beginning, for which the
/// checkpoint then stands; `bytes` is what all up to a row weigh, so that nothing is added up to
/// know how much there is. Three indexes and no more: each makes every call dearer.
const AUDIT: &str = "
    CREATE TABLE audit (
        sequence    INTEGER PRIMARY KEY,
        at          INTEGER NOT NULL,
        kind        TEXT NOT NULL,
        correlation TEXT NOT NULL,
        round       INTEGER NOT NULL,
        principal   TEXT NOT NULL,
        client      TEXT,
        role        TEXT,
        session     TEXT,
        workspace   TEXT,
        server      TEXT,
        tool        TEXT,
        outcome     TEXT,
        code        TEXT,
        duration_us INTEGER,
        hash        BLOB NOT NULL CHECK (length(hash) = 32),
        bytes       INTEGER NOT NULL,
        body        TEXT NOT NULL
    ) STRICT;
    CREATE INDEX audit_time ON audit (at);
    CREATE INDEX audit_call ON audit (correlation);
    CREATE INDEX audit_tool ON audit (server, tool) WHERE server IS NOT NULL;
    CREATE TABLE audit_checkpoint (
        id          INTEGER PRIMARY KEY CHECK (id = 1),
        sequence    INTEGER NOT NULL,
        hash        BLOB NOT NULL CHECK (length(hash) = 32),
        bytes       INTEGER NOT NULL,
        at          INTEGER NOT NULL
    ) STRICT;
";

/// What is known of the files in the folder `artifacts`. The number is the order they came in.
const ARTIFACT: &str = "
    CREATE TABLE artifact (
        number      INTEGER PRIMARY KEY,
        id          TEXT NOT NULL UNIQUE,
        principal   TEXT NOT NULL,
        mime        TEXT NOT NULL,
        size        INTEGER NOT NULL,
        sha256      BLOB NOT NULL CHECK (length(sha256) = 32),
        created_at  INTEGER NOT NULL,
        server      TEXT,
        tool        TEXT,
        correlation TEXT NOT NULL
    ) STRICT;
";

/// Who may call, and the folders that URLs name. A token is found by its hash; its name is one
/// living token's, and the number says which of those that had it came later.
const CALLERS: &str = "
    CREATE TABLE token (
        number      INTEGER PRIMARY KEY,
        name        TEXT NOT NULL,
        hash        BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
        kind        TEXT NOT NULL,
        roles       TEXT,
        client      TEXT,
        created_at  INTEGER NOT NULL,
        expires_at  INTEGER,
        revoked_at  INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX token_living ON token (name) WHERE revoked_at IS NULL;
    CREATE TABLE workspace (
        id          TEXT NOT NULL PRIMARY KEY,
        path        BLOB NOT NULL UNIQUE,
        created_at  INTEGER NOT NULL
    ) STRICT;
";

/// Tools as they were accepted. An empty root is that of entries which no project brought. What may
/// be large comes last in a row, and the table has row numbers for the same reason as `snapshot`.
const PINS: &str = "
    CREATE TABLE pin (
        root        BLOB NOT NULL,
        server      TEXT NOT NULL,
        tool        TEXT NOT NULL,
        accepted_at INTEGER NOT NULL,
        pinned_by   TEXT NOT NULL,
        named       INTEGER NOT NULL CHECK (named IN (0, 1)),
        seen_at     INTEGER,
        accepted    TEXT NOT NULL,
        live        TEXT,
        PRIMARY KEY (root, server, tool)
    ) STRICT;
";

/// Which row says that the beginning of the audit was taken away. Until this step there was none.
const PRUNINGS: &str = "ALTER TABLE audit_checkpoint ADD COLUMN record INTEGER;";

/// What servers say of how to use them, as it was accepted; one row a server, as for pins.
const INSTRUCTIONS: &str = "
    CREATE TABLE pin_instructions (
        root        BLOB NOT NULL,
        server      TEXT NOT NULL,
        accepted_at INTEGER NOT NULL,
        pinned_by   TEXT NOT NULL,
        seen_at     INTEGER,
        accepted    TEXT NOT NULL,
        live        TEXT,
        PRIMARY KEY (root, server)
    ) STRICT;
";

/// Whose forms a person sees. No token that is older was made for that.
const FORMS: &str = "
    ALTER TABLE token ADD COLUMN shows_forms INTEGER NOT NULL DEFAULT 0
        CHECK (shows_forms IN (0, 1));
";

/// What a person switched away, and what they approved for a window. The place of a switch is a path,
/// a window or nothing, as its scope says.
const SWITCHES: &str = "
    CREATE TABLE switch (
        scope       TEXT NOT NULL,
        place       BLOB NOT NULL,
        kind        TEXT NOT NULL,
        entry_id    TEXT NOT NULL,
        PRIMARY KEY (scope, place, kind, entry_id)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE window_grant (
        window      TEXT NOT NULL,
        principal   TEXT NOT NULL,
        owner       TEXT NOT NULL,
        tool        TEXT NOT NULL,
        definition  BLOB NOT NULL CHECK (length(definition) = 32),
        PRIMARY KEY (window, principal, owner, tool, definition)
    ) STRICT, WITHOUT ROWID;
";

/// Whether a token's bearer is the person whose gate it is. The first token always was theirs.
const OWNERS_TOKENS: &str = "
    ALTER TABLE token ADD COLUMN is_owners INTEGER NOT NULL DEFAULT 0
        CHECK (is_owners IN (0, 1));
    UPDATE token SET is_owners = 1 WHERE name = 'default';
";

/// The packages of servers as they were fixed when a person accepted the entry; one row a server.
const PACKAGE_LOCKS: &str = "
    CREATE TABLE package_lock (
        root        BLOB NOT NULL,
        server      TEXT NOT NULL,
        wanted      BLOB NOT NULL CHECK (length(wanted) = 32),
        lock        TEXT NOT NULL,
        PRIMARY KEY (root, server)
    ) STRICT;
";

/// Where artifacts belong, and what agents write down of their work. Nobody knows where an artifact from
/// before this step belongs: nobody is shown it, and it goes when its time is over.
const WORK: &str = "
    ALTER TABLE artifact ADD COLUMN workspace BLOB NOT NULL DEFAULT x'';
    CREATE TABLE work_plan (
        principal   TEXT NOT NULL,
        workspace   BLOB NOT NULL,
        kept_at     INTEGER NOT NULL,
        body        TEXT NOT NULL,
        PRIMARY KEY (principal, workspace)
    ) STRICT;
    CREATE TABLE work_note (
        number      INTEGER PRIMARY KEY AUTOINCREMENT,
        principal   TEXT NOT NULL,
        workspace   BLOB NOT NULL,
        written_at  INTEGER NOT NULL,
        text        TEXT NOT NULL
    ) STRICT;
    CREATE INDEX work_note_owner ON work_note (principal, workspace, number);
";

/// Records are in journals first, and a row is what a journal had of one call: exactly those bytes, and the
/// columns that are searched. How far a journal was read stands beside the rows that were made of it.
const JOURNALS: &str = "
    DROP INDEX audit_time;
    DROP INDEX audit_call;
    DROP INDEX audit_tool;
    ALTER TABLE audit RENAME TO audit_before;
    CREATE TABLE audit (
        sequence    INTEGER PRIMARY KEY,
        at          INTEGER NOT NULL,
        kind        TEXT NOT NULL,
        correlation TEXT NOT NULL,
        session     TEXT,
        server      TEXT,
        tool        TEXT,
        outcome     TEXT,
        hash        BLOB NOT NULL CHECK (length(hash) = 32),
        bytes       INTEGER NOT NULL,
        journal     TEXT,
        written     BLOB NOT NULL
    ) STRICT;
    CREATE INDEX audit_time ON audit (at);
    CREATE INDEX audit_call ON audit (correlation);
    CREATE INDEX audit_tool ON audit (server, tool) WHERE server IS NOT NULL;
    CREATE TABLE journal (
        id          TEXT NOT NULL PRIMARY KEY,
        begun_at    INTEGER NOT NULL,
        read_to     INTEGER NOT NULL,
        entries     INTEGER NOT NULL,
        hash        BLOB NOT NULL CHECK (length(hash) = 32),
        is_closed   INTEGER NOT NULL CHECK (is_closed IN (0, 1))
    ) STRICT, WITHOUT ROWID;
";

/// What blocks of rows say, in place of three indexes: it costs a row less, and finds text too. Rows that are
/// there have no summary at first and are looked through; whoever makes rows sums them up, bit by bit.
const BLOCKS: &str = "
    DROP INDEX IF EXISTS audit_time;
    DROP INDEX IF EXISTS audit_call;
    DROP INDEX IF EXISTS audit_tool;
    CREATE TABLE audit_block (
        number      INTEGER PRIMARY KEY,
        since       INTEGER NOT NULL,
        until       INTEGER NOT NULL,
        names       BLOB NOT NULL,
        calls       BLOB NOT NULL,
        texts       BLOB NOT NULL
    ) STRICT;
";

/// Calls that have a row for their beginning alone, and whose they are: the first journal of the process that
/// makes them, by which its others are known too.
const UNENDED: &str = "
    ALTER TABLE journal ADD COLUMN writer TEXT;
    CREATE TABLE unended_call (
        correlation TEXT NOT NULL,
        round       INTEGER NOT NULL,
        writer      TEXT NOT NULL,
        sequence    INTEGER NOT NULL,
        PRIMARY KEY (correlation, round)
    ) STRICT, WITHOUT ROWID;
";

/// Summaries say of short texts too where they are; all are made anew, bit by bit. `texts` comes last, since
/// nothing is read past it that way.
const TRIOS: &str = "
    DROP TABLE audit_block;
    CREATE TABLE audit_block (
        number      INTEGER PRIMARY KEY,
        since       INTEGER NOT NULL,
        until       INTEGER NOT NULL,
        names       BLOB NOT NULL,
        calls       BLOB NOT NULL,
        trios       BLOB NOT NULL,
        texts       BLOB NOT NULL
    ) STRICT;
";

pub(super) fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Refuses a version that only a newer program knows.
pub(super) fn check(found: u32) -> Result<(), StoreError> {
    next_step(found, STEPS).map(|_| ())
}

/// Brings the file up to date.
pub(super) fn migrate(connection: &mut Connection, path: &Path) -> Result<(), StoreError> {
    migrate_by(connection, path, STEPS)
}

fn migrate_by(
    connection: &mut Connection,
    path: &Path,
    steps: &[SchemaStep],
) -> Result<(), StoreError> {
    let failed = |error: rusqlite::Error| failure(path, &error);
    // A file that is current is only read: a command that looks must not wait for one that writes.
    while next_step(version(connection).map_err(failed)?, steps)?.is_some() {
        // Immediate, and the version read again inside: of two that saw it old, one does the step.
        let transaction =
            connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(failed)?;
        let found = version(&transaction).map_err(failed)?;
        if let Some(step) = next_step(found, steps)? {
            transaction.execute_batch(step.sql).map_err(failed)?;
            if let Some(then) = step.then {
                then(&transaction).map_err(failed)?;
            }
            transaction.pragma_update(None, "user_version", found + 1).map_err(failed)?;
            transaction.commit().map_err(failed)?;
            debug!(from = found, to = found + 1, "database migrated");
        }
    }
    Ok(())
}

fn next_step(found: u32, steps: &[SchemaStep]) -> Result<Option<SchemaStep>, StoreError> {
    let supported = u32::try_from(steps.len()).unwrap_or(u32::MAX);
    if found > supported {
        return Err(StoreError::Newer { found, supported });
    }
    Ok(steps.iter().zip(0..).find(|(_, from)| *from == found).map(|(step, _)| *step))
}

#[cfg(test)]
mod tests;
