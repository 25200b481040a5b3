//! `${VAR}`: what is expanded, and why it could not be.
//!
//! `$${` is a literal `${`. There are no defaults and no nesting: a variable is set or it is not.

use toolgate_types::{ConfigText, EnvName, Variables};

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ExpandError {
    #[error("the variable {0} is not set")]
    Unset(String),
    #[error("`${{` must be followed by a variable's name and `}}`")]
    Malformed,
}

impl ExpandError {
    pub(crate) fn rule(&self) -> &'static str {
        match self {
            Self::Unset(_) => "unset-variable",
            Self::Malformed => "malformed-variable",
        }
    }

    pub(crate) fn help(&self) -> String {
        match self {
            Self::Unset(name) => {
                format!("set {name} in the environment, or write `$${{` for `${{`")
            }
            Self::Malformed => {
                "write `${NAME}`; defaults are not supported; `$${` is literal".into()
            }
        }
    }
}

/// The text with its variables in place, or `None` when it names none.
pub(crate) fn expand(text: &str, variables: &Variables) -> Result<Option<ConfigText>, ExpandError> {
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
        EnvName::parse(name).map_err(|_| ExpandError::Malformed)?;
        let found = variables.get(name).ok_or_else(|| ExpandError::Unset(name.to_owned()))?;
        value.push_str(found);
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

/// Whether a text looks as if its writer expected an expansion.
pub(crate) fn mentions_variable(text: &str) -> bool {
    text.split("${")
        .skip(1)
        .any(|rest| rest.split_once('}').is_some_and(|(name, _)| EnvName::parse(name).is_ok()))
}

#[cfg(test)]
mod tests;
