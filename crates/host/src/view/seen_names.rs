//! The names of what an audience sees, sorted, and the way back from each.
//!
//! Nearly always they are those that each server's tools have by themselves, and only their order is
//! worked out. Where two tools would come out alike, all are settled together.

use std::sync::{Arc, OnceLock};

use toolgate_types::config::Naming;

use super::seen_tools::SeenTools;
use crate::names::{ConfiguredIds, NamedTool, ToolNames};
use crate::own_tool::OwnTool;

/// The names of one audience's tools, known by their places.
#[derive(Debug)]
pub(super) enum SeenNames {
    /// Each as it would be without all others.
    Plain {
        naming: Naming,
        ids: Arc<ConfiguredIds>,
        /// All places, sorted by name.
        by_name: Vec<usize>,
        /// For the forms that are not listed. A list is read far more often than they are needed.
        others: OnceLock<Box<ToolNames>>,
    },
    Settled(Box<ToolNames>),
}

impl SeenNames {
    pub(super) fn of(naming: Naming, tools: &SeenTools, ids: Arc<ConfiguredIds>) -> Self {
        match tools.is_plain().then(|| in_order(tools)).flatten() {
            Some(by_name) => Self::Plain { naming, ids, by_name, others: OnceLock::new() },
            None => Self::Settled(Box::new(settled(naming, tools, ids))),
        }
    }

    /// The places of those that are listed, sorted by name.
    pub(super) fn listed(&self, tools: &SeenTools) -> Vec<usize> {
        match self {
            Self::Plain { by_name, .. } => by_name.clone(),
            Self::Settled(names) => {
                let is_listed = |place: &usize| names.listed(*place).is_some();
                let mut listed: Vec<usize> = (0..tools.count()).filter(is_listed).collect();
                listed.sort_unstable_by_key(|place| names.listed(*place));
                listed
            }
        }
    }

    /// Where they had to be settled together.
    pub(super) fn settled(&self) -> Option<&ToolNames> {
        match self {
            Self::Plain { .. } => None,
            Self::Settled(names) => Some(names),
        }
    }

    /// The place of the tool that a name means, in any of its forms.
    pub(super) fn resolve(&self, name: &str, tools: &SeenTools) -> Option<usize> {
        match self {
            Self::Plain { naming, ids, by_name, others } => {
                let found = by_name.binary_search_by(|place| tools.plain_name(*place).cmp(name));
                if let Ok(found) = found {
                    return by_name.get(found).copied();
                }
                let settle = || Box::new(settled(*naming, tools, Arc::clone(ids)));
                others.get_or_init(settle).resolve(name)
            }
            Self::Settled(names) => names.resolve(name),
        }
    }
}

fn settled(naming: Naming, tools: &SeenTools, ids: Arc<ConfiguredIds>) -> ToolNames {
    let named = |place| {
        let (server, tool) = tools.shown(place);
        NamedTool { server, tool }
    };
    let keys: Vec<_> = (0..tools.count()).map(named).collect();
    ToolNames::build(naming, &keys, &OwnTool::NAMES, ids)
}

/// All places sorted by their plain names; nothing where two are the same.
fn in_order(tools: &SeenTools) -> Option<Vec<usize>> {
    // Sorted by server already, and names of one server mostly begin alike: then its block stays whole.
    let mut blocks = tools.blocks_by_name();
    blocks.sort_unstable_by_key(|block| block.first().map(|place| tools.plain_name(*place)));
    let comes_before = |pair: &[Vec<usize>]| {
        let [one, other] = pair else { return true };
        let ends = [one.last(), other.first()].map(|end| end.map(|end| tools.plain_name(*end)));
        ends[0] < ends[1]
    };
    let is_sorted = blocks.windows(2).all(comes_before);
    let mut all = blocks.concat();
    if !is_sorted {
        all.sort_unstable_by_key(|place| tools.plain_name(*place));
        let is_same = |pair: &[usize]| tools.plain_name(pair[0]) == tools.plain_name(pair[1]);
        if all.windows(2).any(is_same) {
            return None;
        }
    }
    Some(all)
}
