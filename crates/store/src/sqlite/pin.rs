//! The rows of the pins: one per server and tool. Those of instructions have a file of their own.
//!
//! What is done to a pin is said in `pin`, not in SQL. A step that may change several reads them
//! again where it writes, so that of two processes neither undoes what the other did.

mod instructions;

use async_trait::async_trait;
use rusqlite::{Connection, Row, TransactionBehavior, named_params};
use toolgate_types::{PinnedBy, ServerId};

use super::SqliteStore;
use super::word::word_at;
use crate::pin::is_meant;
use crate::{
    ObservedInstructions, ObservedTools, Pin, PinKey, PinnedInstructions, Pins, ProjectRoot,
    SeenTool, StoreError,
};

/// In the order in which they are read: at every start there are as many rows as tools, and to look
/// for each column by its name took longer than all the rest.
const COLUMNS: &str = "tool, accepted, accepted_at, pinned_by, named, live, seen_at, root, server";

#[async_trait]
impl Pins for SqliteStore {
    async fn pins(&self, key: &PinKey) -> Result<Vec<Pin>, StoreError> {
        let Some(state) = self.reading() else { return Ok(Vec::new()) };
        let key = key.clone();
        state.writer.run(move |connection| of(connection, &key)).await
    }

    async fn all_pins(&self) -> Result<Vec<(PinKey, Pin)>, StoreError> {
        let Some(state) = self.reading() else { return Ok(Vec::new()) };
        state.writer.run(|connection| all(connection)).await
    }

    async fn keep_pins(&self, key: &PinKey, pins: Vec<Pin>) -> Result<(), StoreError> {
        let key = key.clone();
        self.writing()?.writer.run(move |connection| keep(connection, &key, &pins)).await
    }

    async fn observe_tools(
        &self,
        key: &PinKey,
        seen: Vec<SeenTool>,
        at: u64,
    ) -> Result<ObservedTools, StoreError> {
        let key = key.clone();
        self.writing()?.writer.run(move |connection| observe(connection, &key, &seen, at)).await
    }

    async fn accept_pins(
        &self,
        key: &PinKey,
        tools: &[String],
        named: bool,
        at: u64,
    ) -> Result<Vec<String>, StoreError> {
        let (key, tools) = (key.clone(), tools.to_vec());
        self.writing()?
            .writer
            .run(move |connection| accept(connection, &key, &tools, named, at))
            .await
    }

    async fn instructions(&self, key: &PinKey) -> Result<Option<PinnedInstructions>, StoreError> {
        let Some(state) = self.reading() else { return Ok(None) };
        let key = key.clone();
        state.writer.run(move |connection| instructions::find(connection, &key)).await
    }

    async fn keep_instructions(
        &self,
        key: &PinKey,
        pin: PinnedInstructions,
    ) -> Result<(), StoreError> {
        let key = key.clone();
        self.writing()?.writer.run(move |db| instructions::keep(db, &key, &pin)).await
    }

    async fn observe_instructions(
        &self,
        key: &PinKey,
        said: &str,
        at: u64,
    ) -> Result<ObservedInstructions, StoreError> {
        let (key, said) = (key.clone(), said.to_owned());
        self.writing()?.writer.run(move |db| instructions::observe(db, &key, &said, at)).await
    }

    async fn forget_pins(&self, key: &PinKey) -> Result<usize, StoreError> {
        let key = key.clone();
        self.writing()?.writer.run(move |connection| forget(connection, &key)).await
    }
}

fn of(connection: &Connection, key: &PinKey) -> rusqlite::Result<Vec<Pin>> {
    let select =
        format!("SELECT {COLUMNS} FROM pin WHERE root = :root AND server = :server ORDER BY tool");
    let mut query = connection.prepare_cached(&select)?;
    let params = named_params! { ":root": root(key), ":server": key.server.as_str() };
    query.query_map(params, pin)?.collect()
}

