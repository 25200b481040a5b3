//! Secrets that are kept for a person under names, which a configuration writes as `${secret:NAME}`.
//!
//! Where they are kept, and how, is a [`SecretSource`]'s.

use std::collections::BTreeMap;
use std::fmt;

use crate::Secret;

/// What stands before the name between `${` and `}`.
pub const SECRET_PREFIX: &str = "secret:";

/// The name of a kept secret: letters, digits, `_`, `-` and `.`, not at first `-` or `.`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SecretName(String);

/// The text is not repeated: people paste a secret where its name belongs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "a secret's name has 1 to 64 letters, digits, `_`, `-` and `.`, and begins with none of the last two"
)]
pub struct BadSecretName;

impl SecretName {
    const LONGEST: usize = 64;

    pub fn parse(text: &str) -> Result<Self, BadSecretName> {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let begins_well = !text.is_empty() && !text.starts_with(['-', '.']);
        if begins_well && text.len() <= Self::LONGEST && text.chars().all(is_plain) {
            Ok(Self(text.to_owned()))
        } else {
            Err(BadSecretName)
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SecretName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Secrets by their names.
pub type NamedSecrets = BTreeMap<SecretName, Secret>;

/// Where secrets are kept. Asked with each load, so that one that was set anew counts from the next.
pub trait SecretSource: fmt::Debug + Send + Sync {
    fn read(&self) -> Result<NamedSecrets, SecretsFailure>;
}

/// Why secrets cannot be had, or not be kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct SecretsFailure {
    pub why: String,
    /// What the person can do about it.
    pub hint: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_plain_and_an_error_does_not_repeat_it() {
        for good in ["GITHUB", "a", "openai.prod-2", "_x", "7"] {
            assert_eq!(SecretName::parse(good).map(|name| name.to_string()), Ok(good.to_owned()));
        }
        let long = "x".repeat(65);
        for bad in
            ["", "-x", ".x", "..", "a b", "a/b", "../x", "a:b", "ä", "a\u{202e}b", "a}", &long]
        {
            assert_eq!(SecretName::parse(bad), Err(BadSecretName), "{bad}");
        }
        assert!(!BadSecretName.to_string().contains("a b"));
    }
}
