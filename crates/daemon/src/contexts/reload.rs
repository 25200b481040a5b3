//! A changed configuration takes effect: what is as it was goes on undisturbed, and a file that cannot
//! be read any more changes nothing.

use std::path::Path;
use std::sync::Arc;

use toolgate_assembly::{AssembledConfig, switched_away};
use toolgate_config::LoadedSource;
use toolgate_types::ConfigSource;

use super::{LiveHost, WorkspaceContexts};
use crate::lock;

/// What came of looking again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ReloadOutcome {
    Taken,
    /// The last good one stays.
    Refused(String),
}

impl WorkspaceContexts {
    /// Reads the configuration of a host anew.
    pub(crate) async fn reload(&self, live: &LiveHost) -> ReloadOutcome {
        let looked = self.configured(&live.context()).await;
        let known = Arc::clone(&lock(&live.prepared));
        let refused = match &looked {
            Ok(prepared) => unreadable(&known.loaded.sources, &prepared.loaded.sources)
                .then(|| prepared.loaded.problems.join("\n")),
            Err(why) => Some(why.clone()),
        };
        lock(&live.refused).clone_from(&refused);
        match (looked, refused) {
            (Ok(prepared), None) => {
                let context = live.context();
                warn_of_unread(&context.folder, &prepared);
                let variables = Some(context.options.env);
                live.host.reload(&prepared.config, &prepared.acceptances, variables).await;
                *lock(&live.prepared) = Arc::new(prepared);
                ReloadOutcome::Taken
            }
            (_, why) => {
                self.switch(live, &known).await;
                ReloadOutcome::Refused(why.unwrap_or_default())
            }
        }
    }

    /// Whatever is wrong with a file, what a person switches is switched.
    async fn switch(&self, live: &LiveHost, known: &AssembledConfig) {
        let switched = switched_away(&live.context(), self.store()).await;
        if let Ok(switched) = switched
            && switched != known.config.switched
        {
            let mut prepared = known.clone();
            prepared.config.switch(switched);
            live.host.reload(&prepared.config, &prepared.acceptances, None).await;
            *lock(&live.prepared) = Arc::new(prepared);
        }
    }
}

/// Agents are told that something could not be read, and the log is told what.
pub(super) fn warn_of_unread(folder: &Path, prepared: &AssembledConfig) {
    if prepared.config.notice.is_some() {
        let (folder, why) = (folder.display().to_string(), prepared.loaded.problems.join("\n"));
        tracing::warn!(target: "toolgate", folder, why, "the configuration cannot be read");
    }
}

/// Whether a file that counted is still there and does not count any more: then it is broken, and
/// not taken away.
fn unreadable(before: &[LoadedSource], now: &[LoadedSource]) -> bool {
    before.iter().any(|one| match &*one.source {
        ConfigSource::File(path) => {
            path.exists() && !now.iter().any(|other| *other.source == *one.source)
        }
        _ => false,
    })
}
