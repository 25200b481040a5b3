//! Names that must not come into being: a protected file that is not there yet.
//!
//! A mount can hold what is there, and a list of the kernel's (Landlock) whole folders; neither knows a
//! name. So the program may make nothing right in its workspace, nor in a folder around that, which the kernel
//! holds, and the first
//! process behind the walls makes it in its stead, once it has looked at the name. It is asked by the
//! kernel (seccomp's notification) before each call that makes something. Where a call is none of its
//! business it lets the kernel go on, and what the kernel then finds in the program's memory, even if it
//! is something else by now, is held to that list.

mod filter;
mod learn;
mod make;
mod notice;

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::stat::{Mode, umask};

pub(in super::super) use filter::ask_about_creations;
use learn::LearnedLog;
use notice::CreationNotice;

use crate::walls::CreationRules;

/// What the first process does about creations, as long as somebody behind the walls lives.
pub(in super::super) struct CreationDesk {
    listener: OwnedFd,
    rules: Option<CreationRules>,
    learned: Option<LearnedLog>,
}

impl CreationDesk {
    pub(in super::super) fn new(
        listener: OwnedFd,
        rules: Option<CreationRules>,
        learned: Option<OwnedFd>,
    ) -> Self {
        // What each of them takes away from a mode is applied by name; ours would come on top.
        umask(Mode::empty());
        Self { listener, rules, learned: learned.map(LearnedLog::new) }
    }

    /// Readable when somebody wants to make something.
    pub(in super::super) fn bell(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }

    /// Answers one; whoever asked may be gone by now.
    pub(in super::super) fn answer(&mut self) {
        let Ok(notice) = CreationNotice::receive(&self.listener) else { return };
        if let Some(learned) = &mut self.learned {
            learned.note(&notice);
            if learned.refuses(&notice) {
                return notice.answer(&self.listener, Err(Errno::EACCES));
            }
        }
        let still_waits = || notice.still_waits(&self.listener);
        let answer = match &self.rules {
            Some(rules) => make::decide(&notice, rules, still_waits),
            None => CreationAnswer::LetGoOn,
        };
        match answer {
            CreationAnswer::LetGoOn => notice.let_go_on(&self.listener),
            CreationAnswer::Made(outcome) => notice.answer(&self.listener, outcome),
            CreationAnswer::Opened(file, flags) => notice.hand_over(&self.listener, &file, flags),
        }
    }
}

/// Lets everybody go on, until there is something to read from the other: for the time before a program runs,
/// when nobody has to be asked about what it does.
pub(in super::super) fn let_go_on_until(listener: &OwnedFd, other: BorrowedFd<'_>) {
    loop {
        let mut both = [
            PollFd::new(listener.as_fd(), PollFlags::POLLIN),
            PollFd::new(other, PollFlags::POLLIN),
        ];
        match poll(&mut both, PollTimeout::NONE) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => return,
        }
        let [asked, told] = both.map(|one| one.revents().unwrap_or(PollFlags::POLLERR));
        if asked.contains(PollFlags::POLLIN) {
            if let Ok(notice) = CreationNotice::receive(listener) {
                notice.let_go_on(listener);
            }
        } else if !told.is_empty() || !asked.is_empty() {
            return;
        }
    }
}

/// What becomes of a call.
enum CreationAnswer {
    /// The kernel does it, and holds it to its list.
    LetGoOn,
    /// It was done, or is refused.
    Made(Result<(), Errno>),
    /// A file was made, for the caller to have open; with the flags that it is to have there.
    Opened(OwnedFd, u32),
}
