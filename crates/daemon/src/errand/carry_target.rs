//! Who is to do what a person wants done, found by whatever name they used.

use std::sync::Arc;

use toolgate_host::ToolEntry;
use toolgate_types::{ServerId, visible};

use super::typed_tool::public_tool;
use super::{CarryFailure, ErrandHost, server_id};

pub(super) struct CarryTarget {
    /// None where it is a tool of the host itself.
    pub(super) server: Option<ServerId>,
    /// With or to what, as the server calls it.
    pub(super) name: String,
    /// What was found under a public name.
    pub(super) listed: Option<Arc<ToolEntry>>,
}

impl CarryTarget {
    /// Something of a server, or the tool that agents see under this name.
    pub(super) async fn of(
        server: Option<&str>,
        name: &str,
        hosted: &ErrandHost,
    ) -> Result<Self, CarryFailure> {
        if let Some(server) = server {
            let (server, name) = (Some(server_id(server)?), name.to_owned());
            return Ok(Self { server, name, listed: None });
        }
        let entry = public_tool(name, hosted).await?;
        let own = entry.definition().map(|definition| definition.key.to_string());
        let name = own.unwrap_or_else(|| entry.name().to_owned());
        Ok(Self { server: entry.server().cloned(), name, listed: Some(entry) })
    }

    pub(super) fn shown(&self) -> String {
        self.server.as_ref().map_or_else(|| visible(&self.name), ToString::to_string)
    }
}
