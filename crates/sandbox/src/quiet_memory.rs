//! What a process holds in memory and does not need while it waits, given back.
//!
//! That is freed memory, which the allocator keeps for later, and those pages of the program and its
//! libraries that are as their files have them. The system takes such pages from a process whenever it needs
//! room, and brings them back when they are used; they stay in its cache of files, which all processes share.
//! Nothing that was ever written is touched. When a process is quiet is for the caller to know: whatever it
//! does next costs some hundred small faults more.

#[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
mod loaded_objects;

/// Gives back what can be had again (glibc on Linux; elsewhere nothing happens).
#[allow(unsafe_code, reason = "the allocator has no safe way to be asked")]
pub fn give_back_quiet_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the allocator takes its own locks, and gives back only what nobody holds.
    unsafe {
        nix::libc::malloc_trim(0);
    }
    #[cfg(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
    loaded_objects::give_back_clean_pages();
}

#[cfg(all(test, target_os = "linux", target_env = "gnu", target_pointer_width = "64"))]
mod tests;
