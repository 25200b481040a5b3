//! Which system calls make something, told to the kernel.

use std::os::fd::{FromRawFd as _, OwnedFd};

use nix::errno::Errno;
use nix::libc;
use seccompiler::sock_filter;

const NOTIFY: u32 = 0x7fc0_0000;
const ALLOW: u32 = 0x7fff_0000;
const REFUSE: u32 = 0x0005_0000;

const LOAD: u16 = 0x20;
const IF_EQUAL: u16 = 0x15;
const IF_ANY_BIT: u16 = 0x45;
const RETURN: u16 = 0x06;

/// Where a filter finds the number of a call, and its arguments.
const NUMBER: u32 = 0;
const fn argument(index: u32) -> u32 {
    16 + 8 * index
}

/// Calls that make something whatever their arguments.
const MAKING: &[libc::c_long] = &[
    libc::SYS_mkdirat,
    libc::SYS_mknodat,
    libc::SYS_symlinkat,
    libc::SYS_linkat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_creat,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mkdir,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_mknod,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_symlink,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_link,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_rename,
];

/// Calls that make something with `O_CREAT`, and the argument that has it.
const OPENING: &[(libc::c_long, u32)] = &[
    (libc::SYS_openat, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 1),
];

/// Calls that use something, which is all that a run to learn from is for.
const LEARNED: &[libc::c_long] = &[
    libc::SYS_openat,
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_connect,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_open,
];

fn step(code: u16, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

fn program(learns: bool, is_offline: bool) -> Vec<sock_filter> {
    let mut program = vec![step(LOAD, NUMBER, 0, 0)];
    let learned = if learns { LEARNED } else { &[] };
    for call in MAKING.iter().chain(learned) {
        program.push(step(IF_EQUAL, *call as u32, 0, 1));
        program.push(step(RETURN, NOTIFY, 0, 0));
    }
    for (call, flags) in OPENING {
        program.push(step(IF_EQUAL, *call as u32, 0, 4));
        program.push(step(LOAD, argument(*flags), 0, 0));
        program.push(step(IF_ANY_BIT, libc::O_CREAT as u32, 0, 1));
        program.push(step(RETURN, NOTIFY, 0, 0));
        program.push(step(RETURN, ALLOW, 0, 0));
    }
    // Where there is no network, who wants to reach somebody is worth a word.
    if is_offline {
        program.push(step(IF_EQUAL, libc::SYS_connect as u32, 0, 1));
        program.push(step(RETURN, NOTIFY, 0, 0));
    }
    // Its flags lie in memory where no filter sees them; without it, programs use `openat`.
    program.push(step(IF_EQUAL, libc::SYS_openat2 as u32, 0, 1));
    program.push(step(RETURN, REFUSE | libc::ENOSYS as u32, 0, 0));
    program.push(step(RETURN, ALLOW, 0, 0));
    program
}

#[repr(C)]
struct FilterProgram {
    length: u16,
    steps: *const sock_filter,
}

/// From here on this process, and all that come of it, are asked about what they make, and about
/// whom they want to reach where there is no network. Answers the
/// descriptor over which somebody is told.
#[allow(unsafe_code, reason = "no library installs a filter with a listener")]
pub(in super::super::super) fn ask_about_creations(
    learns: bool,
    is_offline: bool,
) -> Result<OwnedFd, Errno> {
    let steps = program(learns, is_offline);
    let length = u16::try_from(steps.len()).map_err(|_| Errno::E2BIG)?;
    let program = FilterProgram { length, steps: steps.as_ptr() };
    let (filter, flags) = (libc::SECCOMP_SET_MODE_FILTER, libc::SECCOMP_FILTER_FLAG_NEW_LISTENER);
    // SAFETY: the kernel copies the program, which has its own layout and outlives the call.
    let listener = unsafe { libc::syscall(libc::SYS_seccomp, filter, flags, &raw const program) };
    let listener = Errno::result(listener)? as i32;
    // SAFETY: the kernel has just made it for us alone.
    Ok(unsafe { OwnedFd::from_raw_fd(listener) })
}
