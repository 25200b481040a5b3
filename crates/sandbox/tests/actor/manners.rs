//! Parts that differ in what they take as a reason to end.

use std::io::Read as _;

use nix::sys::signal::{SigSet, Signal, raise};

use crate::{say, stay};

/// Ends when standard input does or on `SIGTERM`, if the arguments say so; notes both in any case.
pub(crate) fn act(obeyed: &[&str]) {
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGTERM);
    // Before there is another thread, so that the signal can only be waited for.
    signals.thread_block().unwrap();
    let leaves_on_term = obeyed.contains(&"term");
    std::thread::spawn(move || {
        loop {
            signals.wait().unwrap();
            say("asked to end");
            if leaves_on_term {
                std::process::exit(15);
            }
        }
    });
    say("ready");
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
    say("input closed");
    if obeyed.contains(&"input") {
        std::process::exit(0);
    }
    stay();
}

pub(crate) fn die(signal: i32) {
    raise(Signal::try_from(signal).unwrap()).unwrap();
    stay();
}
