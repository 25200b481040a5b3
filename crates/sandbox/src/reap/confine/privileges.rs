//! Giving up every privilege, for good.

use nix::errno::Errno;
use nix::libc;
use nix::sys::prctl::set_no_new_privs;

/// Being root means nothing, and none of that can be changed any more (`SECBIT_NOROOT`,
/// `SECBIT_NO_SETUID_FIXUP`, `SECBIT_KEEP_CAPS` off, `SECBIT_NO_CAP_AMBIENT_RAISE`, all locked).
const SECURE_BITS: libc::c_ulong = 0b1110_1111;

/// The version of the capability calls with 64 capabilities.
const VERSION: u32 = 0x2008_0522;

#[repr(C)]
struct CapabilityHeader {
    version: u32,
    pid: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct CapabilitySet {
    effective: u32,
    permitted: u32,
    inheritable: u32,
}

/// No capability now, and none from any program that is executed later.
#[allow(unsafe_code, reason = "there are no safe wrappers for capabilities")]
pub(super) fn give_up() -> nix::Result<()> {
    set_no_new_privs()?;
    for capability in 0..64 as libc::c_ulong {
        // SAFETY: takes numbers only. One that the kernel does not know is an error that ends the loop.
        let dropped = unsafe { libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) };
        match dropped {
            0 => {}
            _ if Errno::last() == Errno::EINVAL => break,
            // Not ours to drop: a plain user behind a container's wall has none to give up.
            _ if Errno::last() == Errno::EPERM => break,
            _ => return Err(Errno::last()),
        }
    }
    // SAFETY: takes numbers only.
    unsafe {
        libc::prctl(libc::PR_CAP_AMBIENT, libc::PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
        // Refused without the capability to do it, and then there is nothing to give up.
        libc::prctl(libc::PR_SET_SECUREBITS, SECURE_BITS, 0, 0, 0);
    }
    let header = CapabilityHeader { version: VERSION, pid: 0 };
    let none = [CapabilitySet { effective: 0, permitted: 0, inheritable: 0 }; 2];
    // SAFETY: the kernel reads both, which have its own layout and outlive the call.
    let set = unsafe { libc::syscall(libc::SYS_capset, &raw const header, none.as_ptr()) };
    Errno::result(set).map(drop)
}
