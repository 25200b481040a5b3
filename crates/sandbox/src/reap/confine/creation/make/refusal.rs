//! What the walls refuse of a call that makes something, told beforehand. Refusing is done by others: this is
//! for who asks afterwards why it failed.

use std::ffi::{CString, OsStr};
use std::os::fd::AsFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use nix::fcntl::{OFlag, openat};
use nix::libc;
use nix::sys::stat::{Mode, SFlag};
use nix::sys::statvfs::{FsFlags, fstatvfs};

use super::{Creation, Wanted};
use crate::protocol::SeenRefusal;
use crate::reap::confine::creation::notice::CreationNotice;
use crate::walls::CreationRules;

impl Creation {
    pub(super) fn refusal(
        &self,
        rules: &CreationRules,
        writable: &[CString],
    ) -> Option<SeenRefusal> {
        let moved = match self {
            Self::Move { from, .. } => Some(from).filter(|from| from.seen().is_ok()),
            _ => None,
        };
        let is_inside =
            |place: &CString, path: &Path| path.starts_with(OsStr::from_bytes(place.to_bytes()));
        let refused = |one: &Wanted, is_brought: bool| {
            // Nothing of what is watched lies there.
            if rules.free.iter().any(|free| is_inside(free, &one.path)) {
                return None;
            }
            if rules.forbids(&one.path, one.name(), is_brought) {
                return rules.protected_above(one).or(Some(SeenRefusal::WriteOutside));
            }
            if !writable.iter().any(|place| is_inside(place, &one.path)) {
                return Some(SeenRefusal::WriteOutside);
            }
            let seen = rules.protected_above(one).unwrap_or(SeenRefusal::WriteOutside);
            one.is_read_only().then_some(seen)
        };
        if let Some(from) = moved.and_then(|from| refused(from, false)) {
            return Some(from);
        }
        self.changes_something().then(|| refused(self.place(), self.is_brought())).flatten()
    }

    /// Not where the name is there already and that is all the answer there is, or where what is there is only
    /// read, or a device.
    fn changes_something(&self) -> bool {
        let Ok(seen) = self.place().seen() else { return true };
        let is_file = seen.st_mode & SFlag::S_IFMT.bits() == SFlag::S_IFREG.bits();
        match self {
            Self::Open { flags, .. } => {
                let writes = flags & (libc::O_WRONLY | libc::O_RDWR | libc::O_TRUNC) != 0;
                is_file && writes && flags & libc::O_EXCL == 0
            }
            Self::Move { .. } => true,
            Self::Folder { .. } | Self::Node { .. } | Self::Link { .. } | Self::HardLink { .. } => {
                false
            }
        }
    }
}

/// Something that is to be made, by its whole path, where no folder is seen and none could be written to.
pub(super) fn hidden(
    notice: &CreationNotice,
    rules: &CreationRules,
    writable: &[CString],
) -> Option<SeenRefusal> {
    let path = match notice.call {
        libc::SYS_openat | libc::SYS_mkdirat | libc::SYS_mknodat => 1,
        libc::SYS_symlinkat => 2,
        libc::SYS_linkat | libc::SYS_renameat | libc::SYS_renameat2 => 3,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_open | libc::SYS_creat | libc::SYS_mkdir | libc::SYS_mknod => 0,
        #[cfg(target_arch = "x86_64")]
        libc::SYS_symlink | libc::SYS_link | libc::SYS_rename => 1,
        _ => return None,
    };
    let path = notice.text(path).ok()?;
    let path = Path::new(OsStr::from_bytes(path.to_bytes()));
    let is_plain = path.components().all(|part| part != Component::ParentDir);
    let mut places = writable.iter().chain([&rules.root]);
    let is_inside = places.any(|place| path.starts_with(OsStr::from_bytes(place.to_bytes())));
    (path.is_absolute() && is_plain && !is_inside).then_some(SeenRefusal::WriteHidden)
}

impl Wanted {
    /// Whether it lies, or would lie, on a mount that is only read.
    fn is_read_only(&self) -> bool {
        let flags = OFlag::O_PATH | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let there = openat(self.folder.as_fd(), self.name.as_c_str(), flags, Mode::empty());
        let mount = match &there {
            Ok(file) => fstatvfs(file),
            Err(_) => fstatvfs(&self.folder),
        };
        mount.is_ok_and(|mount| mount.flags().contains(FsFlags::ST_RDONLY))
    }
}

impl CreationRules {
    /// The protected name that it is, or lies below.
    fn protected_above(&self, wanted: &Wanted) -> Option<SeenRefusal> {
        let path = wanted.path.join(wanted.name());
        let part = |text: &CString| PathBuf::from(OsStr::from_bytes(text.to_bytes()));
        let all = self.protected.iter().chain(&self.only_made);
        let all = all.map(|(folder, name)| part(folder).join(part(name))).enumerate();
        // The nearest one says most.
        let nearest = all.filter(|(_, place)| path.starts_with(place));
        let (index, _) = nearest.max_by_key(|(_, place)| place.components().count())?;
        u8::try_from(index).ok().map(SeenRefusal::Protected)
    }
}
