//! What is to be started, in plain values.
//!
//! It says nothing about whether that may run, and nothing in it was looked up yet.

use std::path::PathBuf;

use indexmap::IndexMap;
use toolgate_types::config::InheritEnv;
use toolgate_types::{BASELINE_VARIABLES, ConfigText, EnvName, NETWORK_VARIABLES};

use crate::Environment;

/// A program with its arguments, its folder and what its environment is made of.
#[derive(Debug, Clone)]
pub struct Description {
    /// A name with a slash counts from `folder`; a bare one is looked up in the child's `PATH`.
    pub program: ConfigText,
    pub args: Vec<ConfigText>,
    /// The child's working directory, absolute.
    pub folder: PathBuf,
    /// Variables that the entry sets; they win over every other source.
    pub env: IndexMap<EnvName, ConfigText>,
    /// Variables that the entry passes on from `source`, where they exist.
    pub pass: Vec<EnvName>,
    /// What else the child gets from `source`.
    pub inherit: InheritEnv,
    /// The environment that the caller lets a child take from.
    pub source: Environment,
}

impl Description {
    /// Exactly the variables that the child will have.
    pub fn environment(&self) -> Environment {
        let mut result = match self.inherit {
            InheritEnv::All => self.source.clone(),
            InheritEnv::Core | InheritEnv::None => Environment::default(),
        };
        if self.inherit == InheritEnv::Core {
            for name in BASELINE_VARIABLES.into_iter().chain(NETWORK_VARIABLES) {
                result.copy(&self.source, name);
            }
        }
        for name in &self.pass {
            result.copy(&self.source, name.as_str());
        }
        for (name, value) in &self.env {
            result.set(name.as_str(), value.expose());
        }
        result
    }

    /// What a program needs for the network and this one is not given, though it is there to be taken.
    pub fn withheld_for_network(&self) -> Vec<&'static str> {
        let given = self.environment();
        let is_withheld =
            |name: &&str| self.source.get(name).is_some() && given.get(name).is_none();
        NETWORK_VARIABLES.into_iter().filter(is_withheld).collect()
    }
}

#[cfg(test)]
mod tests;
