//! Whether a process was left behind by whoever started it.

use super::seen_process::SeenProcess;

/// No honest chain of processes is longer.
pub(super) const LONGEST: usize = 1000;

/// Whether whoever started this process is gone and it fell to one that takes in all such, over the
/// shells that ran it, unless somebody types into one of them.
pub(super) fn is_left_behind(pid: u32) -> bool {
    left_behind(pid, SeenProcess::of)
}

pub(super) fn left_behind(pid: u32, look: impl Fn(u32) -> Option<SeenProcess>) -> bool {
    let mut below = look(pid);
    for _ in 0..LONGEST {
        let Some(child) = &below else { return false };
        let Some(parent) = look(child.place.parent) else { return false };
        let is_first = parent.place.process.pid == 1;
        if is_first || parent.took_in(&child.place) || parent.is_stranger_to(&child.place) {
            return true;
        }
        if !parent.is_shell() || parent.has_a_terminal_for_itself() {
            return false;
        }
        below = Some(parent);
    }
    true
}
