//! A way to the person's daemon: the one that runs, or one that is started for it.
//!
//! Plain blocking calls, for a process that does nothing else meanwhile. What goes over the
//! connection afterwards is for others.

mod greet;
mod start;
mod version;

use std::fs::File;
use std::io::PipeReader;

use toolgate_types::Variables;

use crate::hello::ShimHello;
use crate::{CommandFailure, Person, RunFolder};
pub(crate) use greet::check_peer;
pub use greet::{AttachedDaemon, DaemonIdentity};
use greet::{GreetingOutcome, greet};
pub use start::{DAEMON_ENDS_WITHIN, DAEMON_READY, wait_for_last_daemon};

/// How often a daemon may end while we say hello before something else must be wrong.
const TRIES: usize = 5;

/// Who starts a daemon where none runs: a process of its own, which outlives this one.
pub trait DaemonStarter: Send + Sync {
    /// Starts it with exactly these variables; its standard error goes into the file, if there is one.
    fn start(
        &self,
        variables: &Variables,
        stderr: Option<File>,
    ) -> Result<StartedDaemon, CommandFailure>;
}

/// A daemon that was started and has yet to say that it is ready.
#[derive(Debug)]
pub struct StartedDaemon {
    /// It says [`DAEMON_READY`] there, or why it is not.
    pub stdout: PipeReader,
    pub pid: u32,
}

/// Attaches to the daemon of this person.
pub fn attach(
    person: &Person,
    hello: &ShimHello,
    starter: &dyn DaemonStarter,
) -> Result<AttachedDaemon, CommandFailure> {
    let folder = RunFolder::open(person.variables())?;
    for _ in 0..TRIES {
        let stream = match start::connect(&folder)? {
            Some(stream) => stream,
            None => start::start(&folder, person, starter)?,
        };
        match greet(stream, hello, person)? {
            GreetingOutcome::Attached(attached) => return Ok(*attached),
            GreetingOutcome::Gone => {}
        }
    }
    Err(CommandFailure::new("the daemon ends each time before it answers")
        .hint("its log says why: see the folder `logs` where state is kept"))
}

/// Has a daemon of this person run.
pub fn start_daemon(person: &Person, starter: &dyn DaemonStarter) -> Result<(), CommandFailure> {
    let folder = RunFolder::open(person.variables())?;
    start::start(&folder, person, starter).map(drop)
}
