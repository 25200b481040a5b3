//! What a crash of this program leaves behind: no copy of its memory, in which tokens stand as they are.
//!
//! What we start is another's program, and goes by the limit that we were started with (Linux; elsewhere it
//! inherits ours). What stands behind walls writes no core file either.

use std::sync::OnceLock;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// One byte, not none: a core that is piped to a program of the machine knows no other limit.
pub(crate) const NO_CORE: u64 = 1;

/// The limit that this process was started with.
static BEFORE: OnceLock<u64> = OnceLock::new();

/// Has this process write no core file, whatever ends it.
///
/// For programs that hold secrets; an embedding program decides for itself.
pub fn leave_no_core_file() {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_CORE) else { return };
    if setrlimit(Resource::RLIMIT_CORE, NO_CORE.min(hard), hard).is_ok() {
        let _ = BEFORE.set(soft);
    }
}

/// What a program of others is to have, where it is not what it would inherit.
pub(crate) fn limit_before() -> Option<u64> {
    BEFORE.get().copied()
}

/// Gives this process, which is about to become another's program, its limit back. One that cannot be had
/// keeps no program from running.
#[cfg(target_os = "linux")]
pub(crate) fn restore(before: Option<u64>) {
    if let (Some(before), Ok((_, hard))) = (before, getrlimit(Resource::RLIMIT_CORE)) {
        let _ = setrlimit(Resource::RLIMIT_CORE, before.min(hard), hard);
    }
}
