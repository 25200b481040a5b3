//! Attempts on the kernel: calls that nothing behind walls has a use for.

#![allow(unsafe_code, reason = "most of these calls have no safe form")]

use std::ffi::CStr;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use nix::libc;

use crate::attempt::Attempts;

/// A file that is too large is an error like any other.
pub(crate) fn outlive_limits() {
    // SAFETY: no handler is installed.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

pub(crate) fn has_landlock() -> bool {
    let (none, version) = (std::ptr::null::<u8>(), 1);
    // SAFETY: takes numbers only.
    unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, none, 0_usize, version) > 0 }
}

pub(crate) fn exchange(one: &CStr, other: &CStr) -> std::io::Result<()> {
    let (here, flags) = (libc::AT_FDCWD, libc::RENAME_EXCHANGE);
    // SAFETY: takes texts that outlive the call.
    let done = unsafe {
        libc::syscall(libc::SYS_renameat2, here, one.as_ptr(), here, other.as_ptr(), flags)
    };
    if done < 0 { Err(std::io::Error::last_os_error()) } else { Ok(()) }
}

/// A name that is now harmless and now protected, while files of that name are made.
pub(crate) fn name_race(work: &Path) -> bool {
    let name = Arc::new([const { AtomicU8::new(0) }; 8]);
    let set = |name: &[AtomicU8; 8], text: &[u8]| {
        text.iter().zip(name).for_each(|(byte, at)| at.store(*byte, Ordering::Relaxed));
    };
    set(&name, b".envrx\0");
    let (flipped, over) = (Arc::clone(&name), Arc::new(AtomicBool::new(false)));
    let until = Arc::clone(&over);
    let flipping = std::thread::spawn(move || {
        while !until.load(Ordering::Relaxed) {
            flipped[5].store(b'c', Ordering::Relaxed);
            flipped[5].store(b'x', Ordering::Relaxed);
        }
    });
    for _ in 0..3000 {
        let (flags, text) = (libc::O_CREAT | libc::O_WRONLY, name.as_ptr().cast());
        // SAFETY: the text ends with a NUL that nobody changes, and outlives the call.
        let file = unsafe { libc::open(text, flags, 0o600) };
        if file >= 0 {
            // SAFETY: it was just opened, and is nobody else's.
            unsafe { libc::close(file) };
        }
        let _ = fs::remove_file(work.join(".envrx"));
    }
    over.store(true, Ordering::Relaxed);
    flipping.join().unwrap();
    work.join(".envrc").exists()
}

