//! `${VAR}` and `${secret:NAME}`: what is expanded, and why it could not be.
//!
//! `$${` is a literal `${`. There are no defaults and no nesting: a variable is set or it is not, and a
//! secret is kept or it is not.

use toolgate_types::{
    ConfigText, EnvName, NamedSecrets, SECRET_PREFIX, SecretName, SecretsFailure, Variables,
};

/// What can be expanded, and by what.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExpansionSources<'a> {
    pub(crate) variables: &'a Variables,
    pub(crate) secrets: &'a FoundSecrets,
}

/// The secrets that are kept, or why none can be had.
pub(crate) type FoundSecrets = Result<NamedSecrets, SecretsFailure>;

/// For a text behind which nothing is kept.
pub(crate) const NO_SECRETS: FoundSecrets = Ok(NamedSecrets::new());

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ExpandError {
    #[error("the variable {0} is not set")]
    Unset(String),
    #[error("`${{` must be followed by a variable's name and `}}`")]
    Malformed,
    #[error("there is no secret {0}")]
    UnknownSecret(SecretName),
    #[error("`${{secret:` must be followed by a secret's name and `}}`")]
    MalformedSecret,
    #[error("the secret {0} cannot be had: {1}")]
    Unreadable(SecretName, SecretsFailure),
}

impl ExpandError {
    pub(crate) fn rule(&self) -> &'static str {
        match self {
            Self::Unset(_) => "unset-variable",
            Self::Malformed => "malformed-variable",
            Self::UnknownSecret(_) => "unknown-secret",
            Self::MalformedSecret => "malformed-secret",
            Self::Unreadable(..) => "unreadable-secrets",
        }
    }

    pub(crate) fn help(&self) -> String {
        match self {
            Self::Unset(name) => {
                format!("set {name} in the environment, or write `$${{` for `${{`")
            }
            Self::Malformed => {
                "write `${NAME}` or `${secret:NAME}`; defaults are not supported; `$${` is literal"
                    .into()
            }
            Self::UnknownSecret(name) => format!("set it with: toolgate secret set {name}"),
            Self::MalformedSecret => "a name has letters, digits, `_`, `-` and `.`".into(),
            Self::Unreadable(_, SecretsFailure { hint, .. }) => hint.clone(),
        }
    }
}

/// The text with its variables and secrets in place, or `None` when it names none.
pub(crate) fn expand(
    text: &str,
    sources: ExpansionSources<'_>,
) -> Result<Option<ConfigText>, ExpandError> {
    if !text.contains("${") {
        return Ok(None);
    }
    let mut value = String::with_capacity(text.len());
    let mut expanded = false;
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        if rest[..at].ends_with('$') {
            value.push_str(&rest[..at - 1]);
            value.push_str("${");
            rest = &rest[at + 2..];
            continue;
        }
        value.push_str(&rest[..at]);
        let (name, after) = rest[at + 2..].split_once('}').ok_or(ExpandError::Malformed)?;
        value.push_str(sources.found(name)?);
        expanded = true;
        rest = after;
    }
    value.push_str(rest);
    if expanded {
        Ok(Some(ConfigText::expanded(text.to_owned(), value)))
    } else {
        Ok(Some(ConfigText::Plain(value)))
    }
}

impl<'a> ExpansionSources<'a> {
    /// What stands for a name between `${` and `}`.
    fn found(self, name: &str) -> Result<&'a str, ExpandError> {
        let Some(secret) = name.strip_prefix(SECRET_PREFIX) else {
            EnvName::parse(name).map_err(|_| ExpandError::Malformed)?;
            let found = self.variables.get(name).map(String::as_str);
            return found.ok_or_else(|| ExpandError::Unset(name.to_owned()));
        };
        let name = SecretName::parse(secret).map_err(|_| ExpandError::MalformedSecret)?;
        match self.secrets {
            Ok(kept) => match kept.get(&name) {
                Some(secret) => Ok(secret.expose()),
                None => Err(ExpandError::UnknownSecret(name)),
            },
            Err(why) => Err(ExpandError::Unreadable(name, why.clone())),
        }
    }
}

/// What a text has between `${` and `}`; an escaped one is not among it.
pub(crate) fn named(text: &str) -> impl Iterator<Item = &str> {
    // `$${` is literal, whatever follows it.
    let escaped = |at: usize| text[..at].ends_with('$');
    let begins = text.match_indices("${").filter(move |(at, _)| !escaped(*at));
    begins.filter_map(|(at, _)| text[at + 2..].split_once('}')).map(|(name, _)| name)
}

/// The secrets that a text names.
pub(crate) fn named_secrets(text: &str) -> impl Iterator<Item = SecretName> {
    let secrets = named(text).filter_map(|name| name.strip_prefix(SECRET_PREFIX));
    secrets.filter_map(|name| SecretName::parse(name).ok())
}

/// Whether a text looks as if its writer expected an expansion.
pub(crate) fn mentions_variable(text: &str) -> bool {
    text.split("${").skip(1).any(|rest| {
        rest.split_once('}').is_some_and(|(name, _)| match name.strip_prefix(SECRET_PREFIX) {
            Some(name) => SecretName::parse(name).is_ok(),
            None => EnvName::parse(name).is_ok(),
        })
    })
}

#[cfg(test)]
mod tests;
