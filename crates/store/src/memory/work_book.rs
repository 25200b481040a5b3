//! Plans and notes in memory.

use std::collections::BTreeMap;

use async_trait::async_trait;

use super::MemoryStore;
use crate::{KeptFor, KeptNote, KeptPlan, NewNote, StoreError, WorkBook, time};

#[derive(Debug, Default)]
pub(super) struct MemoryWork {
    plans: BTreeMap<KeptFor, KeptPlan>,
    notes: BTreeMap<KeptFor, Vec<KeptNote>>,
    last: u64,
}

#[async_trait]
impl WorkBook for MemoryStore {
    async fn plan(&self, owner: &KeptFor) -> Result<Option<KeptPlan>, StoreError> {
        Ok(self.kept().work.plans.get(owner).cloned())
    }

    async fn keep_plan(&self, owner: &KeptFor, plan: KeptPlan) -> Result<(), StoreError> {
        let plan = KeptPlan { kept_at: time::kept(plan.kept_at), ..plan };
        self.kept().work.plans.insert(owner.clone(), plan);
        Ok(())
    }

    async fn add_note(&self, owner: &KeptFor, note: NewNote, most: u32) -> Result<u64, StoreError> {
        let work = &mut self.kept().work;
        work.last += 1;
        let (number, written_at) = (work.last, time::kept(note.written_at));
        let notes = work.notes.entry(owner.clone()).or_default();
        notes.push(KeptNote { number, text: note.text, written_at });
        notes.drain(..notes.len().saturating_sub(most as usize));
        Ok(number)
    }

    async fn notes(
        &self,
        owner: &KeptFor,
        before: Option<u64>,
        most: u32,
    ) -> Result<Vec<KeptNote>, StoreError> {
        let kept = self.kept();
        let notes = kept.work.notes.get(owner).map(Vec::as_slice).unwrap_or_default();
        let is_before = |note: &&KeptNote| before.is_none_or(|before| note.number < before);
        Ok(notes.iter().rev().filter(is_before).take(most as usize).cloned().collect())
    }
}
