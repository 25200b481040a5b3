//! Switches and the grants of windows in memory.

use async_trait::async_trait;
use toolgate_types::{PersonSwitch, SwitchScope, SwitchSubject, WindowMark};

use super::MemoryStore;
use crate::{StoreError, Switches, WindowGrant};

#[async_trait]
impl Switches for MemoryStore {
    async fn switches(&self) -> Result<Vec<PersonSwitch>, StoreError> {
        Ok(self.kept().switches.iter().cloned().collect())
    }

    async fn keep_switch(&self, switch: PersonSwitch) -> Result<(), StoreError> {
        let switches = &mut self.kept().switches;
        if matches!(switch.subject, SwitchSubject::Role(_)) {
            let is_role = |one: &PersonSwitch| matches!(one.subject, SwitchSubject::Role(_));
            switches.retain(|one| !(is_role(one) && one.scope == switch.scope));
        }
        switches.insert(switch);
        Ok(())
    }

    async fn forget_switch(&self, switch: &PersonSwitch) -> Result<bool, StoreError> {
        Ok(self.kept().switches.remove(switch))
    }

    async fn known_windows(&self) -> Result<Vec<WindowMark>, StoreError> {
        let kept = self.kept();
        let switched = kept.switches.iter().filter_map(|one| match &one.scope {
            SwitchScope::Window(window) => Some(window),
            SwitchScope::Everywhere | SwitchScope::Folder(_) => None,
        });
        let all = switched.chain(kept.grants.iter().map(|(window, _)| window));
        let all: std::collections::BTreeSet<_> = all.cloned().collect();
        Ok(all.into_iter().collect())
    }

    async fn forget_window(&self, window: &WindowMark) -> Result<(), StoreError> {
        let mut kept = self.kept();
        kept.switches.retain(|one| one.scope != SwitchScope::Window(window.clone()));
        kept.grants.retain(|(of, _)| of != window);
        Ok(())
    }

    async fn window_grants(&self, window: &WindowMark) -> Result<Vec<WindowGrant>, StoreError> {
        let kept = self.kept();
        let its = kept.grants.iter().filter(|(of, _)| of == window);
        Ok(its.map(|(_, grant)| grant.clone()).collect())
    }

    async fn keep_grant(&self, window: &WindowMark, grant: WindowGrant) -> Result<(), StoreError> {
        self.kept().grants.insert((window.clone(), grant));
        Ok(())
    }

    async fn forget_grant(
        &self,
        window: &WindowMark,
        grant: &WindowGrant,
    ) -> Result<bool, StoreError> {
        Ok(self.kept().grants.remove(&(window.clone(), grant.clone())))
    }
}
