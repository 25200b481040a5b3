//! Whether lists that are not compiled name a tool: the two of one server, or one about all.

use toolgate_types::config::NameFilter;
use toolgate_types::{Pattern, ServerId};

use crate::pattern::glob_matches;

/// In the allow list, where there is one, and not in the deny list.
///
/// For lists that belong to this very server. A list about several servers is compiled into a
/// [`crate::Visibility`], where `server:` binds.
pub fn admits(filter: &NameFilter, server: &ServerId, name: &str) -> bool {
    let among = |patterns: &[Pattern]| {
        patterns.iter().any(|pattern| matches(pattern.as_str(), server.as_str(), name))
    };
    filter.allow.as_deref().is_none_or(among) && !among(&filter.deny)
}

/// Whether a tool is among those that a list about all servers names: `glob` on any, or `server:glob`.
pub fn names_tool(patterns: &[Pattern], server: &ServerId, tool: &str) -> bool {
    patterns.iter().any(|pattern| match pattern.as_str().split_once(':') {
        Some((bound, glob)) => bound == server.as_str() && glob_matches(glob, tool),
        None => glob_matches(pattern.as_str(), tool),
    })
}

/// `server:glob` binds a glob to one server; a glob alone is about the name on any.
fn matches(pattern: &str, server: &str, name: &str) -> bool {
    match pattern.split_once(':') {
        Some((bound, glob)) if bound == server => glob_matches(glob, name),
        // A name may hold a colon itself.
        _ => glob_matches(pattern, name),
    }
}

#[cfg(test)]
mod tests;
