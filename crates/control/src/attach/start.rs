//! Starting a daemon where none answers: one of all who would, and the others wait for it.
//!
//! Nobody looks again and again. Who waits, waits for a lock, for a line, or for an end.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, BufRead as _, BufReader, PipeReader, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use nix::libc::O_NOFOLLOW;
use toolgate_types::visible;

use super::{DaemonStarter, StartedDaemon};
use crate::{CommandFailure, Person, RunFolder, state_folder};

/// What a daemon says on its standard output when it can be reached.
pub const DAEMON_READY: &str = "ready";

/// How long a daemon may take to say that it is ready, or why not.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long one may take to end: what is under way has its time, and so has what it started.
pub const DAEMON_ENDS_WITHIN: Duration = Duration::from_secs(15);

/// The longest reason that is read.
const LONGEST_REASON: u64 = 16 * 1024;

/// What a file of complaints may grow to before it begins anew.
const MOST_COMPLAINTS: u64 = 1 << 20;

/// A connection to the daemon, if one listens.
pub(crate) fn connect(folder: &RunFolder) -> Result<Option<UnixStream>, CommandFailure> {
    let path = folder.agent_socket();
    match UnixStream::connect(&path) {
        Ok(stream) => Ok(Some(stream)),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Ok(None),
            _ => Err(CommandFailure::new(format!(
                "cannot reach the daemon at {}: {error}",
                path.display()
            ))),
        },
    }
}

/// Starts a daemon, unless somebody else did in the meantime, and connects to it.
pub(crate) fn start(
    folder: &RunFolder,
    person: &Person,
    starter: &dyn DaemonStarter,
) -> Result<UnixStream, CommandFailure> {
    let turn = folder.start_lock()?;
    // Held until this returns. Whoever has it is done within the times below.
    turn.lock().map_err(|error| CommandFailure::new(format!("cannot wait for a turn: {error}")))?;
    if let Some(stream) = connect(folder)? {
        return Ok(stream);
    }
    wait_for_last_daemon(folder)?;
    let complaints = complaints_file(person);
    let stderr = complaints.as_deref().and_then(open_complaints);
    let StartedDaemon { stdout, pid } = starter.start(&person.clean_environment(), stderr)?;
    let said = first_line(stdout, pid)?;
    // It may have found another one that was quicker, started by hand.
    match (connect(folder)?, said.as_str()) {
        (Some(stream), _) => Ok(stream),
        (None, DAEMON_READY) => {
            Err(CommandFailure::new(format!("the daemon (pid {pid}) ended at once")))
        }
        (None, "") => Err(silent(complaints.as_deref())),
        (None, why) => {
            Err(CommandFailure::new(format!("the daemon could not be started: {}", visible(why))))
        }
    }
}

/// One that nobody can reach any more may still be about to end; its servers are, too.
pub fn wait_for_last_daemon(folder: &RunFolder) -> Result<(), CommandFailure> {
    let lock = folder.daemon_lock()?;
    match lock.try_lock() {
        Ok(()) => return Ok(()),
        Err(TryLockError::WouldBlock) => {}
        Err(TryLockError::Error(error)) => {
            return Err(CommandFailure::new(format!("cannot tell whether a daemon runs: {error}")));
        }
    }
    // A lock is waited for without end, so somebody else does.
    let (ended, end) = mpsc::channel();
    thread::spawn(move || {
        let _ = lock.lock();
        // Before it is told: the next daemon must find it free.
        drop(lock);
        let _ = ended.send(());
    });
    match end.recv_timeout(DAEMON_ENDS_WITHIN) {
        Ok(()) => Ok(()),
        Err(_) => {
            let words = folder.daemons_words().map(|words| format!(" ({})", visible(&words)));
            let words = words.unwrap_or_default();
            Err(CommandFailure::new(format!("a daemon{words} runs and cannot be reached"))
                .hint("end it; another is started when it is needed"))
        }
    }
}

/// What the daemon says first, without its line end.
fn first_line(stdout: PipeReader, pid: u32) -> Result<String, CommandFailure> {
    let (said, hearing) = mpsc::channel();
    thread::spawn(move || {
        let mut line = Vec::new();
        let _ = BufReader::new(stdout.take(LONGEST_REASON)).read_until(b'\n', &mut line);
        let _ = said.send(String::from_utf8_lossy(&line).trim().to_owned());
    });
    hearing.recv_timeout(PATIENCE).map_err(|_| {
        let seconds = PATIENCE.as_secs();
        CommandFailure::new(format!("the daemon (pid {pid}) says nothing after {seconds} seconds"))
            .hint("end it; another is started when it is needed")
    })
}

fn silent(complaints: Option<&Path>) -> CommandFailure {
    let failure =
        CommandFailure::new("the daemon could not be started: it ended and did not say why");
    match complaints {
        Some(file) => failure.hint(format!("see {}", file.display())),
        None => failure,
    }
}

/// Where a daemon's standard error goes, which is only what it did not expect itself.
fn complaints_file(person: &Person) -> Option<PathBuf> {
    Some(state_folder(person.variables()).ok()?.join("logs/daemon.err"))
}

fn open_complaints(path: &Path) -> Option<File> {
    DirBuilder::new().recursive(true).mode(0o700).create(path.parent()?).ok()?;
    let mut options = OpenOptions::new();
    options.append(true).create(true).mode(0o600).custom_flags(O_NOFOLLOW);
    let file = options.open(path).ok()?;
    let found = file.metadata().ok().filter(fs::Metadata::is_file)?;
    if found.len() > MOST_COMPLAINTS {
        file.set_len(0).ok()?;
    }
    Some(file)
}