fn all(connection: &Connection) -> rusqlite::Result<Vec<(PinKey, Pin)>> {
    let mut query = connection.prepare(&format!("SELECT {COLUMNS} FROM pin"))?;
    let rows = query.query_map([], |row| Ok((key(row)?, pin(row)?)))?;
    let mut found = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    // Here and not by SQL, which would order paths by their bytes.
    found.sort_by(|(key, pin), (other, beside)| (key, &pin.tool).cmp(&(other, &beside.tool)));
    Ok(found)
}

fn keep(connection: &mut Connection, key: &PinKey, pins: &[Pin]) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    write(&transaction, key, pins)?;
    transaction.commit()
}

fn observe(
    connection: &mut Connection,
    key: &PinKey,
    seen: &[SeenTool],
    at: u64,
) -> rusqlite::Result<ObservedTools> {
    // Mostly nothing is new, and then nobody is waited for.
    let observed = ObservedTools::of(of(connection, key)?, seen, at);
    if observed.changed.is_empty() {
        return Ok(observed);
    }
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let observed = ObservedTools::of(of(&transaction, key)?, seen, at);
    write(&transaction, key, observed.changes())?;
    transaction.commit()?;
    Ok(observed)
}

fn accept(
    connection: &mut Connection,
    key: &PinKey,
    tools: &[String],
    named: bool,
    at: u64,
) -> rusqlite::Result<Vec<String>> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut pins = of(&transaction, key)?;
    pins.retain_mut(|pin| is_meant(tools, &pin.tool) && pin.accept(named, at));
    write(&transaction, key, &pins)?;
    transaction.commit()?;
    Ok(pins.into_iter().map(|pin| pin.tool).collect())
}

fn forget(connection: &Connection, key: &PinKey) -> rusqlite::Result<usize> {
    instructions::forget(connection, key)?;
    connection.execute(
        "DELETE FROM pin WHERE root = :root AND server = :server",
        named_params! { ":root": root(key), ":server": key.server.as_str() },
    )
}

fn write<'a>(
    connection: &Connection,
    key: &PinKey,
    pins: impl IntoIterator<Item = &'a Pin>,
) -> rusqlite::Result<()> {
    let mut insert = connection.prepare_cached(
        "INSERT INTO pin (root, server, tool, accepted_at, pinned_by, named, seen_at, accepted, live)
         VALUES (:root, :server, :tool, :accepted_at, :by, :named, :seen_at, :accepted, :live)
         ON CONFLICT (root, server, tool) DO UPDATE SET
             accepted_at = excluded.accepted_at, pinned_by = excluded.pinned_by,
             named = excluded.named, seen_at = excluded.seen_at,
             accepted = excluded.accepted, live = excluded.live",
    )?;
    for Pin { tool, accepted, accepted_at, by, named, live, seen_at } in pins {
        insert.execute(named_params! {
            ":root": root(key),
            ":server": key.server.as_str(),
            ":tool": tool,
            // SQLite has no unsigned integers; the bits come back as they went.
            ":accepted_at": accepted_at.cast_signed(),
            ":by": by.as_str(),
            ":named": named,
            ":seen_at": seen_at.map(u64::cast_signed),
            ":accepted": accepted,
            ":live": live,
        })?;
    }
    Ok(())
}

/// No path is empty, so that nothing stands for no project.
pub(super) fn root(key: &PinKey) -> &[u8] {
    key.root.as_ref().map_or(&[], ProjectRoot::as_bytes)
}

fn key(row: &Row<'_>) -> rusqlite::Result<PinKey> {
    let root: Vec<u8> = row.get(7)?;
    Ok(PinKey {
        root: (!root.is_empty()).then(|| ProjectRoot::recorded(&root)),
        server: word_at(row, 8, |text| ServerId::parse(text).ok())?,
    })
}

fn pin(row: &Row<'_>) -> rusqlite::Result<Pin> {
    Ok(Pin {
        tool: row.get(0)?,
        accepted: row.get(1)?,
        accepted_at: row.get::<_, i64>(2)?.cast_unsigned(),
        by: word_at(row, 3, PinnedBy::parse)?,
        named: row.get(4)?,
        live: row.get(5)?,
        seen_at: row.get::<_, Option<i64>>(6)?.map(i64::cast_unsigned),
    })
}
