//! From a context to what a host is made of: the configuration, what a person accepted of it, and
//! what we add ourselves.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use toolgate_config::{McpConfigLoadResult, Problem, Severity, load};
use toolgate_mask::Masker;
use toolgate_store::ProjectRoot;
use toolgate_types::config::{Config, Naming};
use toolgate_types::{Acceptances, SwitchedAway};

use crate::builtins::add_builtins;
use crate::unread_config::withhold_unread;
use crate::{SharedStore, WorkspaceContext, surface};

/// A configuration as it is hosted.
#[derive(Debug, Clone)]
pub struct AssembledConfig {
    pub config: Config,
    pub acceptances: Acceptances,
    pub masker: Masker,
    /// The form of names, where nobody has a say in it.
    pub naming: Option<Naming>,
    /// How it was found.
    pub loaded: LoadFindings,
}

/// What else a load found.
#[derive(Debug, Clone)]
pub struct LoadFindings {
    pub sources: Vec<toolgate_config::LoadedSource>,
    pub rejected: Vec<toolgate_config::RejectedEntry>,
    /// When it began to be read.
    pub read_at: SystemTime,
    /// The errors, as a person reads them.
    pub problems: Vec<String>,
    /// The person's own file, whether it is there or not.
    pub global_file: Option<PathBuf>,
    /// The variables that it takes from the environment, set or not.
    pub variables: std::collections::BTreeSet<String>,
}

impl AssembledConfig {
    pub async fn of(context: &WorkspaceContext, store: &SharedStore) -> Result<Self, String> {
        let read_at = SystemTime::now();
        let (loaded, acceptances) = look(context, store).await?;
        // Of all that is configured, not only of what is hosted: a secret is one wherever it turns up.
        let masker = Masker::of_config(&loaded.config, &context.options.env);
        let errors = loaded.problems.iter().filter(|problem| problem.severity == Severity::Error);
        let masked = |words: &str| masker.mask_text(words).into_owned();
        // Where it is and which key it is about is no secret.
        let problems = errors.map(|problem| {
            let (message, help) = (masked(&problem.message), problem.help.as_deref().map(masked));
            Problem { message, help, ..problem.clone() }.to_string()
        });
        let mut config = loaded.config;
        withhold_unread(&mut config, &loaded.failed);
        let found = LoadFindings {
            read_at,
            problems: problems.collect(),
            sources: loaded.sources,
            rejected: loaded.rejected,
            variables: loaded.variables,
            global_file: loaded.global_file,
        };
        let naming = add_own_servers(&mut config, context);
        Ok(Self { config, acceptances, masker, naming, loaded: found })
    }
}

/// Makes of what is configured what agents get: with the servers that Toolgate brings itself, or
/// without anything of its own where that is switched off. Then the form of names is settled too, and
/// is said.
pub fn add_own_servers(config: &mut Config, context: &WorkspaceContext) -> Option<Naming> {
    let is_closed = surface::is_closed(config);
    match is_closed {
        true => surface::close(config),
        false => add_builtins(config, &context.folder, &context.options),
    }
    let naming = is_closed.then_some(surface::CLOSED_NAMING);
    if let Some(naming) = naming {
        config.gateway.naming = naming;
    }
    // What was added is switched too.
    let switched = config.switched.clone();
    config.switch(switched);
    naming
}

/// The configuration as it is written, and what was accepted of it and switched away.
pub async fn look(
    context: &WorkspaceContext,
    store: &SharedStore,
) -> Result<(McpConfigLoadResult, Acceptances), String> {
    let options = context.options.clone();
    let loaded = tokio::task::spawn_blocking(move || load(&options)).await;
    let mut loaded = loaded.map_err(|error| error.to_string())?;
    let acceptances = acceptances(&loaded, store).await?;
    loaded.config.switch(switched_away(context, store).await?);
    Ok((loaded, acceptances))
}

/// What the person switched away where somebody works.
pub async fn switched_away(
    context: &WorkspaceContext,
    store: &SharedStore,
) -> Result<SwitchedAway, String> {
    let switches = store.switches().await.map_err(|error| error.to_string())?;
    Ok(SwitchedAway::of(&switches, &real(&context.folder)))
}

/// By its real name, as switches are kept.
fn real(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

async fn acceptances(
    loaded: &McpConfigLoadResult,
    store: &SharedStore,
) -> Result<Acceptances, String> {
    match ProjectRoot::of(&loaded.project_root) {
        Ok(root) => store.acceptances(&root).await.map_err(|error| error.to_string()),
        Err(_) => Ok(Acceptances::default()),
    }
}
