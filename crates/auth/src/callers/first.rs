//! The first token: made when the gate first serves, kept as a file for its owner alone, so that
//! nobody has to make one by hand and `connect` can give it to clients.
//!
//! A file counts only if the store knows its hash: whoever can write a file here has made no token.
//! A token that a person revoked stays so; the next start makes another.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{
    DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _,
};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use toolgate_store::{KeptToken, TokenKind, TokenName};
use toolgate_types::Secret;
use zeroize::Zeroizing;

use super::{ClientTokens, FIRST, TokenError, VerifiedToken, text};

/// How long one start waits for another.
const PATIENCE: Duration = Duration::from_secs(5);
/// More than any token has; a longer file is none, and need not be read to its end.
const LONGEST: u64 = 128;

impl ClientTokens {
    /// The token `default`: the one in the file if it still counts, else a new one, with every
    /// earlier one of this name revoked. Opens and locks files; for a start, not for a request.
    pub async fn first_token(&self, file: &Path, now: u64) -> Result<Secret, TokenError> {
        let folder = file.parent().unwrap_or(Path::new("."));
        make_folder(folder)?;
        let _starting = lock(&beside(file, "lock"))?;
        if let Some(text) = read(file)?
            && self.is_first(&text, now).await?
        {
            return Ok(text);
        }
        let text = text::random()?;
        let name = TokenName::parse(FIRST).map_err(|_| TokenError::Reserved)?;
        // Written before the store knows it and shown after: where it cannot be written, the token
        // before it still counts.
        let draft = beside(file, "new");
        write(&draft, &text).map_err(|error| TokenError::io(&draft, &error))?;
        let token = KeptToken {
            name: name.clone(),
            hash: text::hash(text.expose()),
            kind: TokenKind::Client,
            roles: None,
            client: None,
            // Any client may be given it, also one that answers forms by itself.
            shows_forms: false,
            is_owners: true,
            created_at: now,
            expires_at: None,
            revoked_at: None,
        };
        self.store.replace_token(token).await?;
        self.known().forget(&name);
        let shown = fs::rename(&draft, file).and_then(|()| File::open(folder)?.sync_all());
        shown.map_err(|error| TokenError::io(file, &error))?;
        Ok(text)
    }

    async fn is_first(&self, text: &Secret, now: u64) -> Result<bool, TokenError> {
        let kept = self.store.token(text::hash(text.expose())).await?;
        let counts = kept.and_then(|token| VerifiedToken::judge(token, now).ok());
        Ok(counts.is_some_and(|verified| verified.name().as_str() == FIRST))
    }
}

fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(".");
    name.push(ending);
    file.with_file_name(name)
}

fn make_folder(folder: &Path) -> Result<(), TokenError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    let found = made.and_then(|()| fs::metadata(folder));
    let found = found.map_err(|error| TokenError::io(folder, &error))?;
    if found.mode() & 0o022 != 0 {
        let why = format!("other users can write it (mode {:03o})", found.mode() & 0o777);
        return Err(TokenError::File { path: folder.into(), why });
    }
    Ok(())
}

fn lock(path: &Path) -> Result<File, TokenError> {
    let opened = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path);
    let lock = opened.map_err(|error| TokenError::io(path, &error))?;
    let began = Instant::now();
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(lock),
            Err(TryLockError::Error(error)) => return Err(TokenError::io(path, &error)),
            Err(TryLockError::WouldBlock) if began.elapsed() > PATIENCE => {
                return Err(TokenError::Busy { path: path.into() });
            }
            Err(TryLockError::WouldBlock) => thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// The token in a file, if there is one that can be. A file that others could read is closed to
/// them: it was restored by hand, most likely, and clients have this token.
fn read(path: &Path) -> Result<Option<Secret>, TokenError> {
    let failed = |error: io::Error| TokenError::io(path, &error);
    let found = match fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    if !found.is_file() {
        let why = "it is not a regular file".to_owned();
        return Err(TokenError::File { path: path.into(), why });
    }
    if found.mode() & 0o077 != 0 {
        fs::set_permissions(path, Permissions::from_mode(0o600)).map_err(failed)?;
    }
    let mut bytes = Zeroizing::new(Vec::with_capacity(LONGEST as usize));
    let file = File::open(path).map_err(failed)?;
    file.take(LONGEST).read_to_end(&mut bytes).map_err(failed)?;
    let written = str::from_utf8(&bytes).unwrap_or_default().trim();
    Ok(text::is_one(written).then(|| Secret::new(written.to_owned())))
}

/// A draft that an earlier start left is nobody's: it was never shown.
fn write(path: &Path, text: &Secret) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.expose().as_bytes())?;
    file.write_all(b"\n")?;
    file.sync_all()
}
