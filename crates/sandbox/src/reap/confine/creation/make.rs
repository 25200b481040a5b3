//! Whether something may come into being, and making it.

mod refusal;

use std::ffi::{CStr, CString, OsStr};
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::fcntl::{
    AtFlags, OFlag, OpenHow, RenameFlags, ResolveFlag, openat, openat2, readlink, renameat2,
};
use nix::libc;
use nix::sys::stat::{FileStat, Mode, SFlag, fstatat, mkdirat, mknodat};
use nix::unistd::{linkat, symlinkat};

use super::CreationAnswer;
use super::notice::CreationNotice;
use crate::protocol::SeenRefusal;
use crate::walls::CreationRules;

/// A call, told apart from the ways to write it.
enum Creation {
    Open { at: Wanted, flags: i32, mode: u32 },
    Folder { at: Wanted, mode: u32 },
    Node { at: Wanted, mode: u32 },
    Link { to: CString, at: Wanted },
    HardLink { from: Wanted, at: Wanted, flags: i32 },
    Move { from: Wanted, at: Wanted, flags: u32 },
}

/// A name in a folder, looked up.
pub(super) struct Wanted {
    folder: OwnedFd,
    /// Where that folder is, as everybody behind the walls sees it.
    pub(super) path: PathBuf,
    name: CString,
}

pub(super) fn decide(
    notice: &CreationNotice,
    (rules, writable): (&CreationRules, &[CString]),
    still_waits: impl Fn() -> bool,
) -> (CreationAnswer, Option<SeenRefusal>) {
    if !notice.may_make() {
        return (CreationAnswer::LetGoOn, None);
    }
    match creation(notice) {
        // What was looked up was the caller's, if the caller is still there.
        Ok(Some(creation)) if still_waits() => {
            let refused = creation.refusal(rules, writable);
            (creation.carry_out(notice, rules), refused)
        }
        // What cannot be looked up the kernel finds out about by itself, and holds to its list.
        Err(Errno::ENOENT) => {
            let refused = refusal::hidden(notice, rules, writable).filter(|_| still_waits());
            (CreationAnswer::LetGoOn, refused)
        }
        Ok(_) | Err(_) => (CreationAnswer::LetGoOn, None),
    }
}

/// The call, with every path looked up. Nothing where it names no new name (`.`, `..`, the root).
fn creation(notice: &CreationNotice) -> nix::Result<Option<Creation>> {
    let number = |argument: usize| notice.arguments.get(argument).copied().unwrap_or_default();
    let wanted = |folder: Option<usize>, path: usize| Wanted::find(notice, folder, path);
    let found = |at: Option<Wanted>, then: &dyn Fn(Wanted) -> Creation| Ok(at.map(then));
    match notice.call {
        libc::SYS_openat => found(wanted(Some(0), 1)?, &|at| Creation::Open {
            at,
            flags: number(2) as i32,
            mode: number(3) as u32,
        }),
        libc::SYS_mkdirat => {
            found(wanted(Some(0), 1)?, &|at| Creation::Folder { at, mode: number(2) as u32 })
        }
        libc::SYS_mknodat => {
            found(wanted(Some(0), 1)?, &|at| Creation::Node { at, mode: number(2) as u32 })
        }
        libc::SYS_symlinkat => {
            let to = notice.text(0)?;
            found(wanted(Some(1), 2)?, &|at| Creation::Link { to: to.clone(), at })
        }
        libc::SYS_linkat => both(wanted(Some(0), 1)?, wanted(Some(2), 3)?, |from, at| {
            Creation::HardLink { from, at, flags: number(4) as i32 }
        }),
        libc::SYS_renameat => both(wanted(Some(0), 1)?, wanted(Some(2), 3)?, |from, at| {
            Creation::Move { from, at, flags: 0 }
        }),
        libc::SYS_renameat2 => both(wanted(Some(0), 1)?, wanted(Some(2), 3)?, |from, at| {
            Creation::Move { from, at, flags: number(4) as u32 }
        }),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_open => found(wanted(None, 0)?, &|at| Creation::Open {
            at,
            flags: number(1) as i32,
            mode: number(2) as u32,
        }),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_creat => found(wanted(None, 0)?, &|at| Creation::Open {
            at,
            flags: libc::O_CREAT | libc::O_WRONLY | libc::O_TRUNC,
            mode: number(1) as u32,
        }),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_mkdir => {
            found(wanted(None, 0)?, &|at| Creation::Folder { at, mode: number(1) as u32 })
        }
        #[cfg(target_arch = "x86_64")]
        libc::SYS_mknod => {
            found(wanted(None, 0)?, &|at| Creation::Node { at, mode: number(1) as u32 })
        }
        #[cfg(target_arch = "x86_64")]
        libc::SYS_symlink => {
            let to = notice.text(0)?;
            found(wanted(None, 1)?, &|at| Creation::Link { to: to.clone(), at })
        }
        #[cfg(target_arch = "x86_64")]
        libc::SYS_link => both(wanted(None, 0)?, wanted(None, 1)?, |from, at| Creation::HardLink {
            from,
            at,
            flags: 0,
        }),
        #[cfg(target_arch = "x86_64")]
        libc::SYS_rename => both(wanted(None, 0)?, wanted(None, 1)?, |from, at| Creation::Move {
            from,
            at,
            flags: 0,
        }),
        _ => Ok(None),
    }
}

