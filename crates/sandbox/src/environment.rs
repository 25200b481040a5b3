//! The environment of a child: a short list of names, what the entry adds, nothing else.
//!
//! It never looks at the environment of this process; the caller gives what may be taken from.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;

use toolgate_types::BASELINE_VARIABLES;
use toolgate_types::config::InheritEnv;

use crate::Description;

/// Variables by name. Values may be secrets, so only names are ever shown.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.0.get(name.as_ref()).map(OsString::as_os_str)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    fn copy(&mut self, source: &Self, name: &str) {
        if let Some(value) = source.get(name) {
            self.0.insert(name.into(), value.into());
        }
    }
}

impl<K: Into<OsString>, V: Into<OsString>> FromIterator<(K, V)> for Environment {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(variables: I) -> Self {
        Self(variables.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Description {
    /// Exactly the variables that the child will have.
    pub fn environment(&self) -> Environment {
        let mut result = match self.inherit {
            InheritEnv::All => self.source.clone(),
            InheritEnv::Core | InheritEnv::None => Environment::default(),
        };
        if self.inherit == InheritEnv::Core {
            for name in BASELINE_VARIABLES {
                result.copy(&self.source, name);
            }
        }
        for name in &self.pass {
            result.copy(&self.source, name.as_str());
        }
        for (name, value) in &self.env {
            result.0.insert(name.as_str().into(), value.expose().into());
        }
        result
    }
}

#[cfg(test)]
mod tests;
