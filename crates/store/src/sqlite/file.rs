//! The file `state.db`: made for its owner alone, recognised before it is touched, opened.
//!
//! It is never opened with `std::fs` once it has content: closing any descriptor of a file drops
//! every POSIX lock this process has on it, also those of another open store. What is to be known
//! about it is asked through SQLite. Its health is not checked page by page: that costs as much as
//! the file is long, and a bad page is reported when it is met.

use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::failure::failure;
use super::patience::PATIENCE;
use super::{folder, schema};
use crate::StoreError;

const NAME: &str = "state.db";
const LOCK: &str = "state.lock";

/// Written into the file's header, so that no other program's database is taken for ours.
const APPLICATION_ID: i32 = i32::from_be_bytes(*b"tgat");

/// Held while the file is made, recognised and brought up to date: SQLite answers "busy" at once
/// to two that switch a file to WAL together, and a file must not be open while it is being made.
pub(super) fn lock_opening(folder: &Path) -> Result<File, StoreError> {
    let path = folder.join(LOCK);
    let lock = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&path)
        .map_err(|error| StoreError::io(&path, &error))?;
    wait_for(&path, || lock.try_lock())?;
    Ok(lock)
}

/// Tries until it has a lock, for as long as anything here waits.
pub(crate) fn wait_for(
    path: &Path,
    lock: impl Fn() -> Result<(), TryLockError>,
) -> Result<(), StoreError> {
    let began = Instant::now();
    loop {
        match lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(StoreError::io(path, &error)),
            Err(TryLockError::WouldBlock) if began.elapsed() > PATIENCE => {
                return Err(StoreError::Busy);
            }
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// The file's path, made empty if there is none. Only under the opening lock.
pub(super) fn make(folder: &Path) -> Result<PathBuf, StoreError> {
    let path = folder.join(NAME);
    match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
        Ok(_) => Ok(path),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(path),
        Err(error) => Err(StoreError::io(&path, &error)),
    }
}

/// The file's path, if there is one with anything in it.
pub(super) fn find(folder: &Path) -> Result<Option<PathBuf>, StoreError> {
    let path = folder.join(NAME);
    match fs::symlink_metadata(&path) {
        Ok(found) if found.is_file() && found.len() == 0 => Ok(None),
        Ok(_) => Ok(Some(path)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io(&path, &error)),
    }
}

/// Opens our file, refusing any other as it is. Only under the opening lock.
pub(super) fn open(path: &Path) -> Result<Connection, StoreError> {
    let found = fs::symlink_metadata(path).map_err(|error| StoreError::io(path, &error))?;
    if !found.is_file() {
        return Err(StoreError::folder(path, "it is not a regular file"));
    }
    folder::check_owner(path, &found)?;
    if found.len() > 0 {
        recognise(path)?;
    }
    if found.mode() & 0o077 != 0 {
        // A copy restored by hand, most likely. SQLite gives its -wal and -shm the same mode.
        let closed = fs::set_permissions(path, Permissions::from_mode(0o600));
        closed.map_err(|error| StoreError::io(path, &error))?;
    }
    connect(path)
}

/// Refuses what is not ours, or is too new, without touching it.
fn recognise(path: &Path) -> Result<(), StoreError> {
    let header = match glance(path) {
        // Caught while a log was written back, or cut off there by a `kill -9`: a first page that
        // speaks of pages to come. Looked at again with locks and log, still without writing.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt) => look(path),
        Ok(DatabaseHeader { pages: 0, .. }) => look(path),
        seen => seen,
    };
    let DatabaseHeader { pages, owner, version } = header.map_err(|error| failure(path, &error))?;
    if pages == 0 {
        // SQLite takes a single byte for a database that is still empty.
        return Err(StoreError::corrupt(path, "file is not a database"));
    }
    if owner != APPLICATION_ID {
        return Err(StoreError::Foreign { path: path.into() });
    }
    schema::check(version)
}

struct DatabaseHeader {
    pages: i64,
    owner: i32,
    version: u32,
}

/// The file alone. `immutable` makes SQLite leave no trace: no lock, no recovery, no -wal or -shm
/// beside a file that may not be ours.
fn glance(path: &Path) -> rusqlite::Result<DatabaseHeader> {
    let uri = format!("file:{}?immutable=1", percent_encoded(path));
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    header(&Connection::open_with_flags(&uri, flags)?)
}

/// The file with its log, as every process sees it.
fn look(path: &Path) -> rusqlite::Result<DatabaseHeader> {
    header(&connect_to_read(path)?)
}

/// A connection that can change nothing.
pub(super) fn connect_to_read(path: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    connection.busy_timeout(PATIENCE)?;
    Ok(connection)
}

fn header(connection: &Connection) -> rusqlite::Result<DatabaseHeader> {
    Ok(DatabaseHeader {
        pages: connection.pragma_query_value(None, "page_count", |row| row.get(0))?,
        owner: application_id(connection)?,
        version: schema::version(connection)?,
    })
}

fn connect(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
    let begin = || {
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(PATIENCE)?;
        if application_id(&connection)? == 0 {
            // Before WAL: so it stands in the file itself, where `recognise` looks for it.
            connection.pragma_update(None, "application_id", APPLICATION_ID)?;
        }
        let mode: String =
            connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        Ok((connection, mode))
    };
    let (mut connection, mode) = begin().map_err(|error| failure(path, &error))?;
    if mode != "wal" {
        let why = "this file system cannot share a database between processes";
        return Err(StoreError::folder(path, why));
    }
    schema::migrate(&mut connection, path)?;
    Ok(connection)
}

fn application_id(connection: &Connection) -> rusqlite::Result<i32> {
    connection.pragma_query_value(None, "application_id", |row| row.get(0))
}

fn percent_encoded(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    let bytes = path.as_os_str().as_bytes().iter();
    bytes.map(|&b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}
