//! The entries of a configuration as the question of trust sees them.

use serde_json::{Map, Value};
use toolgate_config::show::entry_text;
use toolgate_config::{McpConfigLoadResult, show};
use toolgate_types::config::Entry;
use toolgate_types::{
    Acceptances, EntryKind, EntryStanding, Fingerprint, LayerGrade, Origin, Trust, visible,
};

/// An entry as the question of trust sees it, whatever its kind.
#[derive(Debug)]
pub struct JudgedEntry {
    pub kind: EntryKind,
    pub id: String,
    pub origin: Origin,
    pub fingerprint: Fingerprint,
    pub declared: Option<Trust>,
    /// In native keys, secrets masked.
    pub shown: Map<String, Value>,
    /// The same exactly as it is written, for the person who decides and for nobody else.
    pub written: Map<String, Value>,
    /// What of it can change unnoticed once it is accepted, in sentences.
    pub unwatched: Vec<String>,
    /// The names of the person's secrets that it would get.
    pub secrets: Vec<String>,
    /// What of it nothing goes by yet, in sentences.
    pub not_yet: Vec<String>,
    pub standing: EntryStanding,
}

/// Everything in a configuration that a person may have to accept, in the order of writing.
pub fn judged(loaded: &McpConfigLoadResult, known: &Acceptances) -> Vec<JudgedEntry> {
    let config = &loaded.config;
    let servers = config.servers.iter().map(|(id, entry)| {
        let declared = entry.value.declared_trust;
        let said = (show::server(&entry.value), show::server_as_written(&entry.value));
        (EntryKind::Server, id.to_string(), stem(entry), declared, said)
    });
    let tools = config.tools.iter().map(|(id, entry)| {
        let said = (show::tool(&entry.value), show::tool_as_written(&entry.value));
        (EntryKind::Tool, id.to_string(), stem(entry), None, said)
    });
    let bundles = config.bundles.iter().map(|(id, entry)| {
        (EntryKind::Bundle, id.to_string(), stem(entry), None, twice(show::bundle(&entry.value)))
    });
    let roles = config.roles.iter().map(|(id, entry)| {
        (EntryKind::Role, id.to_string(), stem(entry), None, twice(show::role(&entry.value)))
    });
    let workflows = config.workflows.iter().map(|(id, entry)| {
        let said = twice(show::workflow(&entry.value));
        (EntryKind::Workflow, id.to_string(), stem(entry), None, said)
    });
    let all = servers.chain(tools).chain(bundles).chain(roles).chain(workflows);
    all.map(|(kind, id, (origin, fingerprint), declared, (shown, written))| {
        let standing = known.standing(origin.grade, kind, &id, &fingerprint, declared);
        let unwatched = loaded.unwatched(kind, &id).to_vec();
        JudgedEntry {
            not_yet: not_yet(loaded, &origin),
            secrets: loaded.secrets_of(kind, &id).map(ToString::to_string).collect(),
            kind,
            id,
            origin,
            fingerprint,
            declared,
            shown,
            written,
            unwatched,
            standing,
        }
    })
    .collect()
}

/// What is said of an entry, of something in it, or of all of its kind.
fn not_yet(loaded: &McpConfigLoadResult, origin: &Origin) -> Vec<String> {
    let is_below = |one: &str, other: &str| {
        one.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let warnings = loaded.not_yet.iter().filter(|problem| {
        let concerns = is_below(&problem.key, &origin.key) || is_below(&origin.key, &problem.key);
        problem.source == origin.source && concerns
    });
    warnings.map(|problem| problem.message.clone()).collect()
}

/// Where there is nothing to mask.
fn twice(said: Map<String, Value>) -> (Map<String, Value>, Map<String, Value>) {
    (said.clone(), said)
}

fn stem<T>(entry: &Entry<T>) -> (Origin, Fingerprint) {
    (entry.origin.clone(), entry.fingerprint.clone())
}

impl JudgedEntry {
    pub fn is_project_graded(&self) -> bool {
        self.origin.grade == LayerGrade::Project
    }

    pub fn is_pending(&self) -> bool {
        matches!(self.standing, EntryStanding::Pending(_))
    }

    /// Everything that would run or be reached, line by line, with nothing hidden. `place` is the name
    /// of the file that says so, `more` what else is to be known, by what it is about.
    pub fn what_would_run(&self, place: &str, more: &[(&str, String)]) -> String {
        let mut lines = vec![format!("{} {}", self.kind, visible(&self.id))];
        let mut say = |name: &str, value: String| lines.push(format!("  {name:<17} {value}"));
        say("from", format!("{}:{}", visible(place), self.origin.line));
        if let EntryStanding::Pending(reason) = &self.standing {
            say("pending", visible(&reason.to_string()));
        }
        for (key, value) in entry_text::rows(&self.written) {
            say(&key, value);
        }
        for (what, words) in more {
            say(what, words.clone());
        }
        if !self.secrets.is_empty() {
            say("uses your secrets", self.secrets.join(", "));
        }
        for (file, digest) in &self.fingerprint.files {
            say("file", format!("{} (sha256 {})", visible(file), &digest.to_hex()[..16]));
        }
        for sentence in &self.unwatched {
            say("not watched", visible(sentence));
        }
        for sentence in &self.not_yet {
            say("not yet", visible(sentence));
        }
        lines.push(String::new());
        lines.join("\n") + "\n"
    }
}
