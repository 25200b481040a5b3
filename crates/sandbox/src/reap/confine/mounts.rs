//! The new root: an empty one in memory, into which the planned places are put, and which takes the
//! place of the old one.

use std::ffi::{CStr, CString};
use std::os::fd::{AsFd as _, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::{OFlag, open, openat};
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sys::stat::{Mode, mkdirat};
use nix::unistd::{chdir, fchdir, pivot_root, symlinkat, write};

use super::mount_calls::{
    NO_DEVICES, NO_SETUID, READ_ONLY, attach, copy_tree, open_below, open_real, restrict,
};
use crate::walls::RootStep;

/// Where the new root is put together: a folder that is there on every machine that gets so far.
const BUILDING_SITE: &CStr = c"/proc";

/// What programs expect of `/dev`, and nothing that is somebody's.
pub(super) const DEVICES: [&CStr; 5] = [c"null", c"zero", c"full", c"random", c"urandom"];

pub(super) const DEVICE_LINKS: [(&CStr, &CStr); 4] = [
    (c"dev/fd", c"/proc/self/fd"),
    (c"dev/stdin", c"/proc/self/fd/0"),
    (c"dev/stdout", c"/proc/self/fd/1"),
    (c"dev/stderr", c"/proc/self/fd/2"),
];

/// What the machine tells about itself that is no sandbox's business.
pub(super) const MASKED: [&CStr; 8] = [
    c"proc/kcore",
    c"proc/keys",
    c"proc/key-users",
    c"proc/kmsg",
    c"proc/sysrq-trigger",
    c"proc/timer_list",
    c"proc/sched_debug",
    c"proc/kallsyms",
];

pub(super) fn build(steps: &[RootStep]) -> nix::Result<()> {
    const NO_TEXT: Option<&CStr> = None;
    mount(NO_TEXT, c"/", NO_TEXT, MsFlags::MS_REC | MsFlags::MS_PRIVATE, NO_TEXT)?;
    // All that is shown is opened before anything covers it.
    let trees = steps.iter().map(tree_of).collect::<nix::Result<Vec<_>>>()?;
    let null = open_real(c"/dev/null")?;
    let devices = DEVICES.map(|name| open_real(&below(c"/dev/", name)));
    let memory = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    mount(Some(c"tmpfs"), BUILDING_SITE, Some(c"tmpfs"), memory, Some(c"mode=0755,size=1m"))?;
    chdir(BUILDING_SITE)?;
    let folder = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
    let site = NewRoot { root: open(c".", folder, Mode::empty())?, null };
    for (step, tree) in steps.iter().zip(trees) {
        site.take(step, tree)?;
    }
    for (name, device) in DEVICES.into_iter().zip(devices) {
        let place = site.file(&below(c"dev/", name))?;
        attach(copy_tree(device?, NO_SETUID)?, place)?;
    }
    for (link, to) in DEVICE_LINKS {
        symlinkat(to, &site.root, link)?;
    }
    site.processes()?;
    site.replace_old()
}

fn tree_of(step: &RootStep) -> nix::Result<Option<OwnedFd>> {
    match step {
        RootStep::Show { source, is_writable, .. } => {
            let attributes = NO_SETUID | NO_DEVICES | if *is_writable { 0 } else { READ_ONLY };
            copy_tree(open_real(source)?, attributes).map(Some)
        }
        RootStep::Overlay { lower, upper, work, .. } => {
            let options = overlay_options(lower, upper, work)?;
            let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
            // In these namespaces alone, and on what it covers: there is no other place yet.
            mount(Some(c"overlay"), lower.as_c_str(), Some(c"overlay"), flags, Some(&*options))?;
            copy_tree(open_real(lower)?, NO_SETUID | NO_DEVICES).map(Some)
        }
        _ => Ok(None),
    }
}

/// What the kernel reads of a path in such options: a comma ends it, and a colon is one more layer.
fn overlay_options(lower: &CStr, upper: &CStr, work: &CStr) -> nix::Result<CString> {
    let mut options = b"userxattr".to_vec();
    for (name, path) in [("lowerdir", lower), ("upperdir", upper), ("workdir", work)] {
        options.extend_from_slice(format!(",{name}=").as_bytes());
        for byte in path.to_bytes() {
            if matches!(byte, b'\\' | b',' | b':') {
                options.push(b'\\');
            }
            options.push(*byte);
        }
    }
    CString::new(options).map_err(|_| Errno::EINVAL)
}

struct NewRoot {
    root: OwnedFd,
    /// What reads as nothing.
    null: OwnedFd,
}

impl NewRoot {
    fn take(&self, step: &RootStep, tree: Option<OwnedFd>) -> nix::Result<()> {
        match step {
            RootStep::Show { at, is_folder, .. } => {
                let at = inside(at)?;
                let place = if *is_folder { self.folder(&at)? } else { self.file(&at)? };
                attach(tree.ok_or(Errno::EINVAL)?, place)
            }
            RootStep::Overlay { at, .. } => {
                attach(tree.ok_or(Errno::EINVAL)?, self.folder(&inside(at)?)?)
            }
            RootStep::Scratch { at, bytes } => {
                let options = CString::new(format!("mode=0700,size={bytes}"));
                let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
                self.memory(at, flags, &options.map_err(|_| Errno::EINVAL)?)
            }
            RootStep::Empty { at } => {
                let flags = MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_RDONLY;
                self.memory(at, flags, c"mode=0555,size=4k")
            }
            RootStep::Text { at, text } => self.write(&inside(at)?, text.as_bytes()),
            RootStep::Blank { at } => {
                let place = self.file(&inside(at)?)?;
                attach(copy_tree(&self.null, READ_ONLY | NO_SETUID)?, place)
            }
            RootStep::Link { at, to } => {
                let at = inside(at)?;
                if let Some(above) = above(&at) {
                    self.folder(&above)?;
                }
                symlinkat(to.as_c_str(), &self.root, at.as_c_str())
            }
        }
    }

    fn memory(&self, at: &CStr, flags: MsFlags, options: &CStr) -> nix::Result<()> {
        fchdir(self.folder(&inside(at)?)?)?;
        mount(Some(c"tmpfs"), c".", Some(c"tmpfs"), flags, Some(options))?;
        fchdir(&self.root)
    }

    /// A new file with these words.
    fn write(&self, at: &CStr, words: &[u8]) -> nix::Result<()> {
        drop(self.file(at)?);
        let open = OFlag::O_WRONLY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let file = openat(self.root.as_fd(), at, open, Mode::empty())?;
        // A few words, into memory of our own: they go at once.
        write(&file, words).map(drop)
    }

    /// The processes of the sandbox alone, and nothing of the machine that could be changed.
    fn processes(&self) -> nix::Result<()> {
        self.folder(c"proc")?;
        let flags =
            MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC | MsFlags::MS_RDONLY;
        mount(Some(c"proc"), c"proc", Some(c"proc"), flags, None::<&CStr>)?;
        for masked in MASKED {
            match open_below(&self.root, masked) {
                Ok(place) => attach(copy_tree(&self.null, READ_ONLY | NO_SETUID)?, place)?,
                Err(Errno::ENOENT) => {}
                Err(errno) => return Err(errno),
            }
        }
        Ok(())
    }

    fn replace_old(self) -> nix::Result<()> {
        fchdir(&self.root)?;
        pivot_root(c".", c".")?;
        umount2(c".", MntFlags::MNT_DETACH)?;
        chdir(c"/")?;
        restrict(open_real(c"/")?, READ_ONLY)
    }

    /// A folder of the new root, made where it is not there yet.
    fn folder(&self, at: &CStr) -> nix::Result<OwnedFd> {
        match open_below(&self.root, at) {
            Err(Errno::ENOENT) => {
                if let Some(above) = above(at) {
                    self.folder(&above)?;
                }
                mkdirat(&self.root, at, Mode::from_bits_truncate(0o755))?;
                open_below(&self.root, at)
            }
            other => other,
        }
    }

    /// The same of a file.
    fn file(&self, at: &CStr) -> nix::Result<OwnedFd> {
        match open_below(&self.root, at) {
            Err(Errno::ENOENT) => {
                if let Some(above) = above(at) {
                    self.folder(&above)?;
                }
                let new = OFlag::O_CREAT | OFlag::O_EXCL | OFlag::O_WRONLY | OFlag::O_CLOEXEC;
                drop(openat(self.root.as_fd(), at, new, Mode::from_bits_truncate(0o644))?);
                open_below(&self.root, at)
            }
            other => other,
        }
    }
}

/// A place as it counts from the root.
fn inside(at: &CStr) -> nix::Result<CString> {
    let bytes = at.to_bytes();
    let relative = bytes.strip_prefix(b"/").filter(|rest| !rest.is_empty());
    CString::new(relative.ok_or(Errno::EINVAL)?).map_err(|_| Errno::EINVAL)
}

/// The folder that a place is in; none for one right below the root.
fn above(at: &CStr) -> Option<CString> {
    let bytes = at.to_bytes();
    let end = bytes.iter().rposition(|byte| *byte == b'/')?;
    CString::new(bytes.get(..end)?).ok()
}

pub(super) fn below(folder: &CStr, name: &CStr) -> CString {
    let mut bytes = folder.to_bytes().to_vec();
    bytes.extend_from_slice(name.to_bytes());
    // Both were texts, so there is no NUL between.
    CString::new(bytes).unwrap_or_default()
}
