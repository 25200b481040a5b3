//! Ids of configured things: one regular expression for all, one type for each.
//!
//! What an id refers to is not checked here; that is a cross-check after the layers are merged.

use std::fmt;
use std::sync::Arc;

/// Why a text is not an id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IdError {
    #[error("an id cannot be empty")]
    Empty,
    #[error("an id has at most 64 characters, this one has {0}")]
    TooLong(usize),
    #[error("an id holds only letters, digits, `_` and `-`; {0:?} is none of them")]
    Character(char),
    #[error("`{0}` is a reserved name")]
    Reserved(&'static str),
}

fn check(text: &str) -> Result<(), IdError> {
    if text.is_empty() {
        return Err(IdError::Empty);
    }
    if let Some(odd) = text.chars().find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-')))
    {
        return Err(IdError::Character(odd));
    }
    if text.len() > 64 { Err(IdError::TooLong(text.len())) } else { Ok(()) }
}

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident reserving $reserved:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Parses `^[a-zA-Z0-9_-]{1,64}$`, minus the names this kind reserves.
            pub fn parse(text: &str) -> Result<Self, IdError> {
                check(text)?;
                let reserved: &[&'static str] = &$reserved;
                match reserved.iter().find(|word| is_reserved(text, word)) {
                    Some(word) => Err(IdError::Reserved(word)),
                    None => Ok(Self(text.into())),
                }
            }

            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", self.0)
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    )*};
}

/// A reserved word ending in `*` reserves the prefix.
fn is_reserved(text: &str, word: &str) -> bool {
    match word.strip_suffix('*') {
        Some(prefix) => text.starts_with(prefix),
        None => text == word,
    }
}

ids! {
    /// An upstream server. `local` is the pseudo-server of the command tools.
    ServerId reserving [ServerId::LOCAL];
    /// A command tool; the names of the legacy surface and of generated names stay free for them.
    ToolId reserving ["codex", "codex-reply", "mcp_*"];
    /// A named slice of one server's tools.
    BundleId reserving [];
    /// What a caller acts as.
    RoleId reserving [];
    /// A workflow of steps.
    WorkflowId reserving [];
    /// One step of a workflow, for one role.
    StepId reserving [];
}

impl ServerId {
    /// The pseudo-server that has the command tools; no entry can have this id.
    pub const LOCAL: &'static str = "local";

    pub fn local() -> Self {
        Self(Self::LOCAL.into())
    }

    /// The same as [`ServerId::parse`] where a server is referred to, which may be that one.
    pub fn parse_reference(text: &str) -> Result<Self, IdError> {
        if text == Self::LOCAL { Ok(Self::local()) } else { Self::parse(text) }
    }

    pub fn is_local(&self) -> bool {
        &*self.0 == Self::LOCAL
    }
}

#[cfg(test)]
mod tests;
