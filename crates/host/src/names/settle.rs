//! Which joined and qualified names need the tag: those too long, and those two tools would share.
//!
//! A name that is too long loses of its server's id first, so that the tool can still be read; the
//! tag, and a cut into the tool's name, come where that is not enough.
//!
//! All tools that would share a name get the tag, not all but the first, so that a name does not
//! depend on what else is configured before it. A tool whose plain name is another's tagged one
//! gets a tag as well: nobody can take a name by guessing it. A tool without a sanitised name has
//! neither form.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::NamedTool;
use super::form::{BETWEEN, JOINED_MOST, NameTag, QUALIFIED_MOST, QUALIFIER, TAG};
use super::ids::ConfiguredIds;

/// The two forms that are the sanitised name where that is possible.
#[derive(Debug, Clone, Copy)]
pub(super) enum JoinedForm {
    Plain,
    Qualified,
}

impl JoinedForm {
    fn of(self, sanitised: &str) -> &str {
        match self {
            Self::Plain => &sanitised[QUALIFIER.len()..],
            Self::Qualified => sanitised,
        }
    }

    /// What stands before the id.
    fn before(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Qualified => QUALIFIER,
        }
    }

    fn most(self) -> usize {
        match self {
            Self::Plain => JOINED_MOST,
            Self::Qualified => QUALIFIED_MOST,
        }
    }
}

/// One form of all tools, as far as it is not the sanitised name itself.
pub(super) struct SettledForm {
    form: JoinedForm,
    /// Those with a shortened id, a tag, or both.
    changed: HashMap<usize, String>,
    /// Whether each is what it would be without all others.
    is_plain: bool,
}

/// What names are made of.
#[derive(Clone, Copy)]
pub(super) struct NameParts<'a> {
    pub(super) tools: &'a [NamedTool<'a>],
    pub(super) sanitised: &'a [Option<String>],
    pub(super) ids: &'a ConfiguredIds,
}

impl<'a> NameParts<'a> {
    /// The name without a tag; nothing where even the shortest id leaves no room for all of it.
    fn plain(&self, form: JoinedForm, place: usize) -> Option<Cow<'a, str>> {
        let name = form.of(self.sanitised[place].as_deref()?);
        if name.len() <= form.most() {
            return Some(Cow::Borrowed(name));
        }
        let shorter = self.with_fitting_id(form, place, 0)?;
        (shorter.len() <= form.most()).then_some(Cow::Owned(shorter))
    }

    fn tagged(&self, form: JoinedForm, place: usize) -> Option<String> {
        let mut name = self.with_fitting_id(form, place, 1 + TAG)?;
        NameTag::of(self.tools[place]).append(&mut name, form.most(), TAG);
        Some(name)
    }

    /// The name with as much of the id as leaves room for the tool, and for so much after it.
    fn with_fitting_id(&self, form: JoinedForm, place: usize, after: usize) -> Option<String> {
        let name = form.of(self.sanitised[place].as_deref()?);
        let (server, before) = (self.tools[place].server, form.before());
        let tool = name.get(before.len() + server.as_str().len() + BETWEEN.len()..)?;
        let taken = before.len() + BETWEEN.len() + tool.len() + after;
        let id = self.ids.fitting(server, form.most().saturating_sub(taken));
        Some([before, &id, BETWEEN, tool].concat())
    }
}

impl SettledForm {
    /// Of no tools.
    pub(super) fn unwanted(form: JoinedForm) -> Self {
        Self { form, changed: HashMap::new(), is_plain: true }
    }

    /// Whether each name is what it would be without all other tools.
    pub(super) fn is_plain(&self) -> bool {
        self.is_plain
    }

    pub(super) fn of(form: JoinedForm, parts: NameParts<'_>, reserved: &[&str]) -> Self {
        let plain: Vec<_> =
            (0..parts.sanitised.len()).map(|place| parts.plain(form, place)).collect();
        let (mut to_tag, mut is_plain) = (Vec::new(), true);
        // Who has a name plainly; `None` once nobody may.
        let mut holders = HashMap::with_capacity(plain.len() + reserved.len());
        holders.extend(reserved.iter().map(|name| (*name, None)));
        for (place, name) in plain.iter().enumerate() {
            let Some(name) = name.as_deref() else {
                to_tag.push(place);
                continue;
            };
            match holders.entry(name) {
                Entry::Vacant(free) => {
                    free.insert(Some(place));
                }
                Entry::Occupied(mut shared) => {
                    is_plain = false;
                    to_tag.extend(shared.get_mut().take());
                    to_tag.push(place);
                }
            }
        }
        let mut tagged = HashMap::with_capacity(to_tag.len());
        while let Some(place) = to_tag.pop() {
            let Some(name) = parts.tagged(form, place) else { continue };
            if let Some(holder) = holders.get_mut(name.as_str()) {
                is_plain = false;
                to_tag.extend(holder.take());
            }
            tagged.insert(place, name);
        }
        drop(holders);
        let shortened = plain.into_iter().enumerate().filter_map(|(place, name)| match name? {
            Cow::Owned(name) => Some((place, name)),
            Cow::Borrowed(_) => None,
        });
        let mut changed: HashMap<_, _> = shortened.collect();
        changed.extend(tagged);
        Self { form, changed, is_plain }
    }

    pub(super) fn name<'a>(
        &'a self,
        place: usize,
        sanitised: &'a [Option<String>],
    ) -> Option<&'a str> {
        let changed = self.changed.get(&place).map(String::as_str);
        changed.or_else(|| sanitised[place].as_deref().map(|name| self.form.of(name)))
    }
}
