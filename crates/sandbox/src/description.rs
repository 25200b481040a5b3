//! What is to be started, in plain values.
//!
//! It says nothing about whether that may run, and nothing in it was looked up yet.

use std::path::PathBuf;

use indexmap::IndexMap;
use toolgate_types::config::InheritEnv;
use toolgate_types::{EnvName, Text};

use crate::Environment;

/// A program with its arguments, its folder and what its environment is made of.
#[derive(Debug, Clone)]
pub struct Description {
    /// A name with a slash counts from `folder`; a bare one is looked up in the child's `PATH`.
    pub program: Text,
    pub args: Vec<Text>,
    /// The child's working directory, absolute.
    pub folder: PathBuf,
    /// Variables that the entry sets; they win over every other source.
    pub env: IndexMap<EnvName, Text>,
    /// Variables that the entry passes on from `source`, where they exist.
    pub pass: Vec<EnvName>,
    /// What else the child gets from `source`.
    pub inherit: InheritEnv,
    /// The environment that the caller lets a child take from.
    pub source: Environment,
}
