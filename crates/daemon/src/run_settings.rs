//! What a run goes by: its folder, its variables, its logs, and where the state of its person is.

use std::path::PathBuf;

use toolgate_config::{LoadOptions, McpConfigLoadResult, Variables, load_written};
use toolgate_control::{CommandFailure, state_folder};
use toolgate_store::SqliteStore;
use toolgate_types::Layer;

use crate::{LogChoice, store_failure};

/// What a run goes by.
#[derive(Debug, Clone)]
pub struct RunSettings {
    pub folder: PathBuf,
    /// How configurations are found, with the variables of the run.
    pub options: LoadOptions,
    pub logging: LogChoice,
}

impl RunSettings {
    pub fn variables(&self) -> &Variables {
        &self.options.env
    }

    pub fn state_folder(&self) -> Result<PathBuf, CommandFailure> {
        state_folder(self.variables())
    }

    pub fn log_folder(&self) -> Result<PathBuf, CommandFailure> {
        Ok(self.state_folder()?.join("logs"))
    }

    /// The store, to write into.
    pub fn store(&self) -> Result<SqliteStore, CommandFailure> {
        SqliteStore::open(&self.state_folder()?).map_err(|error| store_failure(&error))
    }

    /// The person's own configuration, whatever the folder says, as it is written: a run goes by its
    /// settings, and nothing of it is started.
    pub fn person_config(&self) -> McpConfigLoadResult {
        let mut options = self.options.clone();
        options.only = Some(Layer::Global);
        load_written(&options)
    }
}
