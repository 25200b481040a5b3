//! What happened, as it is kept: rows that are only ever added at the end, each bound to the one
//! before it.
//!
//! What is worth a row and what is masked in it are the caller's. The chain shows that nothing was
//! changed in the middle; whoever can write the file can still write another chain, so it is proof
//! only against a head that was carried elsewhere. Whether rows that are not there any more were
//! allowed to go is judged in `toolgate-audit`, from what [`AuditPruning`] says.

mod aborted_call;
pub(crate) mod block_summary;
pub(crate) mod chain;
pub(crate) mod entry_bytes;
pub(crate) mod fold;
mod pruning_record;
mod query;
mod torn_record;

use async_trait::async_trait;
use toolgate_types::Digest;

pub(crate) use aborted_call::aborted_call;
pub use entry_bytes::WrittenEntry;
pub(crate) use pruning_record::stands_for;
pub use pruning_record::{AuditPruning, PruningRule};
pub use query::AuditQuery;
pub(crate) use torn_record::torn_journal;

use crate::{JournalHead, JournalId, StoreError};

/// A place in the chain: the number of a row and its hash.
pub type AuditHead = (u64, Digest);

/// The end of the log as it was at some time: of its rows, and of each journal that went on from there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogHead {
    /// None where there was no row yet.
    pub row: Option<AuditHead>,
    pub journals: Vec<JournalHead>,
}

impl From<AuditHead> for LogHead {
    fn from(row: AuditHead) -> Self {
        Self { row: Some(row), journals: Vec::new() }
    }
}

/// Looks at each row of a chain in turn.
pub type AuditVisitor = Box<dyn FnMut(&AuditRow) + Send>;

/// How long and how much is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AuditRetention {
    /// What is older may go, in milliseconds.
    pub max_age_ms: u64,
    /// The oldest may go while all together weigh more.
    pub max_bytes: u64,
}

