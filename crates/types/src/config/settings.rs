//! The smaller sections: profile, credentials, approval, sandbox, audit, limits.

use std::path::PathBuf;
use std::time::Duration;

use crate::Milliseconds;

words! {
    /// A set of stricter rules for a whole configuration.
    Profile {
        Standard = "standard",
        LocalStdio = "local-stdio",
        ProductionHttp = "production-http",
    }
    /// Where the tokens of logins are kept: `auto` is the system's keyring where one answers, else a file.
    CredentialStorage {
        Auto = "auto",
        Keyring = "keyring",
        File = "file",
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
    /// When records are on the disk itself, and not with the system alone.
    AuditSync {
        None = "none",
        Interval = "interval",
        Always = "always",
    }
}

/// The `[approval]` section.
#[derive(Debug, Clone)]
pub struct ApprovalSection {
    pub timeout: Milliseconds,
    pub channels: Vec<Channel>,
    /// An answer that comes sooner after its question is a machine's.
    pub fastest_answer: Duration,
    /// How long a call waits where no person can be reached.
    pub unattended: Milliseconds,
}

impl Default for ApprovalSection {
    fn default() -> Self {
        Self {
            timeout: Milliseconds::at_least_one(120_000),
            channels: Channel::ALL.to_vec(),
            fastest_answer: Duration::from_millis(250),
            unattended: Milliseconds::at_least_one(10_000),
        }
    }
}

/// The `[sandbox]` section: what holds for every confined process.
#[derive(Debug, Clone, Default)]
pub struct SandboxSection {
    pub outer: OuterWall,
    pub readable: Vec<String>,
    pub writable: Vec<String>,
}

/// The `[audit]` section.
#[derive(Debug, Clone)]
pub struct AuditSection {
    pub durability: Durability,
    /// When records are on the disk itself.
    pub fsync: AuditSync,
    /// Keep full arguments, not only their keyed hash.
    pub arguments: bool,
    pub retention_days: u32,
    pub retention_bytes: u64,
    /// A plain file of finished calls, beside the records.
    pub jsonl: Option<PathBuf>,
}

impl Default for AuditSection {
    fn default() -> Self {
        Self {
            durability: Durability::Auto,
            fsync: AuditSync::None,
            arguments: false,
            retention_days: 90,
            retention_bytes: 1 << 30,
            jsonl: None,
        }
    }
}

/// The `[limits]` section.
#[derive(Debug, Clone)]
pub struct LimitsSection {
    pub message_bytes: u64,
    pub result_bytes: u64,
    /// The largest result that is put aside when it is longer than a message may be.
    pub result_spill_bytes: u64,
    pub schema_bytes: u64,
    pub artifact_bytes: u64,
    pub artifact_days: u32,
    pub sessions: u32,
    pub connections: u32,
    pub pool_servers: u32,
    pub pool_memory_bytes: u64,
    pub tools_ttl: Milliseconds,
    /// How long a client's list waits for servers whose answer is not known yet.
    pub list_wait: Milliseconds,
    /// How long a daemon that nobody started by hand stays when nobody uses it.
    pub daemon_idle: Milliseconds,
}

impl Default for LimitsSection {
    fn default() -> Self {
        Self {
            message_bytes: 8 << 20,
            result_bytes: 48 << 10,
            result_spill_bytes: 256 << 20,
            schema_bytes: 64 << 10,
            artifact_bytes: 1 << 30,
            artifact_days: 7,
            sessions: 10_000,
            connections: 1_024,
            pool_servers: 256,
            pool_memory_bytes: 8 << 30,
            tools_ttl: Milliseconds::at_least_one(60_000),
            list_wait: Milliseconds::at_least_one(500),
            daemon_idle: Milliseconds::at_least_one(60_000),
        }
    }
}
