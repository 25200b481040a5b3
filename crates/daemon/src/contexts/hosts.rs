//! The hosts that the gateway wants, made of contexts.

use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use async_trait::async_trait;
use toolgate_gateway::{HostMaker, HostedFolder, WantedHost};
use toolgate_host::Host;

use super::reload::warn_of_unread;
use super::{LiveHost, WorkspaceContexts};
use crate::lock;

#[async_trait]
impl HostMaker for WorkspaceContexts {
    async fn host(&self, wanted: WantedHost) -> Result<Option<HostedFolder>, String> {
        let Some(context) = self.context_of(wanted.workspace.as_deref()).await? else {
            return Ok(None);
        };
        let prepared = self.configured(&context).await?;
        let has_required = prepared.config.servers.values().any(|server| server.value.required);
        let masker = &prepared.masker;
        let builder = self
            .assembly
            .for_agents(&context, &prepared)
            .listener(wanted.listener(Some(self.witness(masker))))
            .asker(wanted.asker())
            .principal(wanted.principal.clone());
        let (folder, naming) = (context.folder.clone(), prepared.naming);
        warn_of_unread(&folder, &prepared);
        let host = builder.build();
        start(&host, has_required).await?;
        let live = LiveHost {
            key: wanted.workspace.clone(),
            principal: wanted.principal.clone(),
            context: Mutex::new(context),
            host: host.clone(),
            prepared: Mutex::new(Arc::new(prepared)),
            refused: Mutex::default(),
            rests: AtomicBool::new(false),
        };
        lock(&self.live).push(Arc::new(live));
        self.made.notify_one();
        Ok(Some(HostedFolder { host, folder, naming }))
    }
}

/// Starts what is to run from the beginning. A caller waits for that only where there is nothing to
/// serve without it.
async fn start(host: &Host, has_required: bool) -> Result<(), String> {
    if has_required {
        return host.start().await.map_err(|error| error.to_string());
    }
    let host = host.clone();
    tokio::spawn(async move { host.start().await });
    Ok(())
}
