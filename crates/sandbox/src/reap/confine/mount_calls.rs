//! The mount calls of newer kernels (5.12), which take descriptors: what was opened is what is shown,
//! whoever renames what meanwhile.

use std::ffi::CStr;
use std::os::fd::{AsFd, AsRawFd as _, FromRawFd as _, OwnedFd};

use nix::errno::Errno;
use nix::fcntl::{AT_FDCWD, OFlag, OpenHow, ResolveFlag, openat2};
use nix::libc;

const OPEN_TREE_CLONE: libc::c_uint = 1;
const MOVE_MOUNT_F_EMPTY_PATH: libc::c_uint = 0x04;
const MOVE_MOUNT_T_EMPTY_PATH: libc::c_uint = 0x40;
const AT_RECURSIVE: libc::c_uint = 0x8000;
const AT_EMPTY_PATH: libc::c_uint = libc::AT_EMPTY_PATH as libc::c_uint;

pub(super) const READ_ONLY: u64 = 0x01;
pub(super) const NO_SETUID: u64 = 0x02;
pub(super) const NO_DEVICES: u64 = 0x04;

#[repr(C)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

/// A place of the machine, opened without following any link.
pub(super) fn open_real(path: &CStr) -> nix::Result<OwnedFd> {
    openat2(AT_FDCWD, path, how(ResolveFlag::RESOLVE_NO_SYMLINKS))
}

/// A place below a folder, opened without following any link or leaving it.
pub(super) fn open_below(folder: impl AsFd, path: &CStr) -> nix::Result<OwnedFd> {
    openat2(folder, path, how(ResolveFlag::RESOLVE_NO_SYMLINKS | ResolveFlag::RESOLVE_BENEATH))
}

fn how(resolve: ResolveFlag) -> OpenHow {
    OpenHow::new().flags(OFlag::O_PATH | OFlag::O_CLOEXEC).resolve(resolve)
}

/// A copy of what is mounted at an opened place and below, attached nowhere yet.
#[allow(unsafe_code, reason = "there is no safe wrapper")]
pub(super) fn copy_tree(place: impl AsFd, attributes: u64) -> nix::Result<OwnedFd> {
    let place = place.as_fd().as_raw_fd();
    let flags = OPEN_TREE_CLONE | AT_EMPTY_PATH | AT_RECURSIVE | libc::O_CLOEXEC as libc::c_uint;
    // SAFETY: takes a descriptor that is open and a text that outlives the call; answers a new one.
    let tree = unsafe { libc::syscall(libc::SYS_open_tree, place, c"".as_ptr(), flags) };
    let tree = Errno::result(tree)? as i32;
    // SAFETY: the kernel has just made it for us alone.
    let tree = unsafe { OwnedFd::from_raw_fd(tree) };
    set_attributes(&tree, attributes, AT_RECURSIVE)?;
    Ok(tree)
}

/// Adds attributes to an opened mount alone.
pub(super) fn restrict(mount: impl AsFd, attributes: u64) -> nix::Result<()> {
    set_attributes(mount, attributes, 0)
}

#[allow(unsafe_code, reason = "there is no safe wrapper")]
fn set_attributes(mount: impl AsFd, set: u64, flags: libc::c_uint) -> nix::Result<()> {
    let attributes = MountAttributes { set, clear: 0, propagation: 0, user_namespace: 0 };
    let (mount, flags) = (mount.as_fd().as_raw_fd(), flags | AT_EMPTY_PATH);
    let size = size_of::<MountAttributes>();
    // SAFETY: the kernel reads a text and a structure of its own layout; both outlive the call.
    let done = unsafe {
        let about = &raw const attributes;
        libc::syscall(libc::SYS_mount_setattr, mount, c"".as_ptr(), flags, about, size)
    };
    Errno::result(done).map(drop)
}

/// Puts a copied tree on an opened place.
#[allow(unsafe_code, reason = "there is no safe wrapper")]
pub(super) fn attach(tree: impl AsFd, place: impl AsFd) -> nix::Result<()> {
    let (tree, place) = (tree.as_fd().as_raw_fd(), place.as_fd().as_raw_fd());
    let flags = MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH;
    let empty = c"".as_ptr();
    // SAFETY: takes descriptors that are open and texts that outlive the call.
    let done = unsafe { libc::syscall(libc::SYS_move_mount, tree, empty, place, empty, flags) };
    Errno::result(done).map(drop)
}
