//! Who issues the tokens that callers bring, and what has to stand in them.

use indexmap::IndexMap;

use crate::{ConfigText, Endpoint, RoleId};

words! {
    /// How a token may be signed: with a key that only its issuer has.
    SignatureAlgorithm {
        Rs256 = "RS256",
        Rs384 = "RS384",
        Rs512 = "RS512",
        Ps256 = "PS256",
        Ps384 = "PS384",
        Ps512 = "PS512",
        Es256 = "ES256",
        Es384 = "ES384",
        EdDsa = "EdDSA",
    }
}

/// The issuer whose tokens are taken.
#[derive(Debug, Clone)]
pub struct TokenIssuer {
    /// Compared as it is written.
    pub issuer: Endpoint,
    /// What a token must be for, where that is not the gateway's `public_url`.
    pub audience: Option<String>,
    /// Instead of what the issuer publishes.
    pub jwks_uri: Option<Endpoint>,
    pub introspection_endpoint: Option<Endpoint>,
    /// As whom the issuer is asked about tokens that say nothing by themselves.
    pub client_id: Option<ConfigText>,
    pub client_secret: Option<ConfigText>,
    /// Without one of these nothing is done for a caller.
    pub required_scopes: Vec<String>,
    pub algorithms: Vec<SignatureAlgorithm>,
    /// The claim that says what a caller may act as.
    pub role_claim: String,
    /// What its values mean, the first that a caller has first. Where there is none, they are the names
    /// of roles.
    pub roles: IndexMap<String, ClaimedRole>,
}

impl TokenIssuer {
    /// What is taken where a file names nothing.
    pub const ALGORITHMS: [SignatureAlgorithm; 4] = [
        SignatureAlgorithm::Rs256,
        SignatureAlgorithm::Ps256,
        SignatureAlgorithm::Es256,
        SignatureAlgorithm::EdDsa,
    ];
}

/// What the value of a claim means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimedRole {
    /// Every role, and also none at all.
    Every,
    Role(RoleId),
}

impl ClaimedRole {
    /// How [`ClaimedRole::Every`] is written.
    pub const EVERY: &'static str = "*";

    pub fn as_str(&self) -> &str {
        match self {
            Self::Every => Self::EVERY,
            Self::Role(role) => role.as_str(),
        }
    }
}
