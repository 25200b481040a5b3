//! The three standard streams of a child, both ends of each.
//!
//! A stream that is not asked for is not there: nothing of ours is inherited by accident.

use std::fs::OpenOptions;
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::OwnedFd;
#[cfg(target_os = "linux")]
use std::os::fd::{AsRawFd as _, RawFd};

use toolgate_types::config::Stderr;

use crate::{ChildStderr, ChildStdin, ChildStdout};

/// Our ends.
pub(crate) struct OwnStreamEnds {
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: Option<ChildStderr>,
}

/// The child's ends. Ours see the end of a stream only after these are dropped here.
pub(crate) struct ChildStreamEnds {
    pub(crate) stdin: PipeReader,
    pub(crate) stdout: PipeWriter,
    /// `None` is our own standard error.
    pub(crate) stderr: Option<OwnedFd>,
}

impl ChildStreamEnds {
    /// The descriptors as numbers, in the order of their meaning.
    #[cfg(target_os = "linux")]
    pub(crate) fn numbers(&self) -> [RawFd; 3] {
        let stderr = self.stderr.as_ref().map_or(nix::libc::STDERR_FILENO, |fd| fd.as_raw_fd());
        [self.stdin.as_raw_fd(), self.stdout.as_raw_fd(), stderr]
    }
}

/// Makes the streams. Needs a runtime, since our ends belong to one.
pub(crate) fn streams(stderr: Stderr) -> io::Result<(OwnStreamEnds, ChildStreamEnds)> {
    let (their_stdin, stdin) = io::pipe()?;
    let (stdout, their_stdout) = io::pipe()?;
    let (stderr, their_stderr) = match stderr {
        Stderr::Pipe => {
            let (ours, theirs) = io::pipe()?;
            let ours = std::process::ChildStderr::from(OwnedFd::from(ours));
            (Some(ChildStderr::from_std(ours)?), Some(OwnedFd::from(theirs)))
        }
        Stderr::Ignore => {
            let null = OpenOptions::new().write(true).open("/dev/null")?;
            (None, Some(OwnedFd::from(null)))
        }
        Stderr::Inherit => (None, None),
    };
    let stdin = ChildStdin::from_std(OwnedFd::from(stdin).into())?;
    let stdout = ChildStdout::from_std(OwnedFd::from(stdout).into())?;
    let theirs = ChildStreamEnds { stdin: their_stdin, stdout: their_stdout, stderr: their_stderr };
    Ok((OwnStreamEnds { stdin, stdout, stderr }, theirs))
}
