//! From a context to what a host is made of: the configuration, what a person accepted of it, and
//! what we add ourselves.

use std::sync::Arc;
use std::time::SystemTime;

use toolgate_config::{McpConfigLoadResult, Problem, Severity, load};
use toolgate_mask::Masker;
use toolgate_store::{ProjectRoot, Store};
use toolgate_types::Acceptances;
use toolgate_types::config::{Config, Naming};

use super::Context;
use crate::builtins::add_builtins;
use crate::progress::Progress;
use crate::serving::surface;

/// A configuration as it is hosted.
pub(crate) struct Prepared {
    pub(crate) config: Config,
    pub(crate) acceptances: Acceptances,
    pub(crate) masker: Masker,
    /// The form of names, where nobody has a say in it.
    pub(crate) naming: Option<Naming>,
    /// How it was found.
    pub(crate) loaded: Found,
}

/// What else a load found.
pub(crate) struct Found {
    pub(crate) sources: Vec<toolgate_config::LoadedSource>,
    pub(crate) rejected: Vec<toolgate_config::Rejected>,
    /// When it began to be read.
    pub(crate) read_at: SystemTime,
    /// The errors, as a person reads them.
    pub(crate) problems: Vec<String>,
    /// The person's own file, whether it is there or not.
    pub(crate) global_file: Option<std::path::PathBuf>,
    /// The variables that it takes from the environment, set or not.
    pub(crate) variables: std::collections::BTreeSet<String>,
}

pub(super) async fn prepare(
    context: &Context,
    store: &Arc<dyn Store>,
    progress: &Progress,
) -> Result<Prepared, String> {
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
    let found = Found {
        read_at,
        problems: problems.collect(),
        sources: loaded.sources,
        rejected: loaded.rejected,
        variables: loaded.variables,
        global_file: loaded.global_file,
    };
    let mut config = loaded.config;
    progress.speak_for_servers(&mut config);
    let is_closed = surface::is_closed(&config);
    match is_closed {
        true => surface::close(&mut config),
        false => add_builtins(&mut config, &context.folder, &context.options),
    }
    let naming = is_closed.then_some(surface::CLOSED_NAMING);
    Ok(Prepared { config, acceptances, masker, naming, loaded: found })
}

/// The configuration as it is written, and what was accepted of it.
pub(super) async fn look(
    context: &Context,
    store: &Arc<dyn Store>,
) -> Result<(McpConfigLoadResult, Acceptances), String> {
    let options = context.options.clone();
    let loaded = tokio::task::spawn_blocking(move || load(&options)).await;
    let loaded = loaded.map_err(|error| error.to_string())?;
    let acceptances = acceptances(&loaded, store).await?;
    Ok((loaded, acceptances))
}

async fn acceptances(
    loaded: &McpConfigLoadResult,
    store: &Arc<dyn Store>,
) -> Result<Acceptances, String> {
    match ProjectRoot::of(&loaded.project_root) {
        Ok(root) => store.acceptances(&root).await.map_err(|error| error.to_string()),
        Err(_) => Ok(Acceptances::default()),
    }
}
