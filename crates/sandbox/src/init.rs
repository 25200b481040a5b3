//! The point where this program becomes a reaper.
//!
//! What it then does is in `reap`. The one that lets a program go is this program too.

use crate::helper::note_initialised;

/// To be called first in `main`, before any thread exists and before arguments are read.
///
/// Started as a reaper, or to let a program go, this program acts as that and the call does not
/// return. Otherwise it only notes that it was made.
pub fn init() {
    note_initialised();
    #[cfg(target_os = "linux")]
    if crate::protocol::is_reaper(std::env::args_os()) {
        crate::reap::run();
    }
    #[cfg(target_os = "linux")]
    if crate::protocol::is_within(std::env::args_os()) {
        crate::reap::stay_within();
    }
    #[cfg(target_os = "linux")]
    if crate::protocol::is_detacher(std::env::args_os()) {
        crate::reap::let_go();
    }
}
