//! The names under which tools are listed, and the way back from any of them.
//!
//! A tool is `(server, raw name)` and has five names, one for each form of [`Naming`]. One form is
//! listed; a caller may use any but the bare one, which means something only where it is listed.
//! Servers choose what their tools are called and may choose badly on purpose, so a name that could
//! mean two tools means neither, a listed one is never taken over, and one that another server's id
//! can be read out of is not given at all: the hashed form takes its place.
//! Who may see which tool is decided before this.

mod form;
mod ids;
mod settle;

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use toolgate_types::config::Naming;
use toolgate_types::{ServerId, visible};

use form::{HASHED_MOST, JOINED_MOST, LONG_TAG, NameTag, TAG};
pub(crate) use ids::{ConfiguredIds, may_name, names_server};
use settle::{JoinedForm, NameParts, SettledForm};

/// A tool as its server calls it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NamedTool<'a> {
    pub(crate) server: &'a ServerId,
    pub(crate) tool: &'a str,
}

/// The names of a set of tools. Tools are known by their place in the list it was built from.
#[derive(Debug)]
pub(crate) struct ToolNames {
    naming: Naming,
    ids: Arc<ConfiguredIds>,
    listed: Vec<Option<Box<str>>>,
    set_aside: Vec<(usize, String)>,
    /// Whether each listed name is what it would be without all other tools.
    is_plain: bool,
    meanings: HashMap<Box<str>, NameMeaning>,
    /// Tools that are one of a kind, for the forms that are not listed.
    kept: Vec<(usize, ServerId, Box<str>)>,
    /// The other forms. A list is read far more often than they are needed.
    forms: OnceLock<HashMap<Box<str>, NameMeaning>>,
}

/// What a name means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NameMeaning {
    /// A tool of the host itself.
    Reserved,
    /// The listed name of a tool.
    Listed(usize),
    /// Another form of a tool's name.
    Form(usize),
    /// Forms of several tools.
    Contested,
}

