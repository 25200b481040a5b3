//! A connection held for one operation: from the moment it is taken it goes on until it is given
//! back, also where its entry is changed or removed meanwhile.

use std::fmt;
use std::sync::Arc;

use serde_json::value::RawValue;
use toolgate_types::{Definition, ListKind, SessionId};
use toolgate_wire::{Era, RawObject};

use super::{Upstream, UpstreamError};
use crate::catalog::CatalogListing;
use crate::instance::{ConnectionUse, ServerInstance};

/// A connection that is not ended as long as this is held, unless by force or by its server.
pub struct ConnectionLease {
    pub(crate) instance: Arc<ServerInstance>,
    pub(crate) using: ConnectionUse,
}

/// For whom a connection is held.
#[derive(Debug, Clone, Copy, Default)]
pub struct ConnectionUser<'a> {
    /// Its session may have a process of its own.
    pub session: Option<&'a SessionId>,
    /// What its program can do, for a process that is its own.
    pub capabilities: Option<&'a Arc<RawValue>>,
    /// Whether it can be asked something while an operation runs.
    pub is_asked_meanwhile: bool,
}

impl Upstream {
    /// A connection for one operation; starts the server where it does not run.
    pub async fn hold(&self, user: ConnectionUser<'_>) -> Result<ConnectionLease, UpstreamError> {
        let instance = self.wanted()?.serving(user.session, user.capabilities);
        let using = instance.using().await?;
        let using = match user.is_asked_meanwhile {
            true => Box::pin(instance.in_older_era(using)).await,
            false => using,
        };
        Ok(ConnectionLease { instance, using })
    }

    /// The same where the server runs and still has this tool as it said before; it waits for nothing.
    pub fn hold_for(&self, tool: &Definition, user: ConnectionUser<'_>) -> Option<ConnectionLease> {
        let instance = self.wanted().ok()?.serving(user.session, user.capabilities);
        let using = instance.confirmed(tool)?;
        let using = match user.is_asked_meanwhile {
            true => instance.in_older_era_now(using)?,
            false => using,
        };
        Some(ConnectionLease { instance, using })
    }
}

impl ConnectionLease {
    /// Whether its server asks on its connection, while an operation runs, and never by a result.
    pub fn asks_meanwhile(&self) -> bool {
        self.using.connection.handshake().era() == Era::Legacy
    }

    /// Whether its server runs this tool as a task of the older revision only, which is not carried.
    pub fn runs_as_older_task_only(&self, tool: &Definition) -> bool {
        // Nearly no tool says anything of it.
        if !self.asks_meanwhile() || !tool.raw.get().contains("taskSupport") {
            return false;
        }
        let member = |raw: &RawValue, key: &str| {
            RawObject::parse(raw).ok()?.get_some(key).map(ToOwned::to_owned)
        };
        let within = |raw: Option<&RawValue>, path: &[&str]| {
            let start = raw.map(ToOwned::to_owned);
            path.iter().try_fold(start?, |raw, key| member(&raw, key))
        };
        let support = within(Some(&tool.raw), &["execution", "taskSupport"]);
        let capabilities = self.using.connection.handshake().capabilities.as_deref();
        support.is_some_and(|support| support.get() == r#""required""#)
            && within(capabilities, &["tasks", "requests", "tools", "call"]).is_some()
    }

    /// A list as the server itself has it.
    pub async fn spoken(&self, kind: ListKind) -> Result<Arc<CatalogListing>, UpstreamError> {
        self.instance.spoken(kind).await
    }

    /// What the server that is held sends for a tool, where that is not what was accepted of it.
    pub fn drifted(&self, tool: &str) -> Option<Arc<Definition>> {
        self.instance.known(ListKind::Tools)?.drifted(tool).cloned()
    }
}

impl fmt::Debug for ConnectionLease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectionLease").field("instance", &self.instance).finish_non_exhaustive()
    }
}
