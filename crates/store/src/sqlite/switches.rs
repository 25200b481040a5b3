//! The rows of the switches, and of what was approved for windows.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;

use async_trait::async_trait;
use rusqlite::types::{FromSqlError, Type};
use rusqlite::{Connection, Row, TransactionBehavior, named_params};
use toolgate_types::{
    Digest, PersonSwitch, Principal, RoleId, ServerId, SwitchScope, SwitchSubject, WindowMark,
};

use super::SqliteStore;
use super::word::word;
use crate::{StoreError, Switches, WindowGrant};

#[async_trait]
impl Switches for SqliteStore {
    async fn switches(&self) -> Result<Vec<PersonSwitch>, StoreError> {
        let Some(state) = self.reading() else { return Ok(Vec::new()) };
        state.writer.run(|connection| all(connection)).await
    }

    async fn keep_switch(&self, switch: PersonSwitch) -> Result<(), StoreError> {
        self.writing()?.writer.run(move |connection| keep(connection, &switch)).await
    }

    async fn forget_switch(&self, switch: &PersonSwitch) -> Result<bool, StoreError> {
        let switch = switch.clone();
        self.writing()?.writer.run(move |connection| forget(connection, &switch)).await
    }

    async fn known_windows(&self) -> Result<Vec<WindowMark>, StoreError> {
        let Some(state) = self.reading() else { return Ok(Vec::new()) };
        state.writer.run(|connection| windows(connection)).await
    }

    async fn forget_window(&self, window: &WindowMark) -> Result<(), StoreError> {
        let window = window.to_string();
        let forget = move |connection: &mut Connection| {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            transaction.execute(
                "DELETE FROM switch WHERE scope = 'window' AND place = :window",
                named_params! { ":window": window.as_bytes() },
            )?;
            transaction.execute(
                "DELETE FROM window_grant WHERE window = :window",
                named_params! { ":window": window },
            )?;
            transaction.commit()
        };
        self.writing()?.writer.run(forget).await
    }

    async fn window_grants(&self, window: &WindowMark) -> Result<Vec<WindowGrant>, StoreError> {
        let Some(state) = self.reading() else { return Ok(Vec::new()) };
        let window = window.to_string();
        state.writer.run(move |connection| grants(connection, &window)).await
    }

    async fn keep_grant(&self, window: &WindowMark, grant: WindowGrant) -> Result<(), StoreError> {
        let window = window.to_string();
        let keep = move |connection: &mut Connection| {
            connection.execute(
                "INSERT OR IGNORE INTO window_grant (window, principal, owner, tool, definition)
                 VALUES (:window, :principal, :owner, :tool, :definition)",
                named_params! {
                    ":window": window, ":principal": grant.principal.as_str(),
                    ":owner": grant.owner, ":tool": grant.tool, ":definition": grant.definition.0,
                },
            )
        };
        self.writing()?.writer.run(keep).await.map(drop)
    }

    async fn forget_grant(
        &self,
        window: &WindowMark,
        grant: &WindowGrant,
    ) -> Result<bool, StoreError> {
        let (window, grant) = (window.to_string(), grant.clone());
        let forget = move |connection: &mut Connection| {
            connection.execute(
                "DELETE FROM window_grant WHERE window = :window AND principal = :principal
                 AND owner = :owner AND tool = :tool AND definition = :definition",
                named_params! {
                    ":window": window, ":principal": grant.principal.as_str(),
                    ":owner": grant.owner, ":tool": grant.tool, ":definition": grant.definition.0,
                },
            )
        };
        self.writing()?.writer.run(forget).await.map(|removed| removed > 0)
    }
}

/// A switch as its columns say it.
struct SwitchColumns<'a> {
    scope: &'static str,
    place: Vec<u8>,
    kind: &'static str,
    id: &'a str,
}

impl<'a> SwitchColumns<'a> {
    fn of(switch: &'a PersonSwitch) -> Self {
        let (scope, place) = match &switch.scope {
            SwitchScope::Everywhere => ("everywhere", Vec::new()),
            SwitchScope::Folder(folder) => ("folder", folder.as_os_str().as_bytes().to_vec()),
            SwitchScope::Window(window) => ("window", window.to_string().into_bytes()),
        };
        let (kind, id) = match &switch.subject {
            SwitchSubject::Off(server) => ("off", server.as_str()),
            SwitchSubject::Role(role) => ("role", role.as_str()),
        };
        Self { scope, place, kind, id }
    }
}

