//! Whose a name can be read as: the ids of all configured servers, whatever state each is in.
//!
//! A name belongs to its server, also while that server denies, hides or lacks it, is down, or was
//! never accepted. So a name is given only where nobody else's id can be read out of it.

use std::collections::{HashMap, HashSet};

use toolgate_guard::Owner;
use toolgate_types::ServerId;

use super::form::{HASHED_MOST, JOINED_MOST, LONG_TAG, QUALIFIED_MOST, QUALIFIER, TAG};

/// What stands before the id in a hashed name.
const HASHED: &str = "mcp_";
/// What stands between an id and a tool, in names and wherever else a tool is named.
const SEPARATORS: [&str; 4] = ["__", ".", ":", "/"];
/// Shorter ids are whole in every name.
const LONG_ID: usize = JOINED_MOST - LONG_TAG - HASHED.len() - 3;

/// The ids of all configured servers.
#[derive(Debug, Default)]
pub(crate) struct ConfiguredIds {
    exact: HashSet<Box<str>>,
    /// Small letters and `_` only; the ids that come out so.
    folded: HashMap<String, Vec<Box<str>>>,
    /// Those that a name may hold the beginning of.
    long: Vec<Box<str>>,
}

impl ConfiguredIds {
    pub(crate) fn new<'a>(ids: impl IntoIterator<Item = &'a ServerId>) -> Self {
        let mut all = Self::default();
        all.add(Owner::LOCAL);
        ids.into_iter().for_each(|id| all.add(id.as_str()));
        all
    }

    fn add(&mut self, id: &str) {
        if !self.exact.insert(id.into()) {
            return;
        }
        self.folded.entry(folded(id)).or_default().push(id.into());
        if id.len() > LONG_ID {
            self.long.push(id.into());
        }
    }

    /// Whether names with this id in front could be taken for another's: it holds what stands between
    /// an id and a tool, or differs from another only in case or in `-` and `_`.
    pub(super) fn is_confusable(&self, id: &ServerId) -> bool {
        let alike = self.folded.get(&folded(id.as_str())).map_or(0, Vec::len);
        id.as_str().contains("__") || alike > 1
    }

    /// Whether a name, in the form of any of our names, can be read as a tool of another server.
    pub(super) fn is_anothers(&self, name: &str, owner: &ServerId) -> bool {
        self.is_read_as(name, owner, |_| true)
    }

    /// The same for a hashed name. Of the ids that it begins with, it is the longest's.
    pub(super) fn is_anothers_hashed(&self, name: &str, owner: &ServerId) -> bool {
        self.is_read_as(name, owner, |id| id.len() > owner.as_str().len())
    }

    fn is_read_as(&self, name: &str, owner: &ServerId, of_hash: impl Fn(&str) -> bool) -> bool {
        let is_other = |id: &str| id != owner.as_str() && self.exact.contains(id);
        let is_joined = |name: &str| starts(name, "__").any(is_other);
        let is_hashed = |rest: &str| starts(rest, "_").any(|id| is_other(id) && of_hash(id));
        is_joined(name)
            || starts(name, ".").any(is_other)
            || name.strip_prefix(QUALIFIER).is_some_and(is_joined)
            || name.strip_prefix(HASHED).is_some_and(is_hashed)
            || self.is_anothers_cut(name, owner)
    }

    /// The same for names that hold the beginning of an id only.
    fn is_anothers_cut(&self, name: &str, owner: &ServerId) -> bool {
        let forms = [
            ("", "__", JOINED_MOST, TAG),
            (QUALIFIER, "__", QUALIFIED_MOST, TAG),
            (HASHED, "_", HASHED_MOST, TAG),
            (HASHED, "_", HASHED_MOST, LONG_TAG),
            (HASHED, "_", JOINED_MOST, TAG),
            (HASHED, "_", JOINED_MOST, LONG_TAG),
        ];
        let is_cut = |id: &str| {
            let mut full = forms.iter().filter(|(_, _, most, _)| name.len() == *most);
            full.any(|(before, after, most, tag)| {
                let (whole, kept) = (format!("{before}{id}{after}"), most - 1 - tag);
                let beginning = whole.get(..kept);
                beginning.is_some() && name.get(..kept) == beginning
            })
        };
        let mut others = self.long.iter().filter(|id| &***id != owner.as_str());
        others.any(|id| is_cut(id))
    }

    /// Whether a tool's own name begins with another server's id and what stands after one, however
    /// that is spelled.
    pub(super) fn is_mimicry(&self, tool: &str, owner: &ServerId) -> bool {
        let tool = folded(tool);
        let is_other = |id: &str| {
            let ids = self.folded.get(id);
            ids.is_some_and(|ids| ids.iter().any(|id| &**id != owner.as_str()))
        };
        let begins =
            |name: &str| SEPARATORS.iter().any(|separator| starts(name, separator).any(is_other));
        let hashed = tool.strip_prefix(HASHED);
        begins(&tool)
            || tool.strip_prefix(QUALIFIER).is_some_and(begins)
            || hashed.is_some_and(|rest| starts(rest, "_").any(is_other))
    }
}

/// What stands before each separator, where it can be an id.
fn starts<'a>(name: &'a str, separator: &'static str) -> impl Iterator<Item = &'a str> {
    let longest = name.len().min(64 + separator.len());
    let ends = (1..longest).take_while(|at| {
        let byte = name.as_bytes()[at - 1];
        byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
    });
    ends.filter(move |at| name.as_bytes()[*at..].starts_with(separator.as_bytes()))
        .map(|at| &name[..at])
}

fn folded(text: &str) -> String {
    text.chars().map(|c| if c == '-' { '_' } else { c.to_ascii_lowercase() }).collect()
}
