//! The store from outside: one suite for both kinds, then what only a file can get wrong.
//!
//! This file holds what the modules share: short ways to make what is kept and to wait for an
//! answer. It tests nothing itself.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "clippy.toml exempts tests, not what tests share"
)]

mod artifact_files;
mod behaviour;
mod full_disk;
mod journals;
mod killing;
mod looking;
mod opening;
mod refusing;
mod row_blocks;
mod sharing;
mod tampering;
mod upgrading;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

use tempfile::TempDir;
use toolgate_store::{
    AuditEntry, AuditKind, AuditLog, AuditQuery, AuditRetention, AuditVerdict, KeptFor, KeptToken,
    NewArtifact, Pin, PinKey, ProjectRoot, SeenTool, Snapshot, TokenKind, TokenName,
};
use toolgate_types::{AcceptedEntry, Digest, EntryKind, Fingerprint, PinnedBy, ServerId, Trust};

fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

fn root(path: impl AsRef<Path>) -> ProjectRoot {
    fs::create_dir_all(&path).unwrap();
    ProjectRoot::of(path.as_ref()).unwrap()
}

fn server(id: &str) -> AcceptedEntry {
    AcceptedEntry {
        kind: EntryKind::Server,
        id: id.into(),
        fingerprint: fingerprint(1, &[]),
        trust: Trust::Untrusted,
        accepted_at: 1_700_000_000_000,
    }
}

fn fingerprint(entry: u8, files: &[(&str, u8)]) -> Fingerprint {
    Fingerprint {
        entry: Digest([entry; 32]),
        files: files.iter().map(|(path, byte)| ((*path).into(), Digest([*byte; 32]))).collect(),
    }
}

fn snapshot(body: &str, taken_at: u64) -> Snapshot {
    Snapshot { body: body.into(), taken_at }
}

/// The opening of a call with this correlation.
fn opened(correlation: &str, at: u64) -> AuditEntry {
    AuditEntry {
        at,
        kind: AuditKind::Open,
        correlation: correlation.into(),
        round: 0,
        principal: "local".into(),
        client: None,
        role: None,
        session: None,
        workspace: None,
        server: None,
        tool: None,
        outcome: None,
        code: None,
        duration_us: None,
        body: "{}".into(),
    }
}

/// Whose everything is that is kept here.
fn local() -> KeptFor {
    KeptFor::new("local", "/place")
}

fn picture(bytes: &[u8], created_at: u64) -> NewArtifact {
    NewArtifact {
        owner: local(),
        mime: "image/png".into(),
        bytes: bytes.into(),
        created_at,
        server: Some("files".into()),
        tool: None,
        correlation: "c".into(),
    }
}

fn token_name(text: &str) -> TokenName {
    TokenName::parse(text).unwrap()
}

/// A token that lives, made at time 1.
fn token(name: &str, hash: u8) -> KeptToken {
    KeptToken {
        name: token_name(name),
        hash: Digest([hash; 32]),
        kind: TokenKind::Client,
        roles: None,
        client: None,
        shows_forms: false,
        is_owners: false,
        created_at: 1,
        expires_at: None,
        revoked_at: None,
    }
}

/// The pins of a server of the person's own.
fn pins_of(server: &str) -> PinKey {
    PinKey { root: None, server: ServerId::parse(server).unwrap() }
}

/// A tool from the first list, at time 1.
fn pin(tool: &str, definition: &str) -> Pin {
    Pin {
        tool: tool.into(),
        accepted: definition.into(),
        accepted_at: 1,
        by: PinnedBy::First,
        named: false,
        live: None,
        seen_at: None,
    }
}

fn seen(tools: &[(&str, &str)]) -> Vec<SeenTool> {
    let tool = |(tool, definition): &(&str, &str)| SeenTool {
        tool: (*tool).into(),
        definition: (*definition).into(),
    };
    tools.iter().map(tool).collect()
}

/// What is from before the time of pruning goes, and what is more than these bytes.
fn within(max_bytes: u64) -> AuditRetention {
    AuditRetention { max_age_ms: 0, max_bytes }
}

/// Makes rows of what was appended.
async fn index(store: &(impl AuditLog + ?Sized)) {
    let none = AuditQuery { limit: 0, ..AuditQuery::default() };
    assert_eq!(store.audit(none).await.unwrap(), []);
}

/// How many rows there are, if every one of them is as it was written.
fn whole_rows(store: &dyn AuditLog) -> u64 {
    wait(index(store));
    match wait(store.verify_audit(None)).unwrap() {
        AuditVerdict::Whole { rows, .. } => rows,
        broken @ AuditVerdict::Broken { .. } => panic!("{broken:?}"),
    }
}

/// Every file of a folder, except the lock, which says nothing about what is kept.
fn contents(folder: &Path) -> BTreeMap<OsString, Vec<u8>> {
    let files = fs::read_dir(folder).unwrap().map(Result::unwrap);
    let files = files.filter(|file| file.file_name() != "state.lock");
    files.map(|file| (file.file_name(), fs::read(file.path()).unwrap())).collect()
}

/// The version of a file that this program has brought up to date.
pub(crate) const CURRENT: u32 = 18;
