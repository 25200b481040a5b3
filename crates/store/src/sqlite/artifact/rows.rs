//! The rows of the artifacts: what is known of each file, and whose it is.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};

use rusqlite::{Connection, OptionalExtension as _, Row, TransactionBehavior, named_params};
use toolgate_types::Digest;

use super::super::word::word;
use crate::{Artifact, ArtifactId, KeptFor, time};

/// Too old, or one of those that have more than enough bytes newer than themselves.
const OLD: &str = "
    DELETE FROM artifact WHERE number IN (
        SELECT number FROM (
            SELECT number, created_at,
                   sum(size) OVER (ORDER BY created_at DESC, number DESC) AS with_newer
            FROM artifact)
        WHERE created_at < :since OR with_newer > :bytes)
    RETURNING id";

pub(super) fn insert(connection: &Connection, artifact: &Artifact) -> rusqlite::Result<()> {
    let Artifact { id, owner, mime, size, sha256, created_at, server, tool, correlation } =
        artifact;
    connection.execute(
        "INSERT INTO artifact
             (id, principal, workspace, mime, size, sha256, created_at, server, tool,
              correlation)
         VALUES
             (:id, :principal, :workspace, :mime, :size, :sha256, :created_at, :server, :tool,
              :correlation)",
        named_params! {
            ":id": id.as_str(),
            ":principal": owner.principal,
            ":workspace": owner.workspace.as_os_str().as_bytes(),
            ":mime": mime,
            ":size": size.cast_signed(),
            ":sha256": sha256.0,
            ":created_at": created_at.cast_signed(),
            ":server": server,
            ":tool": tool,
            ":correlation": correlation,
        },
    )?;
    Ok(())
}

pub(super) fn find(
    connection: &Connection,
    id: &ArtifactId,
    owner: &KeptFor,
) -> rusqlite::Result<Option<Artifact>> {
    connection
        .query_row(
            "SELECT * FROM artifact
             WHERE id = :id AND principal = :principal AND workspace = :workspace",
            named_params! {
                ":id": id.as_str(),
                ":principal": owner.principal,
                ":workspace": owner.workspace.as_os_str().as_bytes(),
            },
            read,
        )
        .optional()
}

pub(super) fn ids(connection: &Connection) -> rusqlite::Result<BTreeSet<ArtifactId>> {
    connection.prepare("SELECT id FROM artifact")?.query_map([], id)?.collect()
}

pub(super) fn total(connection: &Connection) -> rusqlite::Result<u64> {
    let all = "SELECT coalesce(sum(size), 0) FROM artifact";
    connection.query_row(all, [], |row| row.get::<_, i64>(0)).map(i64::cast_unsigned)
}

pub(super) fn remove_old(
    connection: &Connection,
    keep_since: u64,
    keep_bytes: u64,
) -> rusqlite::Result<BTreeSet<ArtifactId>> {
    let params = named_params! {
        ":since": time::kept(keep_since).cast_signed(),
        ":bytes": i64::try_from(keep_bytes).unwrap_or(i64::MAX),
    };
    connection.prepare(OLD)?.query_map(params, id)?.collect()
}

pub(super) fn remove(connection: &mut Connection, ids: &[ArtifactId]) -> rusqlite::Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for id in ids {
        let params = named_params! { ":id": id.as_str() };
        transaction.execute("DELETE FROM artifact WHERE id = :id", params)?;
    }
    transaction.commit()
}

fn read(row: &Row<'_>) -> rusqlite::Result<Artifact> {
    Ok(Artifact {
        id: id(row)?,
        owner: KeptFor::new(
            row.get::<_, String>("principal")?,
            OsString::from_vec(row.get("workspace")?),
        ),
        mime: row.get("mime")?,
        size: row.get::<_, i64>("size")?.cast_unsigned(),
        sha256: Digest(row.get("sha256")?),
        created_at: row.get::<_, i64>("created_at")?.cast_unsigned(),
        server: row.get("server")?,
        tool: row.get("tool")?,
        correlation: row.get("correlation")?,
    })
}

fn id(row: &Row<'_>) -> rusqlite::Result<ArtifactId> {
    word(row, "id", ArtifactId::parse)
}