fn both(
    from: Option<Wanted>,
    at: Option<Wanted>,
    then: impl FnOnce(Wanted, Wanted) -> Creation,
) -> nix::Result<Option<Creation>> {
    Ok(from.zip(at).map(|(from, at)| then(from, at)))
}

impl Wanted {
    pub(super) fn find(
        notice: &CreationNotice,
        folder: Option<usize>,
        path: usize,
    ) -> nix::Result<Option<Self>> {
        let text = notice.text(path)?;
        let mut bytes = text.to_bytes();
        while let [rest @ .., b'/'] = bytes {
            bytes = rest;
        }
        let (above, name) = match bytes.iter().rposition(|byte| *byte == b'/') {
            Some(at) => {
                (bytes.get(..=at).unwrap_or_default(), bytes.get(at + 1..).unwrap_or_default())
            }
            None => (b".".as_slice(), bytes),
        };
        if matches!(name, b"" | b"." | b"..") {
            return Ok(None);
        }
        let above = CString::new(above).map_err(|_| Errno::EINVAL)?;
        let how = OpenHow::new()
            .flags(OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC)
            .resolve(ResolveFlag::RESOLVE_NO_MAGICLINKS);
        let from = notice.folder(folder)?;
        let folder = openat2(&from, above.as_c_str(), how)?;
        let path = readlink(format!("/proc/self/fd/{}", folder.as_raw_fd()).as_str())?.into();
        let name = CString::new(name).map_err(|_| Errno::EINVAL)?;
        Ok(Some(Self { folder, path, name }))
    }

    pub(super) fn name(&self) -> &OsStr {
        OsStr::from_bytes(self.name.to_bytes())
    }

    fn seen(&self) -> nix::Result<FileStat> {
        fstatat(self.folder.as_fd(), self.name.as_c_str(), AtFlags::AT_SYMLINK_NOFOLLOW)
    }
}

impl Creation {
    /// The name that comes into being.
    fn place(&self) -> &Wanted {
        match self {
            Self::Open { at, .. }
            | Self::Folder { at, .. }
            | Self::Node { at, .. }
            | Self::Link { at, .. }
            | Self::HardLink { at, .. }
            | Self::Move { at, .. } => at,
        }
    }

    /// Whether something comes that may have more in it than its maker could put there by name.
    fn is_brought(&self) -> bool {
        matches!(self, Self::Link { .. } | Self::HardLink { .. } | Self::Move { .. })
    }

