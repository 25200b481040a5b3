//! Pins in memory, by server and tool.

use parking_lot::MutexGuard;

use async_trait::async_trait;

use super::{MemoryStore, MemoryTables};
use crate::pin::is_meant;
use crate::{
    ObservedInstructions, ObservedTools, Pin, PinKey, PinnedInstructions, Pins, SeenTool,
    StoreError,
};

#[async_trait]
impl Pins for MemoryStore {
    async fn pins(&self, key: &PinKey) -> Result<Vec<Pin>, StoreError> {
        let kept = self.pinned()?;
        Ok(kept.pins.get(key).into_iter().flat_map(|pins| pins.values()).cloned().collect())
    }

    async fn all_pins(&self) -> Result<Vec<(PinKey, Pin)>, StoreError> {
        let kept = self.pinned()?;
        let all = kept.pins.iter().flat_map(|(key, pins)| pins.values().map(move |pin| (key, pin)));
        Ok(all.map(|(key, pin)| (key.clone(), pin.clone())).collect())
    }

    async fn keep_pins(&self, key: &PinKey, pins: Vec<Pin>) -> Result<(), StoreError> {
        let mut kept = self.pinned()?;
        let kept = kept.pins.entry(key.clone()).or_default();
        kept.extend(pins.into_iter().map(|pin| (pin.tool.clone(), pin)));
        Ok(())
    }

    async fn observe_tools(
        &self,
        key: &PinKey,
        seen: Vec<SeenTool>,
        at: u64,
    ) -> Result<ObservedTools, StoreError> {
        let mut kept = self.pinned()?;
        let kept = kept.pins.entry(key.clone()).or_default();
        let observed = ObservedTools::of(kept.values().cloned().collect(), &seen, at);
        kept.clone_from(&observed.pins);
        Ok(observed)
    }

    async fn accept_pins(
        &self,
        key: &PinKey,
        tools: &[String],
        named: bool,
        at: u64,
    ) -> Result<Vec<String>, StoreError> {
        let mut kept = self.pinned()?;
        let pins = kept.pins.get_mut(key).into_iter().flat_map(|pins| pins.values_mut());
        let meant = pins.filter(|pin| is_meant(tools, &pin.tool));
        let accepted = meant.filter_map(|pin| pin.accept(named, at).then(|| pin.tool.clone()));
        Ok(accepted.collect())
    }

    async fn instructions(&self, key: &PinKey) -> Result<Option<PinnedInstructions>, StoreError> {
        Ok(self.pinned()?.instructions.get(key).cloned())
    }

    async fn keep_instructions(
        &self,
        key: &PinKey,
        pin: PinnedInstructions,
    ) -> Result<(), StoreError> {
        self.pinned()?.instructions.insert(key.clone(), pin);
        Ok(())
    }

    async fn observe_instructions(
        &self,
        key: &PinKey,
        said: &str,
        at: u64,
    ) -> Result<ObservedInstructions, StoreError> {
        let mut kept = self.pinned()?;
        let observed = ObservedInstructions::of(kept.instructions.get(key).cloned(), said, at);
        kept.instructions.insert(key.clone(), observed.pin.clone());
        Ok(observed)
    }

    async fn forget_pins(&self, key: &PinKey) -> Result<usize, StoreError> {
        let mut kept = self.pinned()?;
        kept.instructions.remove(key);
        Ok(kept.pins.remove(key).map_or(0, |pins| pins.len()))
    }
}

impl MemoryStore {
    fn pinned(&self) -> Result<MutexGuard<'_, MemoryTables>, StoreError> {
        let kept = self.kept();
        match &kept.pins_fault {
            Some(fault) => Err(fault.clone()),
            None => Ok(kept),
        }
    }
}
