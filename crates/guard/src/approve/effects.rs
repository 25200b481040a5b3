//! What a call may do, in words for the person who is asked. What a server says of itself is told as
//! that; what nobody says may be anything.

use toolgate_types::config::{NetworkAccess, SandboxProfile, SideEffect, SideEffects};
use toolgate_types::{ToolHints, Trust};

use crate::CommandFacts;

/// Of a server's tool, from what the server says of it.
pub fn effects_of(hints: ToolHints, trust: Trust) -> Vec<String> {
    let ToolHints { read_only, destructive, idempotent: _, open_world } = hints;
    let mut effects = Vec::new();
    let mut say = |words: &str| effects.push(words.to_owned());
    match (read_only, destructive) {
        (_, Some(true)) => say("may destroy or overwrite something"),
        (Some(true), _) => say("only reads"),
        (Some(false), Some(false)) => say("changes something, destroys nothing"),
        (Some(false), None) => say("changes something"),
        (None, _) => say("not declared, so it may be anything"),
    }
    match open_world {
        Some(true) => say("reaches the outside world"),
        Some(false) => say("stays within what the server has"),
        None => {}
    }
    let is_said = read_only.is_some() || destructive.is_some() || open_world.is_some();
    if is_said {
        say(match trust {
            Trust::Trusted => "as the server says",
            Trust::Untrusted => "as the server says, which is not trusted",
        });
    }
    effects
}

/// Of a command tool, from its entry.
pub fn effects_of_command(facts: &CommandFacts<'_>) -> Vec<String> {
    let mut effects = Vec::new();
    let mut say = |words: &str| effects.push(words.to_owned());
    match facts.side_effects {
        SideEffects::NotDeclared => say("not declared, so it may be anything"),
        SideEffects::Declared(declared) if declared.is_empty() => say("none declared"),
        SideEffects::Declared(declared) => {
            for effect in declared {
                say(match effect {
                    SideEffect::FsRead => "reads files",
                    SideEffect::FsWrite => "WRITES FILES",
                    SideEffect::Network => "USES THE NETWORK",
                });
            }
        }
    }
    match facts.network {
        NetworkAccess::Everything => say("the network is open to it"),
        named if named.is_off() => {}
        named => say(&format!("reaches {named}")),
    }
    if facts.profile == SandboxProfile::None {
        say("runs OUTSIDE THE SANDBOX");
    }
    effects
}