impl ToolNames {
    /// Names `tools`, given in the order of the configuration. The `reserved` names are those of the
    /// host's own tools; no form of a server's tool ever means one of them. The `ids` are those of all
    /// configured servers, also of those without tools here.
    pub(crate) fn build(
        naming: Naming,
        tools: &[NamedTool<'_>],
        reserved: &[&str],
        ids: Arc<ConfiguredIds>,
    ) -> Self {
        let mut names = Self {
            naming,
            ids,
            listed: vec![None; tools.len()],
            set_aside: Vec::new(),
            is_plain: true,
            meanings: HashMap::with_capacity(tools.len() + reserved.len()),
            kept: Vec::new(),
            forms: OnceLock::new(),
        };
        for name in reserved {
            names.meanings.insert((*name).into(), NameMeaning::Reserved);
        }
        let kept = names.without_repeats(tools);
        let unique = kept.iter().map(|&index| tools[index]).collect();
        let ids = Arc::clone(&names.ids);
        let forms = NameForms::of(unique, reserved, &ids, |form| form == naming);
        let mut written = String::new();
        for (place, &index) in kept.iter().enumerate() {
            names.list(index, forms.get(naming, place, &mut written), tools);
        }
        names.set_aside.sort_by_key(|(index, _)| *index);
        names.is_plain =
            names.set_aside.is_empty() && forms.joined.is_plain() && forms.qualified.is_plain();
        let owned = |index| {
            let NamedTool { server, tool } = tools[index];
            (index, server.clone(), Box::from(tool))
        };
        names.kept = kept.into_iter().map(owned).collect();
        names
    }

    /// The public name of a tool; `None` if it was set aside.
    pub(crate) fn listed(&self, tool: usize) -> Option<&str> {
        self.listed.get(tool)?.as_deref()
    }

    /// Whether every tool is listed, each under the name that it would have without all others. Then any
    /// of them have the same names by themselves, and so have they beside others, as long as no name is
    /// anybody else's too.
    pub(crate) fn is_plain(&self) -> bool {
        self.is_plain
    }

    /// The tools that are not listed, each with the reason.
    pub(crate) fn set_aside(&self) -> &[(usize, String)] {
        &self.set_aside
    }

    /// The tool that a name means, in any form but the bare one unless that is listed.
    pub(crate) fn resolve(&self, name: &str) -> Option<usize> {
        let listed = self.meanings.get(name);
        match listed.or_else(|| self.forms.get_or_init(|| self.other_forms()).get(name))? {
            NameMeaning::Listed(index) | NameMeaning::Form(index) => Some(*index),
            NameMeaning::Reserved | NameMeaning::Contested => None,
        }
    }

    fn other_forms(&self) -> HashMap<Box<str>, NameMeaning> {
        let reserved = self.meanings.iter().filter(|(_, means)| **means == NameMeaning::Reserved);
        let reserved: Vec<&str> = reserved.map(|(name, _)| &**name).collect();
        let unique = self.kept.iter().map(|(_, server, tool)| NamedTool { server, tool }).collect();
        let is_other = |form: Naming| form != self.naming && form != Naming::Bare;
        let forms = NameForms::of(unique, &reserved, &self.ids, is_other);
        let mut meanings = HashMap::with_capacity(self.kept.len() * 4);
        let mut written = String::new();
        for other in Naming::ALL.iter().filter(|other| is_other(**other)) {
            for (place, (index, ..)) in self.kept.iter().enumerate() {
                add_form(&mut meanings, *index, forms.get(*other, place, &mut written));
            }
        }
        meanings
    }

    fn without_repeats(&mut self, tools: &[NamedTool<'_>]) -> Vec<usize> {
        let mut seen = HashSet::with_capacity(tools.len());
        let mut kept = Vec::with_capacity(tools.len());
        for (index, named) in tools.iter().enumerate() {
            if seen.insert((named.server.as_str(), named.tool)) {
                kept.push(index);
            } else {
                let tool = visible(named.tool);
                let reason = format!("the server {} has two tools `{tool}`", named.server);
                self.set_aside.push((index, reason));
            }
        }
        kept
    }

    fn list(&mut self, index: usize, name: &str, tools: &[NamedTool<'_>]) {
        let holder = match self.meanings.entry(name.into()) {
            Entry::Vacant(free) => {
                self.listed[index] = Some(free.key().clone());
                free.insert(NameMeaning::Listed(index));
                return;
            }
            Entry::Occupied(taken) => taken,
        };
        let name = visible(holder.key());
        let reason = match holder.get() {
            NameMeaning::Listed(first) => {
                let NamedTool { server, tool } = tools[*first];
                format!("`{name}` is already the name of {server}/{}", visible(tool))
            }
            _ => format!("`{name}` is the name of a built-in tool"),
        };
        self.set_aside.push((index, reason));
    }
}

/// What is listed was looked up before: here it only matters who else has the name.
fn add_form(meanings: &mut HashMap<Box<str>, NameMeaning>, index: usize, name: &str) {
    match meanings.entry(name.into()) {
        Entry::Vacant(free) => {
            free.insert(NameMeaning::Form(index));
        }
        Entry::Occupied(mut taken) => {
            if matches!(taken.get(), NameMeaning::Form(other) if *other != index) {
                taken.insert(NameMeaning::Contested);
            }
        }
    }
}

/// The names of each tool, in the forms that are wanted.
struct NameForms<'a> {
    tools: Vec<NamedTool<'a>>,
    ids: &'a ConfiguredIds,
    tags: Vec<NameTag>,
    /// The longer of the two sanitised names; the other is its end. None where names with the
    /// server's id in front could be taken for another's.
    sanitised: Vec<Option<String>>,
    joined: SettledForm,
    qualified: SettledForm,
}

impl<'a> NameForms<'a> {
    fn of(
        tools: Vec<NamedTool<'a>>,
        reserved: &[&str],
        ids: &'a ConfiguredIds,
        wanted: impl Fn(Naming) -> bool,
    ) -> Self {
        let [joined, qualified] = [Naming::Joined, Naming::Qualified].map(&wanted);
        // The others have one only where they cannot do without.
        let tagged = wanted(Naming::Hashed);
        let tags: Vec<_> =
            tools.iter().filter(|_| tagged).map(|named| NameTag::of(*named)).collect();
        let any = joined || qualified;
        let sanitise = |named: &NamedTool<'_>| {
            (!ids.is_confusable(named.server)).then(|| form::qualified(*named))
        };
        let sanitised: Vec<_> = tools.iter().filter(|_| any).map(sanitise).collect();
        let parts = NameParts { tools: &tools, sanitised: &sanitised, ids };
        let settle = |form, is_wanted: bool| match is_wanted {
            true => SettledForm::of(form, parts, reserved),
            false => SettledForm::unwanted(form),
        };
        let (joined, qualified) =
            (settle(JoinedForm::Plain, joined), settle(JoinedForm::Qualified, qualified));
        Self { tools, ids, tags, sanitised, joined, qualified }
    }

    /// A name of the tool at this place of the kept ones; what must be made anew is put into
    /// `written`. The hashed one, where another server's id can be read out of this form of it.
    fn get<'s>(&'s self, naming: Naming, place: usize, written: &'s mut String) -> &'s str {
        let named = self.tools[place];
        let (ids, server) = (self.ids, named.server);
        let is_own = |name: &&str| !ids.is_anothers(name, server);
        let name = match naming {
            Naming::Joined => self.joined.name(place, &self.sanitised).filter(is_own),
            Naming::Qualified => self.qualified.name(place, &self.sanitised).filter(is_own),
            Naming::Bare => {
                let is_plain = |tool: &&str| !ids.is_mimicry(tool, server);
                Some(named.tool).filter(is_own).filter(is_plain)
            }
            Naming::Hashed | Naming::Dotted => None,
        };
        if let Some(name) = name {
            return name;
        }
        written.clear();
        if naming == Naming::Dotted && !ids.is_confusable(server) {
            form::write_dotted(written, named);
            if is_own(&written.as_str()) {
                return written;
            }
        }
        let tag = self.tags.get(place).copied().unwrap_or_else(|| NameTag::of(named));
        // In place of a joined name it is as short as one.
        let most = if naming == Naming::Joined { JOINED_MOST } else { HASHED_MOST };
        for digits in [TAG, LONG_TAG] {
            written.clear();
            let fitting_id = |room| ids.fitting(server, room);
            form::write_hashed(written, named, &tag, (digits, most), fitting_id);
            if !ids.is_anothers_hashed(written, server) {
                break;
            }
        }
        written
    }
}

#[cfg(test)]
mod tests;
