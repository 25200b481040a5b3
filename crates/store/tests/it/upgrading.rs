//! Upgrading: a file that an older Toolgate wrote keeps what it had and learns what is new.
//!
//! The older file is written out here and not made by the program's own steps, so that a step
//! changed after its release is seen.

use std::fs::{self, Permissions};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rusqlite::{Connection, params};
use toolgate_store::{
    ArtifactId, ArtifactStore, AuditLog, AuditPruning, AuditQuery, MemoryStore, Pins, ProjectRoot,
    PruningRule, SqliteStore, Store, Tokens, Workspaces,
};
use toolgate_types::{AcceptedEntry, Digest, Trust};

use crate::{
    CURRENT, fingerprint, folder, local, opened, picture, pin, pins_of, root, server, snapshot,
    token, wait, whole_rows, within,
};

const SECOND: &str = "
    PRAGMA application_id = 0x74676174;
    PRAGMA journal_mode = WAL;
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
    CREATE TABLE spoken (
        entry       BLOB PRIMARY KEY CHECK (length(entry) = 32),
        revision    TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    PRAGMA user_version = 2;
";

/// What the third version added to the second.
const THIRD: &str = "
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
    PRAGMA user_version = 3;
";

/// What the fourth and the fifth version added to the third.
const FIFTH: &str = "
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
    PRAGMA user_version = 5;
";

/// What the sixth version added to the fifth.
const SIXTH: &str = "
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
    PRAGMA user_version = 6;
";

/// What the seventh version added to the sixth.
const SEVENTH: &str = "
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
    PRAGMA user_version = 7;
";

fn accepted() -> AcceptedEntry {
    AcceptedEntry {
        fingerprint: fingerprint(7, &[("./run.sh", 8)]),
        trust: Trust::Trusted,
        ..server("files")
    }
}

/// A file as version 2 left it: one acceptance with one file, one revision.
fn second(state: &Path, here: &ProjectRoot) {
    let file = state.join("state.db");
    let db = Connection::open(&file).unwrap();
    fs::set_permissions(&file, Permissions::from_mode(0o600)).unwrap();
    db.execute_batch(SECOND).unwrap();
    db.execute(
        "INSERT INTO acceptance VALUES (1, ?1, 'server', 'files', ?2, 'trusted', 1700000000000)",
        params![here.as_path().as_os_str().as_bytes(), [7_u8; 32]],
    )
    .unwrap();
    db.execute("INSERT INTO acceptance_file VALUES (1, './run.sh', ?1)", [[8_u8; 32]]).unwrap();
    db.execute("INSERT INTO spoken VALUES (?1, '2025-11-25')", [[9_u8; 32]]).unwrap();
}

fn has_all_it_had(store: &SqliteStore, here: &ProjectRoot) {
    assert_eq!(wait(store.acceptances(here)).unwrap().entries(), [accepted()]);
    let spoken = wait(store.revision_of(Digest([9; 32]))).unwrap();
    assert_eq!(spoken.as_deref(), Some("2025-11-25"));
    assert_eq!(wait(store.snapshot(Digest([9; 32]))).unwrap(), None);
}

#[test]
fn a_file_of_the_second_version_keeps_what_it_had_and_takes_what_is_new() {
    let (state, project) = (folder(), folder());
    let here = root(project.path());
    second(state.path(), &here);
    let store = SqliteStore::open(state.path()).unwrap();
    has_all_it_had(&store, &here);
    wait(store.keep_snapshot(Digest([1; 32]), snapshot("{}", 1))).unwrap();
    let key = wait(store.installation_key()).unwrap();
    drop(store);
    let store = SqliteStore::open(state.path()).unwrap();
    assert_eq!(wait(store.snapshot(Digest([1; 32]))).unwrap(), Some(snapshot("{}", 1)));
    assert_eq!(wait(store.installation_key()).unwrap().as_bytes(), key.as_bytes());
    assert_eq!(wait(store.acceptances(&here)).unwrap().entries(), [accepted()]);
}

/// As the second, with one snapshot and a key.
fn third(state: &Path, here: &ProjectRoot) {
    second(state, here);
    let db = Connection::open(state.join("state.db")).unwrap();
    db.execute_batch(THIRD).unwrap();
    db.execute("INSERT INTO snapshot VALUES (?1, 1, '{}')", [[3_u8; 32]]).unwrap();
    db.execute("INSERT INTO installation VALUES (1, ?1)", [[4_u8; 32]]).unwrap();
}

#[test]
fn a_file_of_the_third_version_keeps_what_it_had_and_takes_audit_and_artifacts() {
    let (state, project) = (folder(), folder());
    let here = root(project.path());
    third(state.path(), &here);
    let store = SqliteStore::open(state.path()).unwrap();
    has_all_it_had(&store, &here);
    assert_eq!(wait(store.snapshot(Digest([3; 32]))).unwrap(), Some(snapshot("{}", 1)));
    assert_eq!(wait(store.installation_key()).unwrap().as_bytes(), &[4; 32]);
    assert_eq!(wait(store.append_audit(&[opened("c", 1)])), Ok(()));
    let kept = wait(store.keep_artifact(picture(b"x", 1))).unwrap();
    drop(store);
    let store = SqliteStore::open(state.path()).unwrap();
    // It began, and nobody can end it any more.
    assert_eq!(whole_rows(&store), 2);
    assert_eq!(wait(store.artifact(&kept.id, &local())).unwrap(), Some(kept));
}

/// As the third, with an artifact whose file is elsewhere.
fn fifth(state: &Path, here: &ProjectRoot) {
    third(state, here);
    let db = Connection::open(state.join("state.db")).unwrap();
    db.execute_batch(FIFTH).unwrap();
    db.execute(
        "INSERT INTO artifact VALUES (1, ?1, 'local', 'a/b', 1, ?2, 1, NULL, NULL, 'c')",
        params!["0".repeat(32), [5_u8; 32]],
    )
    .unwrap();
}

#[test]
fn a_file_of_the_fifth_version_keeps_what_it_had_and_takes_tokens_and_workspaces() {
    let (state, project) = (folder(), folder());
    let here = root(project.path());
    fifth(state.path(), &here);
    let store = SqliteStore::open(state.path()).unwrap();
    has_all_it_had(&store, &here);
    assert_eq!(wait(store.installation_key()).unwrap().as_bytes(), &[4; 32]);
    let id = ArtifactId::parse(&"0".repeat(32)).unwrap();
    // Whose it was is known, and not where.
    assert_eq!(wait(store.artifact(&id, &local())).unwrap(), None);
    assert!(wait(store.keep_token(token("ci", 1))).unwrap());
    let workspace = wait(store.keep_workspace(&here, 1)).unwrap();
    drop(store);
    let store = SqliteStore::open(state.path()).unwrap();
    assert_eq!(wait(store.tokens()).unwrap(), [token("ci", 1)]);
    assert_eq!(wait(store.workspace(&workspace)).unwrap(), Some(here));
}

/// As the fifth, with a token.
fn sixth(state: &Path, here: &ProjectRoot) {
    fifth(state, here);
    let db = Connection::open(state.join("state.db")).unwrap();
    db.execute_batch(SIXTH).unwrap();
    db.execute(
        "INSERT INTO token VALUES (1, 'ci', ?1, 'client', NULL, NULL, 1, NULL, NULL)",
        [[1_u8; 32]],
    )
    .unwrap();
}

#[test]
fn a_file_of_the_sixth_version_keeps_what_it_had_and_takes_pins() {
    let (state, project) = (folder(), folder());
    let here = root(project.path());
    sixth(state.path(), &here);
    let store = SqliteStore::open(state.path()).unwrap();
    has_all_it_had(&store, &here);
    assert_eq!(wait(store.tokens()).unwrap(), [token("ci", 1)]);
    assert_eq!(wait(store.all_pins()).unwrap(), []);
    wait(store.keep_pins(&pins_of("a"), vec![pin("read", "{}")])).unwrap();
    drop(store);
    let store = SqliteStore::open(state.path()).unwrap();
    assert_eq!(wait(store.pins(&pins_of("a"))).unwrap(), [pin("read", "{}")]);
}

/// The first token was made for the person whose gate it is, whichever version made it.
#[test]
fn of_older_tokens_the_first_is_the_owners() {
    let (state, project) = (folder(), folder());
    sixth(state.path(), &root(project.path()));
    let db = Connection::open(state.path().join("state.db")).unwrap();
    let first = "INSERT INTO token VALUES (2, 'default', ?1, 'client', NULL, NULL, 1, NULL, NULL)";
    db.execute(first, [[2_u8; 32]]).unwrap();
    drop(db);
    let tokens = wait(SqliteStore::open(state.path()).unwrap().tokens()).unwrap();
    let owners: Vec<_> = tokens.iter().map(|one| (one.name.as_str(), one.is_owners)).collect();
    assert_eq!(owners, [("ci", false), ("default", true)]);
}

/// As the sixth, with four rows of an audit whose first six are gone, as pruning left it then.
fn seventh(state: &Path, here: &ProjectRoot) {
    sixth(state, here);
    let log = MemoryStore::default();
    wait(log.append_audit(&(1..=10).map(|at| opened("c", at)).collect::<Vec<_>>())).unwrap();
    let rows = wait(log.audit(AuditQuery::default())).unwrap();
    let db = Connection::open(state.join("state.db")).unwrap();
    db.execute_batch(SEVENTH).unwrap();
    for row in &rows[6..] {
        db.execute(
            "INSERT INTO audit (sequence, at, kind, correlation, round, principal, hash, bytes, body)
             VALUES (?1, ?1, 'open', 'c', 0, ?2, ?3, ?1 * 100, ?4)",
            params![row.sequence.cast_signed(), row.entry.principal, row.hash.0, row.entry.body],
        )
        .unwrap();
    }
    db.execute("INSERT INTO audit_checkpoint VALUES (1, 6, ?1, 600, 6)", [rows[5].hash.0]).unwrap();
}

/// Its rows are still the same chain, and a new one says that nobody knows why the others went.
#[test]
fn a_file_of_the_seventh_version_says_that_rows_are_gone() {
    let (state, project) = (folder(), folder());
    let here = root(project.path());
    seventh(state.path(), &here);
    let store = SqliteStore::open(state.path()).unwrap();
    has_all_it_had(&store, &here);
    assert_eq!(whole_rows(&store), 5);
    let rows = wait(store.audit(AuditQuery::default())).unwrap();
    let said = AuditPruning::of(&rows[4]).unwrap().unwrap();
    assert_eq!((said.first, said.last.0, said.until), (1, 6, 6));
    assert_eq!((said.rows, said.rule), (6, PruningRule::Unrecorded));
    // From here on it is pruned as any other.
    assert_eq!(wait(store.prune_audit(9, within(u64::MAX))).unwrap(), 2);
    drop(store);
    let store = SqliteStore::open(state.path()).unwrap();
    assert_eq!(whole_rows(&store), 4);
}

/// Every table and index, whatever the white space it was written with.
fn tables(state: &Path) -> Vec<String> {
    let db = Connection::open(state.join("state.db")).unwrap();
    let mut query = db.prepare("SELECT name || ' ' || sql FROM sqlite_schema ORDER BY 1").unwrap();
    let rows = query.query_map([], |row| row.get::<_, Option<String>>(0)).unwrap();
    let written = rows.filter_map(Result::unwrap);
    written.map(|sql| sql.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[test]
fn a_file_of_an_older_version_ends_with_the_tables_of_a_new_one() {
    let older: [fn(&Path, &ProjectRoot); 5] = [second, third, fifth, sixth, seventh];
    for older in older {
        let (old, new, project) = (folder(), folder(), folder());
        older(old.path(), &root(project.path()));
        drop(SqliteStore::open(old.path()).unwrap());
        drop(SqliteStore::open(new.path()).unwrap());
        assert_eq!(tables(old.path()), tables(new.path()));
    }
}

#[test]
fn looking_at_a_file_of_the_second_version_brings_it_up_to_date_too() {
    let (state, project) = (folder(), folder());
    let here = root(project.path());
    second(state.path(), &here);
    let store = SqliteStore::open_read_only(state.path()).unwrap();
    has_all_it_had(&store, &here);
    drop(store);
    let db = Connection::open(state.path().join("state.db")).unwrap();
    let version: u32 = db.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version, CURRENT);
}
