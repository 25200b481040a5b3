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
        by_name: Vec<u32>,
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
    pub(super) fn listed(&self, tools: &SeenTools) -> Vec<u32> {
        match self {
            Self::Plain { by_name, .. } => by_name.clone(),
            Self::Settled(names) => {
                let is_listed = |place: &u32| names.listed(*place as usize).is_some();
                let mut listed: Vec<u32> = (0..tools.count() as u32).filter(is_listed).collect();
                listed.sort_unstable_by_key(|place| names.listed(*place as usize));
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
                let name_of = |place: &u32| tools.plain_name(*place as usize);
                if let Ok(found) = by_name.binary_search_by(|place| name_of(place).cmp(name)) {
                    return by_name.get(found).map(|place| *place as usize);
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
fn in_order(tools: &SeenTools) -> Option<Vec<u32>> {
    // Names of one server mostly begin alike: then its block stays whole.
    let (mut all, is_sorted) = tools.by_name_of_servers();
    if !is_sorted {
        let name = |place: &u32| tools.plain_name(*place as usize);
        all.sort_unstable_by_key(name);
        if all.windows(2).any(|pair| name(&pair[0]) == name(&pair[1])) {
            return None;
        }
    }
    Some(all)
}