pub(crate) fn attempt(attempts: &mut Attempts) {
    // SAFETY: of all of these, they take numbers, or texts that outlive the call; where one succeeds, the
    // probe has failed and nothing later in it matters.
    unsafe {
        attempts.call("make a user namespace", libc::unshare(libc::CLONE_NEWUSER).into());
        attempts.call("make a mount namespace", libc::unshare(libc::CLONE_NEWNS).into());
        let flags = (libc::CLONE_NEWUSER | libc::SIGCHLD) as usize;
        let forked = libc::syscall(libc::SYS_clone, flags, 0_usize, 0_usize, 0_usize, 0_usize);
        if forked == 0 {
            libc::_exit(0);
        }
        attempts.call("fork into a user namespace", forked);
        attempts.call("fork by clone3", libc::syscall(libc::SYS_clone3, 0_usize, 0_usize));
        attempts.call("enter another's namespace", libc::syscall(libc::SYS_setns, 0, 0));
        let text = c"/tmp".as_ptr();
        let none = std::ptr::null::<libc::c_void>();
        let kind = c"tmpfs".as_ptr();
        attempts.call("mount", libc::mount(kind, text, kind, 0, none).into());
        let remount = libc::MS_REMOUNT | libc::MS_BIND;
        attempts.call(
            "mount the root anew",
            libc::mount(kind, c"/".as_ptr(), kind, remount, none).into(),
        );
        attempts.call("unmount", libc::umount2(c"/proc".as_ptr(), libc::MNT_DETACH).into());
        attempts.call("open a mount", libc::syscall(libc::SYS_fsopen, kind, 0));
        attempts.call("copy a mount", libc::syscall(libc::SYS_open_tree, -100, text, 1));
        attempts.call("change the root", libc::chroot(text).into());
        attempts.call("swap the root", libc::syscall(libc::SYS_pivot_root, text, text));
        let mut ring = [0_u8; 256];
        attempts.call(
            "make an io_uring",
            libc::syscall(libc::SYS_io_uring_setup, 4, ring.as_mut_ptr()),
        );
        attempts.call("use bpf", libc::syscall(libc::SYS_bpf, 0, ring.as_mut_ptr(), 64));
        attempts.call(
            "use perf",
            libc::syscall(libc::SYS_perf_event_open, ring.as_mut_ptr(), 0, -1, -1, 0),
        );
        attempts.call("handle page faults", libc::syscall(libc::SYS_userfaultfd, 1));
        attempts.call("use the keyring", libc::syscall(libc::SYS_keyctl, 0, -3, 0));
        let key = (c"user".as_ptr(), c"probe".as_ptr());
        attempts.call("add a key", libc::syscall(libc::SYS_add_key, key.0, key.1, key.1, 1, -3));
        attempts
            .call("load a module", libc::syscall(libc::SYS_init_module, ring.as_ptr(), 256, key.0));
        attempts.call("load another kernel", libc::syscall(libc::SYS_kexec_load, 0, 0, 0, 0));
        attempts.call("restart the machine", libc::syscall(libc::SYS_reboot, 0, 0, 0, 0));
        attempts.call("set the host's name", libc::sethostname(kind, 5).into());
        let time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        attempts.call(
            "set the clock",
            libc::clock_settime(libc::CLOCK_REALTIME, &raw const time).into(),
        );
        attempts.call(
            "read the kernel's log",
            libc::syscall(libc::SYS_syslog, 3, ring.as_mut_ptr(), 256),
        );
        attempts.call("type at a terminal", libc::ioctl(0, libc::TIOCSTI, c"x".as_ptr()).into());
        attempts
            .call("paste at a terminal", libc::ioctl(0, libc::TIOCLINUX, c"\u{3}".as_ptr()).into());
        let handle = ring.as_mut_ptr();
        attempts
            .call("open by handle", libc::syscall(libc::SYS_open_by_handle_at, -100, handle, 0));
        let (own, from) = (std::process::id(), ring.as_ptr());
        attempts.call(
            "read memory by number",
            libc::syscall(libc::SYS_process_vm_readv, own, from, 0, from, 0, 0),
        );
        attempts.call("take a descriptor", libc::syscall(libc::SYS_pidfd_getfd, 0, 0, 0));
        #[cfg(target_arch = "x86_64")]
        attempts.call("use the other convention", libc::syscall(0x4000_0000 | libc::SYS_getpid));
        let device = libc::makedev(1, 1);
        attempts.call(
            "make a device",
            libc::mknod(c"device".as_ptr(), libc::S_IFBLK | 0o600, device).into(),
        );
    }
    attempts.try_to("change where cores go", fs::write("/proc/sys/kernel/core_pattern", "|/tmp/x"));
    attempts.try_to("press the magic key", fs::write("/proc/sysrq-trigger", "h"));
    attempts.try_to("change a module's path", fs::write("/proc/sys/kernel/modprobe", "/tmp/x"));
    attempts.try_to("see the kernel's settings", fs::read_dir("/sys/kernel"));
    attempts.try_to("see control groups", fs::read_dir("/sys/fs/cgroup"));
    let keys = fs::read("/proc/keys").map(|keys| keys.is_empty());
    attempts.is("read others' keys", matches!(keys, Ok(false)), "");
}

/// From here on the mount calls that walls of our own are built with are refused, in this process and in all
/// that come of it; the older ones, which `bwrap` uses, are not.
pub(crate) fn forbid_own_mounts() {
    let rules = std::collections::BTreeMap::from([(libc::SYS_open_tree, Vec::new())]);
    let refuse = seccompiler::SeccompAction::Errno(libc::EPERM as u32);
    let arch = std::env::consts::ARCH.try_into().unwrap();
    let allow = seccompiler::SeccompAction::Allow;
    let filter = seccompiler::SeccompFilter::new(rules, allow, refuse, arch).unwrap();
    let program: seccompiler::BpfProgram = filter.try_into().unwrap();
    seccompiler::apply_filter(&program).unwrap();
}
