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
mod reach;

use std::ffi::CString;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use nix::errno::Errno;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::stat::{Mode, umask};

pub(in super::super) use filter::ask_about_creations;
use learn::LearnedLog;
use notice::CreationNotice;

use crate::protocol::SeenRefusal;
use crate::walls::CreationRules;

/// What the first process does about creations, as long as somebody behind the walls lives.
pub(in super::super) struct CreationDesk {
    listener: OwnedFd,
    rules: Option<CreationRules>,
    /// Where something may be written at all.
    writable: Vec<CString>,
    learned: Option<LearnedLog>,
    /// What was seen and told.
    told: Vec<SeenRefusal>,
}

impl CreationDesk {
    pub(in super::super) fn new(
        listener: OwnedFd,
        rules: Option<CreationRules>,
        writable: Vec<CString>,
        learned: Option<OwnedFd>,
    ) -> Self {
        // What each of them takes away from a mode is applied by name; ours would come on top.
        umask(Mode::empty());
        let learned = learned.map(LearnedLog::new);
        Self { listener, rules, writable, learned, told: Vec::new() }
    }

    /// Readable when somebody wants to make something.
    pub(in super::super) fn bell(&self) -> BorrowedFd<'_> {
        self.listener.as_fd()
    }

    /// Answers one; whoever asked may be gone by now. What the walls refuse it is told once of each kind.
    pub(in super::super) fn answer(&mut self) -> Option<SeenRefusal> {
        let notice = CreationNotice::receive(&self.listener).ok()?;
        let is_learning = self.learned.is_some();
        if let Some(learned) = &mut self.learned {
            learned.note(&notice);
            if learned.refuses(&notice) {
                notice.answer(&self.listener, Err(Errno::EACCES));
                return None;
            }
        }
        let still_waits = || notice.still_waits(&self.listener);
        if notice.call == libc::SYS_connect {
            // Asked about where there is no network, or to be learned from. The kernel knows no way out,
            // whatever is in the caller's memory by then.
            let is_refused = !is_learning && reach::leads_out(&notice) && still_waits();
            notice.let_go_on(&self.listener);
            return self.untold(is_refused.then_some(SeenRefusal::NetworkOff));
        }
        let (answer, refused) = match &self.rules {
            Some(rules) => make::decide(&notice, (rules, &self.writable), still_waits),
            None => (CreationAnswer::LetGoOn, None),
        };
        match answer {
            CreationAnswer::LetGoOn => notice.let_go_on(&self.listener),
            CreationAnswer::Made(outcome) => notice.answer(&self.listener, outcome),
            CreationAnswer::Opened(file, flags) => notice.hand_over(&self.listener, &file, flags),
        }
        self.untold(refused)
    }

    fn untold(&mut self, refused: Option<SeenRefusal>) -> Option<SeenRefusal> {
        let new = refused.filter(|refused| !self.told.contains(refused))?;
        self.told.push(new);
        Some(new)
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
