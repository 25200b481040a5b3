//! The names that the entry of a server gives to its tools.
//!
//! A given name is the tool's, whatever else the server calls so, now or later: what the server has
//! under that name is set aside until it is given another. A tool that has a given name has no other.

use std::collections::HashMap;

use toolgate_types::config::Server;
use toolgate_types::visible;

/// The names of one server's tools.
#[derive(Debug, Clone, Default)]
pub(crate) struct ShownNames<'a> {
    /// What the server calls it, by the name that is given to it.
    given: HashMap<&'a str, &'a str>,
    /// The other way round.
    renamed: HashMap<&'a str, &'a str>,
}

impl<'a> ShownNames<'a> {
    pub(crate) fn of(server: &'a Server) -> Self {
        let mut names = Self::default();
        for (tool, settings) in &server.tool_settings {
            let name = settings.shaping.as_ref().and_then(|shaping| shaping.rename.as_ref());
            if let Some(name) = name {
                names.given.entry(name.as_str()).or_insert(tool);
                names.renamed.insert(tool, name.as_str());
            }
        }
        names
    }

    /// The name under which a tool is shown, or why it has none.
    pub(crate) fn shown<'t>(&self, tool: &'t str) -> Result<&'t str, String>
    where
        'a: 't,
    {
        let shown: &'t str = self.renamed.get(tool).copied().unwrap_or(tool);
        match self.given.get(shown) {
            Some(holder) if *holder != tool => Err(format!(
                "`{}` is the name that its entry gives to `{}`",
                visible(shown),
                visible(holder)
            )),
            _ => Ok(shown),
        }
    }

    /// What the server calls a tool that is shown under this name.
    pub(crate) fn own<'t>(&self, shown: &'t str) -> Option<&'t str>
    where
        'a: 't,
    {
        match self.given.get(shown) {
            Some(tool) => Some(tool),
            None => (!self.renamed.contains_key(shown)).then_some(shown),
        }
    }
}
