//! A set of rules, each a pattern of some list, that finds the one which means a name.

use std::collections::HashMap;

use toolgate_types::{ServerId, allow_pattern_spellings, deny_pattern_spellings};

use super::names::NameGlobs;
use crate::case::MatterOwner;
use crate::list::ListRule;

/// What the part before a colon is taken for, in a pattern that has one.
///
/// It binds the rest to a server, but a name or a URI may hold a colon itself. A server picks the
/// names of its tools: were both meanings good everywhere, one that calls its tool `github:push`
/// would slip through an allow list that means the tool `push` of `github`.
#[derive(Clone, Copy)]
pub(crate) enum PrefixReading<'a> {
    /// Both meanings count. For what denies, and for lists that belong to one server anyway.
    Either,
    /// Always a server.
    Server,
    /// A server if there is one of that name, else the beginning of a URI.
    KnownServer(&'a dyn Fn(&str) -> bool),
}

/// How a pattern, and a name that it is held against, are spelled.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum PatternSpelling {
    /// As they are written, to the letter.
    #[default]
    AsWritten,
    /// As a URI that has to be allowed.
    ToAllow,
    /// As a URI that may be denied.
    ToDeny,
}

impl PatternSpelling {
    fn pattern(self, glob: &str) -> Vec<String> {
        match self {
            Self::AsWritten => vec![glob.to_owned()],
            Self::ToAllow => allow_pattern_spellings(glob),
            Self::ToDeny => deny_pattern_spellings(glob),
        }
    }
}

/// Rules that were compiled together.
#[derive(Debug, Default)]
pub(crate) struct PatternSet {
    rules: Vec<ListRule>,
    anywhere: NameGlobs,
    bound: HashMap<Box<str>, NameGlobs>,
}

impl PatternSet {
    /// Each glob is taken for all that `spelled` makes of it.
    pub(crate) fn new(
        rules: Vec<ListRule>,
        reading: PrefixReading<'_>,
        spelled: PatternSpelling,
    ) -> Self {
        // Nearly no list has any, and one stands at each of hundreds of servers.
        if rules.is_empty() {
            return Self::default();
        }
        let mut anywhere = Vec::new();
        let mut bound: HashMap<Box<str>, Vec<(String, usize)>> = HashMap::new();
        for (place, rule) in rules.iter().enumerate() {
            let text = rule.pattern.as_str();
            let server = server_of(text);
            if let Some((server, glob)) = server {
                let globs = bound.entry(server.into()).or_default();
                globs.extend(spelled.pattern(glob).into_iter().map(|glob| (glob, place)));
            }
            let is_free = match (reading, server) {
                (_, None) | (PrefixReading::Either, _) => true,
                (PrefixReading::Server, Some(_)) => false,
                (PrefixReading::KnownServer(is_known), Some((server, _))) => !is_known(server),
            };
            if is_free {
                anywhere.extend(spelled.pattern(text).into_iter().map(|text| (text, place)));
            }
        }
        let names = |globs: &[(String, usize)]| {
            NameGlobs::new(globs.iter().map(|(glob, place)| (glob.as_str(), *place)))
        };
        let anywhere = names(&anywhere);
        let bound = bound.into_iter().map(|(server, globs)| (server, names(&globs))).collect();
        Self { rules, anywhere, bound }
    }

    /// A rule that means this name of this server.
    pub(crate) fn find(&self, owner: MatterOwner<'_>, name: &str) -> Option<&ListRule> {
        let bound = || self.bound.get(owner.as_str()).and_then(|names| names.find(name));
        let place = self.anywhere.find(name).or_else(bound)?;
        self.rules.get(place)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }
}

/// The server that a pattern can be about, and the glob over its names.
fn server_of(text: &str) -> Option<(&str, &str)> {
    let (server, glob) = text.split_once(':')?;
    (server == MatterOwner::LOCAL || ServerId::parse(server).is_ok()).then_some((server, glob))
}
