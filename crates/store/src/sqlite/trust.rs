//! The rows of the trust registry: what a person accepted, where, exactly as it was.
//!
//! Rows in, rows out; what they are worth is decided in `toolgate-types`. They are put in order
//! here and not by SQL, which would order paths and kinds by their bytes.

use rusqlite::{Connection, Row, Rows, TransactionBehavior, named_params};
use toolgate_types::{AcceptedEntry, Digest, EntryKind, Fingerprint, Trust};

use super::word::word;
use crate::ProjectRoot;

type AcceptedByRoot = Vec<(ProjectRoot, AcceptedEntry)>;

/// One row per file, or one without: a single statement sees a single state of the database.
const SELECT: &str = "
    SELECT a.id, a.root, a.kind, a.entry_id, a.digest, a.trust, a.accepted_at,
           f.path, f.digest AS file_digest
    FROM acceptance a LEFT JOIN acceptance_file f ON f.acceptance = a.id
    WHERE :root IS NULL OR a.root = :root
    ORDER BY a.id";

pub(super) fn at(connection: &Connection, root: &ProjectRoot) -> rusqlite::Result<AcceptedByRoot> {
    select(connection, Some(root.as_bytes()))
}

pub(super) fn everywhere(connection: &Connection) -> rusqlite::Result<AcceptedByRoot> {
    select(connection, None)
}

pub(super) fn accept(
    connection: &mut Connection,
    root: &ProjectRoot,
    entry: &AcceptedEntry,
) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    revoke(&transaction, root, entry.kind, &entry.id)?;
    transaction.execute(
        "INSERT INTO acceptance (root, kind, entry_id, digest, trust, accepted_at)
         VALUES (:root, :kind, :id, :digest, :trust, :at)",
        named_params! {
            ":root": root.as_bytes(),
            ":kind": entry.kind.as_str(),
            ":id": entry.id,
            ":digest": entry.fingerprint.entry.0,
            ":trust": entry.trust.as_str(),
            // SQLite has no unsigned integers; the bits come back as they went.
            ":at": entry.accepted_at.cast_signed(),
        },
    )?;
    let acceptance = transaction.last_insert_rowid();
    for (path, digest) in &entry.fingerprint.files {
        transaction.execute(
            "INSERT INTO acceptance_file (acceptance, path, digest)
             VALUES (:acceptance, :path, :digest)",
            named_params! { ":acceptance": acceptance, ":path": path, ":digest": digest.0 },
        )?;
    }
    transaction.commit()
}

pub(super) fn revoke(
    connection: &Connection,
    root: &ProjectRoot,
    kind: EntryKind,
    id: &str,
) -> rusqlite::Result<bool> {
    let removed = connection.execute(
        "DELETE FROM acceptance WHERE root = :root AND kind = :kind AND entry_id = :id",
        named_params! { ":root": root.as_bytes(), ":kind": kind.as_str(), ":id": id },
    )?;
    Ok(removed > 0)
}

fn select(connection: &Connection, root: Option<&[u8]>) -> rusqlite::Result<AcceptedByRoot> {
    let mut query = connection.prepare_cached(SELECT)?;
    let mut found = gather(query.query(named_params! { ":root": root })?)?;
    found.sort_by(|(root, entry), (other, beside)| {
        (root, entry.kind, &entry.id).cmp(&(other, beside.kind, &beside.id))
    });
    Ok(found)
}

/// Rows of one acceptance stand together, since they are ordered by its number.
fn gather(mut rows: Rows<'_>) -> rusqlite::Result<AcceptedByRoot> {
    let mut found = AcceptedByRoot::new();
    let mut last = None;
    while let Some(row) = rows.next()? {
        let number: i64 = row.get("id")?;
        if last.replace(number) != Some(number) {
            let root: Vec<u8> = row.get("root")?;
            found.push((ProjectRoot::recorded(&root), entry(row)?));
        }
        let path: Option<String> = row.get("path")?;
        if let (Some(path), Some((_, entry))) = (path, found.last_mut()) {
            entry.fingerprint.files.insert(path, Digest(row.get("file_digest")?));
        }
    }
    Ok(found)
}

fn entry(row: &Row<'_>) -> rusqlite::Result<AcceptedEntry> {
    Ok(AcceptedEntry {
        kind: word(row, "kind", EntryKind::parse)?,
        id: row.get("entry_id")?,
        fingerprint: Fingerprint { entry: Digest(row.get("digest")?), files: Default::default() },
        trust: word(row, "trust", trust)?,
        accepted_at: row.get::<_, i64>("accepted_at")?.cast_unsigned(),
    })
}

fn trust(text: &str) -> Option<Trust> {
    [Trust::Trusted, Trust::Untrusted].into_iter().find(|trust| trust.as_str() == text)
}
