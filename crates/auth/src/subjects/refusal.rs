//! Why a token of an issuer does not count. For the log: a caller is told no more than that it does not, that
//! it lacks a scope, or that nobody could look.

use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SubjectRefusal {
    #[error("it is longer than a token may be")]
    TooLong,
    #[error("it is not written as a token is")]
    Malformed,
    #[error("it is no access token: its type has to be `at+jwt`")]
    NotAnAccessToken,
    #[error("it is an ID token, which says who somebody is to another program")]
    IdToken,
    #[error("it is signed in a way that is not taken here")]
    Algorithm,
    #[error("it wants something to be understood that is not understood here (`crit`)")]
    Critical,
    #[error("it is bound to a key of its client (`cnf`), and no proof of that is taken here")]
    Bound,
    #[error("another issuer made it")]
    OtherIssuer,
    #[error("it is for somebody else (`aud`)")]
    OtherAudience,
    #[error("it has expired, or does not say when it does")]
    Expired,
    #[error("its time has not come")]
    NotYet,
    #[error("it does not say whose it is (`sub`)")]
    NoSubject,
    #[error("it is signed with a key that its issuer does not have")]
    UnknownKey,
    #[error("its signature is not that of its issuer")]
    Signature,
    #[error("its issuer says that it does not count")]
    Inactive,
    #[error("it is no JWT, and no client is configured that may ask its issuer")]
    NobodyToAsk,
    /// It counts, and is not good for this.
    #[error("it lacks a scope that is required")]
    Scope,
    #[error("too many unknown tokens came at once; try again in a moment")]
    Crowded,
    /// Nothing is known of it.
    #[error("its issuer cannot be asked: {0}")]
    Unchecked(String),
}

impl SubjectRefusal {
    /// Whether it says something about the token, and not about us or its issuer.
    pub fn is_final(&self) -> bool {
        !matches!(self, Self::Crowded | Self::Unchecked(_))
    }
}
