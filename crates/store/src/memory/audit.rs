//! The audit in memory: the same chain, the same pruning.

use async_trait::async_trait;

use super::MemoryStore;
use crate::audit::chain::{ChainWalk, GENESIS, RowContent, link};
use crate::audit::fold::OpenCalls;
use crate::{
    AuditEntry, AuditHead, AuditKind, AuditLog, AuditPruning, AuditQuery, AuditRetention, AuditRow,
    AuditVerdict, AuditVisitor, LogHead, PruningRule, StoreError, WrittenEntry, time,
};

#[derive(Debug, Default)]
pub(super) struct MemoryAuditLog {
    /// What is no row yet.
    entries: Vec<AuditEntry>,
    rows: Vec<AuditRow>,
    checkpoint: Option<AuditHead>,
}

impl MemoryAuditLog {
    fn end(&self) -> AuditHead {
        let last = self.rows.last().map(|row| (row.sequence, row.hash));
        last.or(self.checkpoint).unwrap_or(GENESIS)
    }

    /// How many of the first rows are too old or too many, and by which rule they go.
    fn to_go(&self, now: u64, retention: AuditRetention) -> (usize, bool) {
        let keep_since = time::kept(now).saturating_sub(retention.max_age_ms);
        let young = self.rows.iter().position(|row| row.entry.at >= keep_since);
        let mut kept = 0_u64;
        let fits = |row: &&AuditRow| {
            kept = kept.saturating_add(row.weight);
            kept <= retention.max_bytes
        };
        let enough = self.rows.iter().rev().take_while(fits).count();
        let (too_old, too_many) = (young.unwrap_or(self.rows.len()), self.rows.len() - enough);
        let to_go = &self.rows[..too_old.max(too_many)];
        let is_of_a_call = |row: &AuditRow| row.entry.kind != AuditKind::Pruning;
        let last = to_go.iter().rposition(is_of_a_call);
        (last.map_or(0, |last| last + 1), too_many > too_old)
    }

    fn append(&mut self, entry: AuditEntry, was_opened: bool, weight: u64) {
        let entry = AuditEntry { at: time::kept(entry.at), ..entry };
        let (last, previous) = self.end();
        let sequence = last + 1;
        let hash = link(previous, sequence, &entry);
        self.rows.push(AuditRow { sequence, entry, hash, was_opened, weight });
    }

    /// Makes rows of what was appended.
    fn index(&mut self) {
        let mut open = OpenCalls::default();
        for entry in std::mem::take(&mut self.entries) {
            let weight = entry.weight();
            match entry.kind {
                AuditKind::Open => {
                    let (correlation, round) = (entry.correlation.clone(), entry.round);
                    if let Some(before) = open.begin(&correlation, round, entry) {
                        let weight = before.weight();
                        self.append(before, false, weight);
                    }
                }
                AuditKind::End => {
                    let begun = open.end(&entry.correlation, entry.round);
                    let before = begun.as_ref().map_or(0, AuditEntry::weight);
                    self.append(entry, begun.is_some(), weight.saturating_add(before));
                }
                _ => self.append(entry, false, weight),
            }
        }
        for begun in open.rest() {
            let weight = begun.weight();
            self.append(begun, false, weight);
        }
    }
}

#[async_trait]
impl AuditLog for MemoryStore {
    async fn append_written(&self, entries: &[WrittenEntry<'_>]) -> Result<(), StoreError> {
        self.kept().audit.entries.extend(entries.iter().map(|entry| entry.to_entry()));
        Ok(())
    }

    /// Nothing here outlives the process.
    async fn sync_audit(&self) -> Result<(), StoreError> {
        Ok(())
    }

    async fn audit(&self, query: AuditQuery) -> Result<Vec<AuditRow>, StoreError> {
        let mut kept = self.kept();
        kept.audit.index();
        let found = kept.audit.rows.iter().filter(|row| query.finds(row));
        Ok(if query.newest_first {
            found.rev().take(query.limit).cloned().collect()
        } else {
            found.take(query.limit).cloned().collect()
        })
    }

    async fn verify_audit(&self, expected: Option<LogHead>) -> Result<AuditVerdict, StoreError> {
        self.walk_audit(expected, Box::new(|_| {})).await
    }

    async fn walk_audit(
        &self,
        expected: Option<LogHead>,
        mut visit: AuditVisitor,
    ) -> Result<AuditVerdict, StoreError> {
        let mut kept = self.kept();
        // There are no journals to look at.
        kept.audit.index();
        let log = &kept.audit;
        let mut walk = ChainWalk::begin(log.checkpoint, expected.and_then(|head| head.row));
        let walked = log.rows.iter().try_for_each(|row| {
            let content = RowContent::Own(Box::new(row.entry.clone()));
            walk.step(row.sequence, row.hash, &content).map(|()| visit(row))
        });
        Ok(walked.map_or_else(AuditVerdict::from, |()| walk.end()))
    }

    /// Nobody else writes here, so nothing can be other than it was written.
    async fn prune_audit(&self, now: u64, retention: AuditRetention) -> Result<u64, StoreError> {
        let log = &mut self.kept().audit;
        let (to_go, is_by_size) = log.to_go(now, retention);
        let gone = log.rows.drain(..to_go).collect::<Vec<_>>();
        let (Some(first), Some(last)) = (gone.first(), gone.last()) else { return Ok(0) };
        let AuditRetention { max_age_ms, max_bytes } = retention;
        let rule = match is_by_size {
            true => PruningRule::Size { max_bytes, last_bytes: last.weight },
            false => PruningRule::Age { max_age_ms },
        };
        let (head, rows) = ((last.sequence, last.hash), gone.len() as u64);
        let (first, until) = (first.sequence, last.entry.at);
        log.checkpoint = Some(head);
        let said = AuditPruning { first, last: head, rows, until, rule }.entry(now);
        let weight = said.weight();
        log.append(said, false, weight);
        Ok(rows)
    }
}
