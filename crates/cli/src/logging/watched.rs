//! A run that is watched: what it may not show, who sees it, and where that is written.

use std::sync::Arc;

use toolgate_mask::Masker;
use toolgate_types::config::Config;

use super::{Logs, Witness};
use crate::output::Output;
use crate::progress::Progress;
use crate::surroundings::Surroundings;

/// The eyes on a run.
pub(crate) struct Watched {
    /// Knows the secrets of all that is configured: a secret is one wherever it turns up.
    pub(crate) masker: Masker,
    pub(crate) progress: Arc<Progress>,
    pub(crate) logs: Logs,
    pub(crate) witness: Arc<Witness>,
}

impl Watched {
    pub(crate) fn begin(config: &Config, surroundings: &Surroundings, output: &mut Output) -> Self {
        let masker = Masker::of_config(config, &surroundings.variables);
        let progress = Arc::new(Progress::new(output, &masker));
        let folder = surroundings.log_folder();
        let logs = surroundings.logging.begin(
            folder.as_deref(),
            &surroundings.variables,
            &masker,
            &progress,
            output,
        );
        let witness = Arc::new(Witness::new(&progress, &masker, logs.traces()));
        Self { masker, progress, logs, witness }
    }
}
