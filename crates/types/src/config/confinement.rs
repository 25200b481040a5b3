//! How a local process is confined, and what it gets of our environment.

use super::NetworkAccess;

words! {
    /// The wall around a local process.
    SandboxProfile {
        Default = "default",
        Seatbelt = "seatbelt",
        None = "none",
    }
    /// Which variables of our own environment a child gets besides those its entry names.
    InheritEnv {
        Core = "core",
        All = "all",
        None = "none",
    }
}

/// How a process is confined. Empty lists add nothing to what the profile grants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confinement {
    pub profile: SandboxProfile,
    pub network: NetworkAccess,
    pub readable: Vec<String>,
    pub writable: Vec<String>,
    pub limits: ResourceLimits,
}

/// How much a confined process and everything it starts may use together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResourceLimits {
    pub processes: u32,
    pub memory_bytes: u64,
    /// One file that it writes.
    pub file_bytes: u64,
    /// Its private `/tmp`, and an empty home.
    pub scratch_bytes: u64,
    /// Of one process. Zero: as long as it takes.
    pub cpu_seconds: u64,
}

impl Default for ResourceLimits {
    fn default() -> Self {
        Self {
            processes: 512,
            memory_bytes: 4 << 30,
            file_bytes: 4 << 30,
            scratch_bytes: 1 << 30,
            cpu_seconds: 0,
        }
    }
}
