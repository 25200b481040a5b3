//! Which joined and qualified names need the tag: those too long, and those two tools would share.
//!
//! All tools that would share a name get the tag, not all but the first, so that a name does not
//! depend on what else is configured before it. A tool whose plain name is another's tagged one
//! gets a tag as well: nobody can take a name by guessing it. A tool without a sanitised name has
//! neither form.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::form::{JOINED_MOST, QUALIFIED_MOST, QUALIFIER, TAG, Tag};

/// The two forms that are the sanitised name where that is possible.
#[derive(Debug, Clone, Copy)]
pub(super) enum Joined {
    Plain,
    Qualified,
}

impl Joined {
    fn of(self, sanitised: &str) -> &str {
        match self {
            Self::Plain => &sanitised[QUALIFIER.len()..],
            Self::Qualified => sanitised,
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
pub(super) struct Settled {
    form: Joined,
    tagged: HashMap<usize, String>,
}

impl Settled {
    pub(super) fn of(
        form: Joined,
        sanitised: &[Option<String>],
        tags: &[Tag],
        reserved: &[&str],
    ) -> Self {
        let mut to_tag = Vec::new();
        // Who has a name plainly; `None` once nobody may.
        let mut holders = HashMap::with_capacity(sanitised.len() + reserved.len());
        holders.extend(reserved.iter().map(|name| (*name, None)));
        for (place, name) in sanitised.iter().enumerate() {
            let Some(name) = name else { continue };
            let name = form.of(name);
            if name.len() > form.most() {
                to_tag.push(place);
                continue;
            }
            match holders.entry(name) {
                Entry::Vacant(free) => {
                    free.insert(Some(place));
                }
                Entry::Occupied(mut shared) => {
                    to_tag.extend(shared.get_mut().take());
                    to_tag.push(place);
                }
            }
        }
        let mut tagged = HashMap::with_capacity(to_tag.len());
        while let Some(place) = to_tag.pop() {
            let Some(name) = &sanitised[place] else { continue };
            let mut name = form.of(name).to_owned();
            tags[place].append(&mut name, form.most(), TAG);
            to_tag.extend(holders.get_mut(name.as_str()).and_then(Option::take));
            tagged.insert(place, name);
        }
        Self { form, tagged }
    }

    pub(super) fn name<'a>(
        &'a self,
        place: usize,
        sanitised: &'a [Option<String>],
    ) -> Option<&'a str> {
        let tagged = self.tagged.get(&place).map(String::as_str);
        tagged.or_else(|| sanitised[place].as_deref().map(|name| self.form.of(name)))
    }
}
