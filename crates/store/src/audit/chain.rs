//! How one row is bound to the one before it, and how that is checked, row by row.
//!
//! Nothing is read or written here: whoever has the rows hands them over in their order.

use ring::digest::{Context, SHA256};
use toolgate_types::Digest;

use super::{AuditEntry, AuditHead, AuditVerdict};
use crate::journal::KeptFrames;
use crate::{JournalId, time};

/// What the first row ever follows.
pub(crate) const GENESIS: AuditHead = (0, Digest([0; 32]));

/// The hash of a row. Every field is in it, each with its length or with a mark for its absence,
/// so that no two rows are read as the same bytes. The order is part of the file's format.
pub(crate) fn link(previous: Digest, sequence: u64, entry: &AuditEntry) -> Digest {
    let AuditEntry {
        at,
        kind,
        correlation,
        round,
        principal,
        client,
        role,
        session,
        workspace,
        server,
        tool,
        outcome,
        code,
        duration_us,
        body,
    } = entry;
    let mut hash = Context::new(&SHA256);
    hash.update(&previous.0);
    hash.update(&sequence.to_be_bytes());
    hash.update(&time::kept(*at).to_be_bytes());
    text(&mut hash, kind.as_str());
    text(&mut hash, correlation);
    hash.update(&round.to_be_bytes());
    text(&mut hash, principal);
    for field in [client, role, session, workspace, server, tool, outcome, code] {
        optional(&mut hash, field.as_ref(), |hash, field| text(hash, field));
    }
    optional(&mut hash, *duration_us, |hash, field| hash.update(&field.to_be_bytes()));
    text(&mut hash, body);
    let mut digest = Digest([0; 32]);
    digest.0.copy_from_slice(hash.finish().as_ref());
    digest
}

/// What a row is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RowContent {
    /// An entry that was never in a journal.
    Own(Box<AuditEntry>),
    /// What a journal had of it.
    Journalled(JournalId, KeptFrames),
}

impl RowContent {
    /// The hash of a row with this content behind another.
    pub(crate) fn link(&self, previous: Digest, sequence: u64) -> Digest {
        match self {
            Self::Own(entry) => link(previous, sequence, entry),
            Self::Journalled(journal, frames) => frames.link(journal, previous, sequence),
        }
    }

    /// Whether what a journal had of it is that.
    fn is_as_written(&self) -> bool {
        match self {
            Self::Own(_) => true,
            Self::Journalled(_, frames) => frames.are_as_written(),
        }
    }
}

fn text(hash: &mut Context, text: &str) {
    hash.update(&(text.len() as u64).to_be_bytes());
    hash.update(text.as_bytes());
}

fn optional<T>(hash: &mut Context, field: Option<T>, write: impl FnOnce(&mut Context, T)) {
    hash.update(&[u8::from(field.is_some())]);
    if let Some(field) = field {
        write(hash, field);
    }
}

/// Walks along a chain from its beginning.
#[derive(Debug)]
pub(crate) struct ChainWalk {
    /// What stands for the rows that were taken away.
    checkpoint: Option<AuditHead>,
    last: AuditHead,
    rows: u64,
    expected: Option<AuditHead>,
}

impl ChainWalk {
    pub(crate) fn begin(checkpoint: Option<AuditHead>, expected: Option<AuditHead>) -> Self {
        Self { checkpoint, last: checkpoint.unwrap_or(GENESIS), rows: 0, expected }
    }

    /// The number that the next row must have.
    pub(crate) fn due(&self) -> u64 {
        self.last.0.saturating_add(1)
    }

    /// Goes on to the next row; the verdict, if it is not the one that must come.
    pub(crate) fn step(
        &mut self,
        sequence: u64,
        hash: Digest,
        content: &RowContent,
    ) -> Result<(), BrokenRow> {
        let due = self.due();
        if sequence > due {
            return Err(broken(due, "it is missing"));
        }
        if sequence < due {
            return Err(broken(sequence, "it was taken away once and is there again"));
        }
        if content.link(self.last.1, due) != hash || !content.is_as_written() {
            let why = "it, or the one before it, is not what was written";
            return Err(broken(due, why));
        }
        self.check_expected()?;
        self.last = (due, hash);
        self.rows += 1;
        Ok(())
    }

    pub(crate) fn end(self) -> AuditVerdict {
        if let Err(broken) = self.check_expected() {
            return broken.into();
        }
        if let Some((expected, _)) = self.expected
            && expected > self.last.0
        {
            let why = format!("the end is missing: there were rows up to {expected}");
            return broken(self.due(), why).into();
        }
        let head = Some(self.last).filter(|head| *head != GENESIS);
        let (tails, unshown) = (Vec::new(), Vec::new());
        AuditVerdict::Whole { rows: self.rows, head, from: self.checkpoint, tails, unshown }
    }

    /// Asked when the row is left behind, so that also the checkpoint is compared.
    fn check_expected(&self) -> Result<(), BrokenRow> {
        match self.expected {
            Some((sequence, hash)) if sequence == self.last.0 && hash != self.last.1 => {
                Err(broken(sequence, "it is another than the one that was there"))
            }
            _ => Ok(()),
        }
    }
}

/// The first row that is not, or not there, as it was.
#[derive(Debug)]
pub(crate) struct BrokenRow {
    sequence: u64,
    why: String,
}

pub(crate) fn broken(sequence: u64, why: impl Into<String>) -> BrokenRow {
    BrokenRow { sequence, why: why.into() }
}

impl From<BrokenRow> for AuditVerdict {
    fn from(BrokenRow { sequence, why }: BrokenRow) -> Self {
        Self::Broken { sequence, why }
    }
}

#[cfg(test)]
pub(crate) mod tests;
