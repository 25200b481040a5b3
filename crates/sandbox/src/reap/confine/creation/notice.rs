//! What the kernel tells of a call that makes something, and how it is answered.

use std::ffi::CString;
use std::fs::File;
use std::mem::zeroed;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;

use nix::errno::Errno;
use nix::fcntl::{OFlag, open};
use nix::libc;
use nix::sys::stat::Mode;

/// The longest path that the kernel takes, with its end.
const LONGEST: usize = libc::PATH_MAX as usize;

/// A call that waits for its answer.
pub(super) struct CreationNotice {
    id: u64,
    /// The thread that made it, by its number behind the walls.
    thread: u32,
    pub(super) call: libc::c_long,
    pub(super) arguments: [u64; 6],
}

impl CreationNotice {
    #[allow(unsafe_code, reason = "no library receives these")]
    pub(super) fn receive(listener: &OwnedFd) -> nix::Result<Self> {
        // SAFETY: all zero is a valid value of it, and what the kernel asks for.
        let mut told: libc::seccomp_notif = unsafe { zeroed() };
        // SAFETY: the kernel writes one of its own structures to it.
        let received = unsafe {
            libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut told)
        };
        Errno::result(received)?;
        let (call, arguments) = (libc::c_long::from(told.data.nr), told.data.args);
        Ok(Self { id: told.id, thread: told.pid, call, arguments })
    }

    /// Whether it could bring something into being; others are asked about only to be learned from.
    pub(super) fn may_make(&self) -> bool {
        let [_, second, third, ..] = self.arguments;
        let flags = match self.call {
            libc::SYS_openat => third,
            #[cfg(target_arch = "x86_64")]
            libc::SYS_open => second,
            _ => return true,
        };
        flags as i32 & libc::O_CREAT != 0
    }

    /// So many bytes of the caller's memory, as they are at this moment.
    pub(super) fn bytes(&self, argument: usize, most: usize) -> nix::Result<Vec<u8>> {
        let address = self.arguments.get(argument).copied().unwrap_or_default();
        let memory = File::open(format!("/proc/{}/mem", self.thread)).map_err(of_io)?;
        let mut bytes = vec![0; most];
        let read = memory.read_at(&mut bytes, address).map_err(of_io)?;
        bytes.truncate(read);
        Ok(bytes)
    }

    /// The file that the caller runs.
    pub(super) fn program(&self) -> Option<PathBuf> {
        std::fs::read_link(format!("/proc/{}/exe", self.thread)).ok()
    }

    /// A text in the caller's memory, as it is at this moment.
    pub(super) fn text(&self, argument: usize) -> nix::Result<CString> {
        let address = self.arguments.get(argument).copied().unwrap_or_default();
        let memory = File::open(format!("/proc/{}/mem", self.thread)).map_err(of_io)?;
        let (mut text, mut page) = (Vec::new(), [0; 256]);
        while text.len() < LONGEST {
            // Not across the end of a page: the next one may not be there.
            let at = address + text.len() as u64;
            let room = 256 - (at % 256) as usize;
            let part = page.get_mut(..room).ok_or(Errno::EFAULT)?;
            let read = memory.read_at(part, at).map_err(|_| Errno::EFAULT)?;
            let part = part.get(..read).filter(|part| !part.is_empty()).ok_or(Errno::EFAULT)?;
            if let Some(end) = part.iter().position(|byte| *byte == 0) {
                text.extend_from_slice(part.get(..end).unwrap_or_default());
                return CString::new(text).map_err(|_| Errno::EFAULT);
            }
            text.extend_from_slice(part);
        }
        Err(Errno::ENAMETOOLONG)
    }

    /// The folder that a path of the caller's counts from: its own, or one that it has open.
    pub(super) fn folder(&self, argument: Option<usize>) -> nix::Result<OwnedFd> {
        let number = argument.and_then(|argument| self.arguments.get(argument)).map(|n| *n as i32);
        let path = match number {
            None | Some(libc::AT_FDCWD) => format!("/proc/{}/cwd", self.thread),
            Some(number) => format!("/proc/{}/fd/{number}", self.thread),
        };
        open(path.as_str(), OFlag::O_PATH | OFlag::O_CLOEXEC, Mode::empty())
    }

    /// What the caller takes away from the mode of everything that it makes.
    pub(super) fn mode_mask(&self) -> nix::Result<Mode> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.thread));
        let status = status.map_err(of_io)?;
        let line = status.lines().find_map(|line| line.strip_prefix("Umask:"));
        let mask = line.and_then(|mask| u32::from_str_radix(mask.trim(), 8).ok());
        mask.map(Mode::from_bits_truncate).ok_or(Errno::ESRCH)
    }

    /// Whether the caller still waits: its number may be another's by now.
    #[allow(unsafe_code, reason = "no library asks")]
    pub(super) fn still_waits(&self, listener: &OwnedFd) -> bool {
        let asked = libc::SECCOMP_IOCTL_NOTIF_ID_VALID;
        // SAFETY: the kernel reads a number that outlives the call.
        unsafe { libc::ioctl(listener.as_raw_fd(), asked, &raw const self.id) == 0 }
    }

    pub(super) fn let_go_on(&self, listener: &OwnedFd) {
        self.send(listener, 0, libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32);
    }

    pub(super) fn answer(&self, listener: &OwnedFd, outcome: Result<(), Errno>) {
        let error = outcome.err().map_or(0, |errno| -(errno as i32));
        self.send(listener, error, 0);
    }

    #[allow(unsafe_code, reason = "no library answers these")]
    fn send(&self, listener: &OwnedFd, error: i32, flags: u32) {
        let answer = libc::seccomp_notif_resp { id: self.id, val: 0, error, flags };
        // SAFETY: the kernel reads one of its own structures. Who is gone needs no answer.
        unsafe {
            libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw const answer)
        };
    }

    /// Gives the caller a file that was opened in its stead, as the answer of its call.
    #[allow(unsafe_code, reason = "no library answers these")]
    pub(super) fn hand_over(&self, listener: &OwnedFd, file: &OwnedFd, flags: u32) {
        let given = libc::seccomp_notif_addfd {
            id: self.id,
            flags: libc::SECCOMP_ADDFD_FLAG_SEND as u32,
            srcfd: file.as_fd().as_raw_fd() as u32,
            newfd: 0,
            newfd_flags: flags,
        };
        // SAFETY: the kernel reads one of its own structures.
        let given = unsafe {
            libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_ADDFD, &raw const given)
        };
        if given < 0 {
            self.answer(listener, Err(Errno::EMFILE));
        }
    }
}

fn of_io(error: std::io::Error) -> Errno {
    Errno::from_raw(error.raw_os_error().unwrap_or(libc::ESRCH))
}
