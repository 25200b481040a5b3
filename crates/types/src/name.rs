//! Names that are not ids: environment variables, HTTP headers, glob patterns over tool names.
//!
//! A pattern is kept as text; matching it is the guard's work.

use std::fmt;

/// Why a text is not such a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    // The text is not repeated: people paste a token where its variable's name belongs.
    #[error("this is not the name of an environment variable")]
    Env,
    #[error("{0:?} is not the name of an HTTP header")]
    Header(String),
    #[error("header {0} is set by Toolgate itself and cannot be configured")]
    OwnHeader(String),
    #[error("a pattern cannot be empty")]
    EmptyPattern,
    #[error("a pattern holds no control characters")]
    PatternControl,
}

macro_rules! text_type {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(String);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

text_type! {
    /// The name of an environment variable.
    EnvName;
    /// The name of an HTTP header, in the spelling it was given.
    HeaderName;
    /// A glob over raw tool names, which minds case, or over URIs; `server:glob` binds it to one
    /// server.
    Pattern;
}

impl EnvName {
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let mut chars = text.chars();
        let starts_well = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
        if starts_well && chars.all(|c| c.is_ascii_alphanumeric() || c == '_') {
            Ok(Self(text.to_owned()))
        } else {
            Err(NameError::Env)
        }
    }
}

impl HeaderName {
    /// Headers that belong to the transport: configuring them could only break or smuggle requests.
    const OWN: [&'static str; 11] = [
        "host",
        "content-length",
        "content-type",
        "transfer-encoding",
        "connection",
        "accept",
        "mcp-protocol-version",
        "mcp-session-id",
        "mcp-method",
        "mcp-name",
        "last-event-id",
    ];

    pub fn parse(text: &str) -> Result<Self, NameError> {
        let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
        if text.is_empty() || !text.chars().all(is_token) {
            return Err(NameError::Header(text.to_owned()));
        }
        if Self::OWN.contains(&text.to_ascii_lowercase().as_str()) {
            return Err(NameError::OwnHeader(text.to_owned()));
        }
        Ok(Self(text.to_owned()))
    }
}

impl Pattern {
    pub fn parse(text: &str) -> Result<Self, NameError> {
        if text.trim().is_empty() {
            Err(NameError::EmptyPattern)
        } else if text.chars().any(char::is_control) {
            Err(NameError::PatternControl)
        } else {
            Ok(Self(text.to_owned()))
        }
    }
}
