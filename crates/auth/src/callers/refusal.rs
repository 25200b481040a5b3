//! Why a token does not count. For the log: to the caller all of these but [`TokenRefusal::Store`] and
//! [`TokenRefusal::Crowded`] read the same, and none says what stands here.

use thiserror::Error;
use toolgate_store::{StoreError, TokenName};

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TokenRefusal {
    #[error("it is not written as a token is")]
    Malformed,
    #[error("there is no such token")]
    Unknown,
    #[error("the token `{name}` has expired")]
    Expired { name: TokenName },
    #[error("the token `{name}` was revoked")]
    Revoked { name: TokenName },
    #[error("the token `{name}` is not for clients")]
    NotAClient { name: TokenName },
    /// Nothing was asked, so it may be a good one.
    #[error("too many unknown tokens came at once; try again in a moment")]
    Crowded,
    #[error("tokens cannot be looked up: {0}")]
    Store(StoreError),
}

impl TokenRefusal {
    /// Whether it says something about the token, and not about us.
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::Crowded | Self::Store(_))
    }
}
