//! What a process has besides its memory: descriptors, session, folder, signals.
//!
//! A reaper gives up what it got from its parent; the program gets the state that every program
//! expects at its start.

use std::fs;
use std::ptr;

use nix::libc;
use nix::sys::prctl::set_name;
use nix::sys::signal::SigSet;
use nix::unistd::{chdir, setsid};

/// Not `toolgate`, so that `pkill toolgate` leaves somebody who cleans up.
const NAME: &std::ffi::CStr = c"gate-reap";

/// How many signals there are, on every machine but MIPS.
const SIGNALS: usize = 64;

/// Makes a reaper independent of whoever started it.
pub(super) fn leave_parent() -> nix::Result<()> {
    close_descriptors();
    SigSet::all().thread_block()?;
    // No terminal, so no Ctrl-C and no hang-up reach the tree past its owner. It fails only in a
    // process that leads a group already, and then there is nothing to leave.
    let _ = setsid();
    chdir("/")?;
    set_name(NAME)
}

/// Closes everything but the three standard streams: the parent may have opened files without
/// close-on-exec. What a reaper opens later has it.
#[allow(unsafe_code, reason = "there is no safe wrapper for closing what one does not own")]
fn close_descriptors() {
    // SAFETY: nothing in this process owns a descriptor above 2 yet; it has only just begun.
    let closed = unsafe { libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, 0) };
    if closed == 0 {
        return;
    }
    // A kernel before 5.9, or a filter that does not know the call.
    let Ok(open) = fs::read_dir("/proc/self/fd") else { return };
    let open: Vec<i32> =
        open.flatten().flat_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    for descriptor in open.into_iter().filter(|descriptor| *descriptor > 2) {
        // SAFETY: as above. The folder itself was in the list and is closed by now, which is an
        // error that does no harm.
        unsafe { libc::close(descriptor) };
    }
}

/// Default dispositions and nothing blocked, whatever the parent had.
#[allow(unsafe_code, reason = "the wrappers refuse the numbers that the C library keeps to itself")]
pub(super) fn reset_signals() -> nix::Result<()> {
    // All zero is the default disposition, without flags, in the kernel's own layout, which no
    // machine makes longer than this.
    let default = [0_u64; 8];
    let nothing: *mut u64 = ptr::null_mut();
    for number in 1..=SIGNALS {
        // SAFETY: the kernel reads from `default`, which is ours and long enough, and writes
        // nothing. It installs no handler. For two numbers the call fails and changes nothing.
        unsafe {
            let (new, size) = (default.as_ptr(), SIGNALS / 8);
            libc::syscall(libc::SYS_rt_sigaction, number, new, nothing, size)
        };
    }
    SigSet::empty().thread_set_mask()
}
