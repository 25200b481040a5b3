//! How a local process is confined, and what it gets of our environment.

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
    pub allow_network: bool,
    pub readable: Vec<String>,
    pub writable: Vec<String>,
}
