//! Whether what is configured of single tools fits the tools that servers had when they were last
//! seen. Nothing is started, and nothing is written.

use std::sync::Arc;

use toolgate_assembly::{HostAssembly, WorkspaceContext};
use toolgate_config::McpConfigLoadResult;
use toolgate_control::CommandFailure;
use toolgate_host::UnfitSettings;
use toolgate_mask::Masker;
use toolgate_store::Store;
use toolgate_types::{Acceptances, visible};

use crate::threads::runtime;

/// In sentences, each for one line of a configuration.
pub fn unfit_tool_settings(
    context: &WorkspaceContext,
    loaded: &McpConfigLoadResult,
    known: Acceptances,
    store: Arc<dyn Store>,
) -> Result<Vec<String>, CommandFailure> {
    let config = &loaded.config;
    if config.servers.values().all(|entry| entry.value.tool_settings.is_empty()) {
        return Ok(Vec::new());
    }
    let masker = Masker::of_config(config, &context.options.env);
    let assembly = HostAssembly::new().map_err(CommandFailure::new)?.store(store);
    let host = assembly.for_command(context, config.clone(), known, &masker);
    let runtime = runtime()?;
    let found = runtime.block_on(async {
        let host = host.build();
        host.recall().await;
        let found = host.unfit_tool_settings();
        host.close_all().await;
        found
    });
    runtime.shutdown_background();
    Ok(found.into_iter().map(sentence).collect())
}

fn sentence(found: UnfitSettings) -> String {
    match found {
        UnfitSettings::OfTool { server, tool, why } => {
            format!("[servers.{server}.tools.{}]: {why}", visible(&tool))
        }
        UnfitSettings::Unseen(server) => format!(
            "[servers.{server}.tools]: whether these fit is known once the server was asked for its \
             tools: toolgate tools --server {server}"
        ),
    }
}
