//! The smaller sections: profile, approval, sandbox, audit, limits.

use crate::Millis;

words! {
    /// A set of stricter rules for a whole configuration.
    Profile {
        Standard = "standard",
        LocalStdio = "local-stdio",
        ProductionHttp = "production-http",
    }
    /// Where a person can be asked.
    Channel {
        Agent = "agent",
        Queue = "queue",
        Desktop = "desktop",
    }
    /// What is the outer wall of the sandbox.
    OuterWall {
        Auto = "auto",
        Builtin = "builtin",
        Bwrap = "bwrap",
        Container = "container",
    }
    /// When a call's opening record is safe.
    Durability {
        Auto = "auto",
        Async = "async",
        BeforeCall = "before_call",
    }
}

/// The `[approval]` section.
#[derive(Debug, Clone)]
pub struct Approval {
    pub timeout: Millis,
    pub channels: Vec<Channel>,
}

impl Default for Approval {
    fn default() -> Self {
        Self { timeout: Millis::at_least_one(120_000), channels: Channel::ALL.to_vec() }
    }
}

/// The `[sandbox]` section: what holds for every confined process.
#[derive(Debug, Clone, Default)]
pub struct Sandbox {
    pub outer: OuterWall,
    pub readable: Vec<String>,
    pub writable: Vec<String>,
}

/// The `[audit]` section.
#[derive(Debug, Clone)]
pub struct Audit {
    pub durability: Durability,
    /// Keep full arguments, not only their keyed hash.
    pub arguments: bool,
    pub retention_days: u32,
    pub retention_bytes: u64,
}

impl Default for Audit {
    fn default() -> Self {
        Self {
            durability: Durability::Auto,
            arguments: false,
            retention_days: 90,
            retention_bytes: 1 << 30,
        }
    }
}

/// The `[limits]` section.
#[derive(Debug, Clone)]
pub struct Limits {
    pub message_bytes: u64,
    pub result_bytes: u64,
    pub schema_bytes: u64,
    pub artifact_bytes: u64,
    pub artifact_days: u32,
    pub sessions: u32,
    pub connections: u32,
    pub pool_servers: u32,
    pub pool_memory_bytes: u64,
    pub tools_ttl: Millis,
    /// How long a daemon that nobody started by hand stays when nobody uses it.
    pub daemon_idle: Millis,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: 8 << 20,
            result_bytes: 48 << 10,
            schema_bytes: 64 << 10,
            artifact_bytes: 1 << 30,
            artifact_days: 7,
            sessions: 10_000,
            connections: 1_024,
            pool_servers: 256,
            pool_memory_bytes: 8 << 30,
            tools_ttl: Millis::at_least_one(60_000),
            daemon_idle: Millis::at_least_one(60_000),
        }
    }
}
