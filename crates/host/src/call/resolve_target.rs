//! From what a caller names to a tool that its server has.

use std::sync::Arc;

use toolgate_audit::CallRecord;
use toolgate_guard::MatterKind;
use toolgate_types::{Definition, ListKind, ServerId, ServerStatus};
use toolgate_upstream::{ConnectionLease, ConnectionUser, Upstream, UpstreamError};

use super::call_trouble::CallTrouble;
use super::{Call, CallTarget};
use crate::await_lists::patient;
use crate::entry::{ToolEntry, ToolSource};
use crate::names::{may_name, names_server};
use crate::{Audience, Host};

impl Host {
    /// The tool that an audience sees under this name, in any of its forms. Servers that may have it
    /// are asked where it is not known yet.
    pub async fn find_tool(&self, audience: &Audience, name: &str) -> Option<Arc<ToolEntry>> {
        self.by_name(audience, name).await.ok()
    }

    /// The tool, as its server has it now: what only a snapshot says, or what the server said on
    /// another connection, is asked first. From here on the connection is held for the call, where
    /// the tool is a server's.
    /// Whose tool it is is written down as soon as it is known: the rest may fail.
    pub(super) async fn resolve(
        &self,
        call: &Call,
        record: &mut CallRecord,
    ) -> Result<(Arc<ToolEntry>, Option<ConnectionLease>), CallTrouble> {
        let user = self.user(&call.options);
        let entry = match &call.target {
            CallTarget::Named { audience, name } => self.by_name(audience, name).await?,
            CallTarget::Listed(entry) => Arc::clone(entry),
            CallTarget::Exact { audience, server, tool } => {
                record.is_for(server, tool.as_str());
                return Box::pin(self.exactly(audience, server, tool, user)).await;
            }
        };
        let ToolSource::Server { upstream, definition } = entry.source() else {
            return Ok((entry, None));
        };
        record.is_for(upstream.id(), Arc::clone(&definition.key));
        if let Some(held) = upstream.hold_for(definition, user) {
            return Ok((entry, Some(held)));
        }
        let live = Box::pin(self.live(upstream.id(), &definition.key, user)).await?;
        let (upstream, definition, held) = live;
        let (name, source) = (entry.name().to_owned(), ToolSource::Server { upstream, definition });
        let entry = ToolEntry::new(name, &entry.audience, self.schema_bytes(), source);
        Ok((Arc::new(entry), Some(held)))
    }

    async fn by_name(
        &self,
        audience: &Audience,
        name: &str,
    ) -> Result<Arc<ToolEntry>, CallTrouble> {
        if let Some(entry) = self.view(audience).resolve(name) {
            return Ok(Arc::clone(entry));
        }
        // Boxed: rare, and no call should carry the size of all of them.
        Box::pin(self.asking_servers(audience, name)).await
    }

    /// Perhaps a server was not asked yet. Those whose id is in the name come first, so that a call
    /// to one does not start them all.
    async fn asking_servers(
        &self,
        audience: &Audience,
        name: &str,
    ) -> Result<Arc<ToolEntry>, CallTrouble> {
        self.refresh(ListKind::Tools, patient(), |upstream| may_name(name, upstream.id())).await;
        if let Some(entry) = self.view(audience).resolve(name) {
            return Ok(Arc::clone(entry));
        }
        let view = self.list_tools(audience).await;
        view.resolve(name).cloned().ok_or_else(|| self.why_not_there(audience, name))
    }

    /// A server that wants a login lists nothing: who calls what it once had is told that.
    fn why_not_there(&self, audience: &Audience, name: &str) -> CallTrouble {
        let wanting = self.wanting_login(&audience.address);
        let meant = wanting.into_iter().find(|status| names_server(name, &status.id));
        let Some(ServerStatus { id: server, last_error, retry_in, .. }) = meant else {
            return CallTrouble::NotFound(name.to_owned());
        };
        let (retry_in, last_error) = (retry_in.unwrap_or_default(), last_error.unwrap_or_default());
        let error = UpstreamError::Waiting { retry_in, last_error, wants_login: true };
        CallTrouble::Upstream { server, error }
    }

    pub(super) async fn exactly(
        &self,
        audience: &Audience,
        server: &ServerId,
        tool: &str,
        user: ConnectionUser<'_>,
    ) -> Result<(Arc<ToolEntry>, Option<ConnectionLease>), CallTrouble> {
        let (upstream, definition, held) = self.live(server, tool, user).await?;
        if !self.view(audience).shows(server, MatterKind::Tool, tool) {
            return Err(CallTrouble::NotFound(format!("{server}/{tool}")));
        }
        let (name, source) = (tool.to_owned(), ToolSource::Server { upstream, definition });
        let entry = ToolEntry::new(name, audience, self.schema_bytes(), source);
        Ok((Arc::new(entry), Some(held)))
    }

    /// A tool's definition from the server itself, which is started for it. Where its entry is loaded
    /// anew meanwhile, the one that took its place is asked.
    async fn live(
        &self,
        server: &ServerId,
        tool: &str,
        user: ConnectionUser<'_>,
    ) -> Result<(Arc<Upstream>, Arc<Definition>, ConnectionLease), CallTrouble> {
        let unknown = || CallTrouble::NotFound(format!("{server}/{tool}"));
        loop {
            let upstream = self.inner.servers.get(server).filter(|up| up.is_usable());
            let upstream = upstream.ok_or_else(unknown)?;
            let spoken = async {
                let held = upstream.hold(user).await?;
                let listing = held.spoken(ListKind::Tools).await?;
                Ok((held, listing))
            };
            match spoken.await {
                Ok((held, listing)) => {
                    let found = listing.items.iter().find(|definition| *definition.key == *tool);
                    let definition = found.cloned().ok_or_else(unknown)?;
                    return Ok((upstream, definition, held));
                }
                Err(UpstreamError::Closed) if upstream.is_retired() => {}
                Err(error) => return Err(CallTrouble::Upstream { server: server.clone(), error }),
            }
        }
    }

    pub(crate) fn schema_bytes(&self) -> usize {
        usize::try_from(self.limits().schema_bytes).unwrap_or(usize::MAX)
    }
}
