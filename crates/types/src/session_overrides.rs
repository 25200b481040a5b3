//! What a session changes about the command tools whose entries let it: the folder they run in, and
//! variables. It ends with its session.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::EnvName;

/// The overrides of one session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionOverrides {
    /// As it was given; one that is not absolute is seen from the workspace.
    pub cwd: Option<String>,
    pub env: BTreeMap<EnvName, String>,
}

/// Why they cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OverridesError {
    #[error(
        "`{}` must be an object with `cwd_override` and `env_overrides`",
        SessionOverrides::KEY
    )]
    Shape,
    #[error("`env_overrides` has a name that no variable can have")]
    Name,
    #[error("`{0}` holds a NUL character")]
    Nul(String),
    #[error("`{}` is longer than {} bytes", SessionOverrides::KEY, SessionOverrides::MOST_BYTES)]
    Length,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawOverrides {
    #[serde(default, alias = "cwdOverride")]
    cwd_override: Option<String>,
    #[serde(default, alias = "envOverrides")]
    env_overrides: BTreeMap<String, String>,
}

impl SessionOverrides {
    /// The member of `_meta` that they stand in.
    pub const KEY: &'static str = "toolgate/session";

    /// The most that they may have in all: they are shown to whoever approves.
    pub const MOST_BYTES: usize = 16 * 1024;

    /// From the member of `_meta`; nothing where they change nothing.
    pub fn parse(raw: &RawValue) -> Result<Option<Self>, OverridesError> {
        if raw.get().len() > Self::MOST_BYTES {
            return Err(OverridesError::Length);
        }
        // A struct could be read from an array too.
        if !raw.get().starts_with('{') {
            return Err(OverridesError::Shape);
        }
        let raw: RawOverrides =
            serde_json::from_str(raw.get()).map_err(|_| OverridesError::Shape)?;
        Self::new(raw.cwd_override, raw.env_overrides)
    }

    /// The same from words; nothing where they change nothing.
    pub fn new(
        cwd: Option<String>,
        variables: BTreeMap<String, String>,
    ) -> Result<Option<Self>, OverridesError> {
        if cwd.as_ref().is_some_and(|cwd| cwd.contains('\0')) {
            return Err(OverridesError::Nul("cwd_override".to_owned()));
        }
        let mut env = BTreeMap::new();
        for (name, value) in variables {
            let parsed = EnvName::parse(&name).map_err(|_| OverridesError::Name)?;
            if value.contains('\0') {
                return Err(OverridesError::Nul(name));
            }
            env.insert(parsed, value);
        }
        let overrides = Self { cwd: cwd.filter(|cwd| !cwd.is_empty()), env };
        Ok((overrides != Self::default()).then_some(overrides))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Option<SessionOverrides>, OverridesError> {
        SessionOverrides::parse(&RawValue::from_string(text.to_owned()).unwrap())
    }

    #[test]
    fn a_session_says_a_folder_and_variables_and_nothing_else() {
        let both = r#"{"cwd_override":"sub","env_overrides":{"LANG":"C"}}"#;
        let both = parse(both).unwrap().unwrap();
        assert_eq!(both.cwd.as_deref(), Some("sub"));
        assert_eq!(both.env[&EnvName::parse("LANG").unwrap()], "C");
        assert_eq!(parse("{}"), Ok(None));
        assert_eq!(parse(r#"{"cwd_override":""}"#), Ok(None));
        assert_eq!(parse("[]"), Err(OverridesError::Shape));
        assert_eq!(parse(r#"{"cwd":"x"}"#), Err(OverridesError::Shape));
        assert_eq!(parse(r#"{"env_overrides":{"A=B":"x"}}"#), Err(OverridesError::Name));
        assert_eq!(
            parse(r#"{"env_overrides":{"A":"\u0000"}}"#),
            Err(OverridesError::Nul("A".to_owned()))
        );
        assert_eq!(
            parse(r#"{"cwd_override":"\u0000"}"#),
            Err(OverridesError::Nul("cwd_override".to_owned()))
        );
        let long = format!(r#"{{"cwd_override":"{}"}}"#, "x".repeat(SessionOverrides::MOST_BYTES));
        assert_eq!(parse(&long), Err(OverridesError::Length));
    }
}
