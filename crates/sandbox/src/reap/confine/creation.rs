//! Names that must not come into being: a protected file that is not there yet.
//!
//! A mount can hold what is there, and a list of the kernel's (Landlock) whole folders; neither knows a
//! name. So the program may make nothing right in its workspace, which the kernel holds, and the first
//! process behind the walls makes it in its stead, once it has looked at the name. It is asked by the
//! kernel (seccomp's notification) before each call that makes something. Where a call is none of its
//! business it lets the kernel go on, and what the kernel then finds in the program's memory, even if it
//! is something else by now, is held to that list.

mod filter;
mod make;
mod notice;

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::sys::stat::{Mode, umask};

pub(in super::super) use filter::ask_about_creations;
use notice::CreationNotice;

use crate::walls::CreationRules;

/// What the first process does about creations, as long as somebody behind the walls lives.
pub(in super::super) struct CreationDesk {
    listener: OwnedFd,
    rules: CreationRules,
}

impl CreationDesk {
    pub(in super::super) fn new(listener: OwnedFd, rules: CreationRules) -> Self {
        // What each of them takes away from a mode is applied by name; ours would come on top.
        umask(Mode::empty());
        Self { listener, rules }
    }

    /// Readable when somebody wants to make something.
    pub(in super::super) fn bell(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }

    /// Answers one; whoever asked may be gone by now.
    pub(in super::super) fn answer(&self) {
        let Ok(notice) = CreationNotice::receive(&self.listener) else { return };
        let still_waits = || notice.still_waits(&self.listener);
        match make::decide(&notice, &self.rules, still_waits) {
            CreationAnswer::LetGoOn => notice.let_go_on(&self.listener),
            CreationAnswer::Made(outcome) => notice.answer(&self.listener, outcome),
            CreationAnswer::Opened(file, flags) => notice.hand_over(&self.listener, &file, flags),
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
