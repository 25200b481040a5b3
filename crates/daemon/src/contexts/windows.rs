//! The contexts of attached windows: entered, given more variables, woken, forgotten.

use std::path::PathBuf;

use toolgate_assembly::{WorkspaceContext, is_own_variable};
use toolgate_config::Variables;

use super::WorkspaceContexts;
use crate::lock;

impl WorkspaceContexts {
    /// The key of a window's context, for [`toolgate_gateway::Wanted`].
    pub(crate) fn enter(&self, context: WorkspaceContext) -> String {
        let mut windows = lock(&self.windows);
        if let Some((key, _)) = windows.iter().find(|(_, known)| known.is(&context)) {
            return key.clone();
        }
        // No name of a registered folder has a colon.
        let taken = |key: &String| windows.iter().any(|(known, _)| known == key);
        let mut numbers = 0_u64..;
        let key =
            numbers.find_map(|number| Some(format!("window:{number}")).filter(|key| !taken(key)));
        let key = key.unwrap_or_default();
        windows.push((key.clone(), context));
        key
    }

    /// The folder of a window's context.
    pub(crate) fn folder_of(&self, key: &str) -> Option<PathBuf> {
        let windows = lock(&self.windows);
        let found = windows.iter().find(|(known, _)| known == key);
        found.map(|(_, context)| context.folder.clone())
    }

    pub(crate) fn window_keys(&self) -> Vec<String> {
        lock(&self.windows).iter().map(|(key, _)| key.clone()).collect()
    }

    /// A window brings variables that its configuration wants since it changed. What is set stays;
    /// whether anything was added.
    pub(crate) fn learn(&self, key: &str, values: Variables) -> bool {
        let mut windows = lock(&self.windows);
        let Some((_, context)) = windows.iter_mut().find(|(known, _)| known == key) else {
            return false;
        };
        let before = context.options.env.len();
        for (name, value) in values.into_iter().filter(|(name, _)| !is_own_variable(name)) {
            context.options.env.entry(name).or_insert(value);
        }
        for live in lock(&self.live).iter().filter(|live| live.key.as_deref() == Some(key)) {
            *lock(&live.context) = context.clone();
        }
        context.options.env.len() > before
    }

    /// Somebody is in a window's context: what changed while nobody was is read before anything is
    /// done there.
    pub(crate) async fn wake(&self, key: &str) {
        for live in self.live() {
            if live.key.as_deref() == Some(key)
                && let Some(_turn) = live.wake().await
            {
                self.reload(&live).await;
            }
        }
    }

    /// Nobody is in this window's context any more.
    pub(crate) fn forget(&self, key: &str) {
        lock(&self.windows).retain(|(known, _)| known != key);
        lock(&self.live).retain(|live| live.key.as_deref() != Some(key));
    }
}