/// What happened, appended, searched, verified and, when it is old, taken away.
///
/// What is appended is in a journal first, and a row once it was put into the index: when there is time, at
/// the latest after a minute, or when somebody searches.
#[async_trait]
pub trait AuditLog: Send + Sync {
    /// Appends all of these or none, in their order and with no other's between them. They are kept when
    /// this returns: the end of this process costs none of them.
    async fn append_written(&self, entries: &[WrittenEntry<'_>]) -> Result<(), StoreError>;

    /// The same where nobody has to be waited for, as nearly always. Otherwise nothing is appended, and
    /// [`Self::append_written`] is what is left.
    fn append_at_once(&self, _: &[WrittenEntry<'_>]) -> Option<Result<(), StoreError>> {
        None
    }

    /// The same of entries that have texts of their own.
    async fn append_audit(&self, entries: &[AuditEntry]) -> Result<(), StoreError> {
        let written: Vec<WrittenEntry<'_>> = entries.iter().map(WrittenEntry::from).collect();
        self.append_written(&written).await
    }

    /// Everything appended so far is on the disk when this returns, so that a power cut costs nothing.
    async fn sync_audit(&self) -> Result<(), StoreError>;

    /// The rows that a query finds, of all that was appended before. Numbers begin at 1 and are never
    /// given twice.
    async fn audit(&self, query: AuditQuery) -> Result<Vec<AuditRow>, StoreError>;

    /// Whether every row is as it was written and follows the one before it, from the checkpoint on, and
    /// every journal goes on from there. That nothing is missing at the end is seen only against a head
    /// from earlier, and whether what is missing at the beginning was allowed to go only by who reads the
    /// rows. It changes nothing.
    async fn verify_audit(&self, expected: Option<LogHead>) -> Result<AuditVerdict, StoreError>;

    /// The same, with each row shown once it is known to be as it was written.
    async fn walk_audit(
        &self,
        expected: Option<LogHead>,
        visit: AuditVisitor,
    ) -> Result<AuditVerdict, StoreError>;

    /// Takes the oldest rows away as long as they are too old at this time or all together weigh
    /// too much; answers how many went. What is no row yet is not counted. A row stays when one before it has to: only whole
    /// beginnings go, and with each of them a row is appended that says so, an [`AuditPruning`].
    ///
    /// What is no whole chain stays as it is, and so does everything after it: it would be evidence
    /// that is cleared away.
    async fn prune_audit(&self, now: u64, retention: AuditRetention) -> Result<u64, StoreError>;
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// In milliseconds since 1970. What is later than a signed integer can say becomes that.
    pub at: u64,
    pub kind: AuditKind,
    /// The same for all rows of one call.
    pub correlation: String,
    /// Which round of a call that takes several.
    pub round: u32,
    pub principal: String,
    pub client: Option<String>,
    pub role: Option<String>,
    pub session: Option<String>,
    pub workspace: Option<String>,
    pub server: Option<String>,
    pub tool: Option<String>,
    /// How it went, in one word.
    pub outcome: Option<String>,
    /// The word of an error.
    pub code: Option<String>,
    pub duration_us: Option<u64>,
    /// Everything else: JSON as text, with nothing in it that must not be read.
    pub body: String,
}

impl AuditEntry {
    /// About what a row costs beside its texts: numbers, hash and its places in the indexes.
    pub(crate) const OVERHEAD: usize = 128;

    /// One that is about no call: what Toolgate itself did with the log.
    pub(crate) fn of_the_log(
        at: u64,
        kind: AuditKind,
        correlation: String,
        outcome: &str,
        body: String,
    ) -> Self {
        Self {
            at,
            kind,
            correlation,
            round: 0,
            principal: "toolgate".into(),
            client: None,
            role: None,
            session: None,
            workspace: None,
            server: None,
            tool: None,
            outcome: Some(outcome.into()),
            code: None,
            duration_us: None,
            body,
        }
    }

    /// What it counts for where bytes are bounded.
    pub fn weight(&self) -> u64 {
        WrittenEntry::from(self).weight()
    }
}

/// What a row is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuditKind {
    /// A call began.
    Open,
    /// It ended.
    End,
    /// Somebody decided about it.
    Decision,
    /// No call: a confined server wanted to reach somebody.
    Network,
    /// No call: old rows were taken away.
    Pruning,
    /// No call: a process died while it wrote its last entry.
    Torn,
}

impl AuditKind {
    const ALL: [Self; 6] =
        [Self::Open, Self::End, Self::Decision, Self::Network, Self::Pruning, Self::Torn];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::End => "end",
            Self::Decision => "decision",
            Self::Network => "network",
            Self::Pruning => "pruning",
            Self::Torn => "torn",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// An entry at its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditRow {
    pub sequence: u64,
    pub entry: AuditEntry,
    /// Over what was written, its number and the hash of the row before it.
    pub hash: Digest,
    /// Whether it has the end of a call whose beginning was written down before it.
    pub was_opened: bool,
    /// What it counts for where bytes are bounded; more than its entry where it was made of two.
    pub weight: u64,
}

/// What a journal has that no row has yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalTail {
    pub journal: JournalId,
    /// How many whole entries.
    pub entries: u64,
    /// The last entry of the journal.
    pub head: JournalHead,
    /// How many bytes behind it are no entry, where no process writes there any more.
    pub torn_bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuditVerdict {
    Whole {
        rows: u64,
        /// The end as it is now; `None` where nothing was ever appended.
        head: Option<AuditHead>,
        /// The last row that is not there any more. An expected head from before it cannot be
        /// compared.
        from: Option<AuditHead>,
        /// What is not in rows yet.
        tails: Vec<JournalTail>,
        /// Which of the expected journals cannot be compared any more: what they had may have been taken
        /// away with old rows.
        unshown: Vec<JournalId>,
    },
    Broken {
        /// The first row that is not, or not there, as it was; where a journal is broken, the row that was
        /// next to come of it.
        sequence: u64,
        why: String,
    },
}

#[cfg(test)]
mod tests;
