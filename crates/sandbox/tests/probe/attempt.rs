//! What came of an attempt, one line each: its name, `refused` or `DONE`, and how.

use std::fmt::Display;
use std::io::{self, Write as _};

use nix::errno::Errno;

pub(crate) struct Attempts;

impl Attempts {
    /// Something that must not be possible. What it gave, if it was.
    pub(crate) fn try_to<T>(&mut self, name: &str, outcome: io::Result<T>) {
        match outcome {
            Ok(_) => self.say(name, "DONE", ""),
            Err(error) => {
                let errno = error.raw_os_error().map(|number| Errno::from_raw(number).to_string());
                self.say(name, "refused", errno.unwrap_or_else(|| error.to_string()));
            }
        }
    }

    /// The same told by a number that a bare system call answers.
    pub(crate) fn call(&mut self, name: &str, answer: i64) {
        let outcome = if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(()) };
        self.try_to(name, outcome);
    }

    /// Something that is so or not.
    pub(crate) fn is(&mut self, name: &str, is_so: bool, how: impl Display) {
        self.say(name, if is_so { "DONE" } else { "refused" }, how);
    }

    /// Something that this machine has no means to try.
    pub(crate) fn skip(&mut self, name: &str, why: impl Display) {
        self.say(name, "skipped", why);
    }

    fn say(&mut self, name: &str, came: &str, how: impl Display) {
        let mut out = io::stdout().lock();
        let how = how.to_string();
        let how = how.lines().next().unwrap_or_default();
        writeln!(out, "{name}\t{came}\t{how}").unwrap();
        out.flush().unwrap();
    }
}
