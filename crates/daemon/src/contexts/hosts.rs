//! The hosts that the gateway wants, made of contexts.

use parking_lot::Mutex;
use std::sync::Arc;

use async_trait::async_trait;
use toolgate_gateway::{HostMaker, HostedFolder, WantedHost};
use toolgate_host::Host;

use super::host_rest::HostRest;
use super::reload::warn_of_unread;
use super::{LiveHost, WorkspaceContexts};
use crate::lock;

#[async_trait]
impl HostMaker for WorkspaceContexts {
    async fn host(&self, wanted: WantedHost) -> Result<Option<HostedFolder>, String> {
        let key = wanted.workspace.clone();
        Ok(self.make(wanted, key).await?.map(|(hosted, _)| hosted))
    }

    fn let_go(&self, host: &Host) {
        lock(&self.live).retain(|live| !live.host.is(host));
    }
}

impl WorkspaceContexts {
    /// The host of the context with this key, for whoever wants it.
    pub(crate) async fn make(
        &self,
        wanted: WantedHost,
        key: Option<String>,
    ) -> Result<Option<(HostedFolder, Arc<LiveHost>)>, String> {
        let Some(context) = self.context_of(key.as_deref()).await? else {
            return Ok(None);
        };
        let prepared = self.configured(&context).await?;
        let has_required = prepared.config.servers.values().any(|server| server.value.required);
        let masker = &prepared.masker;
        // Servers are their owner's, whichever of the owner's callers it is.
        let builder = self
            .assembly
            .for_agents(&context, &prepared)
            .listener(wanted.listener(Some(self.witness(masker))))
            .asker(wanted.asker())
            .principal(wanted.owner.clone());
        let (folder, naming) = (context.folder.clone(), prepared.naming);
        warn_of_unread(&folder, &prepared);
        let host = builder.build();
        start(&host, has_required).await?;
        let live = Arc::new(LiveHost {
            key,
            principal: wanted.principal.clone(),
            context: Mutex::new(context),
            host: host.clone(),
            prepared: Mutex::new(Arc::new(prepared)),
            refused: Mutex::default(),
            rest: HostRest::default(),
        });
        lock(&self.live).push(Arc::clone(&live));
        self.made.notify_one();
        Ok(Some((HostedFolder { host, folder, naming }, live)))
    }

    /// Nobody looks after these any more: whoever had them made has ended them.
    pub(crate) fn let_go(&self, hosts: &[Arc<LiveHost>]) {
        let is_one = |live: &Arc<LiveHost>| hosts.iter().any(|host| Arc::ptr_eq(host, live));
        lock(&self.live).retain(|live| !is_one(live));
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
