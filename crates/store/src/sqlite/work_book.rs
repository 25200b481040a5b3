//! The rows of plans and notes.

use std::os::unix::ffi::OsStrExt as _;

use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, named_params};

use super::SqliteStore;
use crate::{KeptFor, KeptNote, KeptPlan, NewNote, StoreError, WorkBook, time};

#[async_trait]
impl WorkBook for SqliteStore {
    async fn plan(&self, owner: &KeptFor) -> Result<Option<KeptPlan>, StoreError> {
        let Some(state) = self.reading() else { return Ok(None) };
        let owner = owner.clone();
        state.writer.run(move |connection| find_plan(connection, &owner)).await
    }

    async fn keep_plan(&self, owner: &KeptFor, plan: KeptPlan) -> Result<(), StoreError> {
        let owner = owner.clone();
        self.writing()?.writer.run(move |connection| keep_plan(connection, &owner, &plan)).await
    }

    async fn add_note(&self, owner: &KeptFor, note: NewNote, most: u32) -> Result<u64, StoreError> {
        let owner = owner.clone();
        let add = move |connection: &mut Connection| add_note(connection, &owner, &note, most);
        self.writing()?.writer.run(add).await
    }

    async fn notes(
        &self,
        owner: &KeptFor,
        before: Option<u64>,
        most: u32,
    ) -> Result<Vec<KeptNote>, StoreError> {
        let Some(state) = self.reading() else { return Ok(Vec::new()) };
        let owner = owner.clone();
        state.writer.run(move |connection| find_notes(connection, &owner, before, most)).await
    }
}

fn find_plan(connection: &Connection, owner: &KeptFor) -> rusqlite::Result<Option<KeptPlan>> {
    let plan = connection.query_row(
        "SELECT body, kept_at FROM work_plan
         WHERE principal = :principal AND workspace = :workspace",
        named_params! {
            ":principal": owner.principal,
            ":workspace": owner.workspace.as_os_str().as_bytes(),
        },
        |row| {
            let kept_at = row.get::<_, i64>("kept_at")?.cast_unsigned();
            Ok(KeptPlan { body: row.get("body")?, kept_at })
        },
    );
    plan.optional()
}

fn keep_plan(connection: &Connection, owner: &KeptFor, plan: &KeptPlan) -> rusqlite::Result<()> {
    connection.execute(
        "INSERT OR REPLACE INTO work_plan (principal, workspace, kept_at, body)
         VALUES (:principal, :workspace, :kept_at, :body)",
        named_params! {
            ":principal": owner.principal,
            ":workspace": owner.workspace.as_os_str().as_bytes(),
            ":kept_at": time::kept(plan.kept_at).cast_signed(),
            ":body": plan.body,
        },
    )?;
    Ok(())
}

fn add_note(
    connection: &mut Connection,
    owner: &KeptFor,
    note: &NewNote,
    most: u32,
) -> rusqlite::Result<u64> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let workspace = owner.workspace.as_os_str().as_bytes();
    transaction.execute(
        "INSERT INTO work_note (principal, workspace, written_at, text)
         VALUES (:principal, :workspace, :written_at, :text)",
        named_params! {
            ":principal": owner.principal,
            ":workspace": workspace,
            ":written_at": time::kept(note.written_at).cast_signed(),
            ":text": note.text,
        },
    )?;
    let number = transaction.last_insert_rowid().cast_unsigned();
    transaction.execute(
        "DELETE FROM work_note WHERE number IN (
             SELECT number FROM work_note
             WHERE principal = :principal AND workspace = :workspace
             ORDER BY number DESC LIMIT -1 OFFSET :most)",
        named_params! {
            ":principal": owner.principal,
            ":workspace": workspace,
            ":most": most,
        },
    )?;
    transaction.commit()?;
    Ok(number)
}

fn find_notes(
    connection: &Connection,
    owner: &KeptFor,
    before: Option<u64>,
    most: u32,
) -> rusqlite::Result<Vec<KeptNote>> {
    let mut query = connection.prepare(
        "SELECT number, text, written_at FROM work_note
         WHERE principal = :principal AND workspace = :workspace AND number < :before
         ORDER BY number DESC LIMIT :most",
    )?;
    let before = before.and_then(|number| i64::try_from(number).ok()).unwrap_or(i64::MAX);
    let params = named_params! {
        ":principal": owner.principal,
        ":workspace": owner.workspace.as_os_str().as_bytes(),
        ":before": before,
        ":most": most,
    };
    let notes = query.query_map(params, |row| {
        Ok(KeptNote {
            number: row.get::<_, i64>("number")?.cast_unsigned(),
            text: row.get("text")?,
            written_at: row.get::<_, i64>("written_at")?.cast_unsigned(),
        })
    })?;
    notes.collect()
}
