//! The person's own secrets, as far as a prompt may cover them.
//!
//! Only what stands in the person's own file or is kept for them by name: a project, or the environment of a window, could name
//! anything a secret, and what it named would be covered in the very prompt that should show it. And
//! only what cannot be a command: long, and without blanks, quotes or any sign that a shell reads.

use std::fmt;

use aho_corasick::{AhoCorasick, MatchKind};
use toolgate_types::config::{
    CommandTool, Config, HeaderValue, RemoteServer, Server, StdioServer, Transport,
};
use toolgate_types::{ConfigText, LayerGrade, Secret, is_sensitive_name};

use super::concealed::{ConcealedCount, spelled, visible_mark};

/// Shorter ones occur in other text by chance.
const SHORTEST: usize = 16;

/// What of a prompt is covered, by the name that the person knows it under.
#[derive(Default)]
pub struct OwnSecrets {
    named: Vec<(String, Secret)>,
    finder: Option<AhoCorasick>,
}

impl OwnSecrets {
    /// Those that entries of the person's own hold themselves.
    pub fn of(config: &Config) -> Self {
        let mut own = Self::default();
        let is_own = |grade: LayerGrade| grade == LayerGrade::Person;
        for entry in config.servers.values().filter(|entry| is_own(entry.origin.grade)) {
            own.server(&entry.value);
        }
        for entry in config.tools.values().filter(|entry| is_own(entry.origin.grade)) {
            let CommandTool { args, env, .. } = &entry.value;
            args.iter().for_each(|arg| own.text("argument", arg));
            env.iter().for_each(|(name, value)| own.text(name.as_str(), value));
        }
        for (name, secret) in &config.kept_secrets {
            own.add(name.as_str(), secret.expose());
        }
        own.ready()
    }

    /// One that is kept elsewhere for the person: in the store, in the system's keyring.
    #[must_use]
    pub fn with(mut self, name: &str, secret: &Secret) -> Self {
        self.add(name, secret.expose());
        self.ready()
    }

    fn ready(self) -> Self {
        let values = self.named.iter().map(|(_, secret)| secret.expose());
        let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(values);
        Self { finder: finder.ok().filter(|_| !self.named.is_empty()), ..self }
    }

    fn server(&mut self, server: &Server) {
        match &server.transport {
            Transport::Stdio(StdioServer { args, env, .. }) => {
                args.iter().for_each(|arg| self.text("argument", arg));
                env.iter().for_each(|(name, value)| self.text(name.as_str(), value));
            }
            Transport::Remote(RemoteServer { endpoint, headers, oauth, .. }) => {
                for (name, value) in headers {
                    if let HeaderValue::Given(text) = value {
                        self.text(name.as_str(), text);
                    }
                }
                if endpoint.original().is_literal_secret() {
                    for (name, value) in endpoint.url().query_pairs() {
                        if is_sensitive_name(&name) {
                            self.add(&name, &value);
                        }
                    }
                }
                if let Some(secret) = oauth.as_ref().and_then(|oauth| oauth.client_secret.as_ref())
                {
                    self.text("client_secret", secret);
                }
            }
            // Its tools are looked at by themselves.
            Transport::Builtin | Transport::Commands(_) => {}
        }
    }

    fn text(&mut self, name: &str, text: &ConfigText) {
        if text.is_literal_secret() {
            self.add(name, text.expose());
            if let Some(part) = text.secret_part() {
                self.add(name, part);
            }
        }
    }

    fn add(&mut self, name: &str, value: &str) {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./+=~-".contains(&byte);
        if value.len() >= SHORTEST && value.bytes().all(is_plain) {
            self.named.push((name.to_owned(), Secret::new(value.to_owned())));
        }
    }

    /// The parts of one value: what is shown as it is, and what is covered by a mark.
    pub(super) fn parts<'v>(
        &self,
        value: &'v str,
        concealed: &mut ConcealedCount,
    ) -> Vec<ShownPart<'v>> {
        let mut parts = Vec::new();
        let mut from = 0;
        for found in self.finder.iter().flat_map(|finder| finder.find_iter(value)) {
            let (name, _) = &self.named[found.pattern().as_usize()];
            parts.push(ShownPart::Plain(&value[from..found.start()]));
            let characters = value[found.range()].chars().count();
            parts.push(ShownPart::Covered(concealed.own(name, characters)));
            from = found.end();
        }
        parts.push(ShownPart::Plain(&value[from..]));
        parts
    }

    /// One value in a line of its own: every hidden character written out.
    pub(super) fn line(&self, value: &str, concealed: &mut ConcealedCount) -> String {
        let parts = self.parts(value, concealed).into_iter();
        parts
            .map(|part| match part {
                ShownPart::Plain(text) => visible_mark(text),
                ShownPart::Covered(mark) => mark,
            })
            .collect()
    }

    /// Whether a part of a value would be covered.
    pub fn covers(&self, value: &str) -> bool {
        self.finder.as_ref().is_some_and(|finder| finder.is_match(value))
    }
}

/// A part of a value as a person sees it.
pub(super) enum ShownPart<'v> {
    Plain(&'v str),
    Covered(String),
}

impl fmt::Debug for OwnSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.named.iter().map(|(name, _)| spelled(name)).collect();
        f.debug_tuple("OwnSecrets").field(&names).finish()
    }
}
