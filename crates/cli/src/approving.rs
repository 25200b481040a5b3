//! What waits for the person, in the words that the daemon and its commands say to each other. What
//! programs read is made of the same.

use serde::{Deserialize, Serialize};
use toolgate_guard::{Approver, Choice, Reference, Rendering, Settled, Verdict, Waiting};

pub(crate) const LIST: &str = "approvals.list";
pub(crate) const ANSWER: &str = "approvals.answer";
pub(crate) const WATCH: &str = "approvals.watch";

/// What is told to who watches.
pub(crate) const EVENT: &str = "approvals.event";

/// Everything that waits, the oldest first.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Listed {
    pub(crate) approvals: Vec<Pending>,
}

/// A call that waits.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Pending {
    #[serde(rename = "ref")]
    pub(crate) reference: String,
    pub(crate) server: String,
    pub(crate) tool: String,
    /// Who calls, in its own words.
    pub(crate) client: Option<String>,
    pub(crate) workspace: Option<String>,
    pub(crate) principal: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session: Option<String>,
    pub(crate) title: String,
    /// The whole question: what is covered in it is named and counted.
    pub(crate) text: String,
    /// How many values are covered.
    #[serde(default)]
    pub(crate) covered: usize,
    /// The same with the parameters that a schema marks as secret, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) full: Option<String>,
    /// What whoever has seen `text` says to approve it: [`seen_code`].
    #[serde(default)]
    pub(crate) seen: String,
    pub(crate) choices: Vec<Word>,
    /// In milliseconds since 1970.
    pub(crate) since: u64,
    pub(crate) until: u64,
}

/// What happens to what waits.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(crate) enum Event {
    Asked(Box<Pending>),
    Settled(End),
}

/// How one ended.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct End {
    #[serde(rename = "ref")]
    pub(crate) reference: String,
    /// `approved`, `denied`, `expired` or `withdrawn`; `unknown` where nobody heard of it.
    pub(crate) outcome: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) choice: Option<Word>,
    /// Over what it was answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) channel: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

/// What a person says to one.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Saying {
    #[serde(rename = "ref")]
    pub(crate) reference: String,
    pub(crate) choice: Word,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// The digest of what was shown, whole, to whoever says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) seen: Option<String>,
}

/// A short name of a text that was shown, for people to type.
pub(crate) fn seen_code(text: &str) -> String {
    let mut code = Rendering::digest_of(text).to_hex();
    code.truncate(8);
    code
}

/// What came of that.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Heard {
    Taken {
        server: String,
        tool: String,
    },
    NotTaken {
        why: String,
    },
    /// Whoever said it may be the agent that asks, or another.
    Refused,
}

/// A choice, as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "&'static str")]
pub(crate) struct Word(pub(crate) Choice);

impl TryFrom<String> for Word {
    type Error = String;

    fn try_from(word: String) -> Result<Self, String> {
        Choice::parse(&word).map(Self).ok_or_else(|| format!("`{word}` is no choice"))
    }
}

impl From<Word> for &'static str {
    fn from(Word(choice): Word) -> Self {
        choice.as_str()
    }
}

impl Pending {
    pub(crate) fn of(waiting: &Waiting) -> Self {
        let Waiting { reference, petition, since, until } = waiting;
        let caller = petition.caller.as_deref();
        Self {
            reference: reference.to_string(),
            server: petition.server.clone(),
            tool: petition.tool.clone(),
            client: caller.and_then(|caller| caller.client.clone()),
            workspace: caller.map(|caller| caller.workspace.to_string_lossy().into_owned()),
            principal: caller.map(|caller| caller.principal.to_string()),
            session: caller.and_then(|caller| caller.session.as_ref()).map(|one| one.0.clone()),
            title: petition.title.clone(),
            text: petition.shown.text().to_owned(),
            covered: petition.shown.covered(),
            full: petition.shown_in_full.as_ref().map(|full| full.text().to_owned()),
            seen: seen_code(petition.shown.text()),
            choices: petition.choices().iter().copied().map(Word).collect(),
            since: *since,
            until: *until,
        }
    }
}

impl End {
    pub(crate) fn of(reference: &Reference, how: &Settled) -> Self {
        let reference = reference.to_string();
        let mut end = Self { outcome: how.as_str().to_owned(), ..Self::unseen(reference) };
        if let Settled::Answered(Verdict { choice, approver, reason, seen: _ }) = how {
            let Approver { channel, processes: _ } = approver;
            end.choice = Some(Word(*choice));
            end.channel = Some((*channel).to_owned());
            end.reason.clone_from(reason);
        }
        end
    }

    /// One that ended, nobody knows how.
    pub(crate) fn unseen(reference: String) -> Self {
        let outcome = "unknown".to_owned();
        Self { reference, outcome, choice: None, channel: None, reason: None }
    }
}