fn keep(connection: &mut Connection, switch: &PersonSwitch) -> rusqlite::Result<()> {
    let SwitchColumns { scope, place, kind, id } = SwitchColumns::of(switch);
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if kind == "role" {
        transaction.execute(
            "DELETE FROM switch WHERE scope = :scope AND place = :place AND kind = 'role'",
            named_params! { ":scope": scope, ":place": place },
        )?;
    }
    transaction.execute(
        "INSERT OR IGNORE INTO switch (scope, place, kind, entry_id)
         VALUES (:scope, :place, :kind, :id)",
        named_params! { ":scope": scope, ":place": place, ":kind": kind, ":id": id },
    )?;
    transaction.commit()
}

fn forget(connection: &mut Connection, switch: &PersonSwitch) -> rusqlite::Result<bool> {
    let SwitchColumns { scope, place, kind, id } = SwitchColumns::of(switch);
    let removed = connection.execute(
        "DELETE FROM switch
         WHERE scope = :scope AND place = :place AND kind = :kind AND entry_id = :id",
        named_params! { ":scope": scope, ":place": place, ":kind": kind, ":id": id },
    )?;
    Ok(removed > 0)
}

fn all(connection: &Connection) -> rusqlite::Result<Vec<PersonSwitch>> {
    let mut query = connection.prepare("SELECT scope, place, kind, entry_id FROM switch")?;
    let rows = query.query_map([], |row| {
        let id: String = row.get("entry_id")?;
        let place: Vec<u8> = row.get("place")?;
        let scope = word(row, "scope", |scope| scope_of(scope, &place))?;
        let subject = word(row, "kind", |kind| match kind {
            "off" => ServerId::parse(&id).ok().map(SwitchSubject::Off),
            "role" => RoleId::parse(&id).ok().map(SwitchSubject::Role),
            _ => None,
        })?;
        Ok(PersonSwitch { scope, subject })
    })?;
    let mut found = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    found.sort();
    Ok(found)
}

fn scope_of(scope: &str, place: &[u8]) -> Option<SwitchScope> {
    match scope {
        "everywhere" => Some(SwitchScope::Everywhere),
        "folder" => Some(SwitchScope::Folder(PathBuf::from(OsStr::from_bytes(place)))),
        "window" => {
            let mark = std::str::from_utf8(place).ok().and_then(WindowMark::parse)?;
            Some(SwitchScope::Window(mark))
        }
        _ => None,
    }
}

fn windows(connection: &Connection) -> rusqlite::Result<Vec<WindowMark>> {
    let mut query = connection.prepare(
        "SELECT CAST(place AS TEXT) AS window FROM switch WHERE scope = 'window'
         UNION SELECT window FROM window_grant",
    )?;
    let rows = query.query_map([], |row| word(row, "window", WindowMark::parse))?;
    let mut found = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    found.sort();
    Ok(found)
}

fn grants(connection: &Connection, window: &str) -> rusqlite::Result<Vec<WindowGrant>> {
    let mut query = connection.prepare(
        "SELECT principal, owner, tool, definition FROM window_grant WHERE window = :window",
    )?;
    let rows = query.query_map(named_params! { ":window": window }, |row| {
        Ok(WindowGrant {
            principal: Principal::named(row.get::<_, String>("principal")?),
            owner: row.get("owner")?,
            tool: row.get("tool")?,
            definition: digest(row)?,
        })
    })?;
    let mut found = rows.collect::<rusqlite::Result<Vec<_>>>()?;
    found.sort();
    Ok(found)
}

fn digest(row: &Row<'_>) -> rusqlite::Result<Digest> {
    let bytes: Vec<u8> = row.get("definition")?;
    <[u8; 32]>::try_from(bytes).map(Digest).map_err(|_| {
        let odd = FromSqlError::Other("a definition's hash has 32 bytes".into());
        rusqlite::Error::FromSqlConversionFailure(3, Type::Blob, Box::new(odd))
    })
}
