//! Whose a name can be read as: the ids of all configured servers, whatever state each is in.
//!
//! A name belongs to its server, also while that server denies, hides or lacks it, is down, or was
//! never accepted. So a name is given only where nobody else's id can be read out of it.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use toolgate_guard::MatterOwner;
use toolgate_types::ServerId;

use super::form::{BETWEEN, LONG_TAG, NameTag, QUALIFIER, SHORT_ID, TAG};

/// What stands before the id in a hashed name.
const HASHED: &str = "mcp_";
/// What stands between an id and a tool, in names and wherever else a tool is named.
const SEPARATORS: [&str; 4] = ["__", ".", ":", "/"];
/// How many digits a shortened id may have.
const ID_TAGS: [usize; 3] = [TAG, 2 * TAG, LONG_TAG];

/// An id that may be shortened.
#[derive(Debug)]
struct LongId {
    id: Box<str>,
    folded: String,
}

/// The ids of all configured servers.
#[derive(Debug, Default)]
pub(crate) struct ConfiguredIds {
    exact: HashSet<Box<str>>,
    /// Small letters and `_` only; the ids that come out so.
    folded: HashMap<String, Vec<Box<str>>>,
    /// Those that a name may hold the beginning of, with small letters and `_` only, by the first
    /// digits of their tag.
    long: HashMap<String, Vec<LongId>>,
}

impl ConfiguredIds {
    pub(crate) fn new<'a>(ids: impl IntoIterator<Item = &'a ServerId>) -> Self {
        let mut all = Self::default();
        all.add(MatterOwner::LOCAL);
        ids.into_iter().for_each(|id| all.add(id.as_str()));
        all
    }

    /// Whether they are those of exactly these servers.
    pub(crate) fn are_those<'a>(&self, ids: impl IntoIterator<Item = &'a ServerId>) -> bool {
        let mut others: HashSet<&str> = ids.into_iter().map(ServerId::as_str).collect();
        others.insert(MatterOwner::LOCAL);
        others.len() == self.exact.len() && others.iter().all(|id| self.exact.contains(*id))
    }

    fn add(&mut self, id: &str) {
        if !self.exact.insert(id.into()) {
            return;
        }
        self.folded.entry(folded(id)).or_default().push(id.into());
        if id.len() > SHORT_ID {
            let long = LongId { id: id.into(), folded: folded(id) };
            self.long.entry(NameTag::of_id(id).digits(TAG)).or_default().push(long);
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
            || self.is_anothers_short(name, owner)
    }

    /// An id in at most so many characters, though never in fewer than it takes to know it: its
    /// beginning and a tag. That is no other id, and no other id goes on from it as a name would.
    pub(super) fn fitting<'i>(&self, id: &'i ServerId, room: usize) -> Cow<'i, str> {
        let id = id.as_str();
        let room = room.max(SHORT_ID);
        if id.len() <= room {
            return Cow::Borrowed(id);
        }
        let tag = NameTag::of_id(id);
        let mut short = String::new();
        for digits in ID_TAGS {
            let kept = &id[..room.saturating_sub(1 + digits).max(SHORT_ID - 1 - TAG)];
            let trimmed = kept.trim_end_matches(['_', '-']);
            let kept = if trimmed.is_empty() { kept } else { trimmed };
            short = format!("{kept}_{}", tag.digits(digits));
            if !self.is_taken(&short) {
                break;
            }
        }
        Cow::Owned(short)
    }

    /// Whether this is an id, or one begins with it and what could stand after it.
    fn is_taken(&self, short: &str) -> bool {
        let short = folded(short);
        let goes_on =
            |id: &String| id.strip_prefix(&*short).is_some_and(|rest| rest.starts_with('_'));
        self.folded.contains_key(&short) || self.folded.keys().any(goes_on)
    }

    /// Whether a name begins as that of another would whose id was shortened.
    fn is_anothers_short(&self, name: &str, owner: &ServerId) -> bool {
        if self.long.is_empty() {
            return false;
        }
        let name = folded(name);
        let forms = [("", BETWEEN), ("", "."), (QUALIFIER, BETWEEN), (HASHED, "_")];
        forms.iter().any(|(before, after)| {
            let Some(rest) = name.strip_prefix(before) else { return false };
            rest.match_indices('_').any(|(at, _)| {
                let (kept, tagged) = (&rest[..at], &rest[at + 1..]);
                let Some(ids) = tagged.get(..TAG).and_then(|tag| self.long.get(tag)) else {
                    return false;
                };
                let more = tagged[TAG..].trim_start_matches(|c: char| c.is_ascii_hexdigit());
                let others = ids.iter().filter(|long| &*long.id != owner.as_str());
                more.starts_with(after)
                    && others.into_iter().any(|long| long.folded.starts_with(kept))
            })
        })
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

/// What stands before each separator, where it can be an id. Asked several times of every name there is, so
/// a separator is looked for by its first byte.
fn starts<'a>(name: &'a str, separator: &'static str) -> impl Iterator<Item = &'a str> {
    let (bytes, separator) = (name.as_bytes(), separator.as_bytes());
    let may_be_in_id = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let longest = bytes.len().min(64 + separator.len());
    let in_id = bytes.iter().take(longest).take_while(may_be_in_id).count();
    let is_separated =
        move |at: &usize| bytes[*at] == separator[0] && bytes[*at..].starts_with(separator);
    (1..longest.min(in_id + 1)).filter(is_separated).map(|at| &name[..at])
}

/// Whether a name may be one of a tool of this server, whatever the form.
pub(crate) fn may_name(name: &str, server: &ServerId) -> bool {
    let id = server.as_str();
    let is_short = || id.len() > SHORT_ID && name.contains(&NameTag::of_id(id).digits(TAG));
    name.contains(id) || is_short()
}

/// Whether a name says itself that it is one of this server: it begins with its id, and goes on.
pub(crate) fn names_server(name: &str, server: &ServerId) -> bool {
    let (name, id) = (folded(name), folded(server.as_str()));
    let rest = name.strip_prefix(&id);
    rest.is_some_and(|rest| ["__", ".", "/"].iter().any(|separator| rest.starts_with(separator)))
}

fn folded(text: &str) -> String {
    text.chars().map(|c| if c == '-' { '_' } else { c.to_ascii_lowercase() }).collect()
}
