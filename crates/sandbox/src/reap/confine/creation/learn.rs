//! What a program uses, written down for whoever wants to know what to allow it: files that it opens and
//! executes, and where it connects to. Best effort: what is only looked at, or removed, is not in it.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nix::fcntl::{AtFlags, OFlag, OpenHow, ResolveFlag, openat2, readlink};
use nix::libc;
use nix::sys::stat::fstatat;

use super::make::Wanted;
use super::notice::CreationNotice;
use crate::learned::AccessKind;

/// More than a program has a reason to use; what comes after is not learned.
const MOST: usize = 200_000;

/// So far the times of files are behind the clock, and a program begins before it is looked at.
const CLOCK_OF_FILES: Duration = Duration::from_millis(10);

/// The longest address that is looked at.
const LONGEST_ADDRESS: usize = size_of::<libc::sockaddr_un>();

pub(super) struct LearnedLog {
    to: File,
    /// When it began.
    since: SystemTime,
    /// Each is written once.
    known: HashSet<(AccessKind, PathBuf)>,
}

impl LearnedLog {
    pub(super) fn new(to: OwnedFd) -> Self {
        Self { to: File::from(to), since: SystemTime::now(), known: HashSet::new() }
    }

    pub(super) fn note(&mut self, notice: &CreationNotice) {
        // An interpreter that the kernel itself found is known by what runs.
        if let Some(program) = notice.program() {
            self.write(AccessKind::Read, &program);
        }
        let number = |argument: usize| notice.arguments.get(argument).copied().unwrap_or_default();
        let (folder, path, use_of_place) = match notice.call {
            libc::SYS_openat => (Some(0), 1, PlaceUse::of_flags(number(2) as i32)),
            libc::SYS_execve => (None, 0, PlaceUse::Reads),
            libc::SYS_execveat => (Some(0), 1, PlaceUse::Reads),
            libc::SYS_connect => return self.connection(notice),
            libc::SYS_mkdirat | libc::SYS_mknodat => (Some(0), 1, PlaceUse::Makes),
            libc::SYS_symlinkat => (Some(1), 2, PlaceUse::Makes),
            libc::SYS_linkat => (Some(2), 3, PlaceUse::Makes),
            libc::SYS_renameat | libc::SYS_renameat2 => (Some(2), 3, PlaceUse::WritesOrMakes),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_open => (None, 0, PlaceUse::of_flags(number(1) as i32)),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_creat => (None, 0, PlaceUse::WritesOrMakes),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_mkdir | libc::SYS_mknod => (None, 0, PlaceUse::Makes),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_symlink | libc::SYS_link => (None, 1, PlaceUse::Makes),
            #[cfg(target_arch = "x86_64")]
            libc::SYS_rename => (None, 1, PlaceUse::WritesOrMakes),
            _ => return,
        };
        self.file(notice, (folder, path), use_of_place);
    }

    /// Whether somebody would be called who was there before: an agent with keys, a service of containers.
    /// Those that are known lie where nothing is shown; this is for the others.
    pub(super) fn refuses(&self, notice: &CreationNotice) -> bool {
        if notice.call != libc::SYS_connect {
            return false;
        }
        let Some(path) = notice.bytes(1, LONGEST_ADDRESS).ok().and_then(|bytes| file_of(&bytes))
        else {
            return false;
        };
        let found = notice
            .folder(None)
            .and_then(|folder| fstatat(folder, path.as_path(), AtFlags::empty()));
        let since = self.since.duration_since(UNIX_EPOCH).unwrap_or_default();
        found.is_ok_and(|found| {
            let made = Duration::new(found.st_ctime.unsigned_abs(), 0)
                + Duration::from_nanos(found.st_ctime_nsec.unsigned_abs());
            made + CLOCK_OF_FILES < since
        })
    }

