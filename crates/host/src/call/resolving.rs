//! From what a caller names to a tool that its server has.

use std::sync::Arc;

use toolgate_guard::Kind;
use toolgate_types::{Definition, ListKind, ServerId};
use toolgate_upstream::Upstream;

use super::failing::Trouble;
use super::{Call, Target};
use crate::entry::{Source, ToolEntry};
use crate::{Audience, Host};

impl Host {
    /// The tool, as its server has it now: what only a snapshot says, or what the server said on
    /// another connection, is asked first.
    pub(super) async fn resolve(&self, call: &Call) -> Result<Arc<ToolEntry>, Trouble> {
        let entry = match &call.target {
            Target::Named { audience, name } => self.by_name(audience, name).await?,
            Target::Listed(entry) => Arc::clone(entry),
            Target::Exact { audience, server, tool } => {
                return self.exactly(audience, server, tool).await;
            }
        };
        match &entry.source {
            Source::Server { upstream, definition } if !upstream.is_current(ListKind::Tools) => {
                let definition = self.live(upstream, &definition.key).await?;
                let source = Source::Server { upstream: Arc::clone(upstream), definition };
                let name = entry.name().to_owned();
                let (audience, limit) = (&entry.audience, self.schema_bytes());
                Ok(Arc::new(ToolEntry::new(name, audience, limit, source)))
            }
            _ => Ok(entry),
        }
    }

    async fn by_name(&self, audience: &Audience, name: &str) -> Result<Arc<ToolEntry>, Trouble> {
        if let Some(entry) = self.view(audience).resolve(name) {
            return Ok(Arc::clone(entry));
        }
        // Perhaps a server was not asked yet. Those whose id is in the name come first, so that a
        // call to one does not start them all.
        self.refresh(ListKind::Tools, |upstream| name.contains(upstream.id().as_str())).await;
        if let Some(entry) = self.view(audience).resolve(name) {
            return Ok(Arc::clone(entry));
        }
        let view = self.list_tools(audience).await;
        view.resolve(name).cloned().ok_or_else(|| Trouble::NotFound(name.to_owned()))
    }

    async fn exactly(
        &self,
        audience: &Audience,
        server: &ServerId,
        tool: &str,
    ) -> Result<Arc<ToolEntry>, Trouble> {
        let unknown = || Trouble::NotFound(format!("{server}/{tool}"));
        let upstream =
            self.inner.servers.get(server).filter(|up| up.is_usable()).ok_or_else(unknown)?;
        let definition = self.live(&upstream, tool).await?;
        if !self.view(audience).shows(server, Kind::Tool, tool) {
            return Err(unknown());
        }
        let (name, source) = (tool.to_owned(), Source::Server { upstream, definition });
        Ok(Arc::new(ToolEntry::new(name, audience, self.schema_bytes(), source)))
    }

    /// A tool's definition from the server itself, which is started for it.
    async fn live(&self, upstream: &Upstream, tool: &str) -> Result<Arc<Definition>, Trouble> {
        let listing = upstream.spoken(ListKind::Tools).await;
        let listing =
            listing.map_err(|error| Trouble::Upstream { server: upstream.id().clone(), error })?;
        let found = listing.items.iter().find(|definition| definition.key == tool);
        let name = || format!("{}/{tool}", upstream.id());
        found.cloned().ok_or_else(|| Trouble::NotFound(name()))
    }

    pub(crate) fn schema_bytes(&self) -> usize {
        usize::try_from(self.inner.limits.schema_bytes).unwrap_or(usize::MAX)
    }
}
