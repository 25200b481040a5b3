//! A run that is watched: what it may not show, who sees it, and where that is written.

use std::fmt;
use std::sync::Arc;

use toolgate_mask::Masker;
use toolgate_types::config::Config;

use crate::logging::{LogWitness, RunLogs};
use crate::{RunConsole, RunObserver, RunSettings};

/// The eyes on a run.
pub struct WatchedRun {
    pub observer: Arc<dyn RunObserver>,
    pub logs: RunLogs,
    pub witness: Arc<LogWitness>,
}

impl WatchedRun {
    /// Watched from this console. The secrets of all that is configured are known: a secret is one
    /// wherever it turns up.
    pub fn begin(config: &Config, settings: &RunSettings, console: &mut dyn RunConsole) -> Self {
        let masker = Masker::of_config(config, settings.variables());
        let observer = console.observer(&masker);
        Self::seen_by(observer, &masker, settings, console)
    }

    /// The same with somebody who watches already.
    pub fn seen_by(
        observer: Arc<dyn RunObserver>,
        masker: &Masker,
        settings: &RunSettings,
        console: &mut dyn RunConsole,
    ) -> Self {
        let (folder, variables) = (settings.log_folder(), settings.variables());
        let logs = settings.logging.begin(folder.as_deref(), variables, masker, &observer, console);
        let witness = Arc::new(LogWitness::new(&observer, masker, logs.traces()));
        Self { observer, logs, witness }
    }
}

impl fmt::Debug for WatchedRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatchedRun").field("logs", &self.logs).finish_non_exhaustive()
    }
}