    fn file(
        &mut self,
        notice: &CreationNotice,
        (folder, path): (Option<usize>, usize),
        use_of_place: PlaceUse,
    ) {
        let named = Wanted::find(notice, folder, path).ok().flatten();
        let named = named.map(|wanted| wanted.path.join(wanted.name()));
        match (real(notice, folder, path), named, use_of_place) {
            // It is refused for being there.
            (Some(_), _, PlaceUse::Makes) => {}
            (Some(real), named, how) => {
                let reads = matches!(how, PlaceUse::Reads);
                self.write(if reads { AccessKind::Read } else { AccessKind::Written }, &real);
                if let Some(link) = named.filter(|named| *named != real) {
                    self.write(AccessKind::Link, &link);
                }
            }
            (None, Some(named), PlaceUse::Makes | PlaceUse::WritesOrMakes) => {
                self.write(AccessKind::Made, &named);
            }
            (None, ..) => {}
        }
    }

    fn connection(&mut self, notice: &CreationNotice) {
        let Ok(bytes) = notice.bytes(1, LONGEST_ADDRESS) else { return };
        if let Some(address) = address(&bytes) {
            self.write(AccessKind::Connected, Path::new(&address.to_string()));
        }
    }

    fn write(&mut self, kind: AccessKind, what: &Path) {
        if self.known.len() < MOST && self.known.insert((kind, what.to_owned())) {
            let mut record = vec![kind as u8];
            record.extend_from_slice(what.as_os_str().as_bytes());
            record.push(0);
            // Somebody who does not read it learns nothing, and that is all.
            let _ = self.to.write_all(&record);
        }
    }
}

/// What a call would do with a place.
#[derive(Clone, Copy)]
enum PlaceUse {
    Reads,
    Writes,
    Makes,
    WritesOrMakes,
}

impl PlaceUse {
    fn of_flags(flags: i32) -> Self {
        let writes = flags & libc::O_ACCMODE != libc::O_RDONLY || flags & libc::O_TRUNC != 0;
        match (writes, flags & libc::O_CREAT != 0) {
            (_, true) => Self::WritesOrMakes,
            (true, false) => Self::Writes,
            (false, false) => Self::Reads,
        }
    }
}

/// Where a path leads, if there is anything.
fn real(notice: &CreationNotice, folder: Option<usize>, path: usize) -> Option<PathBuf> {
    let text = notice.text(path).ok()?;
    let from = notice.folder(folder).ok()?;
    let how = OpenHow::new()
        .flags(OFlag::O_PATH | OFlag::O_CLOEXEC)
        .resolve(ResolveFlag::RESOLVE_NO_MAGICLINKS);
    let place = openat2(&from, text.as_c_str(), how).ok()?;
    let real = readlink(format!("/proc/self/fd/{}", place.as_raw_fd()).as_str()).ok()?;
    Some(PathBuf::from(OsStr::new(&real)))
}

/// The file of a socket that has one, as the kernel has it in memory.
fn file_of(bytes: &[u8]) -> Option<PathBuf> {
    let family = u16::from_ne_bytes(*bytes.first_chunk()?);
    let name = bytes.get(2..).filter(|_| i32::from(family) == libc::AF_UNIX)?;
    let name = name.split(|byte| *byte == 0).next().filter(|name| !name.is_empty())?;
    Some(PathBuf::from(OsStr::from_bytes(name)))
}

/// An address of the internet, as the kernel has it in memory.
fn address(bytes: &[u8]) -> Option<SocketAddr> {
    let family = u16::from_ne_bytes(*bytes.first_chunk()?);
    let port = u16::from_be_bytes(*bytes.get(2..)?.first_chunk()?);
    let ip: IpAddr = match i32::from(family) {
        libc::AF_INET => Ipv4Addr::from(*bytes.get(4..)?.first_chunk::<4>()?).into(),
        libc::AF_INET6 => Ipv6Addr::from(*bytes.get(8..)?.first_chunk::<16>()?).into(),
        _ => return None,
    };
    Some(SocketAddr::new(ip.to_canonical(), port))
}
