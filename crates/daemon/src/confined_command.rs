//! A command that a person types to be run behind walls, and whether anything configured needs any.

use std::path::Path;

use toolgate_sandbox::Description;
use toolgate_types::config::{Config, InheritEnv, SandboxProfile, Transport};
use toolgate_types::{ConfigText, Variables};

/// These words in this folder, with the few variables that every program gets. Without a word it is nothing.
pub fn typed_command(
    words: &[String],
    folder: &Path,
    variables: &Variables,
) -> Option<Description> {
    let (program, args) = words.split_first()?;
    let plain = |word: &String| ConfigText::Plain(word.clone());
    Some(Description {
        program: plain(program),
        args: args.iter().map(plain).collect(),
        folder: folder.to_owned(),
        env: Default::default(),
        pass: Vec::new(),
        inherit: InheritEnv::Core,
        source: variables.iter().collect(),
    })
}

/// Whether something that is configured starts behind walls alone.
pub fn needs_walls(config: &Config) -> bool {
    let servers = config.servers.values().any(|entry| match &entry.value.transport {
        Transport::Stdio(stdio) => stdio.confinement.profile != SandboxProfile::None,
        Transport::Remote(_) | Transport::Builtin | Transport::Commands(_) => false,
    });
    let mut tools = config.tools.values();
    servers || tools.any(|entry| entry.value.confinement.profile != SandboxProfile::None)
}
