//! How the network is reached from here: one request, one answer, and nobody is dialled who may not be.

use async_trait::async_trait;

/// Sends single requests, for the login at one server. Whoever implements it stops at dial time, after
/// names are resolved, what leads to addresses that the server itself does not have: this machine's, a
/// private network's, a cloud's own. It follows no redirect, and bounds how long and how large an answer
/// may be.
#[async_trait]
pub trait GuardedFetch: Send + Sync {
    async fn fetch(
        &self,
        request: http::Request<Vec<u8>>,
    ) -> Result<http::Response<Vec<u8>>, FetchFailure>;
}

/// Why there is no answer. Nothing of a request is in it, since that may hold a secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FetchFailure {
    /// It would have led where this login has no business.
    #[error("{host} is at an address that this server's login may not reach")]
    Forbidden { host: String },
    #[error("{host} cannot be reached: {why}")]
    Unreachable { host: String, why: String },
    #[error("{host} gave an answer that is too long")]
    TooLong { host: String },
    #[error("{host} gave no answer in time")]
    TimedOut { host: String },
}

impl FetchFailure {
    /// Whether the same may work a moment later.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::TimedOut { .. })
    }
}
