//! Starting a daemon where none answers: one of all who would, and the others wait for it.
//!
//! Nobody looks again and again. Who waits, waits for a lock, for a line, or for an end.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, BufRead as _, BufReader, PipeReader, Read as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use nix::libc::O_NOFOLLOW;
use toolgate_gateway::DRAIN;
use toolgate_sandbox::{Detached, detach};
use toolgate_types::visible;

use super::person::Person;
use crate::daemon::running::READY;
use crate::failure::Failure;
use crate::rundir::RunFolder;
use crate::surroundings::state_folder;

/// How long a daemon may take to say that it is ready, or why not.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long one may take to end: what is under way has its time, and so has what it started.
const END_PATIENCE: Duration = DRAIN.saturating_add(Duration::from_secs(5));

/// The longest reason that is read.
const LONGEST_REASON: u64 = 16 * 1024;

/// What a file of complaints may grow to before it begins anew.
const MOST_COMPLAINTS: u64 = 1 << 20;

/// A connection to the daemon, if one listens.
pub(super) fn connect(folder: &RunFolder) -> Result<Option<UnixStream>, Failure> {
    let path = folder.agent_socket();
    match UnixStream::connect(&path) {
        Ok(stream) => Ok(Some(stream)),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused => Ok(None),
            _ => {
                Err(Failure::new(format!("cannot reach the daemon at {}: {error}", path.display())))
            }
        },
    }
}

/// Starts a daemon, unless somebody else did in the meantime, and connects to it.
pub(super) fn start(folder: &RunFolder, person: &Person) -> Result<UnixStream, Failure> {
    let turn = folder.start_lock()?;
    // Held until this returns. Whoever has it is done within the times below.
    turn.lock().map_err(|error| Failure::new(format!("cannot wait for a turn: {error}")))?;
    if let Some(stream) = connect(folder)? {
        return Ok(stream);
    }
    wait_for_the_last(folder)?;
    let complaints = complaints_file(person);
    let stderr = complaints.as_deref().and_then(open_complaints);
    let environment = person.clean_environment();
    let started = detach(&our_program(), &["toolgate", "__daemon"], &environment, stderr);
    let Detached { stdout, pid } = started.map_err(|error| {
        let failure = Failure::new(format!("the daemon could not be started: {error}"));
        match error.hint() {
            Some(hint) => failure.hint(hint),
            None => failure,
        }
    })?;
    let said = first_line(stdout, pid)?;
    // It may have found another one that was quicker, started by hand.
    match (connect(folder)?, said.as_str()) {
        (Some(stream), _) => Ok(stream),
        (None, READY) => Err(Failure::new(format!("the daemon (pid {pid}) ended at once"))),
        (None, "") => Err(silent(complaints.as_deref())),
        (None, why) => {
            Err(Failure::new(format!("the daemon could not be started: {}", visible(why))))
        }
    }
}

/// One that nobody can reach any more may still be about to end; its servers are, too.
pub(crate) fn wait_for_the_last(folder: &RunFolder) -> Result<(), Failure> {
    let lock = folder.daemon_lock()?;
    match lock.try_lock() {
        Ok(()) => return Ok(()),
        Err(TryLockError::WouldBlock) => {}
        Err(TryLockError::Error(error)) => {
            return Err(Failure::new(format!("cannot tell whether a daemon runs: {error}")));
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
    match end.recv_timeout(END_PATIENCE) {
        Ok(()) => Ok(()),
        Err(_) => {
            let words = folder.daemons_words().map(|words| format!(" ({})", visible(&words)));
            let words = words.unwrap_or_default();
            Err(Failure::new(format!("a daemon{words} runs and cannot be reached"))
                .hint("end it; another is started when it is needed"))
        }
    }
}

/// What the daemon says first, without its line end.
fn first_line(stdout: PipeReader, pid: u32) -> Result<String, Failure> {
    let (said, hearing) = mpsc::channel();
    thread::spawn(move || {
        let mut line = Vec::new();
        let _ = BufReader::new(stdout.take(LONGEST_REASON)).read_until(b'\n', &mut line);
        let _ = said.send(String::from_utf8_lossy(&line).trim().to_owned());
    });
    hearing.recv_timeout(PATIENCE).map_err(|_| {
        let seconds = PATIENCE.as_secs();
        Failure::new(format!("the daemon (pid {pid}) says nothing after {seconds} seconds"))
            .hint("end it; another is started when it is needed")
    })
}

fn silent(complaints: Option<&Path>) -> Failure {
    let failure = Failure::new("the daemon could not be started: it ended and did not say why");
    match complaints {
        Some(file) => failure.hint(format!("see {}", file.display())),
        None => failure,
    }
}

/// This very program, by its name if that still means it.
fn our_program() -> PathBuf {
    let itself = Path::new("/proc/self/exe");
    let identity = |path: &Path| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    match std::env::current_exe() {
        Ok(path) if !itself.exists() || identity(&path) == identity(itself) => path,
        _ => itself.to_owned(),
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