    fn carry_out(self, notice: &CreationNotice, rules: &CreationRules) -> CreationAnswer {
        let at = self.place();
        let from = match &self {
            Self::Move { from, .. } => Some(from),
            _ => None,
        };
        let concerns = |one: &Wanted| rules.concerns(&one.path);
        if !concerns(at) && !from.is_some_and(concerns) {
            return CreationAnswer::LetGoOn;
        }
        let is_swap =
            matches!(&self, Self::Move { flags, .. } if flags & libc::RENAME_EXCHANGE != 0);
        let forbids = |one: &Wanted| rules.forbids(&one.path, one.name(), self.is_brought());
        if forbids(at) || (is_swap && from.is_some_and(forbids)) {
            return CreationAnswer::Made(Err(Errno::EPERM));
        }
        match self {
            Self::Open { at, flags, mode } => open_new(notice, &at, flags, mode),
            other => CreationAnswer::Made(other.make(notice)),
        }
    }

    fn make(self, notice: &CreationNotice) -> Result<(), Errno> {
        let masked = |mode: u32| -> nix::Result<Mode> {
            Ok(Mode::from_bits_truncate(mode).difference(notice.mode_mask()?))
        };
        match self {
            // Has its own answer.
            Self::Open { .. } => Err(Errno::EINVAL),
            Self::Folder { at, mode } => mkdirat(&at.folder, at.name.as_c_str(), masked(mode)?),
            Self::Node { at, mode } => {
                let kind = SFlag::from_bits_truncate(mode & SFlag::S_IFMT.bits());
                match kind {
                    SFlag::S_IFIFO | SFlag::S_IFREG => {
                        mknodat(&at.folder, at.name.as_c_str(), kind, masked(mode)?, 0)
                    }
                    _ if kind.is_empty() => {
                        let kind = SFlag::S_IFREG;
                        mknodat(&at.folder, at.name.as_c_str(), kind, masked(mode)?, 0)
                    }
                    _ => Err(Errno::EPERM),
                }
            }
            Self::Link { to, at } => symlinkat(to.as_c_str(), &at.folder, at.name.as_c_str()),
            Self::HardLink { from, at, flags } => {
                let flags = AtFlags::from_bits_truncate(flags & libc::AT_SYMLINK_FOLLOW);
                linkat(&from.folder, from.name.as_c_str(), &at.folder, at.name.as_c_str(), flags)
            }
            Self::Move { from, at, flags } => {
                let flags = RenameFlags::from_bits(flags).ok_or(Errno::EINVAL)?;
                let (old, new): (&CStr, &CStr) = (&from.name, &at.name);
                renameat2(&from.folder, old, &at.folder, new, flags)
            }
        }
    }
}

/// A file that is there is none of our business; one that comes meanwhile neither.
fn open_new(notice: &CreationNotice, at: &Wanted, flags: i32, mode: u32) -> CreationAnswer {
    if at.seen().is_ok() {
        return CreationAnswer::LetGoOn;
    }
    let made = notice.mode_mask().and_then(|mask| {
        let mode = Mode::from_bits_truncate(mode).difference(mask);
        let new = OFlag::O_EXCL | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let flags = OFlag::from_bits_truncate(flags) | new;
        openat(at.folder.as_fd(), at.name.as_c_str(), flags, mode)
    });
    match made {
        Ok(file) => CreationAnswer::Opened(file, (flags & libc::O_CLOEXEC) as u32),
        Err(Errno::EEXIST) => CreationAnswer::LetGoOn,
        Err(errno) => CreationAnswer::Made(Err(errno)),
    }
}

impl CreationRules {
    /// Whether what is made in a folder is ours to make.
    fn concerns(&self, folder: &Path) -> bool {
        let is_in = |place: &CString| folder.starts_with(OsStr::from_bytes(place.to_bytes()));
        let is_looked_at = is_in(&self.root) || self.around.iter().any(is_in);
        is_looked_at && !self.free.iter().any(is_in)
    }

    fn forbids(&self, folder: &Path, name: &OsStr, is_brought: bool) -> bool {
        let is = |parent: &CString, own: &CString| {
            folder == Path::new(OsStr::from_bytes(parent.to_bytes()))
                && name.as_bytes() == own.to_bytes()
        };
        self.protected.iter().any(|(parent, own)| is(parent, own))
            || (is_brought && self.only_made.iter().any(|(parent, own)| is(parent, own)))
    }
}
