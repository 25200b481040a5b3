//! The same outer wall as the words that `bwrap` takes: namespaces, and a root step by step.
//!
//! What is shown goes to it as descriptors, opened here without following a link, so that it too shows
//! what was looked up and nothing that was put in its place meanwhile.

use std::ffi::{CStr, CString};
use std::os::fd::{AsRawFd as _, OwnedFd, RawFd};
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::unistd::{pipe2, write};

use super::mount_calls::open_real;
use super::mounts::{DEVICE_LINKS, DEVICES, MASKED, below};
use crate::walls::{RootStep, Walls};

/// What `bwrap` is told, and what it is told about.
pub(in super::super) struct BubblewrapOrder {
    /// The first is its name.
    pub(in super::super) words: Vec<CString>,
    /// Open in it by the same numbers.
    pub(in super::super) shown: Vec<OwnedFd>,
}

impl BubblewrapOrder {
    /// Opens all that is to be shown.
    pub(in super::super) fn new(walls: &Walls) -> nix::Result<Self> {
        let mut shown = Vec::new();
        let words = words(walls, |source| {
            let source = source.open()?;
            let number = source.as_raw_fd();
            shown.push(source);
            Ok(number)
        })?;
        Ok(Self { words, shown })
    }
}

/// What is read from to show something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ShownSource<'w> {
    /// A place of the machine.
    Place(&'w CStr),
    /// These words, few enough for a pipe to hold.
    Text(&'w CStr),
}

impl ShownSource<'_> {
    fn open(self) -> nix::Result<OwnedFd> {
        match self {
            Self::Place(path) => open_real(path),
            Self::Text(text) => {
                let (from, to) = pipe2(OFlag::O_CLOEXEC)?;
                write(&to, text.to_bytes())?;
                Ok(from)
            }
        }
    }
}

fn words(
    walls: &Walls,
    mut open: impl FnMut(ShownSource<'_>) -> nix::Result<RawFd>,
) -> nix::Result<Vec<CString>> {
    let mut order = OrderWords(vec![c"bwrap".to_owned()]);
    for word in
        ["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup"]
    {
        order.add(word)?;
    }
    if !walls.is_on_network() {
        order.add("--unshare-net")?;
    }
    if walls.asks_gate() {
        // The first process gives itself addresses and listens on any port, and then gives both up.
        for capability in ["CAP_NET_ADMIN", "CAP_NET_BIND_SERVICE"] {
            order.add("--cap-add")?.add(capability)?;
        }
    }
    // Its own first process would be one that watches nothing: ours is the first.
    order.add("--as-pid-1")?;
    order.add("--die-with-parent")?;
    for (name, value) in [("--uid", walls.user.to_string()), ("--gid", walls.group.to_string())] {
        order.add(name)?.add(&value)?;
    }
    order.add("--hostname")?.add(super::HOST_NAME)?;
    for step in &walls.steps {
        order.take(step, &mut open)?;
    }
    for name in DEVICES {
        order.device(&below(c"/dev/", name), &below(c"/dev/", name))?;
    }
    for (link, to) in DEVICE_LINKS {
        order.add("--symlink")?.put(to).put(&below(c"/", link));
    }
    order.add("--proc")?.put(c"/proc");
    for masked in MASKED.iter().map(|masked| below(c"/", masked)) {
        // It is one kernel's, so what is not there here is not there within either.
        if masked.to_str().is_ok_and(|masked| Path::new(masked).exists()) {
            order.blank(&masked)?;
        }
    }
    order.add("--remount-ro")?.put(c"/proc").add("--remount-ro")?.put(c"/");
    order.add("--chdir")?.put(c"/");
    Ok(order.0)
}

struct OrderWords(Vec<CString>);

impl OrderWords {
    fn add(&mut self, word: &str) -> nix::Result<&mut Self> {
        self.0.push(CString::new(word).map_err(|_| Errno::EINVAL)?);
        Ok(self)
    }

    fn put(&mut self, word: &CStr) -> &mut Self {
        self.0.push(word.to_owned());
        self
    }

    fn take(
        &mut self,
        step: &RootStep,
        open: &mut impl FnMut(ShownSource<'_>) -> nix::Result<RawFd>,
    ) -> nix::Result<()> {
        match step {
            RootStep::Show { source, at, is_writable, .. } => {
                let number = open(ShownSource::Place(source))?.to_string();
                let word = if *is_writable { "--bind-fd" } else { "--ro-bind-fd" };
                self.add(word)?.add(&number)?.put(at);
            }
            RootStep::Scratch { at, bytes } => {
                self.memory("0700", *bytes, at)?;
            }
            RootStep::Empty { at } => {
                self.memory("0555", 4096, at)?.add("--remount-ro")?.put(at);
            }
            RootStep::Text { at, text } => {
                let number = open(ShownSource::Text(text))?.to_string();
                self.add("--ro-bind-data")?.add(&number)?.put(at);
            }
            RootStep::Blank { at } => self.blank(at)?,
            // Refused when it was planned.
            RootStep::Overlay { .. } => return Err(Errno::ENOTSUP),
            RootStep::Link { at, to } => {
                self.add("--symlink")?.put(to).put(at);
            }
        }
        Ok(())
    }

    fn memory(&mut self, mode: &str, bytes: u64, at: &CStr) -> nix::Result<&mut Self> {
        self.add("--perms")?.add(mode)?.add("--size")?.add(&bytes.to_string())?;
        Ok(self.add("--tmpfs")?.put(at))
    }

    fn device(&mut self, source: &CStr, at: &CStr) -> nix::Result<()> {
        self.add("--dev-bind")?.put(source).put(at);
        Ok(())
    }

    /// What nobody reads anything from; once it is read-only it is no device either.
    fn blank(&mut self, at: &CStr) -> nix::Result<()> {
        self.device(c"/dev/null", at)?;
        self.add("--remount-ro")?.put(at);
        Ok(())
    }
}

#[cfg(test)]
mod tests;
