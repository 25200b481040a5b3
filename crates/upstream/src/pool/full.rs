//! That nothing more can be started, and which limit it is.

use super::ledger::PoolLimit;

/// Nothing more can be started now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{}, and all are in use or are to stay", full(.0))]
pub struct PoolFull(pub PoolLimit);

fn full(limit: &PoolLimit) -> String {
    match limit {
        PoolLimit::Servers(servers) => {
            format!("as many local servers run as `limits.pool_servers` permits ({servers})")
        }
        PoolLimit::Memory(bytes) => format!(
            "the local servers take more memory than `limits.pool_memory_bytes` permits ({bytes})"
        ),
    }
}
