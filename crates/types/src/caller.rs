//! Who calls, from where.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::Era;

/// Who a call is for: the user of this machine, a named client token, a subject of an issuer.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Principal(Arc<str>);

impl Principal {
    /// The user whose process this is.
    pub fn local_user() -> Self {
        Self("local".into())
    }

    pub fn named(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One run of an agent, where there is such a thing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SessionId(pub String);

/// Who calls.
#[derive(Debug, Clone)]
pub struct Caller {
    pub principal: Principal,
    pub session: Option<SessionId>,
    /// The folder the caller works in.
    pub workspace: PathBuf,
    /// The program that calls, as it is known here.
    pub client: Option<String>,
    /// How it speaks, where it speaks over a connection.
    pub era: Option<Era>,
}

impl Caller {
    /// Somebody of whom nothing else is known.
    pub fn new(principal: Principal, workspace: impl Into<PathBuf>) -> Self {
        Self { principal, session: None, workspace: workspace.into(), client: None, era: None }
    }
}
