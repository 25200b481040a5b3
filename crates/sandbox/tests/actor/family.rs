//! Parts that start processes of their own and lose them.

#![allow(unsafe_code, reason = "only a fork makes an orphan")]

use nix::sys::signal::{SigHandler, Signal, signal};
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, fork, getpid, setsid};

use crate::{say, stay};

/// Runs `part` in a process whose parent has already ended.
fn orphan(part: impl FnOnce()) {
    start(|| start(part, false), true);
}

/// Runs `part` in a child.
fn start(part: impl FnOnce(), wait: bool) {
    // SAFETY: these parts have one thread.
    match unsafe { fork() }.unwrap() {
        ForkResult::Parent { child } if wait => drop(waitpid(child, None).unwrap()),
        ForkResult::Parent { .. } => {}
        ForkResult::Child => {
            part();
            std::process::exit(0);
        }
    }
}

fn deaf() {
    for number in [Signal::SIGTERM, Signal::SIGHUP, Signal::SIGINT] {
        // SAFETY: ignoring a signal installs no handler.
        unsafe { signal(number, SigHandler::SigIgn) }.unwrap();
    }
}

/// A grandchild in a session of its own that has lost its parent and listens to nothing, with a
/// child of its own.
pub(crate) fn escape() {
    orphan(|| {
        setsid().unwrap();
        deaf();
        start(|| stay_named("escaped"), false);
        stay_named("escaped");
    });
    stay_named("ready");
}

/// A grandchild that is another process every moment: it forks and leaves, again and again.
pub(crate) fn hop() {
    orphan(|| {
        deaf();
        say("ready");
        loop {
            setsid().unwrap();
            // SAFETY: this part has one thread.
            if let ForkResult::Parent { .. } = unsafe { fork() }.unwrap() {
                return;
            }
        }
    });
    stay();
}

/// Two children in the same group, one of which listens to nothing.
pub(crate) fn siblings() {
    start(|| stay_named("sibling"), false);
    start(
        || {
            deaf();
            stay_named("sibling");
        },
        false,
    );
    stay_named("ready");
}

fn stay_named(name: &str) {
    say(&format!("{name} {}", getpid()));
    stay();
}

/// Many grandchildren that end at once with nobody waiting for them.
pub(crate) fn flood(count: usize) {
    for _ in 0..count {
        orphan(|| {});
    }
    say("ready");
    stay();
}
